package sampling

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
)

// pass sums the features of the data, and their products with targets, in one reading.
type pass struct {
	sampler  string
	features *rff.Map
	gram     bool
	// targets writes the targets of a row to dst. If it is nil, a row has the targets of
	// the data, or none if width is 0; if centred is set, those of the first row are
	// subtracted.
	targets   func(dst []float64, row int64)
	width     int  // number of targets
	centred   bool // targets are the data's and only their differences matter
	keep      func(row int64) bool
	precision *stream.Precision // nil: Float64; others take no targets
	engine    blas.Engine
}

// run returns the sums over the rows. Its result depends on the rows and their
// order, not on how they are cut into batches.
//
// Centred targets have those of the first row subtracted. This makes the sums of constant
// labels exactly zero, and avoids the cancellation that a large mean would cause.
// columnScores then subtracts the mean that remains.
func (p *pass) run(ctx context.Context, data rff.Source) (*blas.Sums, error) {
	dim, columns := p.features.Dims()
	square := 1
	if p.gram {
		square = columns
	}
	if err := affordable(columns, columns, max(square, p.width), "products of features"); err != nil {
		return nil, err
	}
	targets := p.width
	if p.targets != nil {
		targets = 0
	}
	adder := adder{features: p.features, engine: p.engine, width: p.width, gram: p.gram, precision: p.precision.On(false)}
	rows := selection{pass: p, ref: make([]float64, p.width), far: make([]float64, p.width)}
	for b, err := range checked(ctx, data, dim, targets) {
		if err == nil {
			err = adder.admit(b)
		}
		if err != nil {
			return nil, err
		}
		if x, y, weight := rows.of(rows.present.of(b)); x.Rows > 0 {
			adder.Add(x, y, weight, rows.ref)
		}
	}
	if adder.Adder == nil {
		return nil, p.tooFew(0, 1)
	}
	adder.Flush()
	sums := adder.Sums().Joined(nil)
	if sums.Rows == 0 {
		return nil, p.tooFew(0, 1)
	}
	return sums, rows.held(sums.YY)
}

// held returns an error if the sums of squares of targets do not fit into float64, or have lost
// their digits below its least normal number.
func (s *selection) held(squares []float64) error {
	for t, sum := range squares {
		if sum <= math.MaxFloat64 && (sum >= 0x1p-1022 || s.far[t] == 0) {
			continue
		}
		from := "0"
		if s.centred {
			from = "that of the first row"
		}
		return dataError(s.sampler, fmt.Sprintf("target %d differs from %s by up to %.3g, whose square float64 does not hold: rescale the targets", t+1, from, min(s.far[t], math.MaxFloat64)))
	}
	return nil
}

// tooFew says that the pass saw fewer rows than it needs, and how it sees more.
func (p *pass) tooFew(rows, need int64) error {
	if p.keep == nil {
		return tooFewRows(p.sampler, rows, need, ": give more rows")
	}
	return tooFewRows(p.sampler, rows, need, ": raise the fraction of rows it samples, or give more rows")
}

// selection holds the rows of a batch that a pass keeps, with their targets. Each batch
// takes the memory of the one before.
type selection struct {
	*pass
	present present
	x, y    blas.General[float64]
	weight  []float64
	ref     []float64 // to subtract from targets: those of the first row if centred, else 0
	far     []float64 // the largest |y − ref| of each target of the data
	begun   bool
}

// of returns the rows to sum. They are valid until the next call.
func (s *selection) of(b rff.Batch) (x, y blas.General[float64], weight []float64) {
	n := b.X.Rows
	if s.y.Rows < n {
		s.y = blas.NewGeneral[float64](n, s.width)
	}
	if s.keep == nil {
		for r := range n {
			s.target(s.y.Row(r), b, r)
		}
		return b.X, s.y.RowRange(0, n), b.Weight
	}
	if s.x.Rows < n {
		s.x, s.weight = blas.NewGeneral[float64](n, b.X.Cols), make([]float64, n)
	}
	kept := 0
	for r := range n {
		if !s.keep(b.First + int64(r)) {
			continue
		}
		copy(s.x.Row(kept), b.X.Row(r))
		if b.Weight != nil {
			s.weight[kept] = b.Weight[r]
		}
		s.target(s.y.Row(kept), b, r)
		kept++
	}
	if b.Weight != nil {
		weight = s.weight[:kept]
	}
	return s.x.RowRange(0, kept), s.y.RowRange(0, kept), weight
}

