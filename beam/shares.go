package rffbeam

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"

	"github.com/rffgo/rff/internal/columnar"
)

func init() {
	beam.RegisterType(reflect.TypeFor[shareFn]())
}

// rowsPerFeature is how many rows of each fold a share has at least, for each feature: a
// bundle that ends with fewer would be longer at encoding its sums than at adding them up.
const rowsPerFeature = 20

// share is what a worker reads of a file: the row groups From, From+1, …, To−1 of a
// Parquet file, or with To = 0 all of a file.
type share struct{ From, To int }

// shared is an open file that stands for some of its row groups.
type shared struct {
	anywhere
	of share
}

// Part makes a shared a columnar.Part.
func (s shared) Part() (from, to int) { return s.of.From, s.of.To }

// sharesOf deals the row groups of a Parquet file out into shares of at least that many
// rows each, and returns the rows of each share. Of other files, and of those that cannot
// be read anywhere, there is one share, and rows are nil.
func sharesOf(ctx context.Context, f fileio.ReadableFile, least int64) (shares []share, rows []int64, err error) {
	whole := []share{{}}
	in, err := f.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	at, ok := in.(anywhere)
	if !ok {
		return whole, nil, nil
	}
	magic := make([]byte, 4)
	if n, err := at.ReadAt(magic, 0); err != nil && err != io.EOF {
		return nil, nil, fmt.Errorf("%s: %w", f.Metadata.Path, err)
	} else if !bytes.Equal(magic[:n], []byte("PAR1")) {
		return whole, nil, nil
	}
	format, _ := columnar.Named("parquet")
	st, err := at.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.Metadata.Path, err)
	}
	file, err := format.Open(at, st.Size())
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.Metadata.Path, err)
	}
	defer file.Close()
	return deal(file.(columnar.Grouped).Groups(), least)
}

// deal deals out groups of so many rows.
func deal(groups []int64, least int64) (shares []share, rows []int64, _ error) {
	left := int64(0)
	for _, n := range groups {
		left += n
	}
	from, has := 0, int64(0)
	for g, n := range groups {
		has, left = has+n, left-n
		if has >= least && left >= least || g == len(groups)-1 {
			shares, rows = append(shares, share{from, g + 1}), append(rows, has)
			from, has = g+1, 0
		}
	}
	if len(shares) == 1 {
		shares[0] = share{}
	}
	if len(groups) == 0 {
		return []share{{}}, []int64{0}, nil
	}
	return shares, rows, nil
}

// shareFn deals out files whose rows need no numbers.
type shareFn struct{ Least int64 }

func (f *shareFn) ProcessElement(ctx context.Context, file fileio.ReadableFile, emit func(located)) error {
	shares, _, err := sharesOf(ctx, file, f.Least)
	for _, s := range shares {
		emit(located{File: file, Part: part{Share: s}})
	}
	return err
}
