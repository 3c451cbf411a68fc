package rffbeam

import (
	"testing"

	"github.com/rffgo/rff/dataset"
)

// Rows count as a plan weighs their classes, beside their own weight.
func TestDealWeighsClasses(t *testing.T) {
	d := &dealer{held: make([]Rows, 1), in: 1, targets: 1, weighted: true, weights: []float64{2, 3}, coding: dataset.NewCoding([]string{"a", "b"})}
	for i, label := range []string{"b", "a"} {
		if err := d.deal(dataset.Row{X: []float64{float64(i)}, Label: dataset.Label{Text: []byte(label)}, Weight: 5}); err != nil {
			t.Fatal(err)
		}
	}
	if w := d.held[0].Weight; len(w) != 2 || w[0] != 15 || w[1] != 10 {
		t.Errorf("weights %v, want 15 and 10", w)
	}
}
