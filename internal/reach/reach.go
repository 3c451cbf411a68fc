// Package reach says which rows a feature map resolves. If an input is too far out, the map can no
// longer tell its values from each other.
package reach

import (
	"fmt"
	"math"
	"slices"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/selection"
)

// Limits are the values of the inputs that a map resolves. The features of a frequency ω are
// functions of t = ωᵀx/2π minus the nearest integer. Numbers have p bits (53 in float64, 24 in
// float32). From |t| = 2^(p−1) on, every t is an integer, and the features are the same for all rows.
// A value is refused if by itself it takes half of the frequencies that far, because the features
// then say nothing about it. Rows that lose only a few high frequencies pass.
//
// The other functions have no period; their features must have finite squares. Trees resolve every
// finite value. A map with frequencies that the numbers do not hold resolves no value.
type Limits struct {
	middle, width []float64 // |x − middle| < width; a nil middle is 0
	precision     string
}

// A Number is a type of numbers that maps are evaluated in.
type Number struct {
	Name string
	Bits int     // 2^−Bits is the spacing of numbers at 1
	Huge int     // numbers below 2^Huge have finite sums of squares
	Most float64 // the largest one
}

var (
	Float64 = Number{"float64", 52, 900, math.MaxFloat64}
	Float32 = Number{"float32", 23, 100, math.MaxFloat32}
)

// New returns the limits of the inputs of the map s, which is evaluated in numbers n.
func New(s *blas.Spec, n Number) *Limits { return &Limits{width: widths(s, n), precision: n.Name} }

// Raw returns the limits of rows that are scaled to (x − shift)/scale first. A nil shift stands for 0,
// and a nil scale for 1. The columns that from has points for may have any finite value, since bending
// keeps them between their points. The last again columns of the map are columns of the rows a second
// time.
func (l *Limits) Raw(shift, scale []float64, from [][]float64) *Limits {
	raw := &Limits{middle: shift, width: slices.Clone(l.width), precision: l.precision}
	for j, v := range scale {
		raw.width[j] *= math.Abs(v)
	}
	for j, points := range from {
		if len(points) > 0 && raw.width[j] > 0 {
			raw.width[j] = math.Inf(1)
		}
	}
	return raw
}

// Box returns the limits: a row is refused unless |x − middle| < width for every input. width may be
// infinite.
func (l *Limits) Box() (middle, width []float64) {
	if middle = l.middle; middle == nil {
		middle = make([]float64, len(l.width))
	}
	return middle[:len(l.width)], l.width
}

// First returns the row and the column of the first value of x that is not finite or is beyond the
// limits, and says what it must be. If there is none it returns −1, −1 and "".
func First[T blas.Float](l *Limits, x blas.General[T]) (i, j int, need string) {
	width := l.width
	for i := range x.Rows {
		row := x.Row(i)[:len(width)]
		if l.middle == nil {
			for j, v := range row {
				if !(math.Abs(float64(v)) < width[j]) {
					return i, j, l.need(j, float64(v))
				}
			}
			continue
		}
		for j, v := range row {
			if !(math.Abs(float64(v)-l.middle[j]) < width[j]) {
				return i, j, l.need(j, float64(v))
			}
		}
	}
	return -1, -1, ""
}

// Finite says what a number must be that is NaN or infinite.
const Finite = "must be finite: remove the row or fill the value in"

// need says what value v of input j must be.
func (l *Limits) need(j int, v float64) string {
	if v-v != 0 {
		return Finite
	}
	if l.width[j] == 0 {
		return fmt.Sprintf("the map resolves no value of it in %s, which does not hold its frequencies: scale the column, or use float64", l.precision)
	}
	middle := 0.0
	if l.middle != nil {
		middle = l.middle[j]
	}
	return fmt.Sprintf("it lies outside what the map resolves in %s, within %.2g of %.4g: correct or clip the value, or scale the column", l.precision, l.width[j], middle)
}

// widths returns, for each input, the size from which on it is not resolved.
func widths(s *blas.Spec, n Number) []float64 {
	if len(s.Blocks) > 0 && !slices.ContainsFunc(s.Blocks, func(b blas.Block) bool { return b.Trees == nil }) {
		return slices.Repeat([]float64{math.Inf(1)}, s.Dim) // trees compare values, whatever their size
	}
	out := make([]float64, s.Dim)
	typical, largest := frequencies(s)
	for j := range out {
		most := max(1, largest[j])
		if most > n.Most {
			continue
		}
		switch s.Func {
		case asm.Cos, asm.CosSin:
			out[j] = min(math.Ldexp(1, n.Huge)/most, 2*math.Pi*math.Ldexp(1, n.Bits)/typical[j])
		case asm.ArcCos2: // squares of projections
			out[j] = math.Ldexp(1, n.Huge/4) / most
		default:
			out[j] = math.Ldexp(1, n.Huge/2) / most
		}
	}
	return out
}

// frequencies returns the median and the largest size of the frequencies of each input. The median is
// that of about two hundred frequencies, which determine it well enough.
func frequencies(s *blas.Spec) (typical, largest []float64) {
	if s.Func.Section() {
		return s.Scale, s.Scale
	}
	typical, largest = make([]float64, s.Dim), make([]float64, s.Dim)
	if len(s.Blocks) > 0 {
		// In a structured projection the frequencies of all inputs have the same size.
		t, l := ofSizes(blockSizes(s.Blocks))
		for j := range typical {
			typical[j], largest[j] = t, l
		}
		return typical, largest
	}
	n := s.W.Rows
	step := max(1, n/100)
	few := make([]float64, 0, (n+step-1)/step)
	for i := range n {
		for j, v := range s.W.Row(i) {
			largest[j] = max(largest[j], math.Abs(v))
		}
	}
	for j := range typical {
		few = few[:0]
		for i := 0; i < n; i += step {
			few = append(few, math.Abs(s.W.Row(i)[j]))
		}
		typical[j] = selection.Kth(few, len(few)/2)
	}
	return typical, largest
}

// blockSizes returns the sizes of the entries of structured projections. A projection is Scale times
// diagonals and orthogonal transforms of norm √Size each, so an entry has the size of its row over
// √Size.
func blockSizes(blocks []blas.Block) (all []float64) {
	for _, b := range blocks {
		if b.Trees != nil { // has no frequencies
			continue
		}
		norm := 1 / math.Sqrt(float64(b.Size))
		for _, d := range b.D {
			norm *= math.Sqrt(dense.SumSquares(d)) // √Size·(root mean square)
		}
		for _, v := range b.Scale {
			all = append(all, math.Abs(v)*norm)
		}
	}
	return all
}

// ofSizes returns the median of some of all sizes, and the largest.
func ofSizes(all []float64) (typical, largest float64) {
	largest = slices.Max(all)
	few := all[:0]
	for i, step := 0, max(1, len(all)/100); i < len(all); i += step {
		few = append(few, all[i])
	}
	return selection.Kth(few, len(few)/2), largest
}
