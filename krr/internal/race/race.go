package race

import (
	"context"
	"math"
	"time"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/boost"
	"github.com/rffgo/rff/internal/trial"
)

// Race is a search with a budget.
type Race struct {
	Settings
	engine      blas.Engine
	in, targets int
	rows        *trial.Rows
	n           int64 // rows of the data
	flags       bool  // some inputs have two values
	dealing     trial.Folds
	splits      []trial.Split // those of further repeats are made when they are needed
	folds       int           // splits of a repeat
	scalings    []inputScaling

	shape       boost.Shape // of the rows, for trees
	medians     [][]float64 // per scaling and kernel
	loss        trial.Loss
	grid        []float64 // of λ
	left, whole float64   // multiply-adds of the budget: those left, and all
	reserve     float64   // multiply-adds of these left that are kept for what comes last
	begin       time.Time
	best        *tried   // the fit of all rows follows this trial
	plain       *tried   // the best without learned features
	trained     *tried   // trained frequencies that further draws join: the last kept, or else the best
	gained      float64  // by the last draw that was joined, as a share of the loss before
	kept        []*tried // all trials that were the best once, in order
	all         []*tried // all trials that were measured, without rules
	mean        *mean    // nil: the fit is of the best alone
	few         *tried   // trees after which more or deeper ones may come; nil: there are none
	oneSplit    *tried   // the best trees on one split; nil: there are none, or all splits were tried
	seen        map[string]bool
	fruitless   map[string]int // steps of a kind that were not kept
	draws       draws
	skipped     map[string]string // kinds of steps that do not fit the budget, and why
	report      *Report
	proposers   []proposer
	advance     func(share float64) // of the budget
}

// A proposer says what may be better than the best so far.
type proposer func(r *Race) []proposal

// proposal is a step that a race may take.
type proposal struct {
	name string
	gain float64 // expected, as a share of the loss
	work float64 // multiply-adds of the step
	more float64 // multiply-adds by which the fit of all rows gets dearer if it is kept
	need float64 // multiply-adds that must be available for it; 0: work and more together
	room float64 // multiply-adds that must be available for it to come before those that fit; 0: need
	run  func(ctx context.Context) error
}

// mean is a mean of the scores of several trials. Where their features are of different kinds,
// so are their errors, and the mean has less of each.
type mean struct {
	of     []*tried              // the largest weight first, then further trainings of some of them
	weight []float64             // above 0, of sum 1
	told   float64               // its error, in the form that reports give it
	scores blas.General[float64] // of the rows that the best held out
}

// gainOf returns the gain to expect here of a step of a kind, given how many of the kind were
// not kept.
func (r *Race) gainOf(kind string) float64 {
	p := priors[kind]
	gain := float64(p.gain * math.Pow(doubt, float64(r.fruitless[kind])))
	if p.most > 0 && r.in > p.most {
		return 0
	}
	if p.wide > 0 {
		gain *= min(1, p.wide/float64(r.in))
	}
	if p.many > 0 {
		gain *= max(1, float64(r.splits[0].Train.X.Rows)/p.many)
	}
	return gain
}
