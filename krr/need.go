package krr

import (
	"fmt"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/krr/internal/cg"
	"github.com/rffgo/rff/krr/internal/holdout"
	"github.com/rffgo/rff/krr/internal/machine"
	"github.com/rffgo/rff/krr/internal/stream"
)

// memoryOf returns the memory in bytes that a fit of data with so many rows (−1 if not
// known) takes beside the data: the map, the s×s sums of every fold and what choosing
// λ and solving add to them. It is infinite for sizes beyond any machine. Conjugate
// gradients keep to Settings.Memory instead.
func memoryOf(inputs, features, targets int, rows int64, s Settings) float64 {
	d, f, t := float64(inputs), float64(features), float64(targets)
	need := float64(8 * f * d) // frequencies
	if s.Solver == ConjugateGradients {
		if s.Memory == 0 {
			return need + cg.Memory
		}
		return need + float64(s.Memory)
	}
	if s.fewRows() && rows >= 0 && rows < int64(features) {
		// The rows' features; their products, a system of them and its reduction.
		n := float64(rows)
		return need + float64(8*(float64(n*(f+d+t))+float64(3*n*n)))
	}
	folds := s.foldCount()
	lambdas := float64(len(s.Lambdas))
	if lambdas == 0 {
		lambdas = float64(len(defaultLambdas()))
	}
	if s.Lambda != 0 {
		lambdas = 1
	}
	// Sums, and the rows that wait to be added to them.
	waiting := float64(stream.Chunk(max(1, inputs+targets), max(1, features))+blas.RowBlock) * (d + t + 1)
	grams := folds
	if folds > 1 {
		grams++ // their total
	}
	sums := float64(grams * (float64(f*f) + float64(f*(t+1)) + float64(waiting)))
	// For one fold a system and coefficients; for many λ its reduction to a band, half
	// as much again as the matrix, and what the collector leaves of the fold before.
	one := float64(f*f) + float64(2*f*t*lambdas)
	if lambdas > ridge.FewLambdas {
		one += float64(3 * f * f)
	}
	work := 0.0
	if folds > 1 {
		work = float64(min(float64(holdout.Workers(s.Engine)), folds) * one)
		if s.Probabilities {
			work += float64(folds * f * t * lambdas)
		}
	}
	if lambdas > 1 && !s.crossValidates() {
		all := 2.5 * f * f
		if s.Criterion == LeaveOneOut {
			all = 4 * f * f
		}
		work = max(work, all)
	}
	if s.Variance {
		// The factors of the λ chosen, after the folds' sums are gone.
		distinct := 1.0
		if s.PerTarget {
			distinct = min(t, lambdas)
		}
		work = max(work, float64((distinct+1)*f*f)-float64((grams-1)*f*f))
	}
	if s.Checkpoint.Path != "" {
		work = max(work, grams*f*f/2) // as they are written
	}
	return need + float64(8*(sums+work))
}

// CheckMemory returns a *rff.ParameterError for features, folds or memory if a fit needs
// more memory than this machine can give: what Linux says is available, within the
// limits of the process and its control groups. Elsewhere only sizes beyond any
// machine are refused. Fit asks it before the first row, and again where the rows
// turn out to be too many for the dual problem; callers that draw a map for
// the fit ask it first.
func CheckMemory(inputs, features, targets int, rows int64, s Settings) error {
	need, have := memoryOf(inputs, features, targets, rows, s), float64(availableMemory())
	if need <= have {
		return nil
	}
	without := s
	without.Memory = 1
	if s.Solver == ConjugateGradients && memoryOf(inputs, features, targets, rows, without) <= have {
		return setting("memory", s.Memory, fmt.Sprintf("with the map of %d features that is %s, and %s are to be had here: set less, or take fewer features", features, bytesText64(need), bytesText64(have)))
	}
	if s.Solver == ConjugateGradients || (s.fewRows() && rows >= 0 && rows < int64(features)) {
		return setting("features", features, fmt.Sprintf("the map and the features of the rows need %s, and %s are to be had here: take fewer features", bytesText64(need), bytesText64(have)))
	}
	folds := s.foldCount()
	if folds > 2 {
		two := s
		two.Folds = 2
		if memoryOf(inputs, features, targets, rows, two) <= have {
			return setting("folds", s.Folds, fmt.Sprintf("the sums of every fold are %d×%d numbers, %s in all, and %s are to be had here: take fewer folds", features, features, bytesText64(need), bytesText64(have)))
		}
	}
	of, fewer := "", "features"
	if folds > 1 {
		of, fewer = fmt.Sprintf(" of each of %.0f folds and all rows", folds), "features or folds"
	}
	return setting("features", features, fmt.Sprintf("the fit needs %s for the sums%s, %d×%d numbers, and %s are to be had here: take fewer %s, or the solver %s", bytesText64(need), of, features, features, bytesText64(have), fewer, ConjugateGradients))
}

func bytesText(n int64) string { return bytesText64(float64(n)) }

func bytesText64(n float64) string {
	switch {
	case n >= 1e18:
		return fmt.Sprintf("%.3g bytes", n)
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", n/1e9)
	}
	return fmt.Sprintf("%.1f MB", n/1e6)
}

// availableMemory returns the bytes that this process can still have, or MaxInt64 if
// the system does not say. A variable for tests.
var availableMemory = machine.Memory
