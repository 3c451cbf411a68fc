package parquet_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/dataset/parquet"
)

// A column without a name is left out, as in CSV, and that is said.
func TestColumnWithoutName(t *testing.T) {
	var b bytes.Buffer
	w, err := parquet.NewWriter(&b, []parquet.Column{{Name: "a"}, {Name: ""}, {Name: "y"}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		for j := range 3 {
			w.Number(float64(i*j) + .5)
		}
		if err := w.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := dataset.Open(t.Context(), dataset.Options{}, path)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Schema().InputNames(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("inputs %q", got)
	}
	if want := []string{path + ": column 2 has no name, as the row names of pandas and R: it is left out"}; !slices.Equal(f.Notes(), want) {
		t.Errorf("notes %q, want %q", f.Notes(), want)
	}
}
