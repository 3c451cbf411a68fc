package sampling

import (
	"context"

	"github.com/rffgo/rff"
)

// Metric learns in which directions the targets vary, and draws the features of
// B·x from a base sampler: a kernel k(B·x, B·y) whose metric suits the targets. B is
// a root of the average gradient outer product M = mean ∇f∇fᵀ of a ridge regression
// f on random features of B·x, over several rounds (the recursive feature machine of
// Radhakrishnan et al., Science 383, 2024). M is read off the Gram matrix of the
// regression, without a pass over the rows. Along inputs that take few values, far
// apart, no row holds the derivative of f between them. There ∇f has the difference of f
// between two values that occur in place of it, by their distance: of the two of a flag,
// of neighbours among several, of levels of a category (columns of two values, never on
// together). M is then the mean over some thousand rows.
//
// Of the kernel the family alone is used. The bandwidth is chosen on rows held
// out, with B, from multiples 2^{j/2} of the median distance. The plain features of
// the base, at their best bandwidth, are a candidate: what is learned must do better
// on the rows held out than they do, beyond noise, or they are the result.
//
// The map approximates no kernel that it could name, unless it has plain features.
type Metric struct {
	// Base draws the features of B·x. Structured projections become dense ones. nil:
	// Default of the kernel.
	Base rff.Sampler
	// Fast searches with 128 frequencies on 4000 rows, in 4 rounds; its time depends
	// little on the number of rows. Otherwise the search has 256 frequencies, 6000 rows
	// and 10 rounds, goes on with all the features, and chooses between the powers ½ and ¼ of M.
	Fast bool
	// Rows is the most rows that are held in memory to learn on, a fifth of them to
	// choose by. 0: 8000 if Fast, otherwise 32000.
	Rows int
	// Diagonal learns one scale per input and no directions, which gains less. With
	// more than 2000 inputs it is always so.
	Diagonal bool
	// Progress, if not nil, is called with what was tried, and by Refined after every
	// epoch, with an error that is not a number.
	Progress func(Attempt)
}

// widest is the largest number of inputs of a full B.
const widest = 2000

// Sample implements rff.Sampler.
func (s Metric) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	return learnedMap(s.sampleLearned(ctx, r))
}

func (s Metric) sampleLearned(ctx context.Context, r rff.Request) (*Learned, error) {
	l, err := s.begin(ctx, "metric", r)
	if err != nil {
		return nil, err
	}
	if err := l.search(ctx); err != nil {
		return nil, err
	}
	return l.finish(ctx)
}

func (s Metric) base() rff.Sampler { return s.Base }
