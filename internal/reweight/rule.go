// Package reweight solves least squares a second time with more weight on some rows. A Rule
// makes the weights from the scores of the first solution.
package reweight

// Rule says how much a row counts. A rule of its own is a file of this package, with a case
// in Parse of package loss.
type Rule interface {
	// String returns the text of krr.Settings.Loss.
	String() string
	// Row returns the factor of the weight of a row with coded classes y and these scores. It
	// is at least 1.
	Row(score, y []float64) (factor float64)
}

// Candidates are the rules that a search may try, of a classification or a regression.
func Candidates(classes bool) []Rule {
	if classes {
		return []Rule{Hard(2), Hard(4), Hard(10)}
	}
	return nil
}
