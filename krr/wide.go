package krr

import (
	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/optional"
	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/internal/stream"
)

// wide makes the features of rows of many inputs before they are dealt to the folds. Every fold
// then keeps features, not inputs, until a row block is full: with 100,000 inputs a row block
// of inputs takes 400 MB. The sums of features that are given are those of the features
// themselves, to the last bit. So it also sums features that the map changes, of few rows.
type wide struct {
	maker stream.Maker
	y, w  []float64 // of the rows that the maker keeps
	folds []int
}

// newWide returns what makes the features of the rows of f, and gives grams the features; nil
// if they make them themselves.
func newWide(f *problem, grams []*Gram) (*wide, error) {
	x, of := f.extent(f.knownRows()), f.base
	if !x.makesFeatures(f.Settings) {
		return nil, nil
	}
	if x.sumsChanged(f.Settings) {
		of = f.m
		in := ridge.Of(f.change)
		for _, g := range grams {
			g.in = &in
		}
	}
	_, s := of.Dims()
	given, err := stream.Identity(s)
	if err != nil {
		return nil, err
	}
	e := inside.Engine(of)
	for _, g := range grams {
		g.core = f.precision.NewAdder(given, e, f.targets, rff.Scaling{}, true)
	}
	return &wide{maker: f.precision.NewMaker(of, e, f.Scaling)}, nil
}

// add adds rows to the Grams of their folds.
func (r *wide) add(grams []*Gram, x, y blas.General[float64], w []float64, folds []int) {
	for i, weight := range stream.Present(w, x.Rows) {
		r.y, r.w = append(r.y, y.Row(i)...), append(r.w, weight)
		if folds != nil {
			r.folds = append(r.folds, folds[i])
		}
		if r.maker.Keep(x.Row(i)) {
			r.flush(grams)
		}
	}
}

// flush adds the rows that the maker keeps. Later rows go on with the same row blocks.
func (r *wide) flush(grams []*Gram) {
	n := len(r.w)
	if n == 0 {
		return
	}
	t := len(r.y) / n
	addTo(grams, r.maker.Make(), blas.General[float64]{Rows: n, Cols: t, Stride: t, Data: r.y}, r.w, r.folds)
	r.y, r.w, r.folds = r.y[:0], r.w[:0], r.folds[:0]
}

// addTo adds rows to the Grams of their folds.
func addTo(grams []*Gram, x, y blas.General[float64], w []float64, folds []int) {
	if len(grams) == 1 {
		grams[0].add(x, y, w)
		return
	}
	for i, fold := range folds {
		grams[fold].add(x.RowRange(i, i+1), y.RowRange(i, i+1), optional.Range(w, i, i+1))
	}
}
