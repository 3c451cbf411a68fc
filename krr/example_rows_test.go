package krr_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// reading is a row of a program: what it measured, what it is, how much it counts, and whose it
// is.
type reading struct {
	x, y   float64
	label  string
	weight float64
	sensor uint64
}

// readings is a Source, with labels, weights and groups.
type readings []reading

func (r readings) Schema() rff.Schema {
	return rff.Schema{Inputs: rff.Columns("x", "y"), Rows: int64(len(r)), Target: rff.Target{Name: "kind", Columns: 1, Classes: []string{"inner", "outer"}}}
}

// Batches yields a row at a time, in memory that it takes again.
func (r readings) Batches(context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		code := map[string]float64{"inner": -1, "outer": 1} // as rff.Target.Classes says
		b := rff.Batch{X: rff.Matrix{Rows: 1, Cols: 2, Stride: 2, Data: make([]float64, 2)}, Y: rff.Matrix{Rows: 1, Cols: 1, Stride: 1, Data: make([]float64, 1)},
			Weight: make([]float64, 1), Group: make([]uint64, 1)}
		for i, v := range r {
			b.First, b.X.Data[0], b.X.Data[1], b.Y.Data[0], b.Weight[0], b.Group[0] = int64(i), v.x, v.y, code[v.label], v.weight, v.sensor
			if !yield(b, nil) {
				return
			}
		}
	}
}

// Rows with labels, weights and groups of a program's own are a Source of two methods: fits leave
// out all rows of a group together, so that λ is measured on sensors that the fit has not seen.
func ExampleFit_rows() {
	x, labels := rings(600)
	var rows readings
	for i, label := range labels {
		rows = append(rows, reading{x.At(i, 0), x.At(i, 1), label, 1 + float64(i%2), uint64(i % 20)})
	}
	features, err := rff.New(rff.NewGaussian(1), 2, 100, rand.NewPCG(1, 2))
	if err != nil {
		log.Fatal(err)
	}
	model, report, err := krr.Fit(context.Background(), features, rows, krr.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	answers, err := model.Labels(mat.NewDense(2, 2, []float64{0.3, -0.2, -1.4, 1.4}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Train.Rows, answers)
	// Output: 600 [inner outer]
}

// The sums of a fit keep its model up to date: new rows are added, old ones are subtracted, and λ
// is chosen anew, without the rows that stay.
func ExampleGram_Subtract() {
	ctx := context.Background()
	features, err := rff.New(rff.NewGaussian(1), 1, 50, rand.NewPCG(1, 2))
	if err != nil {
		log.Fatal(err)
	}
	day := func(seed uint64) rff.Source {
		data, err := rff.FromMatrix(sine(1000, seed))
		if err != nil {
			log.Fatal(err)
		}
		return data
	}
	sums := func(seeds ...uint64) *krr.Gram {
		g := krr.NewGram(features, 1, krr.GramSettings{})
		for _, seed := range seeds {
			if err := g.AddSource(ctx, day(seed)); err != nil {
				log.Fatal(err)
			}
		}
		return g
	}
	var all krr.Gram
	if _, _, err := krr.Fit(ctx, features, day(1), krr.Settings{Gram: &all}); err != nil {
		log.Fatal(err)
	}
	for _, seed := range []uint64{2, 3} { // two more days
		if err := all.AddSource(ctx, day(seed)); err != nil {
			log.Fatal(err)
		}
	}
	if err := all.Subtract(sums(1)); err != nil { // the first is too old
		log.Fatal(err)
	}
	path, err := all.Analyze(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	best := path[0]
	for _, p := range path {
		if p.Error[0] < best.Error[0] {
			best = p
		}
	}
	updated, err := all.Solve(ctx, best.Lambda)
	if err != nil {
		log.Fatal(err)
	}
	anew, err := sums(2, 3).Solve(ctx, best.Lambda)
	if err != nil {
		log.Fatal(err)
	}
	var f, g mat.Dense
	x, _ := sine(100, 4)
	if err := updated.Predict(&f, x); err != nil {
		log.Fatal(err)
	}
	if err := anew.Predict(&g, x); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d rows, as of the days left: %v\n", all.Rows(), mat.EqualApprox(&f, &g, 1e-6))
	// Output: 2000 rows, as of the days left: true
}
