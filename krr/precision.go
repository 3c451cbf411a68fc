package krr

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
)

// Precision is the arithmetic of features and their products: Float64, Float32, "int12" or "int8".
//
// "int12" and "int8" round features to integers of 12 or 8 bits, whose sums are exact: the same
// in any order of rows, merges and removals. ZᵀZ takes about half and a quarter of the time of
// Float32. docs/exact.md says what is promised. Rows have no weights, and λ is at least about
// 1e-10 or 1e-8. Features other than cosines are summed in Float32, and kernel sections in
// Float64.
type Precision string

const (
	// Float64 is float64 throughout.
	Float64 Precision = "float64"
	// Float32 computes features and their products in float32, and adds the sums of
	// row blocks and solves in float64 (mixed precision). It is about twice as fast and
	// has a relative error of about 2e-7 in ZᵀZ. Kernel sections (rff.Nystrom) are always
	// computed in Float64, since their kernel matrix costs the digits that float32 has.
	Float32 Precision = "float32"
)

// described returns the description of p. The error is a *rff.ParameterError.
func (p Precision) described() (*stream.Precision, error) {
	p = cmp.Or(p, Float64)
	if d := stream.Named(string(p)); d != nil {
		return d, nil
	}
	names, _ := stream.Names()
	return nil, inside.Unknown("precision", p, names...)
}

// These report whether a precision has an ability that only some have.
var (
	passes       = func(d *stream.Precision) bool { return d.Passes }
	leavesOneOut = func(d *stream.Precision) bool { return d.LeaveOneOut }
	weighs       = func(d *stream.Precision) bool { return d.Weight > 1 }
)

// lacking returns the error of a fit that needs an ability that d does not have. It names the
// precisions that have it.
func lacking(d *stream.Precision, why string, has func(*stream.Precision) bool) error {
	var known []string
	for _, p := range stream.Precisions {
		if has(p) {
			known = append(known, p.Name)
		}
	}
	return &rff.ParameterError{Name: "precision", Value: nameOf(d), Need: why + ": take " + strings.Join(known, " or "), Known: known}
}

// on returns the description of p on the map m, where another precision may take its place.
func (p Precision) on(m *rff.Map) (*stream.Precision, error) {
	d, err := p.described()
	if err != nil {
		return nil, err
	}
	return d.For(m), nil
}

// checkRows returns a *rff.ParameterError if sums of that many rows are not exact in a precision
// that promises it.
func checkRows(d *stream.Precision, rows int64) error {
	if d.Rows > 0 && rows > d.Rows {
		return setting("rows", rows, fmt.Sprintf("sums in %s are exact up to %d rows: take float64", d.Name, d.Rows))
	}
	return nil
}

// nameOf returns the name of d.
func nameOf(d *stream.Precision) Precision { return Precision(d.Name) }
