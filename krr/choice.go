package krr

import (
	"math"
	"slices"
	"time"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/krr/internal/cg"
)

// choice is how far a fit by passes has chosen λ.
type choice struct {
	left                  int         // λ of the grid to try yet
	path                  []PathPoint // of the λ tried, ascending
	lambda, lowest, least []float64   // per target: the best λ, the error by which λ are compared, and the error of the target itself
	rises                 []int       // per target: rises of the error in a row; a clear rise counts twice
	coef, now             blas.General[float64]

	// state is how far the present solution has come, nil before it begins. solving is its λ
	// and the fold that it leaves out, −1 for none.
	state   *cg.State
	solving []float64

	written time.Time
}

// newChoice returns a choice among that many λ, none of which has been tried. The first
// solution starts from coef, which has a column per target.
func newChoice(coef blas.General[float64], lambdas int) *choice {
	t := coef.Cols
	return &choice{left: lambdas, lambda: make([]float64, t), lowest: slices.Repeat([]float64{math.Inf(1)}, t), least: make([]float64, t),
		rises: make([]int, t), coef: coef, now: dense.Clone(coef), written: time.Now()}
}

// store adds the choice to the tensors of a checkpoint, if there is one.
func (c *choice) store(t *tensors) {
	if c == nil {
		return
	}
	var lambdas []float64
	var solved []storedSolved
	held := blas.NewGeneral[float64](len(c.path), len(c.lambda))
	for i, p := range c.path {
		lambdas, solved = append(lambdas, p.Lambda), append(solved, p.Solved.stored())
		copy(held.Row(i), p.Error)
	}
	rises := make([]float64, len(c.rises))
	for k, n := range c.rises {
		rises[k] = float64(n)
	}
	t.SetJSON("path", solved)
	if c.path != nil {
		t.Add("path.lambda", lambdas)
		t.AddMatrix("path.error", held)
	}
	t.Add("left", []float64{float64(c.left)})
	t.Add("lambda", c.lambda)
	t.Add("lowest", c.lowest)
	t.Add("least", c.least)
	t.Add("rises", rises)
	t.AddMatrix("best", c.coef)
	t.AddMatrix("now", c.now)
	if s := c.state; s != nil {
		t.Add("solving", c.solving)
		t.Add("solving.numbers", s.Numbers)
		t.AddMatrix("solving.solution", s.Coef)
		t.AddMatrix("solving.residual", s.Residual)
		t.AddMatrix("solving.direction", s.Direction)
	}
}

// restore is the reverse of store.
func (c *choice) restore(p *parsed) error {
	if c == nil {
		return nil
	}
	t, s := len(c.lambda), c.coef.Rows
	var solved []storedSolved
	p.JSON("path", &solved)
	var lambdas []float64
	var held blas.General[float64]
	if solved != nil {
		lambdas, held = p.Vector("path.lambda", len(solved)), p.Matrix("path.error", len(solved), t)
	}
	left, rises := p.Vector("left", 1), p.Vector("rises", t)
	best, now := p.Matrix("best", s, t), p.Matrix("now", s, t)
	for _, v := range []struct {
		name string
		to   []float64
	}{{"lambda", c.lambda}, {"lowest", c.lowest}, {"least", c.least}} {
		copy(v.to, p.Vector(v.name, t))
	}
	for _, name := range []string{"lambda", "least", "best", "now", "solving.solution", "solving.residual", "solving.direction"} {
		p.Finite(name)
	}
	if p.Err() != nil {
		return p.Err()
	}
	if !(left[0] >= 0 && left[0] <= float64(c.left)) {
		return p.Bad("it has %g λ to try of %d", left[0], c.left)
	}
	if slices.ContainsFunc(rises, func(n float64) bool { return !(n >= 0 && n <= math.MaxInt32) }) {
		return p.Bad("it counts %g rises of errors", rises)
	}
	c.left = int(left[0])
	for i, l := range lambdas {
		c.path = append(c.path, PathPoint{Lambda: l, Error: slices.Clone(held.Row(i)), Solved: solved[i].solved()})
	}
	for k := range rises {
		c.rises[k] = int(rises[k])
	}
	for i := range s {
		copy(c.coef.Row(i), best.Row(i))
		copy(c.now.Row(i), now.Row(i))
	}
	if p.Has("solving") {
		c.solving = p.Vector("solving", 2)
		c.state = &cg.State{Numbers: p.Vector("solving.numbers", -1), Coef: p.Matrix("solving.solution", s, t),
			Residual: p.Matrix("solving.residual", s, t), Direction: p.Matrix("solving.direction", s, t)}
	}
	return p.Err()
}

// among reports whether the λ tried are the largest of the grid, and those chosen among them.
func (c *choice) among(grid []float64) bool {
	tried := grid[max(0, len(grid)-len(c.path)):]
	return slices.EqualFunc(c.path, tried, func(p PathPoint, l float64) bool { return p.Lambda == l }) &&
		!slices.ContainsFunc(c.lambda, func(l float64) bool { return len(tried) > 0 && !slices.Contains(tried, l) })
}
