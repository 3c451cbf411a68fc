//go:build gc && !purego && !noasm && amd64

package asm

import "unsafe"

// strip has the operands of an assembly feature kernel: a few rows and a run of whole panels of
// W. Strides are in bytes; panelStride is that of the output. asm/_gen knows the layout.
//
// Kernels move x, y and z on to the next strip, but not past the last: a garbage collection that
// found a pointer to what lies behind would end the program.
type strip struct {
	x           unsafe.Pointer
	ldx         uintptr
	d           int
	w           unsafe.Pointer
	panels      int // of W
	phase       unsafe.Pointer
	weight      unsafe.Pointer // nil if the weight is in coef
	weight2     unsafe.Pointer
	z, z2       unsafe.Pointer
	rowStride   uintptr
	panelStride uintptr
	function    uintptr        // a Func
	coef        unsafe.Pointer // of Cos and CosSin: a table of a series
	mode        uintptr
	terms       uintptr // Terms

	// These are for Scores only. There is at least one target, and sines go through z2 or hold.
	// In modeResiduals y has the partial sums and ldy is the stride of their rows; acc and acc2
	// are the coefficients and ldAcc is the stride of their panels.
	y         unsafe.Pointer
	ldy       uintptr
	targets   int
	acc, acc2 unsafe.Pointer
	ldAcc     uintptr

	// These are for pipelined kernels only. There is at least one strip; the rest is scratch.
	strips      int
	stripStride uintptr // of z
	left        int
	pendZ       uintptr
	pendCol     uintptr
	pendY       unsafe.Pointer
	hold        unsafe.Pointer // sines of a tile
	columns     uint64         // bits of those that modePartial writes
	colNow      uintptr

	zNow, apart uintptr // of all kernels: z of this panel, z2 − z
}

// Values of strip.mode.
const (
	modeStore     = iota
	modeResiduals // store, and add to partial sums of residuals; only in pipelined kernels
	modeStream    // store past the caches: every vector is aligned
	modeScores
	modeStreamSines // only the sines, and only in pipelined kernels
	modePartial     // strip.columns of a panel, and only in pipelined kernels
)

// tileBytes is the largest tile: 8 rows × 2 vectors of 64 bytes.
const tileBytes = 8 * 128

// strips is a family of feature kernels.
type strips struct {
	family family
	width  int   // columns of a panel of W
	panel  int   // columns of a panel of the output
	lanes  int   // of a vector
	rows   []int // tile heights, descending to 1
	bytes  int   // of a group of panels of W: see Tuning.GroupBytes
}

func (k *strips) height(left int) int {
	for _, h := range k.rows {
		if h <= left {
			return h
		}
	}
	panic("unreachable")
}

// overlapStart returns the row at which to go on if the rows from r on are left. If at least ¾ of
// a tile is left, it is a few rows before r: one full tile, which does some finished rows again,
// takes less time than several lower tiles. Rows that are done twice get the same bits.
func (k *strips) overlapStart(r, rows int) int {
	for _, h := range k.rows {
		if left := rows - r; left < h && 4*left >= 3*h && rows >= h {
			return rows - h
		}
	}
	return r
}

// pipelined returns how many of the strips of that many rows a pipelined kernel takes next.
func (k *strips) pipelined(f Func, s *strip, rows int) int {
	if k.family > avx512F32 || f > CosSin || s.d < pipelinedLeast || s.d > pipelinedMost {
		return 0
	}
	return min(rows/pipelinedRows, max(1, pipelinedWork/(pipelinedRows*k.width)/(s.d+16)/s.panels))
}

// group returns the number of panels whose weights make a group.
func (k *strips) group(d, size int) int {
	if d == 0 {
		return int(^uint(0) >> 1)
	}
	return max(1, k.bytes/size/k.width/d)
}

// scratch is the memory that the kernels of a call use besides the operands. It is used from its
// first whole cache line on, because an access across two lines would take both.
type scratch[T Float] [(scratchBytes + 56) / 8]uint64

// A scratch has a table of coefficients, in whole cache lines, and room for a tile.
const (
	tableBytes   = (int(unsafe.Sizeof(coefTable[float64]{})) + 63) &^ 63
	scratchBytes = tableBytes + tileBytes
)

// coef returns the table of coefficients.
func (s *scratch[T]) coef() *coefTable[T] {
	p := unsafe.Pointer(s)
	return (*coefTable[T])(unsafe.Add(p, -uintptr(p)%64))
}

// hold returns the place for a tile, after the table.
func (s *scratch[T]) hold() unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(s.coef()), tableBytes)
}

// start returns a strip of p's first row and no panel yet.
func start[T Float](k *strips, f Func, p *Projection[T], own *scratch[T]) strip {
	s := strip{hold: own.hold(), d: p.D, ldx: uintptr(p.LDX) * unsafe.Sizeof(*new(T)), function: uintptr(f), terms: uintptr(p.Terms)}
	if p.D == 0 {
		s.ldx = 0
	}
	own.coef().fill(f, p.common(), k.coefs())
	s.coef = unsafe.Pointer(own.coef())
	return s
}

