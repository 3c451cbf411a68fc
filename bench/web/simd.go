package main

// A WebAssembly module in its binary form, with the fused loops of package asm in vector
// instructions: the chains of portable_chains.go and the polynomials of cos.go. Go's module has
// no memory before it is there, and asks for its imports before: so it imports from gate, whose
// functions jump to those of a table.

// function is a function of the module, of a type of its file and with a body.
type function struct {
	name      string
	signature byte
	body      []byte
}

// signatures are the types of functions: chains of (s, k, a, lda, b, panel), and polynomials of
// (coefficients, terms, x). Addresses and sizes in bytes are i32.
var signatures = [][]byte{{0x60, 6, i32, i32, i32, i32, i32, i32, 0}, {0x60, 3, i32, i32, f64, 1, f64}, {0x60, 3, i32, i32, f32, 1, f32}}

// functions returns all of them.
func functions() (all []function) {
	for _, rows := range []int{4, 2, 1} { // of a block
		name := string(rune('0' + rows))
		all = append(all, function{"f64x" + name, 0, chain(rows, true)}, function{"f32x" + name, 0, chain(rows, false)})
	}
	return append(all, function{"poly64", 1, polynomial(true)}, function{"poly32", 2, polynomial(false)})
}

const (
	i32, f32, f64, v128 = 0x7f, 0x7d, 0x7c, 0x7b

	sectionType, sectionImport, sectionFunction, sectionTable, sectionExport, sectionCode = 1, 2, 3, 4, 7, 10
	kindFunction, kindTable, kindMemory                                                   = 0, 1, 2

	opLoop, opEnd, opBranchIf, opCallIndirect                        = 0x03, 0x0b, 0x0d, 0x11
	opGet, opSet, opTee, opConst, opAdd, opSubtract, opSIMD, funcref = 0x20, 0x21, 0x22, 0x41, 0x6a, 0x6b, 0xfd, 0x70
	opShift                                                          = 0x74

	simdLoad, simdLoad32Splat, simdLoad64Splat, simdStore = 0x00, 0x09, 0x0a, 0x0b
	simdSplat32, simdSplat64, simdFirst32, simdFirst64    = 0x13, 0x14, 0x1f, 0x21
	simdMadd32, simdMadd64                                = 0x105, 0x107
)

// uleb is n in LEB128.
func uleb(n int) (b []byte) {
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

func join(parts ...[]byte) (b []byte) {
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// vector is a list with its length.
func vector(items ...[]byte) []byte { return join(uleb(len(items)), join(items...)) }

// sized is bytes with their length.
func sized(b []byte) []byte { return join(uleb(len(b)), b) }

func section(id byte, items ...[]byte) []byte { return join([]byte{id}, sized(vector(items...))) }

func text(s string) []byte { return sized([]byte(s)) }

// module puts functions into a module, after other sections and before others still.
func module(all []function, imports, tables []byte, exports [][]byte) []byte {
	var types, bodies [][]byte
	for i, f := range all {
		types = append(types, []byte{f.signature})
		exports = append(exports, join(text(f.name), []byte{kindFunction}, uleb(i)))
		bodies = append(bodies, sized(f.body))
	}
	return join([]byte("\x00asm\x01\x00\x00\x00"), section(sectionType, signatures...), imports, section(sectionFunction, types...),
		tables, section(sectionExport, exports...), section(sectionCode, bodies...))
}

// simdModule has the functions, and takes the memory from "rff" "mem".
func simdModule() []byte {
	return module(functions(), section(sectionImport, join(text("rff"), text("mem"), []byte{kindMemory, 0, 0})), nil, nil)
}

// gateModule has functions of the same names that call those in its table.
func gateModule() []byte {
	all := functions()
	for i := range all {
		body := []byte{0}
		for p := range signatures[all[i].signature][1] {
			body = append(body, opGet, p)
		}
		all[i].body = append(body, opConst, byte(i), opCallIndirect, all[i].signature, 0, opEnd)
	}
	return module(all, nil, section(sectionTable, join([]byte{funcref, 0}, uleb(len(all)))), [][]byte{join(text("table"), []byte{kindTable, 0})})
}

// polynomial is Horner's rule, from the last coefficient on. Its vectors have one number of use.
func polynomial(wide bool) []byte {
	const coef, terms, x, value, at = 0, 1, 2, 3, 4
	shift, size, load, splat, first, madd := byte(2), byte(4), byte(simdLoad32Splat), byte(simdSplat32), byte(simdFirst32), simdMadd32
	if wide {
		shift, size, load, splat, first, madd = 3, 8, simdLoad64Splat, simdSplat64, simdFirst64, simdMadd64
	}
	code := vector([]byte{2, v128}) // value and at
	code = append(code, opGet, x, opSIMD, splat, opSet, at,
		opGet, coef, opGet, terms, opConst, 1, opSubtract, opTee, terms, opConst, shift, opShift, opAdd, opTee, coef, opSIMD, load, 2, 0, opSet, value,
		opLoop, 0x40, opGet, value, opGet, at, opGet, coef, opConst, size, opSubtract, opTee, coef, opSIMD, load, 2, 0, opSIMD)
	return append(append(code, uleb(madd)...), opSet, value,
		opGet, terms, opConst, 1, opSubtract, opTee, terms, opBranchIf, 0, opEnd, opGet, value, opSIMD, first, 0, opEnd)
}

// chain goes over k products. A vector has 2 columns of float64 or 4 of float32, so a row of
// float64 has two.
func chain(rows int, wide bool) []byte {
	const s, k, a, lda, b, panel, first = 0, 1, 2, 3, 4, 5, 6
	vectors, size, splat, madd := 1, 4, simdLoad32Splat, simdMadd32
	if wide {
		vectors, size, splat, madd = 2, 8, simdLoad64Splat, simdMadd64
	}
	sum := func(r, v int) byte { return byte(first + r*vectors + v) }
	column := func(v int) byte { return byte(first + rows*vectors + v) }
	x := column(vectors)
	code := vector(join(uleb(int(x)-first+1), []byte{v128}))
	for r := range rows {
		for v := range vectors {
			code = append(code, opGet, s, opSIMD, simdLoad, 4)
			code = append(append(code, uleb(16*(r*vectors+v))...), opSet, sum(r, v))
		}
	}
	code = append(code, opLoop, 0x40)
	for v := range vectors {
		code = append(code, opGet, b, opSIMD, simdLoad, 2, byte(16*v), opSet, column(v))
	}
	for r := range rows {
		code = append(code, opGet, a, opSIMD, byte(splat), 2, byte(size*r), opSet, x)
		for v := range vectors {
			code = append(code, opGet, x, opGet, column(v), opGet, sum(r, v), opSIMD)
			code = append(append(code, uleb(madd)...), opSet, sum(r, v))
		}
	}
	code = append(code, opGet, a, opGet, lda, opAdd, opSet, a, opGet, b, opGet, panel, opAdd, opSet, b,
		opGet, k, opConst, 1, opSubtract, opTee, k, opBranchIf, 0, opEnd)
	for r := range rows {
		for v := range vectors {
			code = append(code, opGet, s, opGet, sum(r, v), opSIMD, simdStore, 4)
			code = append(code, uleb(16*(r*vectors+v))...)
		}
	}
	return append(code, opEnd)
}
