package rffbeam

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/rffgo/rff/internal/columnar"
)

func init() {
	beam.RegisterType(reflect.TypeFor[shareFn]())
	beam.RegisterType(reflect.TypeFor[located]())
	beam.RegisterCoder(reflect.TypeFor[located](), encodeLocated, decodeLocated)
}

// located is a share with its file, and for a look at its rows with their schema, as JSON,
// and what is to be said of it.
type located struct {
	File   matched
	Share  share
	Schema []byte
	Notes  []string
}

func encodeLocated(l located) ([]byte, error) { return encodeGob(l) }
func decodeLocated(b []byte) (located, error) { return decodeGob[located](b) }

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
// rows each. Of other files, and of those that cannot be read anywhere, there is one share.
func sharesOf(ctx context.Context, f matched, least int64) (shares []share, err error) {
	whole := []share{{}}
	in, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	at, ok := in.(anywhere)
	if !ok {
		return whole, nil
	}
	magic := make([]byte, 4)
	if n, err := at.ReadAt(magic, 0); err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	} else if !bytes.Equal(magic[:n], []byte("PAR1")) {
		return whole, nil
	}
	format, _ := columnar.Named("parquet")
	st, err := at.Stat()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	file, err := format.Open(at, st.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	defer file.Close()
	return deal(file.(columnar.Grouped).Groups(), least), nil
}

// deal deals out groups of so many rows.
func deal(groups []int64, least int64) (shares []share) {
	left := int64(0)
	for _, n := range groups {
		left += n
	}
	from, has := 0, int64(0)
	for g, n := range groups {
		has, left = has+n, left-n
		if has >= least && left >= least || g == len(groups)-1 {
			shares = append(shares, share{from, g + 1})
			from, has = g+1, 0
		}
	}
	if len(shares) < 2 {
		return []share{{}}
	}
	return shares
}

// shareFn deals out files.
type shareFn struct{ Least int64 }

func (f *shareFn) ProcessElement(ctx context.Context, file matched, emit func(located)) error {
	shares, err := sharesOf(ctx, file, f.Least)
	for _, s := range shares {
		emit(located{File: file, Share: s})
	}
	return err
}
