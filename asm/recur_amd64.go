//go:build gc && !purego && !noasm

package asm

// recurAVX512F64 is Recur of two panels, x and x2. Their sums lie one after the other. steps is at
// least 1.
//
//go:noescape
func recurAVX512F64(steps, back int, w, x, x2, sums *float64)

// recursInPairs makes a Recur that takes pairs of panels by f, and a last single panel by Gemm.
func recursInPairs(k *Kernels[float64], f func(steps, back int, w, x, x2, sums *float64)) {
	recurrences(k)
	one, panel := k.Recur, k.Panel
	k.Recur = func(steps, back int, w, x []float64, stride, panels int, sums []float64) {
		checkRecur(panel, steps, back, w, x, stride, panels, sums)
		if steps == 0 {
			clear(sums[:panels*panel])
			return
		}
		for ; panels >= 2; panels -= 2 {
			f(steps, back, &w[0], &x[0], &x[stride], &sums[0])
			if panels == 2 {
				return
			}
			x, sums = x[2*stride:], sums[2*panel:]
		}
		if panels == 1 {
			one(steps, back, w, x, stride, 1, sums)
		}
	}
}
