package cg

import (
	"context"
	"unsafe"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/stream"
)

// Rows are the rows of a fit, scaled and in the precision of its features. If they fit
// in a budget they stay in memory, otherwise every pass reads the source.
type Rows[T blas.Float] struct {
	Source  rff.Source
	Check   stream.Check
	Scaling rff.Scaling
	// Fold returns the fold of a row; nil if there is only one.
	Fold func(b rff.Batch, i int) int

	features int
	budget   int64     // bytes for keeping rows
	ref      []float64 // subtracted from the targets
	seen     int64
	kept     bool      // all rows are in memory
	parts    []part[T] // the rows kept

	// What passes work on, one after the other.
	chunks   stream.Chunks
	streamed partMemory[T] // the part that was read
	chosen   partMemory[T] // the rows of it that are wanted
}

// part is some rows in the precision of the features, scaled.
type part[T blas.Float] struct {
	first int64
	index []int64 // in the data, of every row; nil if they follow each other
	x     blas.General[T]
	y     blas.General[float64] // with the reference subtracted
	w     []float64
	fold  []int // nil if there is only one
}

// row returns the index in the data of row i.
func (p *part[T]) row(i int) int64 {
	if p.index != nil {
		return p.index[i]
	}
	return p.first + int64(i)
}

// partMemory is the memory of a part.
type partMemory[T blas.Float] struct {
	x     []T
	y, w  []float64
	index []int64
	fold  []int
}

// Read reads the source for the first time. admit checks the rows of a batch and
// returns what is subtracted from their targets. Read returns the number of rows.
func (r *Rows[T]) Read(ctx context.Context, features int, budget int64, admit func(b rff.Batch) (ref []float64, err error)) (int64, error) {
	in, targets := r.Source.Schema().Dims()
	perRow := int64(in)*int64(unsafe.Sizeof(*new(T))) + 8*int64(targets+1)
	r.features, r.budget = features, budget
	r.kept = stream.Count(r.Source)*perRow <= budget // −1 if it is not known
	for b, err := range r.chunks.Ahead(ctx, r.Source, features, r.Check) {
		if err != nil {
			return r.seen, err
		}
		if r.ref, err = admit(b); err != nil {
			return r.seen, err
		}
		r.seen += int64(b.X.Rows)
		switch {
		case !r.kept:
		case r.seen*perRow <= r.budget:
			r.parts = append(r.parts, r.convert(b, new(partMemory[T])))
		default:
			r.kept, r.parts = false, nil
		}
	}
	return r.seen, nil
}

// Inputs returns a copy of the scaled rows of positive weight. It returns false, and takes no memory, if
// there are more than most, or if they are not in memory.
func (r *Rows[T]) Inputs(most int) (blas.General[T], bool) {
	n := 0
	for _, p := range r.parts {
		n += p.x.Rows
	}
	if !r.kept || n > most {
		return blas.General[T]{}, false
	}
	in, _ := r.Source.Schema().Dims()
	x, at := blas.NewGeneral[T](n, in), 0
	for _, p := range r.parts {
		at += copy(x.Data[at:], p.x.Data)
	}
	return x, true
}

// With returns the rows with others in place of Inputs, in the precision of the features.
func (r *Rows[T]) With(inputs blas.General[float64]) *Rows[T] {
	with, at := *r, 0
	with.features, with.parts = inputs.Cols, nil
	for _, p := range r.parts {
		x := blas.NewGeneral[T](p.x.Rows, inputs.Cols)
		for i := range x.Rows {
			stream.Convert(x.Row(i), inputs.Row(at+i))
		}
		p.x, at = x, at+x.Rows
		with.parts = append(with.parts, p)
	}
	return &with
}

// convert makes a part of the rows of b, in the memory of m.
func (r *Rows[T]) convert(b rff.Batch, m *partMemory[T]) part[T] {
	n := 0
	for range stream.Present(b.Weight, b.X.Rows) {
		n++
	}
	p := part[T]{first: b.First, x: dense.Fitting(&m.x, n, b.X.Cols), y: dense.Fitting(&m.y, n, b.Y.Cols)}
	m.w, m.index, m.fold = m.w[:0], m.index[:0], m.fold[:0]
	at := 0
	for i := range stream.Present(b.Weight, b.X.Rows) {
		stream.Scale(r.Scaling, p.x.Row(at), b.X.Row(i))
		stream.Less(p.y.Row(at), b.Y.Row(i), r.ref)
		if b.Weight != nil {
			m.w = append(m.w, b.Weight[i])
			p.w = m.w
		}
		if n < b.X.Rows {
			m.index = append(m.index, b.First+int64(i))
			p.index = m.index
		}
		if r.Fold != nil {
			m.fold = append(m.fold, r.Fold(b, i))
			p.fold = m.fold
		}
		at++
	}
	return p
}

// wanted reports whether a pass takes row i of a part. nil: it takes all rows.
type wanted[T blas.Float] func(p *part[T], i int) bool

// each calls f with the rows that take wants; f must not keep them.
func (r *Rows[T]) each(ctx context.Context, take wanted[T], f func(p part[T])) error {
	use := func(p part[T]) {
		if take != nil {
			p = r.choice(p, take)
		}
		if p.x.Rows > 0 {
			f(p)
		}
	}
	if r.kept {
		for _, p := range r.parts {
			if err := ctx.Err(); err != nil {
				return err
			}
			use(p)
		}
		return nil
	}
	for b, err := range r.chunks.Ahead(ctx, r.Source, r.features, r.Check) {
		if err != nil {
			return err
		}
		use(r.convert(b, &r.streamed))
	}
	return nil
}

// choice returns the rows of p that take wants. The next call overwrites them.
func (r *Rows[T]) choice(p part[T], take wanted[T]) part[T] {
	m := &r.chosen
	q := part[T]{x: dense.Fitting(&m.x, p.x.Rows, p.x.Cols), y: dense.Fitting(&m.y, p.y.Rows, p.y.Cols)}
	m.w, m.index = m.w[:0], m.index[:0]
	n := 0
	for i := range p.x.Rows {
		if !take(&p, i) {
			continue
		}
		copy(q.x.Row(n), p.x.Row(i))
		copy(q.y.Row(n), p.y.Row(i))
		if p.w != nil {
			m.w = append(m.w, p.w[i])
			q.w = m.w
		}
		m.index = append(m.index, p.row(i))
		n++
	}
	q.x, q.y, q.index = q.x.RowRange(0, n), q.y.RowRange(0, n), m.index
	return q
}
