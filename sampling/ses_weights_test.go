package sampling

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
)

// The columns of a frequency have the amplitude √β with β as fitted, in both
// forms: a pair gives β·cos ωᵀ(x−y), and √2·cos(ωᵀx+b) twice gives that on average.
func TestSESColumnsAreAsFitted(t *testing.T) {
	data := waves(400, 3, 0)
	for _, form := range []rff.Form{rff.CosSin, rff.CosBias} {
		r := scored(t, SES{Pool: Pool{Base: MonteCarlo{Form: form}}}, 3, 60, data, 11)
		f, s := len(r.Scores), inside.Spec(r.Map)
		var sum float64
		for c, w := range s.Weight {
			want := r.Scores[c%f]
			if form == rff.CosBias {
				want *= 2
			}
			if math.Abs(w*w-want) > 1e-15 {
				t.Fatalf("%v: column %d has the square amplitude %g, want %g", form, c, w*w, want)
			}
		}
		for _, b := range r.Scores {
			sum += b
		}
		if sum > 0.99 || sum < 0.5 {
			t.Errorf("%v: Σβ = %g; shrinkage on these rows leaves less than one", form, sum)
		}
	}
}

// steinWeights against the same formulas over explicit matrices with gonum, where
// no β is at its bound: the ridge solution towards 1/M, then the positive-part
// James–Stein factor from its residual.
func TestSteinWeights(t *testing.T) {
	const pairs, f, lambda = 300, 7, 1e-2
	rng := rand.New(rand.NewPCG(4, 4))
	c, k := mat.NewDense(pairs, f, nil), mat.NewVecDense(pairs, nil)
	for i := range pairs {
		var y float64
		for j := range f {
			c.Set(i, j, math.Cos(2*math.Pi*rng.Float64()))
			y += c.At(i, j) * (0.2 + 0.3*float64(j)) / f
		}
		k.SetVec(i, y+0.7*rng.NormFloat64())
	}
	s := &blas.Sums{W: pairs, YY: []float64{mat.Dot(k, k)}, G: blas.NewGeneral[float64](f+1, f+1), ZY: blas.NewGeneral[float64](f+1, 1)}
	// The frequencies lie at 0, 1, 3, 4, … of the sums: number 2 is not in the index.
	index := []int{0, 1, 3, 4, 5, 6, 7}
	var g mat.Dense
	g.Mul(c.T(), c)
	for a, i := range index {
		for b, j := range index {
			if i <= j { // the upper triangle is all there is
				s.G.Row(i)[j] = g.At(a, b)
			}
		}
		s.ZY.Row(i)[0] = mat.Dot(c.ColView(a), k)
	}
	s.G.Row(2)[2], s.ZY.Row(2)[0] = 1e9, 1e9
	got, err := steinWeights(context.Background(), blas.Engine{}, s, index, lambda)
	if err != nil {
		t.Fatal(err)
	}

	var h mat.Dense
	h.Scale(1./pairs, &g)
	right := mat.NewVecDense(f, nil)
	for j := range f {
		h.Set(j, j, h.At(j, j)+lambda)
		right.SetVec(j, mat.Dot(c.ColView(j), k)/pairs+lambda/f)
	}
	var beta, fit, step, residual mat.VecDense
	if err := beta.SolveVec(&h, right); err != nil {
		t.Fatal(err)
	}
	fit.MulVec(c, &beta)
	residual.SubVec(k, &fit)
	prior := mat.NewVecDense(f, nil)
	for j := range f {
		prior.SetVec(j, 1./f)
	}
	var moved mat.VecDense
	moved.SubVec(&beta, prior)
	step.MulVec(c, &moved)
	variance := mat.Dot(&residual, &residual) / (pairs - f)
	shrink := 1 - (f-2)*variance/mat.Dot(&step, &step)
	if shrink < 0.05 || shrink > 0.95 {
		t.Fatalf("a factor of %g tests little", shrink)
	}
	for j := range f {
		if beta.AtVec(j) < 0 {
			t.Fatal("a bound binds: choose other data")
		}
		want := 1./f + shrink*(beta.AtVec(j)-1./f)
		// The system has a condition below 1/λ = 100.
		if math.Abs(got[j]-want) > 1e-12 {
			t.Errorf("β[%d] = %.15g, want %.15g", j, got[j], want)
		}
	}
}
