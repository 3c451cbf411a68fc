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
	Widened    func(k any, factor float64) (any, error)
)

// KernelFor is set by package sampling.
var KernelFor func(sampler, k any) any

// Set by package krr.
var (
	// Sums returns the sums of the features and targets of all rows of a *krr.Gram, which
	// must not be modified, and the reference that is subtracted from every target before
	// it is summed, nil as long as there are no rows.
	Sums func(g any) (*blas.Sums, []float64)
	// ForgetParts makes a *krr.Gram forget which saved parts its rows came in.
	ForgetParts func(g any)
)
