package rffbeam

import (
	"strings"
	"testing"

	"github.com/rffgo/rff/dataset"
)

// Rows count as a plan weighs their classes, beside their own weight. A row of weight 0 is none.
func TestDealWeighsClasses(t *testing.T) {
	d := &dealer{held: make([]Rows, 1), in: 1, targets: 1, weighted: true, weights: []float64{2, 3}, coding: dataset.NewCoding([]string{"a", "b"})}
	files, err := dataset.OpenReader(t.Context(), dataset.Options{Weights: "w"}, "rows", strings.NewReader("x,w,y\n0,5,b\n9,0,no class\n1,5,a\n"))
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range files.Rows(t.Context()) {
		if err == nil {
			err = d.deal(row)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if w := d.held[0].Weight; len(w) != 2 || w[0] != 15 || w[1] != 10 {
		t.Errorf("weights %v, want 15 and 10", w)
	}
}
