// Package scaling fits the shift and the scale of one column of inputs, and applies
// them to rows. The functions that fit sort the column, so that sums do not depend
// on the order of rows; a constant column has scale 1, and its value goes to 0.
package scaling

import (
	"math"
	"slices"
)

// normal995 is the 99.5 % quantile of the standard normal.
const normal995 = 2.5758293035489004

// Robust takes the median to 0 and the spread of a column to 2·2.576, the distance between the 0.5 %
// and the 99.5 % quantile of a standard normal. It does what Standard does, but a few wild values do
// not spoil it. The spread is the distance between these quantiles, and at least the distance from
// the median within which nine tenths of the values other than the median lie.
//
// The second part is for columns that hold one value in all but a few rows, such as rare indicators
// and the border pixels of images. Their quantiles are equal, or nearly so, and say nothing. This
// part has no effect if more than a tenth of the values differ from the median. Then more than 1 %
// of all values lie farther away, and on one side more than 0.5 %, so the quantile is farther away
// too. The rarer value of an indicator goes to 5.15, however rare it is.
func Robust(v []float64) (shift, scale float64) {
	if len(v) == 0 {
		return 0, 1
	}
	return RobustSample(v, slices.Min(v), slices.Max(v))
}

// RobustSample is Robust for a column of which v is a sample, which must not be empty. low and high
// are the smallest and the largest value of the column. They stand for the values other than the
// median if the sample has fewer than ten of these.
func RobustSample(v []float64, low, high float64) (shift, scale float64) {
	slices.Sort(v)
	middle := Quantile(v, 0.5)
	far := max(spread(low, middle), spread(middle, high))
	// A value may be so far off that cosines of it have no digits. The scale must not hide it at
	// the cost of all other values: the code that makes features of it reports its row.
	scale = spread(Quantile(v, 0.005), Quantile(v, 0.995))
	if most, n := nineTenths(v, middle); n >= 10 {
		scale = max(scale, most)
	} else {
		scale = max(scale, far)
	}
	return middle, Divisor(scale)
}

// spread returns (high − low)/5.15 without overflow.
func spread(low, high float64) float64 {
	if d := high - low; !math.IsInf(d, 0) {
		return d / (2 * normal995)
	}
	return high/(2*normal995) - low/(2*normal995)
}

// nineTenths returns n, the number of values other than the median, and far, the distance from the
// median within which nine tenths of them lie. The distance is in the units of spread. v is sorted.
func nineTenths(v []float64, median float64) (far float64, n int) {
	i, _ := slices.BinarySearch(v, median)
	j := i
	for j < len(v) && v[j] == median {
		j++
	}
	below, above := v[:i], v[j:]
	n = len(below) + len(above)
	var left, right float64
	for k := 0; ; k++ { // leave out the farthest value, at either end
		left, right = 0, 0
		if len(below) > 0 {
			left = spread(below[0], median)
		}
		if len(above) > 0 {
			right = spread(median, above[len(above)-1])
		}
		switch {
		case k == n/10:
			return max(left, right), n
		case left > right:
			below = below[1:]
		default:
			above = above[:len(above)-1]
		}
	}
}

// Standard takes the mean to 0 and the standard deviation, divided by n, to 1.
func Standard(v []float64) (shift, scale float64) {
	if len(v) == 0 {
		return 0, 1
	}
	slices.Sort(v)
	if v[0] == v[len(v)-1] { // avoids the rounding error of a mean
		return v[0], 1
	}
	var mean, ss float64
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		d := x - mean
		ss += float64(d * d)
	}
	if !math.IsInf(ss, 0) {
		return mean, Divisor(math.Sqrt(ss / float64(len(v))))
	}
	ss = 0
	for _, x := range v {
		d := float64(x*Small) - float64(mean*Small)
		ss += float64(d * d)
	}
	return mean, Divisor(math.Sqrt(ss/float64(len(v))) / Small)
}

// Small scales numbers whose squares overflow float64, so that they can be squared. Smaller numbers
// may vanish.
const Small = 0x1p-600

// MinMax takes the values to [0, 1].
func MinMax(v []float64) (shift, scale float64) {
	if len(v) == 0 {
		return 0, 1
	}
	slices.Sort(v)
	return v[0], Divisor(v[len(v)-1] - v[0])
}

// Divisor returns v, or 1 if it cannot divide.
func Divisor(v float64) float64 {
	if v > 0 && !math.IsInf(v, 0) {
		return v
	}
	return 1
}

// Quantile returns the p-quantile of sorted values, interpolated linearly
// (Hyndman and Fan 1996, type 7, R's and NumPy's default).
func Quantile(v []float64, p float64) float64 {
	h := float64(p * float64(len(v)-1))
	i := int(h)
	if i+1 >= len(v) {
		return v[len(v)-1]
	}
	f := h - float64(i)
	if d := v[i+1] - v[i]; !math.IsInf(d, 0) {
		return v[i] + float64(f*d)
	}
	return float64(v[i]*(1-f)) + float64(v[i+1]*f)
}
