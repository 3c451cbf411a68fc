package krr

import (
	"fmt"
	"sync"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/reach"
	"github.com/rffgo/rff/internal/stream"
)

// limits bound the raw inputs that a map resolves after they are scaled; see package
// reach.
type limits struct {
	m         *rff.Map
	precision *stream.Precision
	scaling   rff.Scaling
	once      sync.Once
	found     *reach.Limits
}

func newLimits(m *rff.Map, p *stream.Precision, s rff.Scaling) *limits {
	return &limits{m: m, precision: p, scaling: s}
}

// check returns a *rff.ValueError for the first value of x that is not finite or
// beyond the limits. first is its first row's index in the data, s the schema of
// the columns.
func (l *limits) check(x blas.General[float64], first int64, s rff.Schema) error {
	l.once.Do(func() { l.found = inside.Reach(l.m, l.precision.Number, l.scaling) })
	i, j, need := reach.First(l.found, x)
	if i < 0 {
		return nil
	}
	column := fmt.Sprintf("input %d", j+1)
	if names := s.InputNames(); names != nil {
		column = fmt.Sprintf("column %q", names[j])
	}
	return &rff.ValueError{Row: first + int64(i), Column: column, Value: x.Row(i)[j], Need: need}
}
