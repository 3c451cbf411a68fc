package blas

import (
	"math"
	"math/big"

	"github.com/rffgo/rff/asm"
)

// Sums of integers. Features that are cosines are rounded to multiples of a unit m·2⁻ᵏ, and
// targets to multiples of 2⁻⁴², so every sum is an integer times a power of two, which float64
// holds exactly up to 2⁵³. Such sums are the same in any order, and what is added and taken out
// again leaves nothing.
//
// Features have |z| ≤ levels·unit with levels = 2047 or 127. A row block has 504 rows, and
// 504·2047² < 2³¹, so an int32 holds its sums. With levels·m ≤ 2¹¹ a product is at most 2²² of
// the powers of two that G is a multiple of, so n ≤ 2³¹ rows keep G exact.

// finest is the largest levels·m. That leaves m = 1 for 12 bits, and m up to 16 for 8 bits, whose
// unit is then at most 9/8 of what the weights need. The power of two above it may be twice that,
// with errors of four times the variance.
const finest = 1 << 11

// ExactRows is the largest number of rows whose sums of integers are exact.
const ExactRows = 1 << 53 / (finest * finest)

// NewIntegers returns an empty Accumulator of sums of integers, for rows without weights: of
// features rounded to at most that many multiples of a unit each way, 2047 or 127. The features
// must be Bounded, in float32. Each target takes Parts columns, which SplitTarget fills.
func NewIntegers(m *Features[float32], targets, levels int, gram bool) *Accumulator[float32] {
	a := NewAccumulator(m, Parts*targets, gram)
	a.Eps, a.Unit = 0x1p-52, unitOf(m.spec, levels)
	return a
}

// Bounded reports whether the features of s are cosines and sines times their weights.
func (s *Spec) Bounded() bool {
	return (s.Func == asm.Cos || s.Func == asm.CosSin) && s.Product.Data == nil && s.Walsh == nil
}

// heaviest returns the largest weight of s in float32.
func (s *Spec) heaviest() float64 {
	var most float64
	for _, w := range s.Weight {
		most = max(most, math.Abs(w))
	}
	return float64(float32(most))
}

// unitOf returns the least unit that levels times is at least every weight.
func unitOf(s *Spec, levels int) float64 {
	fraction, exp := math.Frexp(s.heaviest() / float64(levels))
	if fraction == 0.5 { // a power of two itself
		fraction, exp = 1, exp-1
	}
	parts := float64(finest / levels)
	return math.Ldexp(math.Ceil(float64(fraction*parts))/parts, exp)
}

// Joined returns sums for solving: those of the targets themselves and not of their parts, less ref
// (nil: 0). It shares G and Z with s. A target far from 0 loses no digits: ref is taken off before
// sums are rounded. Other sums than those of integers it returns as they are.
func (s *Sums) Joined(ref []float64) *Sums {
	if s.Unit == 0 {
		return s
	}
	t := len(s.Y) / Parts
	if ref == nil {
		ref = make([]float64, t)
	}
	j := *s
	j.Unit, j.ZY, j.Y, j.YY = 0, NewGeneral[float64](s.ZY.Rows, t), make([]float64, t), make([]float64, t)
	for i, z := range s.Z {
		row := s.ZY.Row(i)
		for k, r := range ref {
			j.ZY.Row(i)[k] = joined(row[k*Parts:][:Parts], r, z)
		}
	}
	for k, r := range ref {
		j.Y[k] = joined(s.Y[k*Parts:][:Parts], r, s.W)
		j.YY[k] = s.squares(k, r)
	}
	// Rounding errors E of variance σ² per row and feature add nσ² to the diagonal of G, and
	// EᵀE − nσ²I has a norm of about σ²(2√(ns) + s) (Marchenko and Pastur).
	n, columns := s.W, float64(len(s.Z))
	j.Bias = float64(s.Unit*s.Unit) / 12
	j.Noise = float64(j.Bias * (2*math.Sqrt(float64(n*columns)) + columns))
	return &j
}

// joined returns the sum of parts less r·z, as a sum of two float64 numbers would hold it, rounded.
func joined(parts []float64, r, z float64) float64 {
	product := float64(r * z)
	high, low := -product, -math.FMA(r, z, -product)
	for p := len(parts) - 1; p >= 0; p-- {
		v := parts[p]
		sum := high + v
		shared := sum - high
		low += (high - (sum - shared)) + (v - shared)
		high = sum
	}
	return high + low
}

