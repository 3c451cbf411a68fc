package krr

import (
	"context"
	"fmt"
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr/internal/dual"
)

// LeaveOneOut returns, for every λ, the mean squared error of predicting every row of
// data from the others. data are the rows that g holds, which are read once more. The
// errors are exact and take one reduction of ZᵀZ: with the hat matrix H, the error of row i,
// left out, is (yᵢ − ŷᵢ)/(1 − Hᵢᵢ) (Allen, "The relationship between variable selection and
// data augmentation", 1974), where the ridge nλ keeps the n of all rows. Hᵢᵢ needs the row and
// the sums of all rows, so the data are read a second time. nil stands for the grid of
// Settings.Lambdas. Errors: those of Solve and of data, a *rff.ParameterError for a precision
// that gives nothing but sums, and a *rff.DegenerateDataError for data of another number of rows, or
// of as many whose means are others.
func (g *Gram) LeaveOneOut(ctx context.Context, data rff.Source, lambdas []float64) ([]PathPoint, error) {
	if data != nil {
		if err := g.takes(data.Schema()); err != nil {
			return nil, err
		}
	}
	if g.Rows() == 1 { // its leverage is 1 up to rounding, and so its error would be 0 or NaN
		return nil, &rff.DegenerateDataError{What: leftOut, Why: "no other row predicts a single one: give two rows of positive weight or more"}
	}
	return g.leaveOneOut(ctx, data, gridOf(lambdas), nil)
}

const leftOut = "leave-one-out errors"

// leaveOneOut is LeaveOneOut, and calls row, unless it is nil, with the predictions of
// every row from the others, as held.row takes them.
func (g *Gram) leaveOneOut(ctx context.Context, data rff.Source, lambdas []float64, row dual.Row) ([]PathPoint, error) {
	if !g.precision.LeaveOneOut {
		return nil, lacking(g.precision, "does not leave out single rows", leavesOneOut)
	}
	data, err := counted(data)
	if err != nil {
		return nil, err
	}
	s, err := g.system(lambdas)
	if err != nil {
		return nil, err
	}
	n, t, count := len(s.Z), len(s.Y), len(lambdas)
	in, targets := data.Schema().Dims()
	if d := g.inputs(); in != d || targets != t {
		return nil, mismatch("inputs and targets", fmt.Sprintf("%d and %d", d, t), fmt.Sprintf("%d and %d", in, targets))
	}
	e := inside.Engine(g.m)
	h, err := ridge.NewHat(ctx, e, s, lambdas)
	if err != nil {
		return nil, public(err)
	}
	path := make([]PathPoint, count)
	for l := range path {
		path[l] = PathPoint{Lambda: lambdas[l], Error: make([]float64, t), Freedom: h.Freedom[l], Solved: solvedOf(h.Solved[l])}
	}
	chunk := stream.Chunk(in+t, n)
	p, fit, form := blas.NewGeneral[float64](chunk, n), blas.NewGeneral[float64](chunk, t*count), blas.NewGeneral[float64](chunk, count)
	turn, rows := g.turn(h, s.Z, chunk), int64(0)
	features, residuals, y := newMean(n), make([]*mean, t), make([]float64, 1)
	for k := range residuals {
		residuals[k] = newMean(1)
	}
	for b, err := range ahead(ctx, data, n) {
		if err != nil {
			return nil, err
		}
		m := b.X.Rows
		pb, fb, hb := p.RowRange(0, m), fit.RowRange(0, m), form.RowRange(0, m)
		turn(b.X, pb)
		blas.Gemm(e, false, false, 1, pb, h.Coef, 0, fb)
		h.Forms(pb, hb)
		for i := range m {
			w, out := stream.Weight(b.Weight, i), fb.Row(i)
			for l := range path {
				left := 1 - float64(w*(1/s.W+hb.Row(i)[l]))
				for k, y := range b.Y.Row(i) {
					r := (y - s.Ref[k] - s.Y[k] - out[l*t+k]) / left
					path[l].Error[k] += float64(w*r*r) / s.W
					out[l*t+k] = y - r
				}
			}
			if w > 0 {
				rows++
				features.add(w, pb.Row(i))
				for k, v := range b.Y.Row(i) {
					y[0] = v - s.Ref[k] - s.Y[k]
					residuals[k].add(w, y)
				}
				if row != nil {
					row(out, nil, b.Y.Row(i), w)
				}
			}
		}
	}
	if rows != g.Rows() {
		return nil, &rff.DegenerateDataError{What: leftOut, Why: fmt.Sprintf("the data have %d rows of positive weight, and the sums %d: give the rows that were added, from a source that can be read again", rows, g.Rows())}
	}
	others := features.off(math.Sqrt(dense.SumSquares(s.Z)))
	for k, r := range residuals {
		others = others || r.off(max(math.Abs(g.shift.lo[k]), math.Abs(g.shift.hi[k])))
	}
	if others {
		return nil, &rff.DegenerateDataError{What: leftOut, Why: "the data are as many rows as the sums have, but others: give the rows that were added, from a source that can be read again"}
	}
	return path, nil
}

