package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/rffgo/rff/internal/golden"
)

// TestGolden compares a digest of every kernel's bits, on every implementation,
// with the one the reference kernels gave on amd64 when testdata/golden.txt was written:
// it also fails when the compiler of another platform rounds the reference kernel itself
// differently, which no comparison within a platform can see.
func TestGolden(t *testing.T) {
	want := golden.Want(t, func() map[string]string { return battery(Reference[float64](), Reference[float32]()) })
	k32 := All[float32]()
	for i, k64 := range All[float64]() {
		t.Run(k64.ISA, func(t *testing.T) { golden.Compare(t, k64.ISA, battery(k64, k32[i]), want) })
	}
}

// battery returns a digest of the results of every kernel, by name.
func battery(k64 *Kernels[float64], k32 *Kernels[float32]) map[string]string {
	all := map[string]string{}
	kernelDigests(all, k64)
	kernelDigests(all, k32)
	return all
}

// draws yields numbers of many sizes without a function that could differ
// between platforms: an odd integer times a power of two.
type draws[T Float] struct{ *rand.Rand }

func (r draws[T]) number() T {
	m := float64(2*r.Int64N(1<<22)+1) * 0x1p-22 // (0, 2)
	if r.IntN(2) == 0 {
		m = -m
	}
	return T(m * [...]float64{1, 1, 0.25, 8, 0x1p-12}[r.IntN(5)])
}

func (r draws[T]) slice(n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = r.number()
	}
	return x
}

// wild replaces a few elements of x by values at the limits of the format.
func (r draws[T]) wild(x []T) []T {
	smallest, largest := math.SmallestNonzeroFloat64, math.MaxFloat64
	if unsafe.Sizeof(*new(T)) == 4 {
		smallest, largest = math.SmallestNonzeroFloat32, math.MaxFloat32
	}
	tiny, huge := T(smallest), T(largest)
	special := [...]T{0, T(math.Copysign(0, -1)), tiny, -tiny, 3 * tiny, huge, -huge, T(math.Inf(1)), T(math.Inf(-1)), T(math.NaN())}
	for i := range x {
		if r.IntN(8) == 0 {
			x[i] = special[r.IntN(len(special))]
		}
	}
	return x
}

// inPanels packs the D×cols matrix w, row-major, as Projection wants it.
func inPanels[T Float](w []T, d, cols, panel int) []T {
	p := make([]T, (cols+panel-1)/panel*d*panel)
	for k := range d {
		for j := range cols {
			p[(j/panel*d+k)*panel+j%panel] = w[k*cols+j]
		}
	}
	return p
}

func padded[T Float](x []T, panel int) []T {
	return append(slices.Clone(x), make([]T, (len(x)+panel-1)/panel*panel-len(x))...)
}

func kernelDigests[T Float](all map[string]string, k *Kernels[T]) {
	record := func(name string, f func(d *golden.Digest, r draws[T])) {
		var d golden.Digest
		f(&d, draws[T]{rand.New(rand.NewPCG(7, uint64(len(name))))})
		all[fmt.Sprintf("%s/f%d", name, 8*unsafe.Sizeof(*new(T)))] = d.Sum()
	}
	for f, name := range []string{"cos", "cossin", "linear", "arccos0", "arccos1", "arccos2"} {
		f := Func(f)
		record("features/"+name, func(d *golden.Digest, r draws[T]) { digestFeatures(d, r, k, f, 0, Products) })
		record("scores/"+name, func(d *golden.Digest, r draws[T]) { digestScores(d, r, k, f, 0, Products) })
		if f <= CosSin {
			for _, w := range []T{1, 0.7, 0x1p-5, 0.0334} {
				record(fmt.Sprintf("features/%s/weight=%.4g", name, w), func(d *golden.Digest, r draws[T]) { digestFeatures(d, r, k, f, w, Products) })
				record(fmt.Sprintf("scores/%s/weight=%.4g", name, w), func(d *golden.Digest, r draws[T]) { digestScores(d, r, k, f, w, Products) })
			}
		}
		record("apply/"+name, func(d *golden.Digest, r draws[T]) { digestApply(d, r, k, f) })
	}
	record("features/l1", func(d *golden.Digest, r draws[T]) { digestFeatures(d, r, k, SectionGaussian, 0, Differences) })
	record("scores/l1", func(d *golden.Digest, r draws[T]) { digestScores(d, r, k, SectionGaussian, 0, Differences) })
	record("features/powers", func(d *golden.Digest, r draws[T]) { digestFeatures(d, r, k, SectionGaussian, 0, ThreeHalves) })
	record("scores/powers", func(d *golden.Digest, r draws[T]) { digestScores(d, r, k, SectionGaussian, 0, ThreeHalves) })
	record("gemm", func(d *golden.Digest, r draws[T]) { digestProducts(d, r, k, false) })
	record("accumulate", func(d *golden.Digest, r draws[T]) { digestProducts(d, r, k, true) })
	record("dot", func(d *golden.Digest, r draws[T]) {
		for n := range 4*Lanes + 5 {
			golden.AddAll(d, []T{k.Dot(r.slice(n), r.slice(n)), k.Dot(r.wild(r.slice(n)), r.slice(n))})
		}
		tiny := T(0x1p-100)
		tiny *= tiny * tiny * tiny * tiny * tiny * tiny * tiny                                    // 2⁻⁸⁰⁰, or 0 in float32
		golden.AddAll(d, []T{k.Dot([]T{-tiny}, []T{tiny}), k.Dot([]T{-0x1p-100}, []T{0x1p-100})}) // underflow to −0
	})
	record("gradient", func(d *golden.Digest, r draws[T]) { digestGradient(d, r, k) })
	record("adam", func(d *golden.Digest, r draws[T]) {
		for n := 1; n < 100; n += 7 {
			s := &Adam[T]{Run: n, X: r.slice(n), M: r.slice(n), V: r.slice(n), G: r.wild(r.slice(n)), GStride: n,
				Scale: 0.25, Decay: 0.125, Beta1: 0.9, Beta2: 0.999, Rate: 0.1, Root: 3, Epsilon: 1e-8}
			for i, v := range s.V {
				s.V[i] = T(math.Abs(float64(v)))
			}
			k.Adam(s)
			golden.AddAll(d, slices.Concat(s.X, s.M, s.V))
		}
	})
	record("hadamard", func(d *golden.Digest, r draws[T]) {
		for n := 1; n <= 1<<15; n *= 2 {
			x := r.slice(n)
			k.Hadamard(x, nil, len(x))
			golden.AddAll(d, x)
		}
		x := r.wild(r.slice(256))
		k.Hadamard(x, nil, len(x))
		golden.AddAll(d, x)
	})
}

