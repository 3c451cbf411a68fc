package scaling

import "slices"

// Row writes (x − shift)/scale to dst: computed in float64, rounded once to dst's
// element type. A nil shift is 0, a nil scale 1.
func Row[D, S interface{ ~float32 | ~float64 }](shift, scale []float64, dst []D, x []S) {
	for j, v := range x {
		t := float64(v)
		if shift != nil {
			t -= shift[j]
		}
		if scale != nil {
			t /= scale[j]
		}
		dst[j] = D(t)
	}
}

// Bent is Row for columns that are bent first, and writes to dst, which may be x,
// what Row writes of them: column j goes through the points (from[j][k], to[j][k]),
// straight between them and constant beyond. from[j] ascends; empty, the column
// stays as it is.
func Bent[D, S interface{ ~float32 | ~float64 }](from, to [][]float64, shift, scale []float64, dst []D, x []S) {
	for j, v := range x {
		t := float64(v)
		if len(from[j]) > 0 {
			t = bend(from[j], to[j], t)
		}
		if shift != nil {
			t -= shift[j]
		}
		if scale != nil {
			t /= scale[j]
		}
		dst[j] = D(t)
	}
}

// bend returns the piecewise linear function through (from, to) at v.
func bend(from, to []float64, v float64) float64 {
	k, exact := slices.BinarySearch(from, v)
	switch {
	case v != v:
		return v
	case exact:
		return to[k]
	case k == 0:
		return to[0]
	case k == len(from):
		return to[k-1]
	}
	share := (v/2 - from[k-1]/2) / (from[k]/2 - from[k-1]/2) // halves do not overflow
	return to[k-1] + float64(share*(to[k]-to[k-1]))
}
