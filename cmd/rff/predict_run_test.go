package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

// smallModel is a regression on d inputs.
func smallModel(t *testing.T, d int) *krr.Model {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	m, err := rff.New(rff.NewGaussian(3), d, 32, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	x, y := mat.NewDense(200, d, nil), mat.NewDense(200, 1, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	for i := range 200 {
		y.Set(i, 0, x.At(i, 0))
	}
	source, err := rff.FromMatrix(x, y)
	if err != nil {
		t.Fatal(err)
	}
	model, _, err := krr.Fit(context.Background(), m, source, krr.Settings{Lambdas: []float64{1e-3}})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// numberedRows yields n rows; the error, if there is one, comes in place of row bad.
func numberedRows(n, d, bad int, fail error) func(context.Context) iter.Seq2[dataset.Row, error] {
	return func(ctx context.Context) iter.Seq2[dataset.Row, error] {
		return func(yield func(dataset.Row, error) bool) {
			x := make([]float64, d)
			for i := range n {
				if ctx.Err() != nil {
					yield(dataset.Row{}, context.Cause(ctx))
					return
				}
				for j := range x {
					x[j] = float64((i*7+j)%100) / 50
				}
				var err error
				if i == bad {
					err = fail
				}
				if !yield(dataset.Row{X: x, Weight: 1, Place: dataset.Place{File: "f", Row: int64(i + 1)}}, err) || err != nil {
					return
				}
			}
		}
	}
}

// lateFailure is a table whose flush fails from the n-th on.
type lateFailure struct {
	*table
	left int
	err  error
}

func (l *lateFailure) flush() error {
	if l.left--; l.left < 0 {
		return l.err
	}
	return l.table.flush()
}

func quietStages() *stages {
	return startStages(&stdio{out: new(strings.Builder), err: new(strings.Builder)}, "predicting")
}

// All rows come out in their order, with the predictions of each by itself.
func TestPredictionsComeInOrder(t *testing.T) {
	for _, d := range []int{3, 6000} {
		model := smallModel(t, d)
		const n = 5000
		rows := n
		if d > 1000 {
			rows = 700 // several batches of wide rows
		}
		p := &predictor{model: model, outside: newOutside(model), rowsOf: numberedRows(rows, d, -1, nil)}
		var out strings.Builder
		if err := p.run(context.Background(), newTable(&out), quietStages()); err != nil {
			t.Fatal(err)
		}
		got := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(got) != rows+1 || p.rows != int64(rows) {
			t.Fatalf("%d lines, %d rows counted", len(got), p.rows)
		}
		x, f := blas.NewGeneral[float64](1, d), blas.NewGeneral[float64](1, 1)
		for row := range p.rowsOf(context.Background()) {
			copy(x.Row(0), row.X)
			if err := fits.PredictBatch(model, f, x); err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprint(f.Row(0)[0]); got[row.Place.Row] != want {
				t.Fatalf("row %d: %s, by itself %s", row.Place.Row, got[row.Place.Row], want)
			}
		}
	}
}

// The first thing that goes wrong, in the order of the rows, is what run says, and
// whole batches before it are written.
func TestPredictionsEndAtTheFirstError(t *testing.T) {
	model := smallModel(t, 3)
	reading, writing := errors.New("reading"), errors.New("writing")
	for _, c := range []struct {
		bad, flushes int
		want         error
		lines        int
	}{
		{bad: 5*predictRows + 3, flushes: 100, want: reading, lines: 1 + 5*predictRows},
		{bad: 3, flushes: 100, want: reading, lines: 0}, // the header waits for the first batch
		{bad: -1, flushes: 3, want: writing, lines: 1 + 3*predictRows},
		{bad: 5 * predictRows, flushes: 4, want: writing, lines: 1 + 4*predictRows},
		{bad: 5 * predictRows, flushes: 5, want: reading, lines: 1 + 5*predictRows},
		{bad: -1, flushes: 0, want: writing, lines: 0},
	} {
		for range 5 {
			p := &predictor{model: model, outside: newOutside(model), rowsOf: numberedRows(20*predictRows, 3, c.bad, reading)}
			var out strings.Builder
			err := p.run(context.Background(), &lateFailure{newTable(&out), c.flushes, writing}, quietStages())
			if !errors.Is(err, c.want) {
				t.Errorf("bad row %d, %d flushes: %v", c.bad, c.flushes, err)
			}
			if n := strings.Count(out.String(), "\n"); c.flushes == 100 && n != c.lines {
				t.Errorf("bad row %d: %d lines, want %d", c.bad, n, c.lines)
			}
		}
	}
	// A row that the model refuses names its place.
	refused := func(ctx context.Context) iter.Seq2[dataset.Row, error] {
		return func(yield func(dataset.Row, error) bool) {
			for row, err := range numberedRows(3*predictRows, 3, -1, nil)(ctx) {
				if row.Place.Row == predictRows+6 {
					row.X[1] = 1e300
				}
				if !yield(row, err) {
					return
				}
			}
		}
	}
	p := &predictor{model: model, outside: newOutside(model), rowsOf: refused}
	var bad *rff.ValueError
	if err := p.run(context.Background(), newTable(new(strings.Builder)), quietStages()); !errors.As(err, &bad) || !strings.Contains(err.Error(), fmt.Sprintf("f: row %d", predictRows+6)) {
		t.Errorf("a row of 1e300: %v", err)
	}
	// The end of the context ends it.
	ctx, cancel := context.WithCancelCause(context.Background())
	gone := errors.New("gone")
	p = &predictor{model: model, outside: newOutside(model), rowsOf: func(ctx context.Context) iter.Seq2[dataset.Row, error] {
		return func(yield func(dataset.Row, error) bool) {
			for row, err := range numberedRows(1<<40, 3, -1, nil)(ctx) {
				if row.Place.Row == 3*predictRows+1 {
					cancel(gone)
				}
				if !yield(row, err) {
					return
				}
			}
		}
	}}
	if err := p.run(ctx, newTable(new(strings.Builder)), quietStages()); !errors.Is(err, gone) {
		t.Errorf("after the context: %v", err)
	}
}
