// Package fits gives the programs of this module what package krr has for them alone:
// what their reports draw and print beside what Go programs ask for.
package fits

import (
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/krr"
)

// Steps returns the steps of a search with all that was measured of them.
func Steps(r *krr.AutoReport) []hook.Step { return hook.StepsOf(r) }

// Guess returns the most frequent class of held-out rows, the accuracy of naming it
// always, and the accuracy of the fit as a mean over the classes that have rows.
func Guess(h *krr.HeldOut) (class int, accuracy, balanced float64) { return hook.Guess(h) }

// Spread returns the error, per target, of predicting the mean of held-out rows.
func Spread(h *krr.HeldOut) []float64 { return hook.Spread(h) }
