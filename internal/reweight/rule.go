// Package reweight solves least squares again with other weights and targets of the rows,
// which a Rule makes of the scores of the solution before.
package reweight

import (
	"fmt"
)

// Rule says how much a row counts and what it asks for. A rule of its own is a file of
// this package, with a line in package loss.
type Rule interface {
	// String returns the text of krr.Settings.Loss.
	String() string
	Traits() Traits
	// Row returns the factor of the weight of a row with targets y that has those scores,
	// and may write other targets to working, which holds y.
	Row(score, y, working []float64) (factor float64)
}

// Traits are what a rule says of itself. The first solution has the weights and targets of
// the data.
type Traits struct {
	Classes bool // its targets are coded classes
	Targets bool // Row writes other targets
	Lowers  bool // some factors are below 1
	// Rounds is the number of solutions, and with a Tolerance the most of them.
	Rounds int
	// Tolerance, if it is not 0, ends the rounds at the first solution whose weights and
	// targets were made of scores that had hardly changed: by less than that share of the
	// residuals (root mean squares).
	Tolerance float64
}

// Raises reports whether a rule only adds weight to some rows, so that sums of all rows
// need those rows alone.
func (t Traits) Raises() bool { return !t.Targets && !t.Lowers }

// Candidates are the rules that a search may try, of a classification or a regression.
func Candidates(classes bool) []Rule {
	if classes {
		return []Rule{Hard(2), Hard(4), Hard(10)}
	}
	return nil
}

// ConvergenceError says that a rule's rounds did not settle.
type ConvergenceError struct {
	Rule      Rule
	Rounds    int
	Change    float64 // of the scores in the last round, as a share of the residuals
	Tolerance float64
}

func (e *ConvergenceError) Error() string {
	return fmt.Sprintf("after %d solutions of the rule %v the scores still change by %.2g of the residuals, and the tolerance is %.2g", e.Rounds, e.Rule, e.Change, e.Tolerance)
}

// Solve calls again for the second solution and every further one, until the rules are
// done, and returns the last and the number of rounds. Several fits go side by side, one
// per rule. again gets the solution before, the one before that (none in the second round)
// and the round of each rule, nil for one that is done: its part of the solution stays as
// it is. Errors: *ConvergenceError; those of again.
func Solve[S any](rules []Rule, first S, again func(now, before S, rounds []*Round) (S, error)) (S, int, error) {
	var before S
	now, rounds := first, make([]*Round, len(rules))
	for n := 1; ; n++ {
		open := false
		for i, rule := range rules {
			if n > 1 && rounds[i] == nil {
				continue
			}
			done, err := rounds[i].done(rule, n)
			if err != nil {
				return now, n, err
			}
			if rounds[i] = nil; !done {
				t := rule.Traits()
				rounds[i], open = &Round{Rule: rule, Last: n+1 == t.Rounds && t.Tolerance == 0}, true
			}
		}
		if !open {
			return now, n, nil
		}
		next, err := again(now, before, rounds)
		if err != nil {
			return now, n, err
		}
		before, now = now, next
	}
}

// done reports whether the solution of round r, the n-th, is the last. r is nil for the
// first.
func (r *Round) done(rule Rule, n int) (bool, error) {
	t := rule.Traits()
	if t.Tolerance == 0 {
		return n >= t.Rounds, nil
	}
	change := r.Change()
	if change > t.Tolerance && n >= t.Rounds {
		return false, &ConvergenceError{rule, n, change, t.Tolerance}
	}
	return change <= t.Tolerance, nil
}
