package krr

import (
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/stream"
)

// Precision is the arithmetic of features and their products.
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

// described returns the description of p or, if sums change their basis (changed), of the
// precision that takes its place. The error is a *rff.ParameterError.
func (p Precision) described(changed bool) (*stream.Precision, error) {
	if p == "" {
		p = Float64
	}
	if d := stream.Named(string(p)); d != nil {
		return d.On(changed), nil
	}
	names, _ := stream.Names()
	return nil, &rff.ParameterError{Name: "precision", Value: p, Need: "must be a precision", Known: names}
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

// nameOf returns the name of d.
func nameOf(d *stream.Precision) Precision { return Precision(d.Name) }