// coefs is the number of times that the kernels want each coefficient.
func (k *strips) coefs() int {
	if k.family <= avx512F32 {
		return 1
	}
	return k.lanes
}

// setPanels points s at panels first to first+n of W.
func setPanels[T Float](s *strip, p *Projection[T], f Func, width, first, n int) {
	s.panels = n
	s.w = place(p.W, first*p.D*width)
	s.phase = place(p.Phase, first*width)
	if p.Weight == nil {
		return
	}
	s.weight = place(p.Weight, first*width)
	if f == CosSin {
		s.weight2 = place(p.Weight2, first*width)
	}
}

func setRow[T Float](s *strip, p *Projection[T], r int) {
	if p.D > 0 {
		s.x = place(p.X, r*p.LDX)
	}
}

func stripFeatures[T Float](k *strips, f Func, p *Projection[T], out *Output[T]) {
	p.check(f, k.width)
	out.check(f, p, k.panel)
	if p.Rows == 0 || p.Cols == 0 {
		return
	}
	size := int(unsafe.Sizeof(*new(T)))
	var own scratch[T]
	s := start(k, f, p, &own)
	s.rowStride = uintptr(out.RowStride * size)
	s.panelStride = uintptr(out.PanelStride * size)
	places := uintptr(place(out.Z, 0)) | s.rowStride | s.panelStride
	if f == CosSin {
		places |= uintptr(place(out.Z2, 0))
	}
	switch {
	case k.family > avx512F32 || places%64 != 0: // writing less than a cache line past the caches is slower
	case out.Stream:
		s.mode = modeStream
		defer storeFence()
	case out.StreamSines && f == CosSin:
		s.mode = modeStreamSines
		defer storeFence()
	}
	full, group := p.Cols/k.width, k.group(p.D, size)
	wide := k.width / k.panel * out.PanelStride // elements of z from one panel of W to the next
	for g := 0; g < full; g += s.panels {
		setPanels(&s, p, f, k.width, g, min(group, full-g))
		for r, h := 0, 0; r < p.Rows; r += h {
			r = k.overlapStart(r, p.Rows)
			s.strips = k.pipelined(f, &s, p.Rows-r)
			setRow(&s, p, r)
			s.z = place(out.Z, r*out.RowStride+g*wide)
			if f == CosSin {
				s.z2 = place(out.Z2, r*out.RowStride+g*wide)
			}
			if s.strips > 0 {
				h = pipelinedRows * s.strips
				s.stripStride = pipelinedRows * s.rowStride
				runPipelined(k.family, &s)
				continue
			}
			h = k.height(p.Rows - r)
			runTile(k.family, h, &s)
		}
	}
	cols := p.Cols % k.width
	if cols == 0 {
		return
	}
	setPanels(&s, p, f, k.width, full, 1)
	lastPanel(k, f, s, p, out, full*wide, cols)
}

// lastPanel makes the features of the last panel of W. It writes only the first cols columns, from
// element from of each row on. Pipelined kernels write just these columns. Other kernels write to
// a scratch tile, from which the columns are copied. s is passed by value so that it stays on the
// stack.
func lastPanel[T Float](k *strips, f Func, s strip, p *Projection[T], out *Output[T], from, cols int) {
	var tile, tile2 [tileBytes / 4]T
	rowStride, panelStride := s.rowStride, s.panelStride
	s.columns = 1<<cols - 1
	for r, h := 0, 0; r < p.Rows; r += h {
		r = k.overlapStart(r, p.Rows)
		setRow(&s, p, r)
		to := r*out.RowStride + from
		if s.strips = k.pipelined(f, &s, p.Rows-r); s.strips > 0 {
			h = pipelinedRows * s.strips
			s.mode, s.rowStride, s.panelStride, s.stripStride = modePartial, rowStride, panelStride, pipelinedRows*rowStride
			s.z = place(out.Z, to)
			if f == CosSin {
				s.z2 = place(out.Z2, to)
			}
			runPipelined(k.family, &s)
			continue
		}
		h = k.height(p.Rows - r)
		s.mode = modeStore // a stack is not aligned to cache lines
		s.rowStride = uintptr(k.width) * unsafe.Sizeof(tile[0])
		s.panelStride = uintptr(k.panel) * unsafe.Sizeof(tile[0])
		s.z, s.z2 = place(tile[:], 0), place(tile2[:], 0)
		runTile(k.family, h, &s)
		for i := range h {
			for c := 0; c < cols; c += k.panel {
				n, to := min(k.panel, cols-c), to+i*out.RowStride+c/k.panel*out.PanelStride
				copy(out.Z[to:to+n], tile[i*k.width+c:])
				if f == CosSin {
					copy(out.Z2[to:to+n], tile2[i*k.width+c:])
				}
			}
		}
	}
}