// target writes the targets of row r of a batch to dst.
func (s *selection) target(dst []float64, b rff.Batch, r int) {
	switch {
	case s.targets != nil:
		s.targets(dst, b.First+int64(r))
	case s.width > 0:
		copy(dst, b.Y.Row(r))
		if s.centred && !s.begun {
			copy(s.ref, dst)
			s.begun = true
		}
		for t, v := range dst {
			s.far[t] = max(s.far[t], math.Abs(v-s.ref[t]))
		}
	}
}

// checkBatch returns an error for a batch of a program's own Source whose parts have
// different sizes, or that has a number that cannot be used. targets is 0 where they do not matter.
func checkBatch(b rff.Batch, dim, targets int) error {
	if b.X.Cols != dim {
		return &rff.ShapeError{Name: "X of a batch", Rows: b.X.Rows, Cols: b.X.Cols, WantRows: -1, WantCols: dim}
	}
	if targets > 0 && (b.Y.Rows != b.X.Rows || b.Y.Cols != targets) {
		return &rff.ShapeError{Name: "Y of a batch", Rows: b.Y.Rows, Cols: b.Y.Cols, WantRows: b.X.Rows, WantCols: targets}
	}
	if b.Weight != nil && len(b.Weight) != b.X.Rows {
		return &rff.ShapeError{Name: "Weight of a batch", Rows: len(b.Weight), Cols: 1, WantRows: b.X.Rows, WantCols: 1}
	}
	if b.Group != nil && len(b.Group) != b.X.Rows {
		return &rff.ShapeError{Name: "Group of a batch", Rows: len(b.Group), Cols: 1, WantRows: b.X.Rows, WantCols: 1}
	}
	return inside.CheckValues(b, targets > 0)
}

// checked yields the batches of data, up to the first error. It is an error if inputs or targets
// are not as many as these, or not finite. targets is 0 where they do not matter.
func checked(ctx context.Context, data rff.Source, dim, targets int) iter.Seq2[rff.Batch, error] {
	return inside.Batches(ctx, data, func(b *rff.Batch) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return checkBatch(*b, dim, targets)
	})
}

// leastScore is the least centred score, as a share of that of the mean of a column times the
// deviation of the targets. Below are rounding errors, which alone a constant column has.
const leastScore = 0x1p-40

// columnScores returns v = Zᵀy, or with centred set Zᵀ(y−ȳ), s×targets.
func columnScores(s *blas.Sums, centred bool) blas.General[float64] {
	v := blas.NewGeneral[float64](s.ZY.Rows, s.ZY.Cols)
	for j := range v.Rows {
		for t, zy := range s.ZY.Row(j) {
			if centred {
				zy -= float64(s.Z[j] * (s.Y[t] / s.W))
				if math.Abs(zy) <= leastScore*math.Abs(s.Z[j])*math.Sqrt(s.YY[t]/s.W) {
					zy = 0
				}
			}
			v.Row(j)[t] = zy
		}
	}
	return v
}

// energies returns, for each of f frequencies, Σ v² over its columns and all targets. With
// one-vs-rest targets the classes share the features.
func energies(v blas.General[float64], f int) []float64 {
	e := make([]float64, f)
	for j := range v.Rows {
		for _, c := range v.Row(j) {
			e[j%f] += float64(c * c)
		}
	}
	return e
}

// everyRow returns a function that keeps a fraction of the rows, or nil to keep all. The
// function decides from the row's index and the seed alone, so batches do not matter.
func everyRow(fraction float64, src rand.Source) func(row int64) bool {
	if fraction >= 1 {
		return nil
	}
	seed := src.Uint64()
	return func(row int64) bool {
		return float64(fold.Hash(seed, row-1)>>11)*0x1p-53 < fraction
	}
}

// labelled is run with the targets of the data.
func (p *pass) labelled(ctx context.Context, data rff.Source) (*blas.Sums, error) {
	_, p.width = data.Schema().Dims()
	return p.run(ctx, data)
}