// squares returns Σ(y−r)² of target k, rounded once. It is NaN where sums of targets too large for
// integers are not finite, which big.Float has no word for.
func (s *Sums) squares(k int, r float64) float64 {
	for p := range Parts {
		if yy, y := s.YY[k*Parts+p], 2*s.Y[k*Parts+p]; yy-yy != 0 || y-y != 0 {
			return math.NaN()
		}
	}
	// Prec is more than from the last digit of Σy² to the first of nr².
	of := func(v float64) *big.Float { return new(big.Float).SetPrec(512).SetFloat64(v) }
	sum, twice, ref := of(0), of(0), of(r)
	for p := range Parts {
		sum.Add(sum, of(s.YY[k*Parts+p]))
		twice.Add(twice, of(2*s.Y[k*Parts+p]))
	}
	// Σ(y−r)² = Σy² − r(2Σy − nr)
	twice.Sub(twice, of(s.W).Mul(of(s.W), ref))
	v, _ := sum.Sub(sum, twice.Mul(twice, ref)).Float64()
	return v
}

// Means returns the means of the targets in sums of integers.
func (s *Sums) Means() []float64 {
	means := make([]float64, len(s.Y)/Parts)
	for k := range means {
		means[k] = joined(s.Y[k*Parts:][:Parts], 0, 0) / s.W
	}
	return means
}

// SetTargets replaces the sums of s that depend on targets, and Rows and W, by those of o, which
// Joined could return. In sums of integers they must be multiples of the units of features and
// of targets, which are integers.
func (s *Sums) SetTargets(o *Sums) {
	s.Rows, s.W = o.Rows, o.W
	if s.Unit == 0 {
		s.ZY, s.Y, s.YY = o.ZY, o.Y, o.YY
		return
	}
	set := func(dst, src []float64) {
		for t, v := range src {
			dst[t*Parts+unitPart] = v
		}
	}
	for i := range s.ZY.Rows {
		set(s.ZY.Row(i), o.ZY.Row(i))
	}
	set(s.Y, o.Y)
	set(s.YY, o.YY)
}

// rounded has what a gramRun needs to add integers.
type rounded[T Float] struct {
	*asm.Integers[T]
	unit   float64 // of features
	factor []T     // 1/unit, for every column of a panel
	sides  []sides[T]
}

// sides are the targets of a stage as left operands: words of the parts that are not zero, and
// of a column of ones.
type sides[T Float] struct {
	columns []int // of the words, in [y, 1]
	words   []T
}

// roundedOf returns what adds integers to sums of features of spec, or nil if they are not of
// integers.
func roundedOf[T Float](kern *asm.Kernels[T], s *Sums, spec *Spec, stages int) *rounded[T] {
	if s.Unit == 0 {
		return nil
	}
	r := &rounded[T]{Integers: kern.Int16, unit: s.Unit, factor: make([]T, kern.Panel), sides: make([]sides[T], stages)}
	if kern.Int8 != nil && spec.heaviest() <= 127*s.Unit {
		r.Integers = kern.Int8
	}
	for i := range r.factor {
		r.factor[i] = T(1 / s.Unit)
	}
	return r
}

// prepare makes the sides of a stage with the targets y.
func (r *rounded[T]) prepare(of *sides[T], y General[T]) {
	of.columns = of.columns[:0]
	for c := range y.Cols {
		for i := range y.Rows {
			if y.Data[i*y.Stride+c] != 0 {
				of.columns = append(of.columns, c)
				break
			}
		}
	}
	of.columns = append(of.columns, y.Cols)
	n := len(of.columns)
	size := ceil(y.Rows, r.Rows) * n
	grow(&of.words, size)
	words := asm.Words(of.words[:size])
	clear(words)
	bits := 32 / r.Rows
	for k, c := range of.columns {
		inverse := 1 / part(c%Parts)
		for i := range y.Rows {
			v := int32(1)
			if c < y.Cols {
				v = int32(float64(y.Data[i*y.Stride+c]) * inverse)
			}
			words[i/r.Rows*n+k] |= uint32(v) << (32 - bits) >> (32 - bits) << (i % r.Rows * bits)
		}
	}
}

// add adds the products of sides with the columns from col on to ZY and Z. Their features are
// in panels from b on, each stride elements after the one before. memory has room for MR rows of
// products.
func (r *rounded[T]) add(s *Sums, of *sides[T], mr, k, col, cols int, b []T, stride int, memory []float64) {
	n := len(of.columns)
	for i := 0; i < n; i += mr {
		m := min(mr, n-i)
		sums := memory[:m*cols]
		clear(sums)
		r.Accumulate(m, cols, k, of.words[i:], n, b, stride, r.unit, sums, cols, nil)
		for h, c := range of.columns[i : i+m] {
			for j, v := range sums[h*cols:][:cols] {
				if c == s.ZY.Cols {
					s.Z[col+j] += v
				} else {
					s.ZY.Row(col + j)[c] += float64(v * part(c%Parts))
				}
			}
		}
	}
}
