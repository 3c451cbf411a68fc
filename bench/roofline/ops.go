package roofline

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

// newJob prepares the operation of c. It panics for an operation that check
// does not know.
func newJob[T blas.Float](c Case, e blas.Engine) job {
	r := rand.New(rand.NewPCG(1, 2))
	n, d, s := float64(c.N), float64(c.D), float64(c.S)
	switch c.Op {
	case "features", "sections":
		m, x, _ := problem[T](r, c)
		z := blas.NewGeneral[T](c.N, c.S)
		return job{nil, func() { m.Transform(e, z, x) }, n * slotsPerRow(c), n * s,
			func() float64 { return featureError(m, z, x) }}
	case "scores":
		m, x, y := problem[T](r, c)
		a := blas.NewAccumulator(m, 1, false)
		return job{func() { reset(&a.Sums) }, func() { accumulate(e, a, x, y) }, n * slotsPerRow(c), n * s, func() float64 { return targetError(m, a, x, y) }}
	case "gram":
		m, x, y := problem[T](r, c)
		a := blas.NewAccumulator(m, 1, true)
		return job{func() { reset(&a.Sums) }, func() { accumulate(e, a, x, y) }, n*slotsPerRow(c) + n*s*(s+3)/2, n * s, func() float64 { return gramError(m, a, x) }}
	case "fit":
		m, x, y := problem[T](r, c)
		beta := blas.NewGeneral[float64](c.S, 1)
		a := blas.NewAccumulator(m, 1, true)
		u := blas.NewGeneral[float64](c.S, c.S)
		run := func() {
			accumulate(e, a, x, y)
			copy(u.Data, a.G.Data)
			for i := range c.S {
				u.Data[i*c.S+i] += fitLambda * n
			}
			copy(beta.Data, a.ZY.Data)
			if err := blas.Cholesky(e, u); err != nil {
				panic(err) // λ > 0 makes the matrix definite
			}
			blas.CholeskySolve(e, u, beta)
		}
		return job{func() { reset(&a.Sums) }, run, n*slotsPerRow(c) + n*s*(s+3)/2 + s*s*s/6, n * s, func() float64 { return solutionError(a.G, a.ZY, beta, fitLambda*n) }}
	case "backward":
		b := newBackward[T](r, c, e)
		return job{nil, b.epoch, n * b.slotsPerRow(c), n * s, b.residual}
	case "predict":
		m, x, _ := problem[T](r, c)
		coef := random[T](r, c.S, 1)
		dst := blas.NewGeneral[T](c.N, 1)
		intercept := []T{0.5}
		if c.N == 1 {
			e.Workers = 1
		}
		run := func() { m.Predict(e, dst, x, coef, intercept) }
		return job{nil, run, n * (slotsPerRow(c) + s), n, func() float64 { return predictionError(m, coef, 0.5, dst, x) }}
	case "gemm":
		a, b, dst := random[T](r, c.N, c.D), random[T](r, c.D, c.S), blas.NewGeneral[T](c.N, c.S)
		run := func() { blas.Gemm(e, false, false, 1, a, b, 0, dst) }
		return job{nil, run, n * d * s, n * s, func() float64 { return productError(a, false, b, dst, false) }}
	case "syrk":
		a, dst := random[T](r, c.N, c.S), blas.NewGeneral[T](c.S, c.S)
		run := func() { blas.Syrk(e, true, true, 1, a, 0, dst) }
		return job{nil, run, n * s * (s + 1) / 2, s * (s + 1) / 2, func() float64 { return productError(a, true, a, dst, true) }}
	case "cholesky":
		z := random[T](r, c.S+8, c.S)
		a, u := blas.NewGeneral[T](c.S, c.S), blas.NewGeneral[T](c.S, c.S)
		blas.Syrk(blas.Engine{}, true, true, 1, z, 0, a)
		for i := range c.S {
			a.Data[i*c.S+i] += T(s)
		}
		run := func() {
			if err := blas.Cholesky(e, u); err != nil {
				panic(err) // the diagonal was raised by s
			}
		}
		return job{func() { copy(u.Data, a.Data) }, run, s * s * s / 6, s * (s + 1) / 2, func() float64 { return factorError(a, u) }}
	case "hadamard":
		x := random[T](r, c.N, c.S)
		stages := float64(bits.Len(uint(c.S)) - 1)
		first := append([]T(nil), x.Data...)
		// Each transform grows the entries √s times, so every run starts afresh.
		return job{func() { copy(x.Data, first) }, func() { hadamard(e, x) }, n * s * stages, n * s, func() float64 { return hadamardError(e, x) }}
	}
	panic("roofline: unknown operation")
}

