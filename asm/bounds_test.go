package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"
)

// Every exported kernel, called with any sizes on slices that lie against
// untouchable pages, either panics with a constant of errors.go, exactly where
// the reference kernel does, or does what the reference kernel does; it reads and writes nothing else.

var panics = []string{
	errShortX, errShortW, errShortCols, errBadScale, errShortZ, errBadStride, errShortY, errShortAcc, errBadTile,
	errShortA, errShortB, errShortC, errShortR, errShortCoef, errShortSums, errShortD, errShortG, errLength, errPowerOfTwo, errUnknownFunc, errTerms,
}

// A bound is a call of a kernel: sizes as they come, and for each slice how
// much its length differs from what those sizes need.
type bound struct {
	kernel string
	f      Func
	n      [8]int
	off    [8]int
	layout int // of Features: 1 row-major, 2 in panels, otherwise as n says
	seed   uint64
}

// fences holds one fence per slice of a call.
type fences [10]*fence

const fenceSize = 1 << 15

func newFences(t testing.TB) *fences {
	var f fences
	for i := range f {
		f[i] = newFence(t, fenceSize)
	}
	return &f
}

func checkBound(fs *fences, b bound) error {
	for _, k := range All[float64]() {
		if err := checkBoundOf(fs, k, b); err != nil {
			return fmt.Errorf("%s float64 %+v: %w", k.ISA, b, err)
		}
	}
	for _, k := range All[float32]() {
		if err := checkBoundOf(fs, k, b); err != nil {
			return fmt.Errorf("%s float32 %+v: %w", k.ISA, b, err)
		}
	}
	return nil
}

var (
	normals64 = make([]float64, fenceSize+6000)
	normals32 = make([]float32, len(normals64))
)

func init() {
	r := rand.New(rand.NewPCG(7, 3))
	for i := range normals64 {
		normals64[i] = r.NormFloat64()
		normals32[i] = float32(normals64[i])
	}
}

// normals are normal numbers, of which a call's slices are parts: to draw them for each would
// take more time than the kernels do.
func normals[T Float]() []T {
	if s, ok := any(normals64).([]T); ok {
		return s
	}
	return any(normals32).([]T)
}

// product is a·b saturating, for lengths that nobody can allocate.
func product(a, b int) int { return int(min(float64(a)*float64(b), 1<<30)) }

