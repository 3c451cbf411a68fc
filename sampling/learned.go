package sampling

import (
	"context"
	"fmt"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/learn"
)

// Learned is a feature map that was learned from data, with what was learned on the way.
type Learned struct {
	Map *rff.Map
	// Outcome is "learned" if the learned features do better on the held-out rows.
	// Otherwise it is "plain: " and the reason why the map has features that were not
	// learned.
	Outcome string
	// Transform is T, d×d, or 1×d for a scale per input: the map has features of T·x. It
	// is the learned metric in the units of the data. It has no elements if the features
	// of the metric are plain.
	Transform rff.Matrix
	// Bandwidth of the kernel on T·x.
	Bandwidth float64
	// Eigenvalues of the average gradient outer product M, ascending, with inputs
	// in standard deviations; they sum to 1. nil if no M was measured.
	Eigenvalues []float64
	// Importance of each input is the diagonal of M: how much the function varies with the
	// input, as a share of 1. nil if no M was measured. M is made of derivatives. Along an
	// input that takes few values it is made of differences between values that occur: a
	// row's 0 becomes 1, or its category another one.
	Importance []float64
	// History has the squared error of everything that was tried, on the held-out rows,
	// per row and summed over targets. Targets are in standard deviations; those of
	// classes are −1 and +1.
	History []Attempt
	// Rows is the number of rows that features were learned on, Held that of the held-out
	// rows that they were judged on.
	Rows, Held int
	// Untrained says that a Refined trained frequencies and that those of its metric did better.
	Untrained bool

	unit float64    // of bandwidths
	step learn.Step // the metric, for standardised inputs
}

// Attempt is one fit on the way to a Learned map.
type Attempt struct {
	What  string  // "given", "standardised", "round 3, power 1/2", "epoch 20"
	Full  bool    // whether it had all the features, not the few of the search
	Error float64 // +Inf: the fit has no solution
}

const (
	gained   = "learned"
	noGain   = "plain: learned features do no better on rows held out" // beyond noise
	constant = "plain: the targets do not vary"
	fewRows  = "plain: too few rows to learn from"
)

// SampleLearned is s.Sample and also returns what was learned on the way. s must be a
// Metric or a Refined, the samplers that learn features; any other is a
// *rff.ParameterError.
func SampleLearned(ctx context.Context, s rff.Sampler, r rff.Request) (*Learned, error) {
	return (*Learned)(nil).another(ctx, s, r)
}

func init() {
	hook.Another = func(ctx context.Context, of, sampler, request any) (any, error) {
		return of.(*Learned).another(ctx, sampler.(rff.Sampler), request.(rff.Request))
	}
}

// another is SampleLearned of the rows of l with other random numbers. It takes the metric and the
// bandwidth of l, so that s searches for none, which is most of the work of a Refined on few rows.
// If l is Untrained, so is the other, and s trains nothing. If l is nil, or had too few rows to
// learn from, s searches. Errors: *rff.ParameterError for a dim other than that of l, and those of
// SampleLearned.
func (l *Learned) another(ctx context.Context, s rff.Sampler, r rff.Request) (*Learned, error) {
	by, ok := s.(learner)
	if !ok {
		return nil, &rff.ParameterError{Name: "sampler", Value: fmt.Sprintf("%T", s), Need: "must be one that learns features: Metric or Refined"}
	}
	if l == nil || l.step.B.Dim() == 0 {
		return by.learn(ctx, r, nil)
	}
	if dim := l.step.B.Dim(); dim != r.Dim {
		return nil, &rff.ParameterError{Name: "dim", Value: r.Dim, Need: fmt.Sprintf("must be %d, as that of the metric is", dim)}
	}
	return by.learn(ctx, r, l)
}

// learner is a sampler that learns features. It takes the metric of from, or searches if that is
// nil.
type learner interface {
	rff.Sampler
	learn(ctx context.Context, r rff.Request, from *Learned) (*Learned, error)
}

func learnedMap(l *Learned, err error) (*rff.Map, error) {
	if err != nil {
		return nil, err
	}
	return l.Map, nil
}
