package main

import "fmt"

var _ = add("recur_avx512_amd64.s", recur)

// recurRows is asm.RecurRows.
const recurRows = 8

// Registers of a recurrence.
const (
	stepsLeft, backRows     = "R8", "R9"
	wNow, xNow, x2Now       = "AX", "BX", "CX"
	sumsPtr, rowsOf, goBack = "DI", "DX", "SI"
)

// recur prints Recur of float64 on two panels of a vector each: 16 chains, which cover
// the latency of both multiply-add pipes, and two of squares.
func recur(f *file) {
	const lanes, size = 8, 8
	row := lanes * size
	acc := func(i, panel int) string { return fmt.Sprint("Z", panel*recurRows+i) }
	const x, x2, sum, sum2, cast = "Z16", "Z17", "Z18", "Z19", 20
	f.fn("recurAVX512F64", "func recurAVX512F64(steps, back int, w, x, x2, sums *float64)", 0, 48)
	for i, r := range []string{stepsLeft, backRows, wNow, xNow, x2Now, sumsPtr} {
		f.op("MOVQ", fmt.Sprintf("%s+%d(FP)", []string{"steps", "back", "w", "x", "x2", "sums"}[i], 8*i), r)
	}
	f.op("MOVQ", backRows, goBack)
	f.op("SHLQ", 6, goBack) // bytes of the rows before
	f.op("ADDQ", recurRows, backRows)
	clearReg(f, sum)
	clearReg(f, sum2)
	step, loop := f.label("step"), f.label("loop")
	f.place(step)
	for i := range recurRows {
		clearReg(f, acc(i, 0))
		clearReg(f, acc(i, 1))
	}
	f.op("MOVQ", backRows, rowsOf)
	f.op("PCALIGN", 32)
	f.place(loop)
	f.op("VMOVUPD", mem(0, xNow), x)
	f.op("VMOVUPD", mem(0, x2Now), x2)
	for i := range recurRows {
		w := fmt.Sprint("Z", cast+i)
		f.op("VBROADCASTSD", mem(i*size, wNow), w)
		f.op("VFMADD231PD", x, w, acc(i, 0))
		f.op("VFMADD231PD", x2, w, acc(i, 1))
	}
	f.op("ADDQ", recurRows*size, wNow)
	f.op("ADDQ", row, xNow)
	f.op("ADDQ", row, x2Now)
	f.op("DECQ", rowsOf)
	f.op("JNZ", loop)
	f.comment("The step's elements take the place of the last ones read.")
	for i := range recurRows {
		f.op("VMOVUPD", acc(i, 0), mem((i-recurRows)*row, xNow))
		f.op("VMOVUPD", acc(i, 1), mem((i-recurRows)*row, x2Now))
	}
	for i := range recurRows {
		f.op("VFMADD231PD", acc(i, 0), acc(i, 0), sum)
		f.op("VFMADD231PD", acc(i, 1), acc(i, 1), sum2)
	}
	f.op("SUBQ", goBack, xNow)
	f.op("SUBQ", goBack, x2Now)
	f.op("DECQ", stepsLeft)
	f.op("JNZ", step)
	f.op("VMOVUPD", sum, mem(0, sumsPtr))
	f.op("VMOVUPD", sum2, mem(row, sumsPtr))
	f.op("VZEROUPPER")
	f.op("RET")
}
