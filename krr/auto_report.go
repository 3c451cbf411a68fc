package krr

import (
	"time"

	"github.com/rffgo/rff"
)

// AutoStep is one step of a search.
type AutoStep struct {
	Name       string // "search", "bandwidth", "exact", "landmarks", "scales", "metric", "refined", "joined", "features", "rule"
	Candidates int    // tried
	Rows       int    // fitted to
	HeldOut    int    // rows measured on
	Features   int
	Best       string  // the best candidate
	Error      float64 // its share of wrong labels; its RMSE over the standard deviation; +Inf if none is of use
	Gain       float64 // by which what candidates are compared by fell below the best before, as a mean over held-out rows; 0 if the sizes differ
	StdErr     float64 // of Gain
	Kept       bool
	Why        string        // it was not tried or not kept
	Estimated  time.Duration // what the budget counts
	Elapsed    time.Duration
}

// AutoReport says what Auto tried and chose, and why.
type AutoReport struct {
	Rows     int64 // in the data, of positive weight
	Searched int   // rows that the search used, held-out ones included
	// Steps of the search, in order.
	Steps []AutoStep
	// Error of the choice on the held-out rows that it was chosen by, as in AutoStep. It is
	// the least of several and so a little low.
	Error   float64
	Stopped string // why the search ended
	Late    bool   // it was the deadline: Settings.Steps gives the same result again
	Learned string // the sampler that learned the features from the rows, or ""
	// Landmarks says that the features are kernel sections on rows of the data, picked
	// by sampling.Nystrom.
	Landmarks bool
	// Rule is Settings.Rule as the search chose it; "": one solution.
	Rule string
	// Importance of each input, a share of 1: how much the function varies with it,
	// as learned (sampling.Learned). nil if nothing was learned. The folds of Fit's
	// held-out measures have seen the labels of learned features: Error has not.
	Importance []float64
	// LeastLambda is the smallest λ tried, AtEdge that it was the best: smaller ones
	// are beyond the arithmetic.
	LeastLambda float64
	AtEdge      bool

	// Sampler of the features, as sampling.ByName knows it; "" if AutoSettings gave one.
	Sampler     string
	Kernel      rff.Kernel // the one chosen, with its bandwidth, in scaled inputs
	Features    int
	Scaling     rff.Scaling
	ScalingName string // robust, standard, clipped, ranks, logs, or "given"
	Fit         *Report
	Search      time.Duration // reading the sample and searching
	Estimated   time.Duration // what the search and the fit were to take
}
