package scaling

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
