package brotli_test

import (
	"testing"

	"github.com/rffgo/rff/dataset"
	_ "github.com/rffgo/rff/dataset/brotli"
	_ "github.com/rffgo/rff/dataset/parquet"
)

// A file that pyarrow compressed with Brotli has the rows that its generator says.
func TestParquet(t *testing.T) {
	f, err := dataset.Open(t.Context(), dataset.Options{Label: "word", Inputs: []string{"f64", "i16"}}, "../parquet/testdata/py-brotli.parquet")
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	for row, err := range f.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if row.X[0] != float64(i-50)/3 || row.X[1] != float64(300*(i-50)) || row.Label() != "w"+string(rune('0'+i%5)) {
			t.Fatalf("row %d: %v %v", i, row.X, row.Label())
		}
		i++
	}
	if i != 100 {
		t.Errorf("%d rows", i)
	}
}
