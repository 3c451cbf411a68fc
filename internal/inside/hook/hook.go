// Package hook holds what package rff lends to internal/inside, which gives it types, and
// krr to the modules beside the library. The functions take and return *rff.Map,
// rff.Kernel and *krr.Gram as any: their packages import this one.
package hook

import (
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/basis"
)

// Set by package rff. See internal/inside.
var (
	New        func(s *blas.Spec, kernel any) (any, error)
	Spec       func(m any) *blas.Spec
	Features64 func(m any) *blas.Features[float64]
	Features32 func(m any) *blas.Features[float32]
	Split      func(m any) (base any, c *basis.Change)
	Engine     func(m any) blas.Engine
	On         func(m any, e blas.Engine) any
)

// Sums returns the sums of the features and targets, less the reference, of all rows of a
// *krr.Gram. They must not be modified. Set by package krr.
var Sums func(g any) *blas.Sums
