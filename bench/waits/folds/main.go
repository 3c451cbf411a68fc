// Command folds counts the steps of conjugate gradients that solve the system of a fold, with
// the system of all rows as preconditioner, which one reduction gives for every λ. It says
// whether that could take the place of a reduction for each fold. It counts up to 200.
//
//	go -C bench run ./waits/folds -data DIR -sets cpuact,magic04,eeg -rows 1250 -features 1024
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/sets"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/dense"
	"gonum.org/v1/gonum/mat"
)

const (
	folds = 5
	most  = 200  // steps
	exact = 1e-3 // the error of the held-out squared error, as a share of it
)

func main() {
	data := flag.String("data", "", "`folder` of the data sets of the catalogue")
	names := flag.String("sets", "letter", "data sets")
	rows := flag.Int("rows", 1250, "rows, drawn at random")
	features := flag.Int("features", 1024, "features of a Gaussian kernel, whose bandwidth is the median distance or half of it")
	flag.Parse()
	e, err := blas.NewEngine("", 1)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range strings.Split(*names, ",") {
		table, err := sets.Named(context.Background(), name, *data)
		if err != nil {
			log.Fatal(err)
		}
		table = table.Select(rand.New(rand.NewPCG(1, 1)).Perm(table.Len())[:min(*rows, table.Len())])
		for _, share := range []float64{1, 0.5} {
			z, y, err := design(table, *features, share)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%s, %d rows, %d features, bandwidth %g medians\n", name, z.Rows, z.Cols, share)
			if err := count(e, z, y); err != nil {
				log.Fatal(err)
			}
		}
	}
}

// design returns the features of the rows and their first target, less its mean.
func design(t *dataset.Table, features int, share float64) (z, y blas.General[float64], err error) {
	scaled := t.Scaled(dataset.FitScaling(dataset.Robust, t.X))
	h, err := rff.MedianDistance(scaled.Matrix(), 1000, rand.NewPCG(1, 1))
	if err != nil {
		return z, y, err
	}
	m, err := rff.New(rff.NewGaussian(h*share), t.X.Cols, features, rand.NewPCG(2, 1))
	if err != nil {
		return z, y, err
	}
	made := new(mat.Dense)
	if err := m.Transform(made, scaled.Matrix()); err != nil {
		return z, y, err
	}
	raw := made.RawMatrix()
	z, y = blas.General[float64]{Rows: raw.Rows, Cols: raw.Cols, Stride: raw.Stride, Data: raw.Data}, blas.NewGeneral[float64](raw.Rows, 1)
	at := 0
	var mean float64
	for b, err := range t.Source().Batches(context.Background()) {
		if err != nil {
			return z, y, err
		}
		for i := range b.Y.Rows {
			y.Row(at)[0] = b.Y.Row(i)[0]
			mean += b.Y.Row(i)[0] / float64(y.Rows)
			at++
		}
	}
	for i := range y.Data {
		y.Data[i] -= mean
	}
	return z, y, nil
}

// count prints, for each λ, the held-out squared error of the first fold and the steps after
// which that of the iterate stays within exact of it.
func count(e blas.Engine, z, y blas.General[float64]) error {
	cut, s := z.Rows/folds, z.Cols
	test, yTest, train, yTrain := z.RowRange(0, cut), y.RowRange(0, cut), z.RowRange(cut, z.Rows), y.RowRange(cut, z.Rows)
	all, outside := blas.NewGeneral[float64](s, s), blas.NewGeneral[float64](s, s)
	blas.Gemm(e, true, false, 1, z, z, 0, all)
	blas.Gemm(e, true, false, 1, train, train, 0, outside)
	b, scores := blas.NewGeneral[float64](s, 1), blas.NewGeneral[float64](cut, 1)
	blas.Gemm(e, true, false, 1, train, yTrain, 0, b)
	loss := func(x blas.General[float64]) (sum float64) {
		blas.Gemm(e, false, false, 1, test, x, 0, scores)
		for i, v := range scores.Data[:cut] {
			sum += (v - yTest.Row(i)[0]) * (v - yTest.Row(i)[0])
		}
		return sum / float64(cut)
	}
	for exponent := -10; exponent <= -1; exponent++ {
		ridge := math.Pow(10, float64(exponent)) * float64(train.Rows)
		factor, pre := raised(outside, 1, ridge), raised(all, 1-1.0/folds, ridge)
		if blas.Cholesky(e, factor) != nil || blas.Cholesky(e, pre) != nil {
			fmt.Printf("  λ 1e%03d  no factor\n", exponent)
			continue
		}
		x := dense.Clone(b)
		blas.CholeskySolve(e, factor, x)
		want := loss(x)
		steps := solve(e, raised(outside, 1, ridge), pre, b, func(x blas.General[float64]) bool { return math.Abs(loss(x)-want) <= exact*want })
		fmt.Printf("  λ 1e%03d  error %.5g  steps %d\n", exponent, want, steps)
	}
	return nil
}

// solve takes steps for Ax = b from the solution of the preconditioner on, and returns the
// first of most after which all iterates are good.
func solve(e blas.Engine, a, factor, b blas.General[float64], good func(x blas.General[float64]) bool) (steps int) {
	x, r, ap := dense.Clone(b), dense.Clone(b), dense.Clone(b)
	blas.CholeskySolve(e, factor, x)
	blas.Gemm(e, false, false, -1, a, x, 1, r)
	z := dense.Clone(r)
	blas.CholeskySolve(e, factor, z)
	p, rz := dense.Clone(z), dot(r, z)
	least := rz * 0x1p-100 // below it all is rounding
	for i := 1; i <= most; i++ {
		if !good(x) {
			steps = i
		}
		if rz <= least {
			break
		}
		blas.Gemm(e, false, false, 1, a, p, 0, ap)
		step := rz / dot(p, ap)
		for j := range p.Rows {
			x.Row(j)[0] += step * p.Row(j)[0]
			r.Row(j)[0] -= step * ap.Row(j)[0]
			z.Row(j)[0] = r.Row(j)[0]
		}
		blas.CholeskySolve(e, factor, z)
		next := dot(r, z)
		for j := range p.Rows {
			p.Row(j)[0] = z.Row(j)[0] + next/rz*p.Row(j)[0]
		}
		rz = next
	}
	return steps
}

func dot(a, b blas.General[float64]) (sum float64) {
	for i := range a.Rows {
		sum += a.Row(i)[0] * b.Row(i)[0]
	}
	return sum
}

// raised returns share·a + ridge·I.
func raised(a blas.General[float64], share, ridge float64) blas.General[float64] {
	c := dense.Clone(a)
	for i := range c.Data {
		c.Data[i] *= share
	}
	for i := range c.Rows {
		c.Row(i)[i] += ridge
	}
	return c
}
