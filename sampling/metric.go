package sampling

import (
	"context"

	"github.com/rffgo/rff"
)

// Metric learns in which directions the targets vary, and draws the features of B·x from a
// base sampler, for a kernel k(B·x, B·y) whose metric suits the targets. B is a root of the
// average gradient outer product M = mean ∇f∇fᵀ of a ridge regression f on random features
// of B·x, over several rounds (the recursive feature machine of Radhakrishnan et al.,
// Science 383, 2024). M is read off the Gram matrix of the regression, without a pass over
// the rows.
//
// If an input takes only a few values that are far apart, derivatives at the rows say
// nothing of f between these values. For such an input ∇f has a difference quotient
// instead: the difference of f between two values that occur, over their distance. The two
// values are those of a flag, neighbours among several, or two levels of a category
// (columns of two values that are never on together). M is then the mean over some thousand
// rows.
//
// Metric uses the family of the kernel and not its bandwidth. It chooses the bandwidth, as
// it chooses B, on held-out rows, from multiples 2^{j/2} of the median distance. The plain
// features of the base, at their best bandwidth, are a candidate too. They are the result
// unless the learned features do better on the held-out rows, beyond noise. Candidates are
// compared by fits in float32.
//
// Unless it has plain features, the map names no kernel that it approximates.
type Metric struct {
	// Base draws the features of B·x. Structured projections become dense ones. nil:
	// Default of the kernel.
	Base rff.Sampler
	// Fast searches with 128 frequencies on 4000 rows, in 4 rounds; its time depends little
	// on the number of rows. Otherwise the search takes 256 frequencies, 6000 rows and 10
	// rounds, goes on with all the features, and chooses between the powers ½ and ¼ of M.
	Fast bool
	// Rows is the largest number of rows to learn on. Memory holds them and a quarter as
	// many held-out rows to choose by. 0: 8000 if Fast, otherwise 32000.
	Rows int
	// Diagonal learns one scale per input and no directions, which gains less. With more
	// than 2000 inputs Metric always does so.
	Diagonal bool
	// Progress, if not nil, is called with each Attempt. Refined also calls it after every
	// epoch, with an Error that is NaN.
	Progress func(Attempt)
}

// widest is the largest number of inputs for which B is a full matrix.
const widest = 2000

// Sample implements rff.Sampler.
func (s Metric) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	return learnedMap(s.learn(ctx, r, nil))
}

func (s Metric) learn(ctx context.Context, r rff.Request, from *Learned) (*Learned, error) {
	l, err := s.begin(ctx, "metric", r)
	if err != nil {
		return nil, err
	}
	if err := l.search(ctx, from); err != nil {
		return nil, err
	}
	return l.finish(ctx)
}

func (s Metric) base() rff.Sampler { return s.Base }
