package main

import (
	"compress/gzip"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rffgo/rff/dataset/parquet"
)

// predictions is a table on its way out, as CSV or as Parquet.
type predictions interface {
	// header names the columns; those called texts are of text.
	header(names []string, texts ...string) error
	text(string)
	numbers([]float64)
	// blank writes n fields without a value.
	blank(n int)
	end()
	// flush hands on as much as it can. Its error may be that of an earlier write.
	flush() error
	// close ends the table. It does not close the writer below.
	close() error
}

// newPredictions returns a table for a file of that name, which writable has accepted. The end of
// the name decides whether it is Parquet, gzipped CSV or CSV.
func newPredictions(w io.Writer, name string) predictions {
	if isParquet(name) {
		return &parquetTable{to: w}
	}
	if strings.HasSuffix(strings.ToLower(name), ".gz") {
		z := gzip.NewWriter(w)
		t := newTable(z)
		t.packed = z
		return t
	}
	return newTable(w)
}

// unwritten are the ends of names of formats that are not written.
var unwritten = strings.Fields(".arrow .arrows .avro .bz2 .db .feather .h5 .hdf5 .htm .html .ipc .json .jsonl .libsvm .lz4 .mat .ndjson " +
	".npy .npz .ods .orc .pickle .pkl .rda .rds .sqlite .svm .svmlight .tab .tsv .xls .xlsx .xml .xz .zip .zst")

// writable refuses a name that announces a format which is not written.
func writable(name string) error {
	plain, packed := strings.CutSuffix(strings.ToLower(name), ".gz")
	end := filepath.Ext(plain)
	switch {
	case packed && end == ".parquet":
		return usagef("--output %s: Parquet is compressed within: give it a name that ends in .parquet", name)
	case slices.Contains(unwritten, end):
		return usagef("--output %s: predictions are written as CSV (.csv), gzipped (.csv.gz) or as Parquet (.parquet), not as %s", name, end)
	}
	return nil
}

func isParquet(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".parquet") }

func (t *table) header(names []string, _ ...string) error {
	for _, n := range names {
		t.text(n)
	}
	t.end()
	return nil
}

func (t *table) blank(n int) {
	for range n {
		t.text("") // text quotes it: an empty line would be no row
	}
}

func (t *table) close() error {
	if err := t.flush(); err != nil || t.packed == nil {
		return err
	}
	return t.packed.Close()
}

// parquetTable writes Parquet. Its error is kept until flush.
type parquetTable struct {
	to  io.Writer
	w   *parquet.Writer
	err error
}

func (t *parquetTable) header(names []string, texts ...string) (err error) {
	columns := make([]parquet.Column, len(names))
	for i, n := range names {
		columns[i] = parquet.Column{Name: n, Text: slices.Contains(texts, n)}
	}
	t.w, err = parquet.NewWriter(t.to, columns)
	return err
}

func (t *parquetTable) text(s string) { t.w.Text(s) }

func (t *parquetTable) numbers(v []float64) {
	for _, x := range v {
		t.w.Number(x)
	}
}

func (t *parquetTable) blank(n int) {
	for range n {
		t.w.Null()
	}
}

func (t *parquetTable) end() {
	if err := t.w.EndRow(); t.err == nil {
		t.err = err
	}
}

func (t *parquetTable) flush() error { return t.err }

func (t *parquetTable) close() error {
	if t.err != nil {
		return t.err
	}
	return t.w.Close()
}
