package asm

import "math/bits"

// The checks below hold for any int. They first compare sizes with lengths of slices, which
// bound them, and products saturate.

// span returns (n−1)·stride + last for n ≥ 1, which is the index just past the last element
// used. If it does not fit, span returns the largest int. No argument may be negative.
func span(n, stride, last int) int {
	hi, lo := bits.Mul64(uint64(n-1), uint64(stride))
	sum, carry := bits.Add64(lo, uint64(last), 0)
	const maxInt = int(^uint(0) >> 1)
	if hi != 0 || carry != 0 || sum > uint64(maxInt) {
		return maxInt
	}
	return int(sum)
}

// check panics unless the slices of p, with W in panels of width columns, are long
// enough for its sizes.
func (p *Projection[T]) check(f Func, width int) {
	if f > SectionCauchy {
		panic(errUnknownFunc)
	}
	if p.Terms != Products && f <= CosSin {
		panic(errTerms)
	}
	if p.Rows < 0 || p.D < 0 || p.Cols < 0 || p.LDX < 0 || (p.Rows > 1 && p.LDX < p.D) {
		panic(errBadStride)
	}
	if p.Rows == 0 || p.Cols == 0 {
		return
	}
	if len(p.X) < span(p.Rows, p.LDX, p.D) {
		panic(errShortX)
	}
	panels := (p.Cols-1)/width + 1
	n := span(panels, width, width)
	if len(p.Phase) < n {
		panic(errShortCols)
	}
	if p.Weight == nil && f <= CosSin {
		if !(p.Scale >= MinScale && p.Scale <= MaxScale) {
			panic(errBadScale)
		}
	} else if len(p.Weight) < n || (f == CosSin && len(p.Weight2) < n) {
		panic(errShortCols)
	}
	if len(p.W) < span(panels*width+1, p.D, 0) { // no overflow: Phase has that many
		panic(errShortW)
	}
}

// check panics unless out has room for the features that p, which was checked before, has
// under f.
func (out *Output[T]) check(f Func, p *Projection[T], panel int) {
	if p.Rows == 0 || p.Cols == 0 {
		return
	}
	if out.RowStride < 0 || out.PanelStride < 0 || (p.Rows > 1 && out.RowStride == 0) {
		panic(errBadStride)
	}
	last := (p.Cols-1)%panel + 1
	n := span((p.Cols-1)/panel+1, out.PanelStride, last)
	if q := p.Cols / panel; q > 0 {
		// The last full panel may end beyond the last column of a partial one.
		n = max(n, span(q, out.PanelStride, panel))
	}
	n = span(p.Rows, out.RowStride, n)
	if len(out.Z) < n || (f == CosSin && len(out.Z2) < n) {
		panic(errShortZ)
	}
}

func checkScores[T Float](f Func, p *Projection[T], y []T, ldy, targets int, acc, acc2 []T, lda int) {
	if targets < 0 || ldy < 0 || lda < 0 {
		panic(errBadStride)
	}
	if p.Rows == 0 || p.Cols == 0 || targets == 0 {
		return
	}
	if (p.Rows > 1 && ldy < targets) || (targets > 1 && lda < p.Cols) {
		panic(errBadStride)
	}
	if len(y) < span(p.Rows, ldy, targets) {
		panic(errShortY)
	}
	n := span(targets, lda, p.Cols)
	if len(acc) < n || (f == CosSin && len(acc2) < n) {
		panic(errShortAcc)
	}
}

func checkApply[T Float](f Func, z, z2, t, phase, weight, weight2 []T) {
	if f > SectionCauchy {
		panic(errUnknownFunc)
	}
	n := len(t)
	if len(z) != n || len(phase) != n || len(weight) != n ||
		(f == CosSin && (len(z2) != n || len(weight2) != n)) {
		panic(errLength)
	}
}

// checkTile panics unless the operands of a tile product are long enough.
func checkTile[T Float](m, n, k, mr, panel int, a []T, lda int, b []T, bStride, lenC, ldc int) {
	if m < 1 || m > mr || n < 1 || k < 0 {
		panic(errBadTile)
	}
	if lda < m || ldc < n || bStride < 0 {
		panic(errBadStride)
	}
	if lenC < span(m, ldc, n) {
		panic(errShortC)
	}
	if k == 0 {
		return
	}
	if len(a) < span(k, lda, m) {
		panic(errShortA)
	}
	if len(b) < span((n-1)/panel+1, bStride, span(k+1, panel, 0)) {
		panic(errShortB)
	}
}

func checkDot[T Float](x, y []T) {
	if len(x) != len(y) {
		panic(errLength)
	}
}

func checkHadamard[T Float](x, d []T, size int) {
	if size < 1 || size&(size-1) != 0 || len(x)%size != 0 {
		panic(errPowerOfTwo)
	}
	if d != nil && len(d) != len(x) {
		panic(errLength)
	}
}