func stripScores[T Float](k *strips, f Func, p *Projection[T], y []T, ldy, targets int, acc, acc2 []T, lda int) {
	p.check(f, k.width)
	checkScores(f, p, y, ldy, targets, acc, acc2, lda)
	if p.Rows == 0 || p.Cols == 0 || targets == 0 {
		return
	}
	size := int(unsafe.Sizeof(*new(T)))
	var own scratch[T]
	s := start(k, f, p, &own)
	s.mode, s.targets = modeScores, targets
	s.z, s.z2 = s.hold, s.hold
	s.ldy, s.ldAcc = uintptr(ldy*size), uintptr(lda*size)
	full, group := p.Cols/k.width, k.group(p.D, size)
	for g := 0; g < full; g += s.panels {
		setPanels(&s, p, f, k.width, g, min(group, full-g))
		s.acc = place(acc, g*k.width)
		if f == CosSin {
			s.acc2 = place(acc2, g*k.width)
		}
		scoreRows(k, f, &s, p, y, ldy)
	}
	cols := p.Cols % k.width
	if cols == 0 {
		return
	}
	// The sums of the last panel go through a scratch tile, few targets at a time.
	const most = 8
	var sum, sum2 [most * 32]T
	setPanels(&s, p, f, k.width, full, 1)
	s.acc, s.acc2 = place(sum[:], 0), place(sum2[:], 0)
	s.ldAcc = uintptr(k.width * size)
	for t := 0; t < targets; t += most {
		s.targets = min(most, targets-t)
		for i := range s.targets {
			from := (t+i)*lda + full*k.width
			copy(sum[i*k.width:], acc[from:from+cols])
			if f == CosSin {
				copy(sum2[i*k.width:], acc2[from:from+cols])
			}
		}
		scoreRows(k, f, &s, p, y[t:], ldy)
		for i := range s.targets {
			to := (t+i)*lda + full*k.width
			copy(acc[to:to+cols], sum[i*k.width:])
			if f == CosSin {
				copy(acc2[to:to+cols], sum2[i*k.width:])
			}
		}
	}
}

// scoreRows takes every row of p through the panels of s.
func scoreRows[T Float](k *strips, f Func, s *strip, p *Projection[T], y []T, ldy int) {
	for r, h := 0, 0; r < p.Rows; r += h {
		s.strips = k.pipelined(f, s, p.Rows-r)
		setRow(s, p, r)
		s.y = place(y, r*ldy)
		if s.strips > 0 {
			h = pipelinedRows * s.strips
			s.panelStride = 0
			runPipelined(k.family, s)
			continue
		}
		h = k.height(p.Rows - r)
		s.rowStride = tileBytes / uintptr(h) // room for every panel of the tile
		s.panelStride = uintptr(k.panel) * unsafe.Sizeof(*new(T))
		runTile(k.family, h, s)
	}
}

func stripApply[T Float](k *strips, f Func, z, z2, t, phase, weight, weight2 []T) {
	checkApply(f, z, z2, t, phase, weight, weight2)
	var own scratch[T]
	own.coef().fill(f, 1, k.coefs())
	s := strip{function: uintptr(f), coef: unsafe.Pointer(own.coef()), panels: len(t) / k.lanes,
		x: place(t, 0), phase: place(phase, 0), weight: place(weight, 0), z: place(z, 0)}
	if f == CosSin {
		s.weight2, s.z2 = place(weight2, 0), place(z2, 0)
	}
	if s.panels > 0 {
		runStrip(k.family, entryApply, &s)
	}
	done := s.panels * k.lanes
	if done == len(t) {
		return
	}
	var tail struct{ t, phase, weight, weight2, z, z2 [16]T }
	copy(tail.t[:], t[done:])
	copy(tail.phase[:], phase[done:])
	copy(tail.weight[:], weight[done:])
	s = strip{function: uintptr(f), coef: unsafe.Pointer(own.coef()), panels: 1, x: place(tail.t[:], 0), phase: place(tail.phase[:], 0),
		weight: place(tail.weight[:], 0), weight2: place(tail.weight2[:], 0), z: place(tail.z[:], 0), z2: place(tail.z2[:], 0)}
	if f == CosSin {
		copy(tail.weight2[:], weight2[done:])
	}
	runStrip(k.family, entryApply, &s)
	copy(z[done:], tail.z[:])
	if f == CosSin {
		copy(z2[done:], tail.z2[:])
	}
}

// bindStrips puts the kernels of k into a table. A round of its peak has that many vectors.
func bindStrips[T Float](t *Kernels[T], k *strips, vectors int) {
	t.Peak = func(rounds int) int {
		runStrip(k.family, entryPeak, &strip{strips: rounds})
		return rounds * vectors * k.lanes
	}
	t.Features = func(f Func, p *Projection[T], out *Output[T]) { stripFeatures(k, f, p, out) }
	t.Scores = func(f Func, p *Projection[T], y []T, ldy, targets int, acc, acc2 []T, lda int) {
		stripScores(k, f, p, y, ldy, targets, acc, acc2, lda)
	}
	t.Apply = func(f Func, z, z2, t, phase, weight, weight2 []T) {
		stripApply(k, f, z, z2, t, phase, weight, weight2)
	}
}
