package main

import "fmt"

var _ = add("gains_avx512_amd64.s", func(f *file) { gains(f, "AVX512", "Z", 8) })

var _ = add("gains_avx2_amd64.s", func(f *file) { gains(f, "AVX2", "Y", 4) })

// gains prints Gains of whole vectors of thresholds.
func gains(f *file, isa, reg string, lanes int) {
	const gain, sums, stride, all, words, by, blocks, at, now, left = "DI", "SI", "R8", "R9", "R10", "R11", "CX", "AX", "BX", "DX"
	r := func(i int) string { return fmt.Sprint(reg, i) }
	half := map[string]string{"Z": "Y", "Y": "X"}[reg]
	bytes := 8 * lanes
	name := "gains" + isa
	f.fn(name, fmt.Sprintf("func %s(gain *float64, sums *int64, stride int, all *float64, words int, by *float64, blocks int)", name), 0, 56)
	for i, to := range []string{gain, sums, stride, all, words, by, blocks} {
		f.op("MOVQ", fmt.Sprintf("%s+%d(FP)", []string{"gain", "sums", "stride", "all", "words", "by", "blocks"}[i], 8*i), to)
	}
	f.op("SHLQ", 3, stride)
	f.op("DECQ", words)
	f.op("VBROADCASTSD", mem(0, all), r(12))
	f.op("VBROADCASTSD", mem(8, all), r(13))
	f.op("VBROADCASTSD", mem(0, by), r(14))
	loop, word, divide := f.label("loop"), f.label("word"), f.label("divide")
	f.op("PCALIGN", 32)
	f.place(loop)
	f.comment("The weight and the errors of the first target on the lower side, and on the upper one.")
	unpackSums(f, reg, sums)
	f.op("VCVTDQ2PD", half+"0", r(2))
	f.op("VCVTDQ2PD", half+"1", r(3))
	f.op("VSUBPD", r(2), r(12), r(4))
	f.op("VADDPD", r(14), r(2), r(2))
	f.op("VADDPD", r(14), r(4), r(4))
	f.op("VSUBPD", r(3), r(13), r(5))
	f.op("VMULPD", r(3), r(3), r(6))
	f.op("VMULPD", r(5), r(5), r(7))
	f.op("MOVQ", words, left)
	f.op("TESTQ", left, left)
	f.op("JEQ", divide)
	f.op("MOVQ", sums, at)
	f.op("MOVQ", all, now)
	f.place(word)
	f.comment("Two more targets.")
	f.op("ADDQ", stride, at)
	f.op("ADDQ", 16, now)
	unpackSums(f, reg, at)
	f.op("VPSRAD", 31, half+"0", half+"8")
	f.op("VPSUBD", half+"8", half+"1", half+"1")
	for i := range 2 {
		f.op("VCVTDQ2PD", half+fmt.Sprint(1-i), r(3))
		f.op("VBROADCASTSD", mem(8-8*i, now), r(5))
		f.op("VSUBPD", r(3), r(5), r(5))
		f.op("VMULPD", r(3), r(3), r(3))
		f.op("VMULPD", r(5), r(5), r(5))
		f.op("VADDPD", r(3), r(6), r(6))
		f.op("VADDPD", r(5), r(7), r(7))
	}
	f.op("DECQ", left)
	f.op("JNZ", word)
	f.place(divide)
	f.op("VMULPD", r(4), r(6), r(6))
	f.op("VMULPD", r(2), r(7), r(7))
	f.op("VMULPD", r(4), r(2), r(2))
	f.op("VADDPD", r(7), r(6), r(6))
	f.op("VDIVPD", r(2), r(6), r(6))
	f.op("VADDPD", mem(0, gain), r(6), r(6))
	f.op("VMOVUPD", r(6), mem(0, gain))
	f.op("ADDQ", bytes, gain)
	f.op("ADDQ", bytes, sums)
	f.op("DECQ", blocks)
	f.op("JNZ", loop)
	f.op("VZEROUPPER")
	f.op("RET")
}

// unpackSums prints the loading of a vector of words, whose lower halves go to register 0
// and whose upper ones to register 1, each half as wide.
func unpackSums(f *file, reg, from string) {
	if reg == "Z" {
		f.op("VMOVDQU64", mem(0, from), "Z0")
		f.op("VPSRLQ", 32, "Z0", "Z1")
		f.op("VPMOVQD", "Z0", "Y0")
		f.op("VPMOVQD", "Z1", "Y1")
		return
	}
	f.op("VMOVUPD", mem(0, from), "X0")
	f.op("VMOVUPD", mem(16, from), "X8")
	f.op("VSHUFPS", 0xdd, "X8", "X0", "X1")
	f.op("VSHUFPS", 0x88, "X8", "X0", "X0")
}