// mean is that of rows which are centred, and tells whether they are the rows whose mean was taken off.
type mean struct {
	sum            []float64
	weight, square float64
}

func newMean(n int) *mean { return &mean{sum: make([]float64, n)} }

func (m *mean) add(w float64, row []float64) {
	m.weight += w
	for j, v := range row {
		m.sum[j] += float64(w * v)
		m.square += float64(w * v * v)
	}
}

// off reports whether the mean of rows whose numbers are of that size is not 0. Rounding errors, also of
// float32 and of many more rows that were subtracted, are far below a thousandth, which other rows hardly
// keep to: their mean is about 1/√n off.
func (m *mean) off(size float64) bool {
	return math.Sqrt(dense.SumSquares(m.sum))/m.weight > 1e-3*(math.Sqrt(m.square/m.weight)+size)
}

// turn returns a function that writes the rows (z−z̄)ᵀQ of at most rows inputs to p.
func (g *Gram) turn(h *ridge.Hat, mean []float64, rows int) func(x, p blas.General[float64]) {
	if narrow := g.precision.Narrow; narrow != nil && h.Rough {
		q := blas.NewGeneral[float32](h.Basis.Rows, h.Basis.Cols)
		stream.Convert(q.Data, h.Basis.Data)
		h.Basis = blas.General[float64]{}
		r := newRotation(g, narrow(g.m), mean, q, rows)
		own := blas.NewGeneral[float32](rows, q.Rows)
		return func(x, p blas.General[float64]) {
			part := own.RowRange(0, x.Rows)
			r.of(x, part)
			stream.Convert(p.Data[:len(part.Data)], part.Data)
		}
	}
	return newRotation(g, inside.Features64(g.m), mean, h.Basis, rows).of
}

// rotation computes rows of (Z−z̄)Q in one element type.
type rotation[T blas.Float] struct {
	g        *Gram
	features *blas.Features[T]
	mean     []float64
	basis    blas.General[T] // Qᵀ
	x, z     blas.General[T]
}

func newRotation[T blas.Float](g *Gram, f *blas.Features[T], mean []float64, basis blas.General[T], rows int) *rotation[T] {
	in, out := f.Dims()
	return &rotation[T]{g, f, mean, basis, blas.NewGeneral[T](rows, in), blas.NewGeneral[T](rows, out)}
}

func (r *rotation[T]) of(x blas.General[float64], p blas.General[T]) {
	e := inside.Engine(r.g.m)
	xt, z := r.x.RowRange(0, x.Rows), r.z.RowRange(0, x.Rows)
	stream.ScaleRows(r.g.scaling, xt, x)
	r.features.Transform(e, z, xt)
	for i := range x.Rows {
		row := z.Row(i)
		for j, m := range r.mean {
			row[j] = T(float64(row[j]) - m)
		}
	}
	blas.Gemm(e, false, true, 1, z, r.basis, 0, p)
}
