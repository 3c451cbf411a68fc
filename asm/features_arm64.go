//go:build gc && !purego && !noasm

package asm

import "unsafe"

// neonFeatures has the arguments of the feature kernels and of Apply; strides are in bytes.
type neonFeatures struct {
	x              unsafe.Pointer
	ldx, groups, d int
	w              unsafe.Pointer
	phase          unsafe.Pointer
	weight         unsafe.Pointer // nil if the weight is in coef
	weight2        unsafe.Pointer
	panels         int
	z, z2          unsafe.Pointer
	rowStride      int
	panelStride    int
	f              int
	coef           unsafe.Pointer // of Cos and CosSin: a table of a series
	terms          int            // Terms
}

// neonScores has the arguments of the score kernels; strides are in bytes.
type neonScores struct {
	z           unsafe.Pointer
	panelStride int
	rows        int
	y           unsafe.Pointer
	ldy         int
	targets     int
	acc         unsafe.Pointer
	lda         int
}

func featuresNEON[T Float](f Func, p *Projection[T], out *Output[T]) {
	var coef coefTable[T]
	coef.fill(f, p.common(), neonCoefs[T]())
	panel := neonPanel[T]()
	whole := p.Cols / panel
	step := max(1, neonWork/(neonRows*panel)/(p.D+16))
	for r := 0; r < p.Rows; r += neonRows {
		rows := min(neonRows, p.Rows-r)
		for q := 0; q < whole; q += step {
			n := min(step, whole-q)
			o := r*out.RowStride + q*out.PanelStride
			a := p.neon(f, &coef, r, q, n)
			a.z, a.rowStride, a.panelStride = unsafe.Pointer(&out.Z[o]), bytes[T](out.RowStride), bytes[T](out.PanelStride)
			if f == CosSin {
				a.z2 = unsafe.Pointer(&out.Z2[o])
			}
			runFeatures[T](rows, a)
		}
	}
	if whole*panel < p.Cols {
		featuresTailNEON(f, &coef, p, out)
	}
}

// neonCoefs is the number of times that the kernels want each coefficient: two vectors.
func neonCoefs[T Float]() int { return 32 / int(unsafe.Sizeof(*new(T))) }

// neon returns the arguments for the rows from r on and n panels from q on. The output and the
// number of rows are still missing.
func (p *Projection[T]) neon(f Func, coef *coefTable[T], r, q, n int) neonFeatures {
	panel := neonPanel[T]()
	used := p.D > 0
	a := neonFeatures{
		x: at(p.X, r*p.LDX, used), ldx: bytes[T](p.LDX), d: p.D, w: at(p.W, q*p.D*panel, used),
		phase: unsafe.Pointer(&p.Phase[q*panel]), panels: n, f: int(f), coef: unsafe.Pointer(coef), terms: int(p.Terms),
	}
	if p.Weight == nil {
		return a
	}
	a.weight = unsafe.Pointer(&p.Weight[q*panel])
	if f == CosSin {
		a.weight2 = unsafe.Pointer(&p.Weight2[q*panel])
	}
	return a
}

// featuresTailNEON makes the last, partial panel through a whole tile.
func featuresTailNEON[T Float](f Func, coef *coefTable[T], p *Projection[T], out *Output[T]) {
	const most = neonTile * neonPanel32
	panel := neonPanel[T]()
	q := p.Cols / panel
	var z, z2 [most]T
	for r := 0; r < p.Rows; r += neonTile {
		rows := min(neonTile, p.Rows-r)
		a := p.neon(f, coef, r, q, 1)
		a.z, a.z2, a.rowStride = unsafe.Pointer(&z), unsafe.Pointer(&z2), bytes[T](panel)
		runFeatures[T](rows, a)
		for i := range rows {
			o := (r+i)*out.RowStride + q*out.PanelStride
			cols := p.Cols - q*panel
			copy(out.Z[o:o+cols], z[i*panel:])
			if f == CosSin {
				copy(out.Z2[o:o+cols], z2[i*panel:])
			}
		}
	}
}

