package krr

import (
	"time"

	"github.com/rffgo/rff/internal/inside/hook"
)

// AutoStep is one step of a search.
type AutoStep struct {
	Name     string  // "search", "bandwidth", "exact", "landmarks", "scales", "metric", "refined", "joined", "features", "rule"
	Best     string  // the best of those tried; "" if none was
	Rows     int     // fitted to
	Features int     // of the best
	Error    float64 // its share of wrong labels; its RMSE over the standard deviation; +Inf if none is of use
	Kept     bool
	Why      string // it was not tried or not kept
}

// AutoReport says what Auto tried and chose, and why, and how the choice fits all rows.
type AutoReport struct {
	*Report      // of the final fit. AtEdge: no smaller λ can be told apart by the arithmetic
	Searched int // rows that the search used, held-out ones included
	// Steps of the search, in order.
	Steps []AutoStep
	// Error of the choice on the held-out rows that it was chosen by, as in AutoStep. It is
	// the least of several and so a little low.
	Error   float64
	Stopped string // why the search ended
	Late    bool   // it was the deadline: Settings.Steps gives the same result again
	Learned string // the sampler that learned the features from the rows, or ""
	// Importance of each input, a share of 1: how much the function varies with it,
	// as learned (sampling.Learned). nil if nothing was learned. The folds of Fit's
	// held-out measures have seen the labels of learned features: Error has not.
	Importance []float64

	// Sampler of the features, as sampling.ByName knows it; "" if AutoSettings gave one.
	Sampler     string
	ScalingName string        // robust, standard, clipped, ranks, logs, or "given"
	Estimated   time.Duration // what the search and the fit were to take

	steps       []hook.Step
	leastLambda float64 // the smallest that was tried
}
