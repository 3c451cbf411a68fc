// Package scaling fits the shift and the scale of one column of inputs. The
// functions sort the column, so that sums do not depend on the order of rows; a
// constant column has scale 1, and its value goes to 0.
package scaling

import (
	"math"
	"slices"
)

// normal995 is the 99.5 % quantile of the standard normal.
const normal995 = 2.5758293035489004

// Robust takes the median to 0, and the distance between the 0.5 % and the
// 99.5 % quantile to that of a standard normal: as Standard, but a few wild
// values do not spoil it. Where the quantiles meet it is Standard.
func Robust(v []float64) (shift, scale float64) {
	if len(v) == 0 {
		return 0, 1
	}
	slices.Sort(v)
	low, high := Quantile(v, 0.005), Quantile(v, 0.995)
	if high > low {
		return Quantile(v, 0.5), Divisor((high - low) / (2 * normal995))
	}
	return Standard(v)
}

// Standard takes the mean to 0 and the standard deviation, divided by n, to 1.
func Standard(v []float64) (shift, scale float64) {
	if len(v) == 0 {
		return 0, 1
	}
	slices.Sort(v)
	if v[0] == v[len(v)-1] { // not the rounding error of a mean
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
	return mean, Divisor(math.Sqrt(ss / float64(len(v))))
}

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
	return v[i] + float64((h-float64(i))*(v[i+1]-v[i]))
}