// goldenShapes are rows, cols and D: every tail of every tile, then bodies.
var goldenShapes = [][3]int{
	{1, 1, 0}, {1, 1, 1}, {2, 3, 2}, {3, 7, 3}, {4, 8, 4}, {5, 9, 5}, {6, 11, 6}, {7, 12, 7}, {8, 13, 8},
	{9, 15, 9}, {10, 16, 10}, {11, 17, 11}, {12, 23, 12}, {13, 24, 13}, {23, 25, 14}, {24, 31, 15}, {25, 33, 1},
	{33, 47, 3}, {1, 100, 14}, {2, 48, 8}, {47, 95, 2}, {70, 33, 17}, {36, 96, 54},
}

// goldenProjection has weights of its columns, or one weight if that is not 0.
func goldenProjection[T Float](r draws[T], k *Kernels[T], rows, cols, d int, weight T) *Projection[T] {
	ldx := d + r.IntN(3)
	p := &Projection[T]{X: r.slice(rows*ldx + d), LDX: ldx, Rows: rows, D: d, Cols: cols,
		W: inPanels(r.slice(d*cols), d, cols, k.Width), Phase: padded(r.slice(cols), k.Width),
		Weight: padded(r.slice(cols), k.Width), Weight2: padded(r.slice(cols), k.Width)}
	if rows%2 == 1 {
		r.wild(p.X[:(rows-1)*ldx/2+d])
	}
	if weight != 0 {
		p.Weight, p.Weight2, p.Scale = nil, nil, weight
	}
	return p
}

func digestFeatures[T Float](d *golden.Digest, r draws[T], k *Kernels[T], f Func, weight T, terms Terms) {
	for _, s := range goldenShapes {
		rows, cols := s[0], s[1]
		p := goldenProjection(r, k, rows, cols, s[2], weight)
		p.Terms = terms
		stride := cols + r.IntN(3)
		o := &Output[T]{Z: make([]T, rows*stride), Z2: make([]T, rows*stride), RowStride: stride, PanelStride: k.Panel}
		k.Features(f, p, o)
		golden.AddAll(d, o.Z)
		golden.AddAll(d, o.Z2)
		// The same numbers in panels.
		panels := (cols + k.Panel - 1) / k.Panel
		q := &Output[T]{Z: make([]T, panels*rows*k.Panel), Z2: make([]T, panels*rows*k.Panel), RowStride: k.Panel, PanelStride: rows * k.Panel}
		k.Features(f, p, q)
		for i := range rows {
			for j := range cols {
				at := (j/k.Panel*rows+i)*k.Panel + j%k.Panel
				golden.AddAll(d, []T{q.Z[at], q.Z2[at]})
			}
		}
	}
}

