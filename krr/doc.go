// Package krr fits kernel ridge regression on random features in one pass over
// the data, of any size, and answers what a user asks of the fit: the best λ,
// predictions, probabilities, variances, a file another language can read.
//
// The objective for features z(x) ∈ Rˢ, targets y and row weights w is
//
//	(1/Σw) Σ w·(y − b − zᵀβ)² + λ‖β‖²
//
// so that λ is per sample everywhere, and the intercept b is not penalised: it
// is removed by centring, never a column of ones.
//
// A classification is a regression on classes coded as ±1. Settings.Loss puts another loss
// in the place of squares, or solves these again with hard rows counted more often.
//
// A Gram holds the sufficient statistics of a stream of rows, O(s²) whatever
// the number of rows. Grams of disjoint rows add and subtract, which gives
// cross-validation (total minus fold), out-of-core fitting, several machines
// and exact removal of rows. Fit reads a rff.Source once into one Gram per fold
// and returns a Model, which predicts raw rows and is safe for concurrent use.
package krr
