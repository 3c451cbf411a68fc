package sampling

import (
	"context"
	"fmt"

	"github.com/rffgo/rff"
)

// Learned is a feature map that was learned from data, and what was learned on
// the way to it.
type Learned struct {
	Map *rff.Map
	// Outcome is "learned" if the learned features do better on the rows held out;
	// otherwise "plain: " and why the map has features that were not learned.
	Outcome string
	// Transform is T in features of T·x, d×d, as the map has them: the learned
	// metric in the units of the data.
	Transform rff.Matrix
	// Bandwidth of the kernel on T·x.
	Bandwidth float64
	// Eigenvalues of the average gradient outer product M, ascending, with inputs
	// in standard deviations; they sum to 1. nil if no M was measured.
	Eigenvalues []float64
	// Importance of each input, the diagonal of M: how much the function varies
	// with it, as a share of 1. nil if no M was measured. M is of derivatives, and
	// along inputs that take few values of differences between values that occur: a
	// row's 0 becomes 1, its category another one.
	Importance []float64
	// History of the squared error on the rows held out, per row and summed over
	// targets, of all that was tried. Targets are in standard deviations, those of
	// classes −1 and +1.
	History []Attempt
	// Rows that it was learned on, and rows held out to judge by.
	Rows, Held int
}

// Attempt is one fit on the way to a Learned map.
type Attempt struct {
	What  string  // "given", "standardised", "round 3, power 1/2", "epoch 20"
	Full  bool    // with all the features, not the few of the search
	Error float64 // +Inf: it has no solution
}

const (
	gained   = "learned"
	noGain   = "plain: learned features do no better on rows held out" // beyond noise
	constant = "plain: the targets do not vary"
	fewRows  = "plain: too few rows to learn from"
)

// SampleLearned is s.Sample with what was learned on the way. The samplers that
// learn features are Metric and Refined; any other is a *rff.ParameterError.
func SampleLearned(ctx context.Context, s rff.Sampler, r rff.Request) (*Learned, error) {
	l, ok := s.(learner)
	if !ok {
		return nil, &rff.ParameterError{Name: "sampler", Value: fmt.Sprintf("%T", s), Need: "must be one that learns features: Metric or Refined"}
	}
	return l.sampleLearned(ctx, r)
}

// learner is a sampler that learns features.
type learner interface {
	rff.Sampler
	sampleLearned(ctx context.Context, r rff.Request) (*Learned, error)
}

func learnedMap(l *Learned, err error) (*rff.Map, error) {
	if err != nil {
		return nil, err
	}
	return l.Map, nil
}
