package krr

import (
	"fmt"
	"math"
	"slices"
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
	spec := l.m.Spec()
	bits, huge := 52, 900 // numbers below 2^huge have finite sums of squares
	if l.precision == Float32 {
		bits, huge = 23, 100
	}
	l.raw = make([]float64, spec.Dim)
	for j := range l.raw {
		typical, largest := frequencies(spec, j)
		var limit float64
		switch spec.Func {
		case blas.Cos, blas.CosSin:
			limit = min(math.Ldexp(1, huge)/max(1, largest), 2*math.Pi*math.Ldexp(1, bits)/typical)
		case blas.ArcCos2: // squares of projections
			limit = math.Ldexp(1, huge/4) / max(1, largest)
		default:
			limit = math.Ldexp(1, huge/2) / max(1, largest)
		}
		if l.scaling.Scale != nil {
			limit *= math.Abs(l.scaling.Scale[j])
		}
		l.raw[j] = limit
	}
}

// frequencies returns the median and the largest size of the frequencies of input j.
func frequencies(s *blas.Spec, j int) (median, largest float64) {
	var all []float64
	if len(s.Blocks) == 0 {
		for i := range s.W.Rows {
			all = append(all, math.Abs(s.W.Row(i)[j]))
		}
	}
	// A structured projection is Scale times orthogonal transforms of norm √Size each
	// and diagonals: its entries have the size of its rows over √Size.
	for _, b := range s.Blocks {
		norm := 1 / math.Sqrt(float64(b.Size))
		for _, d := range b.D {
			var ss float64
			for _, v := range d {
				ss += float64(v * v)
			}
			norm *= math.Sqrt(ss) // √Size·(root mean square)
		}
		for _, v := range b.Scale {
			all = append(all, math.Abs(v)*norm)
		}
	}
	if len(all) == 0 {
		return 0, 0
	}
	largest = slices.Max(all)
	// A hundred of them determine the median well enough.
	if step := len(all) / 100; step > 1 {
		few := all[:0]
		for i := 0; i < len(all); i += step {
			few = append(few, all[i])
		}
		all = few
	}
	slices.Sort(all)
	return all[len(all)/2], largest
}
