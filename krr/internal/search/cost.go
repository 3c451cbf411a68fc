package search

import (
	"time"

	"github.com/rffgo/rff/internal/ridge"
)

// A budget is counted in estimated seconds: the multiply-adds of what a search is about
// to do, over a fixed rate. So what it does depends on data, settings and seed, not
// on the machine or on who else uses it, and the same budget gives the same bits.

// autoRate is the multiply-adds a second in float64 that the estimate rests on: half
// of what two AVX-512 cores of 3 GHz can do, and as much as two AVX2 cores can.
const autoRate = 5e10

// patience is how many budgets the real clock may take before a search starts no
// further step. A search that this ends says so in its report.
const patience = 4

// shape is the size of a fit, for its cost.
type shape struct {
	in, targets, features int
	train, valid          int // rows
	lambdas               int
	float32               bool
}

// work returns the multiply-adds of a fit and of predicting its held-out rows for
// every λ.
func (s shape) work() float64 {
	rows, valid := float64(s.train), float64(s.valid)
	f, t, l := float64(s.features), float64(s.targets), float64(s.lambdas)
	// A cosine and its sine cost about 20 multiply-adds, a random frequency of an
	// orthogonal block d².
	half := 1.0
	if s.float32 {
		half = 0.5
	}
	in := float64(s.in)
	features := float64(half * (rows + valid) * f / 2 * (in + 20))
	gram := float64(half * rows * f * (float64(f/2) + t))
	solve := float64(2.5 * f * f * f) // a reduction, ⅔f³, much of it bound by memory, and the bands
	if s.lambdas <= ridge.FewLambdas {
		solve = float64(l * f * f * (float64(f/4) + t)) // Cholesky factors, f³/6 each
	}
	return features + gram + solve + float64(valid*f*t*l) + float64(f/2*in*min(in, f/2)) + 2e6
}

func seconds(work float64) float64 { return work / autoRate }

// budget is what Auto may still spend.
type budget struct {
	left, whole float64 // estimated seconds
	begin       time.Time
	clock       time.Duration // of the real clock, when no step starts any more
	steps       int           // most steps, 0: any number
	late        bool          // the clock ended the search
}

func newBudget(s *Settings) *budget {
	b := &budget{left: s.Budget.Seconds(), whole: s.Budget.Seconds(), begin: time.Now(), steps: s.Steps}
	if s.Steps == 0 {
		b.clock = max(patience*s.Budget, s.Budget+s.Patience)
	}
	return b
}

// over reports whether no further step may start after that many.
func (b *budget) over(steps int) bool {
	if b.steps > 0 {
		return steps >= b.steps
	}
	if !b.late && time.Since(b.begin) > b.clock {
		b.late = true
	}
	return b.late
}
