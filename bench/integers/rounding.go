package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/sets"
)

// Of ways to round: 127 steps of a weight, which is what 8 bits have, and 31, where rounding
// decides the error.
var (
	wayNames = []string{"float64", "nearest, bias left", "nearest", "stochastic"}
	steps    = []float64{127, 31}
)

const (
	wayRows, wayFeatures, waySeeds = 8000, 512, 5
	leastPower, wayPowers          = -10, 9 // λ from 10⁻¹⁰ to 10⁻²
)

// ways writes test errors with features that are rounded in several ways.
func ways(ctx context.Context, w io.Writer) error {
	fmt.Fprintf(w, "\n## Ways to round\n\nWrong signs of the first class against all others, %% of the rows that are not among %d training rows (at most as many), the mean of %d draws of %d features at the best λ of each. Features are rounded to nearest or, stochastically, to either neighbour with the chance that makes the mean exact, which doubles the variance. ZᵀZ has the bias of that variance subtracted, but for the second column.\n\n| set | steps |", wayRows, waySeeds, wayFeatures)
	for _, name := range wayNames {
		fmt.Fprintf(w, " %s |", name)
	}
	fmt.Fprint(w, "\n|---|---|---|---|---|---|\n")
	for _, name := range []string{"cod-rna", "eeg", "letter"} {
		t, err := sets.Named(ctx, name, "")
		if err != nil {
			return err
		}
		x, y := standardised(t.X, t.Y)
		for _, levels := range steps {
			var sum [4]float64
			for seed := range uint64(waySeeds) {
				for way := range wayNames {
					e, err := wrong(x, y, way, levels, seed)
					if err != nil {
						return err
					}
					sum[way] += 100 * e / waySeeds
				}
			}
			fmt.Fprintf(w, "| %s | %g | %.3f | %.3f | %.3f | %.3f |\n", name, levels, sum[0], sum[1], sum[2], sum[3])
		}
	}
	return nil
}

// standardised returns inputs of mean 0 and deviation 1, in an order of no meaning, and the
// signs of their first targets.
func standardised(x blas.General[float64], y []float64) (blas.General[float64], []float64) {
	n := min(2*wayRows, x.Rows)
	z, sign := blas.NewGeneral[float64](n, x.Cols), make([]float64, n)
	for to, from := range rand.New(rand.NewPCG(1, 1)).Perm(x.Rows)[:n] {
		copy(z.Row(to), x.Row(from))
		sign[to] = -1
		if y[from] == 0 { // the index of a class
			sign[to] = 1
		}
	}
	for j := range z.Cols {
		var sum, squares float64
		for i := range n {
			sum += z.Row(i)[j] / float64(n)
			squares += z.Row(i)[j] * z.Row(i)[j] / float64(n)
		}
		for i := range n {
			z.Row(i)[j] = (z.Row(i)[j] - sum) / max(1e-12, math.Sqrt(squares-sum*sum))
		}
	}
	return z, sign
}

// wrong returns the share of wrong signs at the best λ.
func wrong(x blas.General[float64], y []float64, way int, levels float64, seed uint64) (float64, error) {
	m, err := rff.New(rff.NewGaussian(math.Sqrt(float64(x.Cols))), x.Cols, wayFeatures, rand.NewPCG(seed, 2))
	if err != nil {
		return 0, err
	}
	var z mat.Dense
	if err := m.Transform(&z, mat.NewDense(x.Rows, x.Cols, x.Data)); err != nil {
		return 0, err
	}
	n := x.Rows / 2
	train := mat.DenseCopyOf(z.Slice(0, n, 0, wayFeatures))
	unit := math.Sqrt(2./wayFeatures) / levels
	r := rand.New(rand.NewPCG(seed, 3))
	bias := [4]float64{0, 0, unit * unit / 12, unit * unit / 6}[way]
	train.Apply(func(_, _ int, v float64) float64 {
		switch way {
		case 0:
			return v
		case 3:
			return math.Floor(v/unit+r.Float64()) * unit
		}
		return math.RoundToEven(v/unit) * unit
	}, train)
	var mean float64
	for _, v := range y[:n] {
		mean += v / float64(n)
	}
	means, right := mat.NewVecDense(wayFeatures, nil), mat.NewVecDense(n, nil)
	for j := range wayFeatures {
		means.SetVec(j, mat.Sum(train.ColView(j))/float64(n))
	}
	for i := range n {
		right.SetVec(i, y[i]-mean)
	}
	gram := blas.NewGeneral[float64](wayFeatures, wayFeatures)
	raw := blas.General[float64]{Rows: n, Cols: wayFeatures, Stride: wayFeatures, Data: train.RawMatrix().Data}
	blas.Gemm(blas.Engine{}, true, false, 1, raw, raw, 0, gram)
	var side, coef mat.VecDense
	side.MulVec(train.T(), right) // right has mean 0
	best := 1.0
	for p := range wayPowers {
		a := mat.NewSymDense(wayFeatures, nil)
		for i := range wayFeatures {
			for j := i; j < wayFeatures; j++ {
				a.SetSym(i, j, gram.Row(i)[j]-float64(n)*means.AtVec(i)*means.AtVec(j))
			}
			a.SetSym(i, i, a.At(i, i)+float64(n)*(math.Pow(10, float64(leastPower+p))-bias))
		}
		var c mat.Cholesky
		if !c.Factorize(a) {
			continue // rounding errors are above λ
		}
		if err := c.SolveVecTo(&coef, &side); err != nil {
			continue
		}
		shift := mean - mat.Dot(means, &coef)
		var score mat.VecDense
		score.MulVec(z.Slice(n, x.Rows, 0, wayFeatures), &coef)
		count := 0.0
		for i := range score.Len() {
			if (score.AtVec(i)+shift)*y[n+i] <= 0 {
				count++
			}
		}
		best = min(best, count/float64(score.Len()))
	}
	return best, nil
}
