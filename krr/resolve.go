package krr

import (
	"fmt"
	"math"
	"sync"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// limits are the inputs that a map resolves. The features of frequency ω are
// functions of t = ωᵀx/2π less the nearest integer. From |t| = 2^(p−1) on, p the bits
// of a number (53 in float64, 24 in float32), every t is an integer and the features
// are the same for all rows. An input is refused where it alone takes half of the
// frequencies there: what is left of the row says nothing about it. Below that, and
// where a few high frequencies are lost, rows pass.
//
// The other functions have no period; their features must have finite squares.
type limits struct {
	m         *rff.Map
	precision Precision
	scaling   rff.Scaling
	once      sync.Once
	raw       []float64 // |x − Shift| of every column is less
}

func newLimits(m *rff.Map, p Precision, s rff.Scaling) *limits {
	return &limits{m: m, precision: p, scaling: s}
}

// check returns a *RowError for the first row of x beyond the limits. first is its
// first row's index in the data, names those of the columns or nil.
func (l *limits) check(x blas.General[float64], first int64, names []string) error {
	l.once.Do(l.find)
	for i := range x.Rows {
		row := x.Row(i)
		for j, v := range row {
			if l.scaling.Shift != nil {
				v -= l.scaling.Shift[j]
			}
			if math.Abs(v) < l.raw[j] {
				continue
			}
			column := fmt.Sprintf("input %d", j+1)
			if names != nil {
				column = fmt.Sprintf("column %q", names[j])
			}
			return &RowError{first + int64(i), column, row[j],
				fmt.Sprintf("it lies outside what the map resolves in %v, within %.2g of %.4g: correct or clip the value, or scale the column", l.precision, l.raw[j], l.middle(j))}
		}
	}
	return nil
}

func (l *limits) middle(j int) float64 {
	if l.scaling.Shift == nil {
		return 0
	}
	return l.scaling.Shift[j]
}

// find computes the limits, once.
func (l *limits) find() {
	l.raw = l.m.InputLimits(l.precision == Float32)
	if l.scaling.Scale != nil {
		for j := range l.raw {
			l.raw[j] *= math.Abs(l.scaling.Scale[j])
		}
	}
	for j, points := range l.scaling.From {
		if len(points) > 0 {
			l.raw[j] = math.Inf(1) // bent columns lie between their points
		}
	}
}
