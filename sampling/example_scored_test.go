package sampling_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/sampling"
)

// Take the features that have most to do with the targets, and look at the scores.
func ExampleSampleScored() {
	const n = 400
	x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		t := float64(i)/n - 0.5
		x.Set(i, 0, t)
		y.Set(i, 0, 1+t*(1-4*t*t)) // one wave, and a mean that does not count
	}
	data, err := rff.FromMatrix(x, y)
	if err != nil {
		panic(err)
	}
	s := sampling.Surrogate{Pool: sampling.Pool{Multiple: 8, Pick: "top"}}
	r, err := sampling.SampleScored(context.Background(), s, rff.Request{Kernel: rff.NewGaussian(0.1), Dim: 1, Features: 16, Data: data, Rand: rand.NewPCG(1, 2)})
	if err != nil {
		panic(err)
	}
	_, columns := r.Map.Dims()
	fmt.Println(columns, "columns,", len(r.Picked), "of", len(r.Scores), "frequencies")
	var all, picked float64
	for _, s := range r.Scores {
		all += s
	}
	for _, c := range r.Picked {
		picked += r.Scores[c]
	}
	fmt.Printf("the best eighth of the candidates has %.0f %% of the alignment\n", 100*picked/all)
	// Output:
	// 16 columns, 8 of 64 frequencies
	// the best eighth of the candidates has 34 % of the alignment
}