func digestScores[T Float](d *golden.Digest, r draws[T], k *Kernels[T], f Func, weight T, terms Terms) {
	for i, s := range goldenShapes {
		rows, cols, targets := s[0], s[1], i%4
		p := goldenProjection(r, k, rows, cols, s[2], weight)
		p.Terms = terms
		ldy, lda := targets+r.IntN(2), cols+r.IntN(3)
		y := r.slice(rows * (targets + 1))
		acc, acc2 := r.slice(targets*lda+cols), r.slice(targets*lda+cols)
		k.Scores(f, p, y, ldy, targets, acc, acc2, lda)
		golden.AddAll(d, acc)
		golden.AddAll(d, acc2)
	}
}

func digestApply[T Float](d *golden.Digest, r draws[T], k *Kernels[T], f Func) {
	for n := range 100 {
		t := r.slice(n)
		for i := 0; i < n; i += 3 {
			t[i] *= 1 << 16 // many turns
		}
		for i := 1; i < n; i += 3 {
			t[i] = T(int(t[i]*4)) / 8 // where quarters and eighths of a turn meet
		}
		if n > 50 {
			r.wild(t)
		}
		z, z2 := make([]T, n), make([]T, n)
		k.Apply(f, z, z2, t, r.slice(n), r.slice(n), r.slice(n))
		golden.AddAll(d, z)
		golden.AddAll(d, z2)
		k.Apply(f, z, z2, t, make([]T, n), r.slice(n), r.slice(n))
		golden.AddAll(d, z)
		golden.AddAll(d, z2)
	}
}

// digestProducts multiplies whole matrices, cut into tiles of every height.
func digestProducts[T Float](d *golden.Digest, r draws[T], k *Kernels[T], accumulate bool) {
	for i, s := range [][3]int{{1, 1, 0}, {1, 1, 1}, {8, 8, 2}, {9, 16, 3}, {17, 31, 4}, {13, 24, 5}, {24, 48, 16}, {31, 65, 33}, {20, 100, 9}} {
		m, n, kk := s[0], s[1], s[2]
		lda, ldc := m+r.IntN(3), n+r.IntN(3)
		a, b := r.slice(kk*lda+m), inPanels(r.slice(kk*n), kk, n, k.Panel)
		if i%2 == 1 {
			r.wild(a)
		}
		c, sums, alpha := r.slice(m*ldc), make([]float64, m*ldc), r.number()
		for j := range sums {
			sums[j] = float64(r.number()) / 3
		}
		for i0, h := 0, 1; i0 < m; h = h%k.MR + 1 {
			h := min(h, m-i0)
			if accumulate {
				k.Accumulate(h, n, kk, a[i0:], lda, b, kk*k.Panel, sums[i0*ldc:], ldc, nil)
			} else {
				k.Gemm(h, n, kk, alpha, a[i0:], lda, b, kk*k.Panel, c[i0*ldc:], ldc, i%3 == 2, a)
			}
			i0 += h
		}
		golden.AddAll(d, c)
		golden.AddAll(d, sums)
	}
}

// digestGradient has columns of whole panels of every instruction set.
func digestGradient[T Float](d *golden.Digest, r draws[T], k *Kernels[T]) {
	for i, s := range [][3]int{{1, 48, 1}, {3, 96, 2}, {8, 48, 1}, {13, 144, 4}, {9, 96, 7}} {
		rows, cols, targets := s[0], s[1], s[2]
		pack := func(x []T, across int) []T { // columns of cols rows of across elements, in panels
			p := make([]T, len(x))
			for j := range cols {
				for o := range across {
					p[(j/k.Panel*across+o)*k.Panel+j%k.Panel] = x[j*across+o]
				}
			}
			return p
		}
		features := func() []T { return r.slice(cols * rows) }
		g := &Gradient[T]{Rows: rows, Panels: cols / k.Panel, Targets: targets, ZStride: rows * k.Panel, DStride: rows * k.Panel, LDR: targets, LDY: targets,
			Y: r.slice(rows * targets), R: make([]T, rows*targets), D: make([]T, rows*cols)}
		z := features()
		if i%2 == 1 {
			r.wild(z)
		}
		g.Z, g.Z2 = pack(z, rows), pack(features(), rows)
		coef := func() []T { return pack(r.slice(cols*targets), targets) }
		g.A, g.B, g.GA, g.GB = coef(), coef(), coef(), coef()
		k.Residuals(g)
		k.Backward(g)
		golden.AddAll(d, g.R)
		for j := range cols {
			for _, x := range [][]T{g.GA, g.GB} {
				for o := range targets {
					golden.AddAll(d, []T{x[(j/k.Panel*targets+o)*k.Panel+j%k.Panel]})
				}
			}
			for row := range rows {
				golden.AddAll(d, []T{g.D[(j/k.Panel*rows+row)*k.Panel+j%k.Panel]})
			}
		}
	}
}