func checkBoundOf[T Float](fs *fences, k *Kernels[T], b bound) error {
	r := rand.New(rand.NewPCG(b.seed, 3))
	atEnd := b.seed%2 == 0
	used := 0
	// cut returns the next slice, of about the length that is needed.
	cut := func(need int) []T {
		s := fenced[T](fs[used], min(max(0, need)+b.off[used%len(b.off)], 6000/2), atEnd)
		used++
		copy(s, normals[T]()[r.IntN(fenceSize):])
		return s
	}
	plain := reference[T]("reference", k.Tuning)
	var outs [][]T // what a call writes
	var call func(k *Kernels[T])
	n, panel, width, overlap := b.n, k.Panel, k.Width, false
	switch b.layout {
	case 1:
		n[5] = panel
	case 2:
		n[4], n[5] = panel, panel*n[0]
	}
	padded := product(n[2]/width+1, width)
	switch b.kernel {
	case "features", "scores":
		p := &Projection[T]{Rows: n[0], D: n[1], Cols: n[2], LDX: n[3], Terms: Terms(b.seed % 5 % 3)}
		p.X = cut(product(n[0]-1, n[3]) + n[1])
		p.W = cut(product((n[2]+width-1)/width*width, n[1]))
		p.Phase, p.Weight, p.Weight2 = cut(padded), cut(padded), cut(padded)
		if b.seed%3 == 0 {
			p.Weight, p.Weight2, p.Scale = nil, nil, T([...]float64{1, 0.02, 0x1p64, 0x1p65, 0, -1}[b.seed%64%6])
		}
		if b.kernel == "features" {
			need := product(n[0]-1, n[4]) + max(product((n[2]-1)/panel, n[5])+(n[2]-1)%panel+1, product(n[2]/panel-1, n[5])+panel)
			outs = [][]T{cut(need), cut(need)}
			overlap = overlaps(n[0], n[2], n[4], n[5], panel, min(len(outs[0]), len(p.Phase)))
			call = func(k *Kernels[T]) {
				k.Features(b.f, p, &Output[T]{Z: outs[0], Z2: outs[1], RowStride: n[4], PanelStride: n[5], Stream: b.seed%8 < 4, StreamSines: b.seed%8 == 7})
			}
			break
		}
		y := cut(product(n[0]-1, n[5]) + n[4])
		need := product(n[4]-1, n[6]) + n[2]
		outs = [][]T{cut(need), cut(need)}
		call = func(k *Kernels[T]) { k.Scores(b.f, p, y, n[5], n[4], outs[0], outs[1], n[6]) }
	case "apply":
		t, phase, weight, weight2 := cut(n[0]), cut(n[0]), cut(n[0]), cut(n[0])
		outs = [][]T{cut(n[0]), cut(n[0])}
		call = func(k *Kernels[T]) { k.Apply(b.f, outs[0], outs[1], t, phase, weight, weight2) }
	case "gemm", "accumulate":
		x := cut(product(n[2]-1, n[3]) + n[0])
		y := cut(product((n[1]-1)/panel, n[4]) + product(n[2], panel))
		c := cut(product(n[0]-1, n[5]) + n[1])
		if b.kernel == "gemm" {
			outs = [][]T{c}
			call = func(k *Kernels[T]) { k.Gemm(n[0], n[1], n[2], 2, x, n[3], y, n[4], c, n[5], b.seed%4 < 2, nil) }
			break
		}
		sums := fenced[float64](fs[used], len(c), atEnd)
		clear(sums)
		defer clear(sums)
		call = func(k *Kernels[T]) {
			clear(sums)
			k.Accumulate(n[0], n[1], n[2], x, n[3], y, n[4], sums, n[5], nil)
			for i := range c {
				c[i] = T(sums[i])
			}
		}
		outs = [][]T{c}
	case "recur":
		w := cut(product(n[0], product(n[1]+RecurRows, RecurRows)))
		outs = [][]T{cut(product(n[2]-1, n[3]) + product(n[1]+product(n[0], RecurRows), panel)), cut(product(n[2], panel))}
		call = func(k *Kernels[T]) { k.Recur(n[0], n[1], w, outs[0], n[3], n[2], outs[1]) }
	case "transpose":
		src := cut(product(TransposeRows-1, n[2]) + n[0])
		outs = [][]T{cut(product(n[0]-1, n[1]) + TransposeRows)}
		call = func(k *Kernels[T]) { k.Transpose(outs[0], n[1], src, n[2], n[0]) }
	case "pack":
		src := cut(product(product(n[0], n[3])-1, n[1]) + n[2])
		outs = [][]T{cut(product(product(n[3], n[2]), n[0]))}
		call = func(k *Kernels[T]) { k.Pack(outs[0], n[0], src, n[1], n[2], n[3]) }
	case "zip":
		a, b := cut(n[0]), cut(n[0])
		outs = [][]T{cut(product(n[0]-1, n[1]) + 2)}
		call = func(k *Kernels[T]) { k.Zip(outs[0], n[1], a, b) }
	case "with":
		if k.AccumulateWith == nil {
			return nil
		}
		x, y := cut(product(n[2]-1, n[3])+k.MR), cut(product(n[2]-1, n[6])+2)
		z := cut(product((n[1]-1)/panel, n[4]) + product(n[2], panel))
		outs = [][]T{cut(product(k.MR-1, n[5]) + n[1]), cut(n[7] + n[1])}
		var sums [2][]float64
		for i := range sums {
			sums[i] = fenced[float64](fs[used+i], len(outs[i]), atEnd)
			defer clear(sums[i])
		}
		call = func(kern *Kernels[T]) {
			clear(sums[0])
			clear(sums[1])
			if kern == plain {
				kern.Accumulate(k.MR, n[1], n[2], x, n[3], z, n[4], sums[0], n[5], nil)
				kern.Accumulate(2, n[1], n[2], y, n[6], z, n[4], sums[1], n[7], nil)
			} else {
				kern.AccumulateWith(n[1], n[2], x, n[3], y, n[6], z, n[4], sums[0], n[5], sums[1], n[7], nil)
			}
			for i := range outs {
				for j := range outs[i] {
					outs[i][j] = T(sums[i][j])
				}
			}
		}
	case "dot":
		x, y := cut(n[0]), cut(n[0])
		sum := make([]T, 1)
		outs = [][]T{sum}
		call = func(k *Kernels[T]) { sum[0] = k.Dot(x, y) }
	case "gains":
		all := fenced[float64](fs[used], min(max(0, 2*n[1])+b.off[1], 2000), atEnd)
		sums := fenced[int64](fs[used+1], min(max(0, product(n[1]-1, n[2])+n[0])+b.off[2], 2000), atEnd)
		gain := fenced[float64](fs[used+2], min(max(0, n[0]), 2000), atEnd)
		used += 3
		out := cut(len(gain))
		outs = [][]T{out[:min(len(out), len(gain))]}
		call = func(k *Kernels[T]) {
			clear(gain)
			for i := range sums {
				sums[i] = word(int32(i%7-3), int32(i%5))
			}
			for i := range all {
				all[i] = 30
			}
			k.Gains(gain, sums, n[2], all, 1)
			for i := range outs[0] {
				outs[0][i] = T(gain[i])
			}
		}
		defer func() { clear(gain); clear(sums); clear(all) }()
	case "hadamard":
		outs = [][]T{cut(product(n[0], n[1]))}
		var d []T
		if n[2] > 0 {
			d = cut(product(n[0], n[1]))
		}
		call = func(k *Kernels[T]) { k.Hadamard(outs[0], d, n[0]) }
	case "residuals", "backward":
		rows, panels, targets := n[0], n[1], n[2]
		z := product(panels-1, n[3]) + product(rows, panel)
		coef := product(product(panels, targets), panel)
		g := &Gradient[T]{Rows: rows, Panels: panels, Targets: targets, ZStride: n[3], LDR: n[4], LDY: n[5], DStride: n[6]}
		g.Z, g.Z2, g.A, g.B = cut(z), cut(z), cut(coef), cut(coef)
		g.R = cut(product(rows-1, n[4]) + targets)
		if b.kernel == "residuals" {
			g.Y = cut(product(rows-1, n[5]) + targets)
			outs = [][]T{g.R}
			call = func(k *Kernels[T]) { k.Residuals(g) }
			break
		}
		g.D, g.GA, g.GB = cut(product(panels-1, n[6])+product(rows, panel)), cut(coef), cut(coef)
		outs = [][]T{g.D, g.GA, g.GB}
		call = func(k *Kernels[T]) { k.Backward(g) }
	case "forward":
		rows, d, panels, targets := n[0], n[1], n[2], n[3]
		cols := product(panels, panel)
		p := &Projection[T]{Rows: rows, D: d, Cols: cols, LDX: n[4], Scale: 1}
		wide := product(cols/width+1, width)
		p.X, p.W, p.Phase = cut(product(rows-1, n[4])+d), cut(product(wide, d)), cut(wide)
		g := &Gradient[T]{Targets: targets, LDR: targets, LDY: targets}
		z, coef := product(panels-1, n[5])+product(rows, panel), product(product(panels, targets), panel)
		out := &Output[T]{Z: cut(z), Z2: cut(z), RowStride: panel, PanelStride: n[5]}
		g.A, g.B, g.Y, g.R = cut(coef), cut(coef), cut(product(rows, targets)), cut(product(rows, targets))
		g.Sums = cut(product(product(rows, targets), GradientLanes[T]()))
		outs = [][]T{out.Z, out.Z2, g.R}
		call = func(k *Kernels[T]) { k.Forward(p, out, g) }
	case "adam":
		length := product(n[0], n[1])
		s := &Adam[T]{Run: n[0], GStride: n[2], Scale: 0.5, Decay: 0.1, Beta1: 0.9, Beta2: 0.999, Rate: 0.1, Root: 2, Epsilon: 1e-8}
		s.X, s.M, s.V = cut(length), cut(length), cut(length)
		s.G = cut(product(n[1]-1, n[2]) + n[0])
		outs = [][]T{s.X, s.M, s.V}
		call = func(k *Kernels[T]) { k.Adam(s) }
	}
	start := cloneAll(outs)
	want := panicOf(func() { call(plain) })
	right := cloneAll(outs)
	for i := range outs {
		copy(outs[i], start[i])
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	got := panicOf(func() { call(k) })
	if got != want {
		return fmt.Errorf("panics with %v, the reference kernel with %v", got, want)
	}
	if s, _ := got.(string); got != nil && !slices.Contains(panics, s) {
		return fmt.Errorf("panics with %v, not a constant of errors.go", got)
	}
	for i := range outs {
		if overlap {
			break // then the order of writing is nobody's business
		}
		for j, v := range outs[i] {
			if w := right[i][j]; v != w && (v == v || w == w) {
				return fmt.Errorf("output %d: element %d is %v, want %v", i, j, v, w)
			}
		}
	}
	return nil
}

// overlaps reports whether two features share a place in an output of n elements.
func overlaps(rows, cols, rowStride, panelStride, panel, n int) bool {
	if rows > n || cols > n || rowStride < 0 || panelStride < 0 || rowStride > n || panelStride > n {
		return true // or does not matter: the call panics
	}
	taken := map[int]bool{}
	for r := range rows {
		for j := range cols {
			at := r*rowStride + j/panel*panelStride + j%panel
			if taken[at] {
				return true
			}
			taken[at] = true
		}
	}
	return false
}

func cloneAll[T Float](s [][]T) [][]T {
	c := make([][]T, len(s))
	for i := range s {
		c[i] = slices.Clone(s[i])
	}
	return c
}

var boundKernels = []string{"features", "scores", "apply", "gemm", "accumulate", "with", "recur", "transpose", "pack", "zip", "dot", "hadamard", "gains", "residuals", "forward", "backward", "adam"}

// small makes a bound whose sizes fit each other, but for one slice in four
// calls that is an element short and rarely a stride that is.
func small(r *rand.Rand, kernel string) bound {
	b := bound{kernel: kernel, f: Func(r.IntN(6)), seed: r.Uint64()}
	rows, d, cols, targets := r.IntN(20), r.IntN(12), r.IntN(70), r.IntN(4)
	switch kernel {
	case "features":
		b.n = [8]int{rows, d, cols, d + r.IntN(3), cols + r.IntN(3), r.IntN(40)}
		b.layout = r.IntN(5) % 3
	case "scores":
		b.n = [8]int{rows, d, cols, d + r.IntN(3), targets, targets + r.IntN(3), cols + r.IntN(3)}
	case "gemm", "accumulate":
		m := 1 + r.IntN(4)
		b.n = [8]int{m, 1 + cols, d, m + r.IntN(3), 32 * d, 1 + cols + r.IntN(3)}
	case "with":
		b.n = [8]int{0, 1 + cols, d, 8 + r.IntN(3), 32 * d, 1 + cols + r.IntN(3), 2 + r.IntN(3), 1 + cols + r.IntN(3)}
	case "transpose":
		b.n = [8]int{cols, TransposeRows + r.IntN(3), cols + r.IntN(3)}
	case "pack":
		b.n = [8]int{1 + r.IntN(33), d + r.IntN(3), d, r.IntN(5)}
	case "zip":
		b.n = [8]int{cols, 2 + r.IntN(3)}
	case "recur":
		steps, back := r.IntN(4), r.IntN(20)
		b.n = [8]int{steps, back, r.IntN(4), 32*(back+RecurRows*steps) + r.IntN(3)}
	case "residuals", "backward":
		panels, targets := r.IntN(4), 1+r.IntN(4)
		rows %= 10
		b.n = [8]int{rows, panels, targets, 24*rows + r.IntN(3), targets + r.IntN(3), targets + r.IntN(3), 24*rows + r.IntN(3)}
	case "forward":
		b.n = [8]int{rows, d, r.IntN(5), 1 + r.IntN(3), d + r.IntN(3), 24*rows + r.IntN(3)}
	case "adam":
		run := 1 + r.IntN(70)
		b.n = [8]int{run, r.IntN(4), r.IntN(2)*run + r.IntN(3)}
	case "gains":
		b.n = [8]int{cols, r.IntN(5), cols + r.IntN(3)}
	case "hadamard":
		log := r.IntN(11)
		b.n = [8]int{1 << log, 1 + r.IntN(1+1<<(10-log)), r.IntN(2)}
	default:
		b.n = [8]int{r.IntN(200)}
	}
	if r.IntN(4) == 0 {
		b.off[r.IntN(len(b.off))] = -1
	}
	if r.IntN(16) == 0 {
		b.n[r.IntN(len(b.n))] -= 1 + r.IntN(3)
	}
	return b
}

// TestBounds calls every kernel many times with tight and with too short slices.
func TestBounds(t *testing.T) {
	fs := newFences(t)
	n := 2000
	if testing.Short() {
		n = 400
	}
	for _, kernel := range boundKernels {
		t.Run(kernel, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, uint64(len(kernel))))
			for range n {
				if err := checkBound(fs, small(r, kernel)); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// sized is a call with these sizes.
func sized(kernel, fn uint8, n [7]int, off int, seed uint64) bound {
	x := bound{kernel: boundKernels[int(kernel)%len(boundKernels)], f: Func(fn), seed: seed}
	copy(x.n[:], n[:])
	if seed%8 == 0 {
		x.f = Func(fn % 6)
	}
	x.off[seed%uint64(len(x.off))] = off % 5
	return x
}

// FuzzBounds calls kernels with sizes from anywhere.
func FuzzBounds(f *testing.F) {
	for i := range boundKernels {
		f.Add(uint8(i), uint8(0), 3, 5, 17, 5, 40, 40, 40, 0, uint64(i))
		f.Add(uint8(i), uint8(1), math.MaxInt, 1, math.MaxInt/2, 1, math.MaxInt, math.MaxInt/8, 2, -1, uint64(i))
		f.Add(uint8(i), uint8(7), -1, math.MinInt, 8, 0, -5, math.MaxInt, 1, 1, uint64(i))
		const half = math.MaxInt/2 + 1
		f.Add(uint8(i), uint8(2), 2, half, 4, half, half/2, half/4, half, 0, uint64(i))
		// Rows of which nothing is asked, or whose outputs are one: they are no work, or refused.
		f.Add(uint8(i), uint8(0), math.MaxInt, 0, 1, 0, 0, 0, 0, 0, uint64(i))
	}
	fs := newFences(f)
	f.Fuzz(func(t *testing.T, kernel, fn uint8, a, b, c, d, e, g, h, off int, seed uint64) {
		if err := checkBound(fs, sized(kernel, fn, [7]int{a, b, c, d, e, g, h}, off, seed)); err != nil {
			t.Fatal(err)
		}
	})
}

// TestHostileSizes calls kernels with sizes at the ends of what an int holds and at the
// quotients of them by sizes of elements, as the fuzzer does that takes longer to build.
func TestHostileSizes(t *testing.T) {
	n := 8000
	if testing.Short() {
		n = 1000
	}
	fs := newFences(t)
	try := func(kernel, fn uint8, sizes [7]int, off int, seed uint64) {
		x := sized(kernel, fn, sizes, off, seed)
		if err := checkBound(fs, x); err != nil {
			t.Fatalf("%+v: %v", x, err)
		}
	}
	// Much of one thing, one of another, and nothing of all others.
	for k := range boundKernels {
		for i := range 7 {
			for j := range 7 {
				for _, much := range []int{math.MaxInt, math.MaxInt / 16, math.MinInt} {
					var sizes [7]int
					sizes[j] = 1
					sizes[i] = much
					try(uint8(k), uint8(i+j)%2, sizes, 0, 8)
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(5, 11))
	for range n {
		var sizes [7]int
		for i := range sizes {
			switch r.IntN(6) {
			case 0:
				sizes[i] = r.IntN(44) - 3
			case 1:
				sizes[i] = math.MaxInt>>r.IntN(64) + r.IntN(5) - 2
			case 2:
				sizes[i] = math.MinInt >> r.IntN(64)
			default:
				sizes[i] = r.IntN(9)
			}
		}
		try(uint8(r.IntN(256)), uint8(r.IntN(9)), sizes, r.IntN(9)-4, r.Uint64())
	}
}
