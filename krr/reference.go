package krr

import (
	"fmt"
	"math"
	"slices"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/stream"
)

// The sums subtract a reference r from the targets. Without it a large mean would cost digits:
// Σ(y−ȳ)² = Σ(y−r)² − n(ȳ−r)² loses as many as (ȳ−r)²/var(y) has. If r is the target of some
// row, that ratio is at most n.

// shift holds the reference and the range of every target.
type shift struct {
	at     []float64 // nil as long as there is no row
	lo, hi []float64
}

// newShift returns the shift of targets without rows. Sums that are exact lose no digits by a
// large mean, and those of any two parts have the same reference, 0.
func newShift(targets int, p *stream.Precision) shift {
	s := shift{lo: make([]float64, targets), hi: make([]float64, targets)}
	for t := range targets {
		s.lo[t], s.hi[t] = math.Inf(1), math.Inf(-1)
	}
	if p.Levels > 0 {
		s.none(targets)
	}
	return s
}

// none makes 0 the reference of that many targets.
func (s *shift) none(targets int) { s.at = make([]float64, targets) }

// Classes coded in manyClasses columns or more have the reference −1.
const manyClasses = 64

// coded sets the reference of classes coded in that many targets: 0, or −1 for many. With −1, a row
// with a label has a single target that is not zero (see blas.Sums).
func (s *shift) coded(targets int) {
	s.none(targets)
	if len(s.at) >= manyClasses {
		for t := range s.at {
			s.at[t] = -1
		}
	}
}

// from returns the reference, if there is one, otherwise the one that these rows give:
// the targets of the first row of positive weight; nil if there is none.
func (s *shift) from(y blas.General[float64], w []float64) []float64 {
	if s.at != nil {
		return s.at
	}
	for i := range stream.Present(w, y.Rows) {
		return slices.Clone(y.Row(i))
	}
	return nil
}

// check returns a *rff.ValueError for a row that cannot be added in precision p: with
// its weight, or its targets less the reference at, sums of squares and products
// would overflow or underflow. first is the index of the first row in the data.
func (s *shift) check(p *stream.Precision, at []float64, y blas.General[float64], w []float64, first int64) error {
	bound, heaviest := p.Target, p.Weight
	rescale := "rescale the weights"
	if heaviest == 1 {
		rescale = "leave weights out, or take float64"
	}
	for i, wi := range stream.Present(w, y.Rows) {
		if wi > heaviest || wi < 1/heaviest {
			return badRow(first+int64(i), "weight", wi,
				fmt.Sprintf("a fit in %s holds weights from %.2g to %.2g: %s", p.Name, 1/heaviest, heaviest, rescale))
		}
		for t, v := range y.Row(i) {
			if !(math.Abs(v-at[t]) <= bound) {
				return badRow(first+int64(i), fmt.Sprintf("target %d", t+1), v,
					fmt.Sprintf("it is more than %.2g from %g, the reference of the targets, and sums in %s do not hold the square of that: rescale the targets", bound, at[t], p.Name))
			}
		}
	}
	return nil
}

// add widens the range by rows of positive weight.
func (s *shift) add(y blas.General[float64], w []float64) {
	for i := range stream.Present(w, y.Rows) {
		for t, v := range y.Row(i) {
			s.lo[t], s.hi[t] = min(s.lo[t], v), max(s.hi[t], v)
		}
	}
}

// merge widens the range by that of o.
func (s *shift) merge(o *shift) {
	for t := range s.lo {
		s.lo[t], s.hi[t] = min(s.lo[t], o.lo[t]), max(s.hi[t], o.hi[t])
	}
}

// narrow takes from the range of coded classes what is left of none, as sums say from which rows were
// subtracted, and whose weights have rounding errors of slack: where all are of one class, its column
// is 1, or −1 throughout. Other columns keep their range, which bounds rounding errors (possible).
func (s *shift) narrow(left *blas.Sums, slack float64) {
	slack *= 3 // of Σw, and of targets up to 2 from the reference
	for t, r := range s.at {
		switch y := left.Y[t] + float64(left.W*r); {
		case math.Abs(y-left.W) <= slack:
			s.lo[t] = 1
		case len(s.at) == 1 && math.Abs(y+left.W) <= slack:
			s.hi[t] = -1
		}
	}
}

// resolved returns a *rff.ParameterError if squares of targets less at would overflow
// or underflow: the range is too far from at, or too small.
func (s *shift) resolved(p *stream.Precision, at []float64) error {
	bound := p.Target
	for t, r := range at {
		far, span := max(math.Abs(s.hi[t]-r), math.Abs(s.lo[t]-r)), s.hi[t]-s.lo[t]
		if s.lo[t] > s.hi[t] || span == 0 && far == 0 {
			continue // no rows; a constant target
		}
		need := ""
		switch {
		case p.Levels > 0 && span > 0 && span < 1/bound: // the mean is subtracted, and not r
			need = fmt.Sprintf("is narrower than the %.2g that sums in %s resolve", 1/bound, p.Name)
		case !(far <= bound && far >= 1/bound):
			need = fmt.Sprintf("differences from %g must lie between %.2g and %.2g for sums of their squares in a %s fit", r, 1/bound, bound, p.Name)
		default:
			continue
		}
		return setting(fmt.Sprintf("the range of target %d", t+1), fmt.Sprintf("%g to %g", s.lo[t], s.hi[t]), need+": rescale the targets")
	}
	return nil
}

// rebased turns sums with the reference from into sums with the reference to. With δ = from −
// to, y − to = (y − from) + δ, so that
//
//	Σw(y−to) = Σw(y−from) + Wδ    Σwz(y−to)ᵀ = Σwz(y−from)ᵀ + (Σwz)δᵀ
//	Σw(y−to)² = Σw(y−from)² + 2δΣw(y−from) + Wδ²
//
// The result shares the memory of G and Z with s.
func rebased(s *blas.Sums, from, to []float64) *blas.Sums {
	same := true
	delta := make([]float64, len(to))
	for t := range to {
		delta[t] = from[t] - to[t]
		same = same && delta[t] == 0
	}
	if same {
		return s
	}
	r := *s
	r.ZY, r.Y, r.YY = dense.Clone(s.ZY), nil, nil
	for t, d := range delta {
		r.Y = append(r.Y, s.Y[t]+float64(s.W*d))
		r.YY = append(r.YY, s.YY[t]+float64(2*d*s.Y[t])+float64(float64(s.W*d)*d))
	}
	for i, z := range s.Z {
		row := r.ZY.Row(i)
		dense.AddTimes(row, z, delta)
	}
	return &r
}
