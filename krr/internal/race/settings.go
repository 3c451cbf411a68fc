// Package race chooses scaling, kernel, bandwidth, λ, features, their number and a rule
// of weights for a ridge regression, on held-out rows and within a budget. Proposers say
// what may be better than the best so far, what it costs and what gain is to be expected;
// the race tries what promises most for its work. A new idea is a proposer in a file of its
// own and a line of the table of priors.
package race

import (
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/stream"
)

// Settings of a race, all of them checked.
type Settings struct {
	Budget   time.Duration // in estimated seconds of two cores
	Deadline time.Duration // from Begin on, by which search and fit should end; 0: none
	Begin    time.Time     // zero: that of New
	Steps    int           // most steps, 0: as many as the budget allows
	Features int           // of the map, 0: as many as help
	// First ends the race after the first search, of scalings, kernels and bandwidths.
	First bool

	Kernels []rff.Stationary // to choose from, with bandwidth 1
	Radial  rff.Stationary   // one kernel more for sections, or nil
	Unit    float64          // of bandwidths; 0: the median distance between rows
	Sampler rff.Sampler      // of the frequencies; nil: the default, or one that learns
	Scaling *rff.Scaling     // nil: to be chosen
	Lambdas []float64        // ascending; nil: those of package trial

	Classes   []string          // nil: a regression
	Rule      bool              // a rule of weights is given, and none is to be chosen
	Means     bool              // the fit may be a mean of several
	Trees     bool              // trees may be tried, which have no kernel and no share of the rows that they have not seen
	Unclipped bool              // predictions of a regression may leave the range of the targets
	Precision *stream.Precision // nil: Float64
	Seed      uint64
	Engine    rff.Engine
	// Check returns an error if a fit of that many features and rows needs more memory
	// than there is.
	Check func(features int, rows int64) error
}
