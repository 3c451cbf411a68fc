package asm

import "math"

// chains64 is the multiplier of float64.
func chains64(s chains[float64], rows, k int, a []float64, lda int, b []float64, panel int) chains[float64] {
	switch {
	case rows == 4 && manyRegisters:
		return chains64x4(s, k, a, lda, b, panel)
	case rows == 4:
		low := chains64x2(s, k, a, lda, b, panel)
		copy(s[:], s[2*blockCols:])
		high := chains64x2(s, k, a[2:], lda, b, panel)
		copy(low[2*blockCols:], high[:])
		return low
	case rows == 2:
		return chains64x2(s, k, a, lda, b, panel)
	}
	return chains64x1(s, k, a, lda, b, panel)
}

// chains64x4 is chains64 of 4 rows.
func chains64x4(s chains[float64], k int, a []float64, lda int, b []float64, panel int) chains[float64] {
	s00, s01, s02, s03 := s[0], s[1], s[2], s[3]
	s10, s11, s12, s13 := s[4], s[5], s[6], s[7]
	s20, s21, s22, s23 := s[8], s[9], s[10], s[11]
	s30, s31, s32, s33 := s[12], s[13], s[14], s[15]
	for l := range k {
		x, y := (*[4]float64)(a[l*lda:]), (*[blockCols]float64)(b[l*panel:])
		y0, y1, y2, y3 := y[0], y[1], y[2], y[3]
		x0 := x[0]
		s00 = math.FMA(x0, y0, s00)
		s01 = math.FMA(x0, y1, s01)
		s02 = math.FMA(x0, y2, s02)
		s03 = math.FMA(x0, y3, s03)
		x1 := x[1]
		s10 = math.FMA(x1, y0, s10)
		s11 = math.FMA(x1, y1, s11)
		s12 = math.FMA(x1, y2, s12)
		s13 = math.FMA(x1, y3, s13)
		x2 := x[2]
		s20 = math.FMA(x2, y0, s20)
		s21 = math.FMA(x2, y1, s21)
		s22 = math.FMA(x2, y2, s22)
		s23 = math.FMA(x2, y3, s23)
		x3 := x[3]
		s30 = math.FMA(x3, y0, s30)
		s31 = math.FMA(x3, y1, s31)
		s32 = math.FMA(x3, y2, s32)
		s33 = math.FMA(x3, y3, s33)
	}
	return chains[float64]{s00, s01, s02, s03, s10, s11, s12, s13, s20, s21, s22, s23, s30, s31, s32, s33}
}

// chains64x2 is chains64 of 2 rows.
func chains64x2(s chains[float64], k int, a []float64, lda int, b []float64, panel int) chains[float64] {
	s00, s01, s02, s03 := s[0], s[1], s[2], s[3]
	s10, s11, s12, s13 := s[4], s[5], s[6], s[7]
	for l := range k {
		x, y := (*[2]float64)(a[l*lda:]), (*[blockCols]float64)(b[l*panel:])
		x0, x1 := x[0], x[1]
		y0 := y[0]
		s00 = math.FMA(x0, y0, s00)
		s10 = math.FMA(x1, y0, s10)
		y1 := y[1]
		s01 = math.FMA(x0, y1, s01)
		s11 = math.FMA(x1, y1, s11)
		y2 := y[2]
		s02 = math.FMA(x0, y2, s02)
		s12 = math.FMA(x1, y2, s12)
		y3 := y[3]
		s03 = math.FMA(x0, y3, s03)
		s13 = math.FMA(x1, y3, s13)
	}
	return chains[float64]{s00, s01, s02, s03, s10, s11, s12, s13}
}

// chains64x1 is chains64 of 1 row.
func chains64x1(s chains[float64], k int, a []float64, lda int, b []float64, panel int) chains[float64] {
	s00, s01, s02, s03 := s[0], s[1], s[2], s[3]
	for l := range k {
		x, y := (*[1]float64)(a[l*lda:]), (*[blockCols]float64)(b[l*panel:])
		x0 := x[0]
		y0 := y[0]
		s00 = math.FMA(x0, y0, s00)
		y1 := y[1]
		s01 = math.FMA(x0, y1, s01)
		y2 := y[2]
		s02 = math.FMA(x0, y2, s02)
		y3 := y[3]
		s03 = math.FMA(x0, y3, s03)
	}
	return chains[float64]{s00, s01, s02, s03}
}

