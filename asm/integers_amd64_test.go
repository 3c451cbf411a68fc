//go:build gc && !purego && !noasm

package asm

import "testing"

// Words of two rows without VNNI are the kernel of older processors with AVX-512.
func TestIntegersWithoutVNNI(t *testing.T) {
	for _, kern := range All[float32]() {
		if kern.ISA == "avx512" {
			testIntegers(t, kern, assembled(kern, 2, round2AVX512, madd8x32AVX512))
		}
	}
}
