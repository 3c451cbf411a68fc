package blas_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

// sections tests features, predictions and sums of squares of differences, of these and of their powers, some of which
// are 0, far from the origin: features within the bounds of asm.Func.Section, the rest
// against the features.
func (s suite[T]) sections(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	for f, want := range sectionValues {
		for _, z := range [][3]int{{1, 1, 1}, {40, 14, 33}, {19, 130, 70}} {
			for terms, power := range []float64{asm.Products: 2, asm.Differences: 1, asm.ThreeHalves: 1.5} {
				s.sectionsOf(t, r, f, want, z[0], z[1], z[2], asm.Terms(terms), power)
			}
		}
	}
}

var sectionValues = map[asm.Func]func(u float64) float64{
	asm.SectionGaussian:    func(u float64) float64 { return math.Exp2(-u) },
	asm.SectionExponential: func(u float64) float64 { return math.Exp2(-math.Sqrt(u)) },
	asm.SectionMatern3: func(u float64) float64 {
		a := math.Ln2 * math.Sqrt(u)
		return (1 + a) * math.Exp(-a)
	},
	asm.SectionMatern5: func(u float64) float64 {
		a := math.Ln2 * math.Sqrt(u)
		return (1 + a + a*a/3) * math.Exp(-a)
	},
	asm.SectionCauchy: func(u float64) float64 { return 1 / (1 + u) },
}

// sectionsOf tests one function and shape.
func (s suite[T]) sectionsOf(t *testing.T, r *rand.Rand, f asm.Func, want func(u float64) float64, rows, dim, n int, terms asm.Terms, power float64) {
	sp := spec(r, f, dim, n)
	sp.Terms = terms
	sp.Phase, sp.Shift, sp.Scale = nil, make([]float64, dim), make([]float64, dim)
	x := matrix[T](r, rows, dim)
	for k := range dim {
		sp.Shift[k], sp.Scale[k] = 1024, (0.5+r.Float64())/math.Sqrt(float64(dim))
		for i := range rows {
			x.Row(i)[k] += 1024
		}
		for j := range n { // representable in T
			sp.W.Row(j)[k] = float64(T(1024 + sp.W.Row(j)[k]))
		}
	}
	for i := 0; i < min(rows, n); i += 3 {
		for k, v := range x.Row(i) {
			sp.W.Row(i)[k] = float64(v)
		}
	}
	m := blas.Pack[T](sp)
	got := matrix[T](r, rows, n)
	m.Transform(s.e, got.General, x.General)
	got.check(t, "Z")
	x.check(t, "X")
	// Rows and landmarks about the centre, and the sums of their powers.
	centred := func(rows int, at func(i, k int) float64) (v [][]float64, sums []float64) {
		for i := range rows {
			row, sum := make([]float64, dim), 0.0
			for k := range row {
				row[k] = (at(i, k) - 1024) * sp.Scale[k]
				sum += raised(row[k], power)
			}
			v, sums = append(v, row), append(sums, sum)
		}
		return v, sums
	}
	p, a := centred(rows, func(i, k int) float64 { return at(x.General, false, i, k) })
	q, b := centred(n, func(j, k int) float64 { return sp.W.Row(j)[k] })
	worst := 0.0 // that two computations of a feature, at most 1.5, differ by
	for i := range rows {
		for j := range n {
			u := 0.0
			for k, v := range p[i] {
				u += raised(v-q[j][k], power)
			}
			norm := max(a[i], b[j])
			du := 2 * s.eps * (float64(dim+2)*4*norm + 8*math.Sqrt(norm*u))
			bound := math.Ln2 * du
			if f != asm.SectionGaussian && f != asm.SectionCauchy {
				bound = math.Ln2 * min(math.Sqrt(du), du/math.Sqrt(u))
			} else if f == asm.SectionCauchy {
				bound = du
			}
			worst = max(worst, 2*sp.Weight[j]*(bound+8*s.eps))
			near(t, "sections", i, j, at(got.General, false, i, j), sp.Weight[j]*want(u), sp.Weight[j]*(bound+8*s.eps))
		}
	}
	s.useSections(t, r, m, x.General, got.General, worst)
}

// raised is |x| to the power of 1, 1.5 or 2, for which math.Pow takes ten times as long.
func raised(x, power float64) float64 {
	x = math.Abs(x)
	switch power {
	case 2:
		return x * x
	case 1.5:
		return x * math.Sqrt(x)
	}
	return x
}

// useSections tests predictions and sums of the features got, which two computations
// may give with a difference of worst.
func (s suite[T]) useSections(t *testing.T, r *rand.Rand, m *blas.Features[T], x, got blas.General[T], worst float64) {
	rows, n := got.Rows, got.Cols
	coef, y := matrix[T](r, n, 2), matrix[T](r, rows, 2)
	m.Predict(s.e, y.General, x, coef.General, nil)
	y.check(t, "predictions")
	acc, scores := blas.NewAccumulator(m, 2, true), blas.NewAccumulator(m, 2, false)
	for _, a := range []*blas.Accumulator[T]{acc, scores} {
		a.Add(s.e, x, y.General, nil)
		a.Flush(s.e)
	}
	largest := 0.0 // of the targets
	for i := range rows {
		for _, v := range y.Row(i) {
			largest = max(largest, math.Abs(float64(v)))
		}
	}
	for i := range rows {
		for c := range 2 {
			sum, size := product(got, coef.General, false, false, i, c, n)
			near(t, "prediction from sections", i, c, at(y.General, false, i, c), sum, s.bound(n, size)+4*float64(n)*worst)
		}
	}
	for i := range n {
		for j := i; j < n; j++ {
			sum, size := product(got, got, true, false, i, j, rows)
			near(t, "sums of sections", i, j, acc.G.Row(i)[j], sum, s.bound(rows, size)+3*float64(rows)*worst)
		}
		for c := range 2 {
			sum, size := product(got, y.General, true, false, i, c, rows)
			near(t, "scores of sections", i, c, scores.ZY.Row(i)[c], sum, s.bound(rows, size)+float64(rows)*worst*largest)
		}
	}
}
