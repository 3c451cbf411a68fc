// Package search chooses scaling, kernel, bandwidth, λ, features and their number for
// a ridge regression, on held-out rows and within a budget. It fits through a Learner.
package search

import (
	"context"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr/internal/sample"
)

// Settings of a search, all of them checked.
type Settings struct {
	Budget   time.Duration // in estimated seconds of two cores
	Patience time.Duration // that the real clock has at least beyond the budget
	Steps    int           // most steps, 0: as many as the budget allows
	Features int           // of the map, 0: as many as help
	Rows     int           // most rows that the choice rests on, 0: as many as memory allows

	Kernels []rff.Stationary // to choose from
	// Radial stands for the kernels that have no sections; nil: none does. Some
	// kernel has the Euclidean distance then.
	Radial  rff.Stationary
	Sampler rff.Sampler // of the frequencies; nil: the default, or one that learns
	Scaling rff.Scaling // the identity: to be chosen
	Lambdas []float64   // ascending; nil: the search's own

	Classes []string // nil: a regression
	// HardWeight of krr.Settings; 0: chosen.
	HardWeight float64
	Unclipped  bool // predictions of a regression may leave the range of the targets
	Float32    bool // features and their products
	Seed       uint64
	Engine     blas.Engine
}

// Learner is what a search asks of the package that fits.
type Learner interface {
	// Sample returns up to count rows of the data, drawn at random and in random
	// order, and the number of rows there are.
	Sample(ctx context.Context, count int) (*sample.Rows, int64, error)
	// Check returns an error if a fit of that many features and rows needs more memory
	// than there is.
	Check(features int, rows int64) error
	// Path fits to rows for every λ of the ascending grid, and calls each with the
	// predictions of every row of x in order, those for the first λ first. The error
	// is an *Unsolved if there is no solution.
	Path(ctx context.Context, m *rff.Map, s rff.Scaling, rows *sample.Rows, grid []float64, x blas.General[float64], each func(row int, scores []float64)) error
	// Harder is Path for second solutions in which hard rows count so often: for the first
	// λ one for each of the weights, then for the next.
	Harder(ctx context.Context, m *rff.Map, s rff.Scaling, rows *sample.Rows, lambdas, weights []float64, x blas.General[float64], each func(row int, scores []float64)) error
}

// Unsolved is the error of a system without a solution. It rules a candidate out and
// does not end the search.
type Unsolved struct{ Err error }

func (e *Unsolved) Error() string { return e.Err.Error() }
func (e *Unsolved) Unwrap() error { return e.Err }
