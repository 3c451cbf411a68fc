package cg

import (
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/internal/stream"
)

// A preconditioner is a system with the ridge of M = A + μI on a sample of the
// rows, P = SᵀS + μI.
type preconditioner interface {
	// clear forgets the sample.
	clear()
	// add takes a row of S: √(w/p)·(z − z̄) of a row in the sample with probability p.
	add(row []float64)
	// ready ends the sample.
	ready()
	// factor prepares solve for μ = Σw·λ. The error means that P is not positive
	// definite to working precision.
	factor(mu float64) error
	// solve writes P⁻¹v to dst.
	solve(dst, v blas.General[float64])
}

// primal is the preconditioner that factors P as it stands: s×s numbers in float32, since a
// preconditioner need not be exact, but in float64 where the weights of rows differ by more
// than float32 has digits. The lower triangle keeps SᵀS for the next λ, the upper one takes the
// factor.
type primal[F blas.Float] struct {
	engine  blas.Engine
	g       blas.General[F] // s×s
	diag    []F
	block   blas.General[F] // rows to be added together
	n       int             // of them in use
	ridged  int             // the coordinates from this one on have no ridge
	drawn   int64           // rows of the sample
	v       blas.General[F] // right-hand sides of solve
	largest []float64       // of them
}

// newPrimal returns one of s coordinates, of which the first ridged have the ridge.
func newPrimal[F blas.Float](e blas.Engine, s, ridged, targets int) *primal[F] {
	return &primal[F]{engine: e, ridged: ridged, g: blas.NewGeneral[F](s, s), diag: make([]F, s),
		v: blas.NewGeneral[F](s, targets), largest: make([]float64, targets)}
}

func (p *primal[F]) clear() {
	clear(p.g.Data)
	p.drawn = 0
}

func (p *primal[F]) add(row []float64) {
	if p.block.Data == nil {
		p.block = blas.NewGeneral[F](blas.BlockK, len(row))
	}
	stream.Convert(p.block.Row(p.n), row)
	p.drawn++
	if p.n++; p.n == p.block.Rows {
		p.flush()
	}
}

func (p *primal[F]) flush() {
	if p.n == 0 { // there may be no block yet, if a fit ended before its first row
		return
	}
	blas.Syrk(p.engine, true, true, 1, p.block.RowRange(0, p.n), 1, p.g)
	p.n = 0
}

func (p *primal[F]) ready() {
	p.flush()
	for i := range p.diag {
		p.diag[i] = p.g.Row(i)[i]
	}
	dense.Mirror(p.g)
}

func (p *primal[F]) factor(mu float64) (err error) {
	trace := dense.Sum(p.diag)
	// SᵀS and its factor have rounding errors of the order of eps·trace. A shift of
	// that size makes P positive definite. It is far below μ for every λ that features in F
	// can resolve, and only P has it, not the system that is solved.
	shift := 0x1p-53 * trace
	if single[F]() {
		shift = 0x1p-24 * trace
	}
	for range ridge.Jitters {
		dense.MirrorUp(p.g)
		for i, d := range p.diag {
			p.g.Row(i)[i] = F(float64(d) + shift)
			if i < p.ridged {
				p.g.Row(i)[i] = F(float64(d) + mu + shift)
			}
		}
		if err = blas.Cholesky(p.engine, p.g); err == nil {
			return nil
		}
		shift *= 10
	}
	return err
}

func (p *primal[F]) solve(dst, v blas.General[float64]) {
	clear(p.largest)
	for i := range v.Rows {
		for k, x := range v.Row(i) {
			p.largest[k] = max(p.largest[k], math.Abs(x))
		}
	}
	// Scale columns to the size 1, since float32 would under- or overflow.
	for i := range v.Rows {
		to := p.v.Row(i)
		for k, x := range v.Row(i) {
			to[k] = 0
			if p.largest[k] > 0 {
				to[k] = F(x / p.largest[k])
			}
		}
	}
	blas.CholeskySolve(p.engine, p.g, p.v)
	for i := range v.Rows {
		to := dst.Row(i)
		for k, x := range p.v.Row(i) {
			to[k] = float64(x) * p.largest[k]
		}
	}
}

// leverage returns U⁻¹·Ω in F for the factor P = UᵀU and k columns Ω of random
// signs: the mean square of zᵀU⁻¹Ω estimates the leverage score zᵀP⁻¹z.
func (p *primal[F]) leverage(k int, seed uint64) blas.General[F] {
	x := blas.NewGeneral[F](p.g.Rows, k)
	for i := range x.Data {
		x.Data[i] = F(2*fold.Of(seed, int64(i), 2) - 1)
	}
	blas.TrsmUpper(p.engine, false, p.g, x)
	return x
}

// single reports whether numbers are in float32.
func single[F blas.Float]() bool {
	_, ok := any(F(0)).(float32)
	return ok
}

// dualSketch is the preconditioner where s×s numbers are beyond the memory. It holds
// m < s rows and the m×m factor of SSᵀ + μI, and solves by Woodbury's identity. It is
// in float64, since it subtracts what the sample explains from the whole.
type dualSketch struct {
	engine blas.Engine
	all    blas.General[float64] // room for rows
	s      blas.General[float64] // those in use, m×s
	n      int                   // their number
	g      blas.General[float64] // m×m: SSᵀ below, the factor above the diagonal
	square []float64             // memory of g
	diag   []float64
	mu     float64
	t      []float64 // scratch of solve
}

func newDualSketch(e blas.Engine, rows, s int) *dualSketch {
	return &dualSketch{engine: e, all: blas.NewGeneral[float64](rows, s)}
}

func (p *dualSketch) clear() { p.n = 0 }

func (p *dualSketch) add(row []float64) {
	if p.n < p.all.Rows {
		copy(p.all.Row(p.n), row)
		p.n++
	}
}

func (p *dualSketch) ready() {
	p.s = p.all.RowRange(0, p.n)
	p.g, p.diag = dense.Fitting(&p.square, p.n, p.n), make([]float64, p.n)
	blas.Syrk(p.engine, true, false, 1, p.s, 0, p.g)
	for i := range p.diag {
		p.diag[i] = p.g.Row(i)[i]
	}
	dense.Mirror(p.g)
}

func (p *dualSketch) factor(mu float64) error {
	p.mu = mu
	trace := dense.Sum(p.diag)
	dense.MirrorUp(p.g)
	for i, d := range p.diag {
		p.g.Row(i)[i] = d + mu + float64(0x1p-50*trace) // as in primal.factor
	}
	return blas.Cholesky(p.engine, p.g)
}

// solve: P⁻¹v = (v − Sᵀ(SSᵀ + μI)⁻¹Sv)/μ.
func (p *dualSketch) solve(dst, v blas.General[float64]) {
	t := dense.Fitting[float64](&p.t, p.n, v.Cols)
	blas.Gemm(p.engine, false, false, 1, p.s, v, 0, t)
	blas.CholeskySolve(p.engine, p.g, t)
	for i := range v.Rows {
		copy(dst.Row(i), v.Row(i))
	}
	blas.Gemm(p.engine, true, false, -1, p.s, t, 1, dst)
	for i := range dst.Rows {
		row := dst.Row(i)
		for k := range row {
			row[k] /= p.mu
		}
	}
}
