package parquet_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rffgo/rff/dataset"
)

// Integers of 128 bits, of polars alone, are refused by name, and columns beside them are read.
func TestWideIntegers(t *testing.T) {
	o := dataset.Options{Label: "wide", Inputs: []string{"y"}}
	_, err := dataset.Read(context.Background(), o, "testdata/wide/pl.arrow")
	var bad *dataset.ParseError
	if !errors.As(err, &bad) || bad.Name != "wide" || !strings.Contains(bad.Need, "128 bits") {
		t.Errorf("%v", err)
	}
	o = dataset.Options{Inputs: []string{"y"}, Task: dataset.Unlabelled}
	f, err := dataset.Open(context.Background(), o, "testdata/wide/pl.arrow")
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for row, err := range f.Rows(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		sum += row.X[0]
	}
	if sum != 7.5 {
		t.Errorf("the rows add up to %v", sum)
	}
}
