package asm

// fma32 returns x·y+z rounded once to float32: the sum in float64 rounded again, unless that may
// differ, which is rare.
func fma32(x, y, z float32) float32 {
	s := float64(float64(x)*float64(y)) + float64(z)
	if doubtful(s) {
		return fma32Go(x, y, z)
	}
	return float32(s)
}