// chains32 is the multiplier of float32.
func chains32(s chains[float32], rows, k int, a []float32, lda int, b []float32, panel int) chains[float32] {
	switch rows {
	case 4:
		low := chains32x2(s, k, a, lda, b, panel)
		copy(s[:], s[2*blockCols:])
		high := chains32x2(s, k, a[2:], lda, b, panel)
		copy(low[2*blockCols:], high[:])
		return low
	case 2:
		return chains32x2(s, k, a, lda, b, panel)
	}
	return chains32x1(s, k, a, lda, b, panel)
}

// chains32x2 is chains32 of 2 rows. The sums are float32 numbers in float64.
func chains32x2(s chains[float32], k int, a []float32, lda int, b []float32, panel int) chains[float32] {
	s00, s01, s02, s03 := float64(s[0]), float64(s[1]), float64(s[2]), float64(s[3])
	s10, s11, s12, s13 := float64(s[4]), float64(s[5]), float64(s[6]), float64(s[7])
	for l := range k {
		x, y := (*[2]float32)(a[l*lda:]), (*[blockCols]float32)(b[l*panel:])
		y0, y1, y2, y3 := float64(y[0]), float64(y[1]), float64(y[2]), float64(y[3])
		x0 := float64(x[0])
		t00, t01, t02, t03 := float64(x0*y0)+s00, float64(x0*y1)+s01, float64(x0*y2)+s02, float64(x0*y3)+s03
		if doubtful(t00) || doubtful(t01) || doubtful(t02) || doubtful(t03) {
			t00, t01, t02, t03 = fourFMA(x[0], y, s00, s01, s02, s03)
		}
		s00, s01, s02, s03 = float64(float32(t00)), float64(float32(t01)), float64(float32(t02)), float64(float32(t03))
		x1 := float64(x[1])
		t10, t11, t12, t13 := float64(x1*y0)+s10, float64(x1*y1)+s11, float64(x1*y2)+s12, float64(x1*y3)+s13
		if doubtful(t10) || doubtful(t11) || doubtful(t12) || doubtful(t13) {
			t10, t11, t12, t13 = fourFMA(x[1], y, s10, s11, s12, s13)
		}
		s10, s11, s12, s13 = float64(float32(t10)), float64(float32(t11)), float64(float32(t12)), float64(float32(t13))
	}
	return chains[float32]{float32(s00), float32(s01), float32(s02), float32(s03), float32(s10), float32(s11), float32(s12), float32(s13)}
}

// chains32x1 is chains32 of 1 row. The sums are float32 numbers in float64.
func chains32x1(s chains[float32], k int, a []float32, lda int, b []float32, panel int) chains[float32] {
	s00, s01, s02, s03 := float64(s[0]), float64(s[1]), float64(s[2]), float64(s[3])
	for l := range k {
		x, y := (*[1]float32)(a[l*lda:]), (*[blockCols]float32)(b[l*panel:])
		y0, y1, y2, y3 := float64(y[0]), float64(y[1]), float64(y[2]), float64(y[3])
		x0 := float64(x[0])
		t00, t01, t02, t03 := float64(x0*y0)+s00, float64(x0*y1)+s01, float64(x0*y2)+s02, float64(x0*y3)+s03
		if doubtful(t00) || doubtful(t01) || doubtful(t02) || doubtful(t03) {
			t00, t01, t02, t03 = fourFMA(x[0], y, s00, s01, s02, s03)
		}
		s00, s01, s02, s03 = float64(float32(t00)), float64(float32(t01)), float64(float32(t02)), float64(float32(t03))
	}
	return chains[float32]{float32(s00), float32(s01), float32(s02), float32(s03)}
}

// doubtful reports whether rounding s to float32 may differ from rounding the exact sum, of which
// s is the rounding, directly to float32. Both roundings are monotonic, so they differ only if s
// is a midpoint between two float32. Above the subnormal numbers, the last 29 bits of a midpoint
// are 1 and then zeros. A zero is exact: a product of two float32 plus a float32 never underflows
// in float64.
func doubtful(s float64) bool {
	b := math.Float64bits(s)
	return b&(1<<29-1) == 1<<28 || b<<1-1 < 897<<53-1
}

// fourFMA returns fma32(x, y[c], s_c), for sums that are float32 numbers.
func fourFMA(x float32, y *[blockCols]float32, s0, s1, s2, s3 float64) (t0, t1, t2, t3 float64) {
	return float64(fma32(x, y[0], float32(s0))), float64(fma32(x, y[1], float32(s1))),
		float64(fma32(x, y[2], float32(s2))), float64(fma32(x, y[3], float32(s3)))
}
