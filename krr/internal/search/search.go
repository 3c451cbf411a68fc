package search

import (
	"fmt"
	"slices"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr/internal/sample"
)

// Search is a search with a budget.
type Search struct {
	Settings
	learner             Learner
	in, targets         int
	n                   int64 // rows of the data
	jumps               bool  // some inputs have two values
	sample              *sample.Rows
	splits              []Split
	scalings            []inputScaling
	medians             [][]float64 // per scaling and kernel
	low, high, variance []float64   // of the targets
	grid                []float64   // of λ
	budget              *budget
	size                size    // of the trial of the best
	final               int     // features of the final fit
	hardWeight          float64 // of it, 0: there is one solution
	hardShare           float64 // of the rows, if there are two
	best                trial
	plain               trial // the best without learning
	plainSize           size
	latest              trial // of the last challenge
	report              *Report
	engine              blas.Engine
	tried               map[key]bool
	advance             func(share float64) // of the budget
}

func (s *Search) bandwidth(c candidate) float64 {
	return s.medians[c.scaling][c.kernel] * Bandwidths(1, c.exponent, c.exponent)[0]
}

// full is the size of trials on all rows.
func (s *Search) full(features int) size {
	return size{s.splits[0].Train.X.Rows, s.splits[0].Valid.X.Rows, features, len(s.splits)}
}

// cost returns the estimated seconds of a trial.
func (s *Search) cost(z size, lambdas int) float64 {
	return float64(z.splits) * seconds(shape{s.in, s.targets, z.features, z.rows, z.valid, lambdas, s.Float32}.work())
}

// available is what is left beside the final fit.
func (s *Search) available(features int) float64 {
	return s.budget.left - seconds(s.finalWork(features))
}

func duration(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second))
}

// describe names a candidate.
func (s *Search) describe(t trial) string {
	if t.err != nil {
		return t.err.Error()
	}
	k, err := rff.WithBandwidth(s.Kernels[t.kernel], s.bandwidth(t.candidate))
	if err != nil {
		return err.Error()
	}
	text := fmt.Sprintf("%s inputs, %v (%.3g medians), λ %.0e", s.scalings[t.scaling].name, k, s.bandwidth(t.candidate)/s.medians[t.scaling][t.kernel], t.lambda)
	switch {
	case t.diagonal:
		text = t.learned + ", a scale per input, " + text
	case t.learned != "":
		text = t.learned + ", " + text
	case t.uniform:
		text = "uniform landmarks, " + text
	case t.landmarks:
		text = "landmarks, " + text
	}
	return text
}

// last returns the step just done.
func (s *Search) last() *Step { return &s.report.Steps[len(s.report.Steps)-1] }

// stop reports whether no further step may start.
func (s *Search) stop() bool {
	if !s.budget.over(len(s.report.Steps)) {
		return false
	}
	s.report.Stopped = fmt.Sprintf("%d steps were asked for", s.Steps)
	if s.budget.late {
		s.report.Stopped = fmt.Sprintf("the clock shows %v, the budget is %v: this machine is slower than the estimate, or busy", time.Since(s.budget.begin).Round(time.Second/10), s.Budget)
	}
	return true
}

// around returns the λ of the grid within that many steps of one.
func (s *Search) around(lambda float64, steps int) []float64 {
	at, found := slices.BinarySearch(s.grid, lambda)
	if !found {
		return s.grid
	}
	return s.grid[max(0, at-steps):min(len(s.grid), at+steps+1)]
}

// finalWork is that of the final fit: all rows, the folds of probabilities or
// held-out measures with one λ.
func (s *Search) finalWork(features int) float64 {
	targets := s.targets
	once := shape{s.in, targets, features, int(s.n), 0, 1, s.Float32}.work()
	f := float64(features)
	return once + float64(folds*f*f*f/4) + float64(float64(s.n)*f*float64(targets))
}

// landmarkCost returns the estimated seconds of picking landmarks, of making their
// sections orthonormal, and of sections, which are dearer than half as many cosines.
func (s *Search) landmarkCost(c candidate, z size) float64 {
	m, in, rows := float64(z.features), float64(s.in), float64(z.rows+z.valid)
	pick := 0.0
	if !c.uniform {
		// Half of pool·m² multiply-adds, a row at a time and not in blocks: at a tenth
		// of the rate.
		pool := min(10*m, float64(z.rows))
		pick = float64(1.3*pool*m*(in+20)) + float64(5*pool*m*m) + float64(150*pool*m)
	}
	work := pick + float64(3*m*m*m) + float64(rows*m/2*(in+20))
	if s.Float32 { // rows are multiplied, not sums
		work += float64(rows * m * m)
	}
	return float64(z.splits) * seconds(work)
}

// costOf returns the estimated seconds of a trial of a candidate.
func (s *Search) costOf(c candidate, z size, lambdas int) float64 {
	cost := s.cost(z, lambdas)
	if c.landmarks {
		cost += s.landmarkCost(c, z)
	}
	return cost
}
