package sampling

import (
	"fmt"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/message"
)

// kernelError says why a sampler cannot be used with a kernel.
func kernelError(sampler string, k rff.Kernel, why string) error {
	e := &rff.ParameterError{Name: "kernel", Need: fmt.Sprintf("must be given to %s: %s", sampler, why)}
	if k != nil {
		e.Value, e.Need = fmt.Sprint(k), fmt.Sprintf("cannot be used with %s: %s", sampler, why)
	}
	return e
}

// baseError says that a base sampler cannot supply the candidates of a sampler.
func baseError(sampler string, base rff.Sampler, need string) error {
	return &rff.ParameterError{Name: "base of " + sampler, Value: fmt.Sprintf("%T", base), Need: need}
}

// dataError says that the data do not give the scores of a sampler.
func dataError(sampler, why string) error {
	return &rff.DegenerateDataError{What: "the choice of " + sampler, Why: why}
}

// tooFewRows says that a sampler saw fewer rows than it needs.
func tooFewRows(sampler string, rows, need int64, hint string) error {
	return dataError(sampler, fmt.Sprintf("it saw %s and needs at least %d%s", message.Count(rows, "row"), need, hint))
}

// noSignal says that scores cannot be turned into probabilities. score is 0 if all scores
// are zero; otherwise it is the first score that is negative, infinite or NaN.
func noSignal(sampler string, score float64) error {
	if score == 0 {
		return dataError(sampler, "the labels carry no signal: every candidate scores zero; are labels or inputs constant?")
	}
	return dataError(sampler, fmt.Sprintf("the labels carry no signal: a candidate scores %g; are labels or data out of range? rescale them", score))
}
