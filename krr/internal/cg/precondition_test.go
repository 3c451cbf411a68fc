package cg

import (
	"testing"

	"github.com/rffgo/rff/blas"
)

// A fit that is cancelled before its first row leaves a sample of none, whose system is
// the ridge alone.
func TestEmptySample(t *testing.T) {
	p := newPrimal[float32](blas.Engine{}, 3, 3, 1)
	p.ready()
	if err := p.factor(4); err != nil {
		t.Fatal(err)
	}
	x := blas.General[float64]{Rows: 3, Cols: 1, Stride: 1, Data: []float64{4, 8, -2}}
	y := blas.NewGeneral[float64](3, 1)
	p.solve(y, x)
	if y.Data[0] != 1 || y.Data[1] != 2 || y.Data[2] != -0.5 {
		t.Errorf("%v", y.Data)
	}
}
