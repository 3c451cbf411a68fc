package asm

// check panics unless the slices of p are long enough for its sizes.
func (p *Projection[T]) check(panel int) {
	if p.Rows < 0 || p.D < 0 || p.Cols < 0 || (p.Rows > 1 && p.LDX < p.D) {
		panic(errBadStride)
	}
	if p.Rows == 0 || p.Cols == 0 {
		return
	}
	if len(p.X) < (p.Rows-1)*p.LDX+p.D {
		panic(errShortX)
	}
	panels := (p.Cols + panel - 1) / panel
	if len(p.W) < panels*p.D*panel {
		panic(errShortW)
	}
	if len(p.Phase) < panels*panel || len(p.Weight) < panels*panel {
		panic(errShortCols)
	}
}

// check panics unless out has room for what p produces under f.
func (out *Output[T]) check(f Func, p *Projection[T], panel int) {
	if p.Rows == 0 || p.Cols == 0 {
		return
	}
	if out.RowStride < 0 || out.PanelStride < 0 {
		panic(errBadStride)
	}
	last := (p.Rows-1)*out.RowStride + (p.Cols-1)/panel*out.PanelStride + (p.Cols-1)%panel
	// The last full panel may end beyond the last column of a partial one.
	if q := p.Cols/panel - 1; q >= 0 {
		last = max(last, (p.Rows-1)*out.RowStride+q*out.PanelStride+panel-1)
	}
	if len(out.Z) <= last || (f == CosSin && len(out.Z2) <= last) {
		panic(errShortZ)
	}
	if f == CosSin && len(p.Weight2) < len(p.Phase) {
		panic(errShortCols)
	}
}

func checkScores[T Float](f Func, p *Projection[T], y []T, ldy, targets int, acc, acc2 []T, lda int) {
	if p.Rows == 0 || p.Cols == 0 || targets == 0 {
		return
	}
	if targets < 0 || ldy < targets || lda < p.Cols {
		panic(errBadStride)
	}
	if len(y) < (p.Rows-1)*ldy+targets {
		panic(errShortY)
	}
	n := (targets-1)*lda + p.Cols
	if len(acc) < n || (f == CosSin && len(acc2) < n) {
		panic(errShortAcc)
	}
	if f == CosSin && len(p.Weight2) < len(p.Phase) {
		panic(errShortCols)
	}
}

func checkApply[T Float](f Func, z, z2, t, phase, weight, weight2 []T) {
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
	if k > 0 {
		if len(a) < (k-1)*lda+m {
			panic(errShortA)
		}
		if len(b) < (n-1)/panel*bStride+k*panel {
			panic(errShortB)
		}
	}
	if lenC < (m-1)*ldc+n {
		panic(errShortC)
	}
}
