package search

import (
	"cmp"
	"math"

	"github.com/rffgo/rff"
)

// candidate is one way to make features.
type candidate struct {
	scaling  int    // index in the search's scalings
	kernel   int    // index in the search's kernels
	exponent int    // bandwidth is 2^{exponent/2} medians
	learned  string // sampler that learns the features from the rows; "" none
	effort   effort // of it
	diagonal bool   // it learns a scale per input, and no directions
	// landmarks says that features are kernel sections on rows of the data.
	landmarks bool
	uniform   bool // these are drawn by equal chances, and not picked
}

// made are features that were learned, of the first split.
type made struct {
	m          *rff.Map
	importance []float64
}

// trial is what a candidate did on held-out rows.
type trial struct {
	candidate
	loss   []float64 // per held-out row, of weight 1 in the mean
	mean   float64   // of loss
	errors float64   // share of wrong labels; RMSE over the standard deviation
	lambda float64
	made   *made
	err    error
}

func failed(c candidate, err error) trial {
	return trial{candidate: c, mean: math.Inf(1), errors: math.Inf(1), err: err}
}

// size is that of a trial.
type size struct {
	rows, valid, features int
	splits                int
}

// key is what a trial is told apart by.
type key struct {
	candidate
	size
}

// compareTrials orders trials by their error; of equal ones the larger bandwidth, the
// smoother function, comes first.
func compareTrials(a, b trial) int {
	return cmp.Or(cmp.Compare(a.mean, b.mean), cmp.Compare(b.exponent, a.exponent))
}

// gain returns by how much the mean loss of a trial is below that of the best of the same
// held-out rows, and the standard error of that difference.
func gain(best, t trial) (mean, stdErr float64) {
	// Splits follow each other, so those of fewer splits are the first ones.
	rows := min(len(best.loss), len(t.loss))
	n := float64(rows)
	if rows < 2 {
		return best.mean - t.mean, 0
	}
	for i, v := range best.loss[:rows] {
		mean += (v - t.loss[i]) / n
	}
	var ss float64
	for i, v := range best.loss[:rows] {
		d := v - t.loss[i] - mean
		ss += float64(d * d)
	}
	return mean, math.Sqrt(ss / (n * (n - 1)))
}

// beyond reports whether a gain is more than chance may give: its standard error.
func beyond(gain, stdErr float64) bool { return gain > stdErr }