// runFeatures runs a on that many rows, in tiles of 4 rows, then of 2 and 1. a is passed by value
// so that it stays on the stack.
func runFeatures[T Float](rows int, a neonFeatures) {
	for _, h := range [3]int{4, 2, 1} {
		if a.groups = rows / h; a.groups == 0 {
			continue
		}
		run[T](entryFeatures+h/2, unsafe.Pointer(&a))
		done := a.groups * h
		if rows -= done; rows == 0 {
			return
		}
		if a.d > 0 {
			a.x = unsafe.Add(a.x, done*a.ldx)
		}
		a.z = unsafe.Add(a.z, done*a.rowStride)
		if a.z2 != nil {
			a.z2 = unsafe.Add(a.z2, done*a.rowStride)
		}
	}
}

// scoresNEON makes the features of neonRows rows and two panels at a time, in a
// scratch that stays in L1, and adds them to the scores from there.
func scoresNEON[T Float](f Func, p *Projection[T], y []T, ldy, targets int, acc, acc2 []T, lda int) {
	var coef coefTable[T]
	coef.fill(f, p.common(), neonCoefs[T]())
	panel := neonPanel[T]()
	var z, z2 [2 * neonRows * neonPanel64]float64 // as many bytes for float32
	for r := 0; r < p.Rows; r += neonRows {
		rows := min(neonRows, p.Rows-r)
		for j := 0; j < p.Cols; {
			n := 2
			if p.Cols-j < 2*panel {
				n = 1
			}
			a := p.neon(f, &coef, r, j/panel, n)
			a.z, a.rowStride, a.panelStride = unsafe.Pointer(&z), bytes[T](panel), bytes[T](neonRows*panel)
			s := neonScores{z: a.z, panelStride: a.panelStride, rows: rows,
				y: unsafe.Pointer(&y[r*ldy]), ldy: bytes[T](ldy), targets: targets, lda: bytes[T](lda)}
			if f == CosSin {
				a.z2 = unsafe.Pointer(&z2)
			}
			runFeatures[T](rows, a)
			cols := min(n*panel, p.Cols-j)
			runScores(n, s, acc, j, lda, cols)
			if f == CosSin {
				s.z = unsafe.Pointer(&z2)
				runScores(n, s, acc2, j, lda, cols)
			}
			j += cols
		}
	}
}

// runScores adds to the scores of cols columns from j on; a partial panel goes
// through a whole one.
func runScores[T Float](panels int, s neonScores, acc []T, j, lda, cols int) {
	entry := entryScores + panels - 1
	if cols == panels*neonPanel[T]() {
		s.acc = unsafe.Pointer(&acc[j])
		run[T](entry, unsafe.Pointer(&s))
		return
	}
	var part [neonPanel32]T
	targets := s.targets
	s.targets, s.acc = 1, unsafe.Pointer(&part)
	for i := range targets {
		to := acc[i*lda+j:][:cols]
		copy(part[:], to)
		run[T](entry, unsafe.Pointer(&s))
		copy(to, part[:])
		s.y = unsafe.Add(s.y, bytes[T](1))
	}
}

func applyNEON[T Float](f Func, z, z2, t, phase, weight, weight2 []T) {
	var coef coefTable[T]
	coef.fill(f, 1, neonCoefs[T]())
	panel := neonPanel[T]()
	n := len(t) / panel * panel
	if n > 0 {
		a := neonFeatures{x: unsafe.Pointer(&t[0]), phase: unsafe.Pointer(&phase[0]), weight: unsafe.Pointer(&weight[0]),
			z: unsafe.Pointer(&z[0]), panels: n / panel, f: int(f), coef: unsafe.Pointer(&coef)}
		if f == CosSin {
			a.weight2, a.z2 = unsafe.Pointer(&weight2[0]), unsafe.Pointer(&z2[0])
		}
		run[T](entryApply, unsafe.Pointer(&a))
	}
	if n == len(t) {
		return
	}
	var v [6][neonPanel32]T
	copy(v[0][:], t[n:])
	copy(v[1][:], phase[n:])
	copy(v[2][:], weight[n:])
	if f == CosSin {
		copy(v[3][:], weight2[n:])
	}
	a := neonFeatures{x: unsafe.Pointer(&v[0]), phase: unsafe.Pointer(&v[1]), weight: unsafe.Pointer(&v[2]),
		weight2: unsafe.Pointer(&v[3]), z: unsafe.Pointer(&v[4]), z2: unsafe.Pointer(&v[5]), panels: 1, f: int(f), coef: unsafe.Pointer(&coef)}
	run[T](entryApply, unsafe.Pointer(&a))
	copy(z[n:], v[4][:])
	if f == CosSin {
		copy(z2[n:], v[5][:])
	}
}