const fitLambda = 1e-6

// slotsPerRow is the number of multiply-add slots that the features of one row
// need: d for each projection, and the polynomials of the cosine, whose
// coefficients asm/cos.go lists (range reduction runs on other ports). An absolute
// difference takes two, a subtraction and an addition; that of AVX2 and AVX-512 clears the
// sign besides, with 512 bits on one of the same two ports.
func slotsPerRow(c Case) float64 {
	extra := map[string]float64{"f64cos": 9, "f32cos": 6, "f64pair": 15, "f32pair": 11}
	more, ok := extra[c.DType+c.Form]
	if forms[c.Form].Section() {
		// The norm; the polynomial of 2^−f, its exponent and the weight; the factor of a
		// Matérn kernel. Roots and quotients run on another port.
		more = map[string]float64{"f64": 15, "f32": 10}[c.DType] + map[string]float64{"matern1.5": 2, "matern2.5": 3}[c.Form]
		if c.Form == "cauchy" {
			more = 2
		}
	} else if !ok {
		more = 2 // arc-cosine and linear: the weight, and a square
	}
	inputs := float64(c.D)
	switch terms(c.Form) {
	case asm.Differences:
		inputs *= 2
	case asm.ThreeHalves: // the root runs on another port
		inputs *= 3
	}
	return float64(c.S/forms[c.Form].Outputs()) * (inputs + more)
}

// terms returns what the sections of a form add up.
func terms(form string) asm.Terms {
	return map[string]asm.Terms{"laplacian": asm.Differences, "power1.5": asm.ThreeHalves}[form]
}

// problem returns a map of c's form, n rows and one target.
func problem[T blas.Float](r *rand.Rand, c Case) (*blas.Features[T], blas.General[T], blas.General[T]) {
	f := forms[c.Form]
	count := c.S / f.Outputs()
	s := &blas.Spec{Dim: c.D, W: random[float64](r, count, c.D), Func: f, Weight: make([]float64, c.S)}
	for i := range s.Weight {
		s.Weight[i] = math.Sqrt(2 / float64(c.S))
	}
	s.Terms = terms(c.Form)
	if f.Section() { // distances of about one bandwidth
		s.Shift, s.Scale = make([]float64, c.D), make([]float64, c.D)
		for i := range s.Scale {
			s.Scale[i] = 1 / math.Sqrt(float64(2*c.D))
		}
	}
	if f == asm.Cos {
		s.Phase = make([]float64, count)
		for i := range s.Phase {
			s.Phase[i] = 2 * math.Pi * r.Float64()
		}
	}
	return blas.Pack[T](s), random[T](r, c.N, c.D), random[T](r, c.N, 1)
}

// random returns an r×c matrix of standard normal numbers.
func random[T blas.Float](r *rand.Rand, rows, cols int) blas.General[T] {
	m := blas.NewGeneral[T](rows, cols)
	for i := range m.Data {
		m.Data[i] = T(r.NormFloat64())
	}
	return m
}

// accumulate adds all rows to a.
func accumulate[T blas.Float](e blas.Engine, a *blas.Accumulator[T], x, y blas.General[T]) {
	a.Add(e, x, y, nil)
	a.Flush(e)
}

// reset zeroes sums in place: what is timed is the work, not the making of
// fresh pages for the result.
func reset(s *blas.Sums) {
	s.Rows, s.W = 0, 0
	for _, v := range [][]float64{s.G.Data, s.ZY.Data, s.Z, s.Y, s.YY} {
		clear(v)
	}
}
