package rff_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/rffgo/rff"
)

func ExampleNew() {
	k := rff.NewGaussian(1.5) // exp(−‖x−y‖²/(2·1.5²))
	m, err := rff.New(k, 2, 4096, rand.NewPCG(1, 2))
	if err != nil {
		panic(err)
	}
	x, y := []float64{0, 1}, []float64{1, 0.5}
	zx, zy := make([]float64, 4096), make([]float64, 4096)
	if err := m.TransformVec(zx, x); err != nil {
		panic(err)
	}
	if err := m.TransformVec(zy, y); err != nil {
		panic(err)
	}
	approx := rff.NewLinear().Eval(zx, zy)
	fmt.Printf("exact %.3f, off by less than 0.05: %v\n", k.Eval(x, y), math.Abs(approx-k.Eval(x, y)) < 0.05)
	// Output: exact 0.757, off by less than 0.05: true
}

// A program's own rows as a Source, without a matrix of them.
func ExampleFromRows() {
	type house struct{ area, rooms, price float64 }
	houses := []house{{52, 2, 180}, {75, 3, 240}, {120, 5, 410}}
	data, err := rff.FromRows(2, 1, func(yield func(rff.Row, error) bool) {
		for _, h := range houses {
			if !yield(rff.Row{X: []float64{h.area, h.rooms}, Y: []float64{h.price}}, nil) {
				return
			}
		}
	})
	if err != nil {
		panic(err)
	}
	for b, err := range data.Batches(context.Background()) {
		if err != nil {
			panic(err)
		}
		fmt.Println(b.X.Rows, "rows; the last:", b.X.Row(2), b.Y.Row(2))
	}
	// Output: 3 rows; the last: [120 5] [410]
}

func ExampleParseKernel() {
	k, err := rff.ParseKernel("matern:nu=2.5,length=3")
	fmt.Println(k, err)
	_, err = rff.ParseKernel("matern:nu=2")
	fmt.Println(err)
	// Output:
	// matern:length=3,nu=2.5 <nil>
	// rff: nu is 2: must be 0.5, 1.5 or 2.5
}
