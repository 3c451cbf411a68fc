package asm

import (
	"math"
	"slices"
	"sync"
	"unsafe"
)

// Reference returns the reference kernels: the definition of every kernel, in
// the plainest Go.
func Reference[T Float]() *Kernels[T] { return reference[T]("reference", goTuning) }

// reference returns the reference kernels in the shapes of an instruction set. The table is
// complete, and the set replaces those kernels that it has itself. Shapes change the places of
// numbers, never their bits.
func reference[T Float](isa string, tuning Tuning) *Kernels[T] {
	panel, mr := tuning.panel(int(unsafe.Sizeof(*new(T)))), tuning.MR
	width := tuning.Across * panel
	k := &Kernels[T]{
		Tuning: tuning, ISA: isa, Panel: panel, Width: width,
		Apply: func(f Func, z, z2, t, phase, weight, weight2 []T) {
			checkApply(f, z, z2, t, phase, weight, weight2)
			applyGo(f, z, z2, t, phase, weight, weight2)
		},
		Gemm: func(m, n, k int, alpha T, a []T, lda int, b []T, bStride int, c []T, ldc int, overwrite bool, _ []T) {
			checkTile(m, n, k, mr, panel, a, lda, b, bStride, len(c), ldc)
			gemmGo(panel, m, n, k, alpha, a, lda, b, bStride, c, ldc, overwrite)
		},
		Accumulate: func(m, n, k int, a []T, lda int, b []T, bStride int, c []float64, ldc int, _ []T) {
			checkTile(m, n, k, mr, panel, a, lda, b, bStride, len(c), ldc)
			accumulateGo(panel, m, n, k, a, lda, b, bStride, c, ldc)
		},
		Dot: func(x, y []T) T {
			checkDot(x, y)
			return dotGo(x, y)
		},
		Recur: func(steps, back int, w, x []T, stride, panels int, sums []T) {
			checkRecur(panel, steps, back, w, x, stride, panels, sums)
			recurGo(panel, steps, back, w, x, stride, panels, sums)
		},
		Transpose: func(dst []T, ldd int, src []T, lds, n int) {
			checkTranspose(dst, ldd, src, lds, n)
			transposeGo(dst, ldd, src, lds, n)
		},
		Pack: func(dst []T, width int, src []T, lds, n, panels int) {
			checkPack(dst, width, src, lds, n, panels)
			packGo(dst, width, src, lds, n, panels)
		},
		Zip: func(dst []T, ldd int, a, b []T) {
			checkZip(dst, ldd, a, b)
			zipGo(dst, ldd, a, b)
		},
		Factor: func(u *Square, n int) (int, float64) {
			checkSquare(n)
			return factorGo(u, n)
		},
		Invert: func(v, u *Square, n int) {
			checkSquare(n)
			invertGo(v, u, n)
		},
		Hadamard: func(x, d []T, size int) {
			checkHadamard(x, d, size)
			hadamardGo(x, d, size)
		},
		Gains: func(gain []float64, sums []int64, stride int, all []float64, by float64) {
			checkGains(gain, sums, stride, all)
			gainsGo(gain, sums, stride, all, by)
		},
		Peak: peakGo[T],
	}
	k.evaluate(func(f Func, p *Projection[T], out *Output[T]) { featuresGo(width, panel, f, p, out) })
	gradients(k)
	if k32, ok := any(k).(*Kernels[float32]); ok {
		k32.Int16 = integers(k32)
	}
	return k
}

// project returns t = phase + Σₖ xₖwₖ, or a sum of other Terms, of row r and column j.
func (p *Projection[T]) project(r, j, width int) T {
	t := p.Phase[j]
	for k, v := range p.X[r*p.LDX:][:p.D] {
		w := p.W[(j/width*p.D+k)*width+j%width]
		switch p.Terms {
		case Products:
			t = fma(v, w, t)
		case Differences:
			t += T(math.Abs(float64(v - w)))
		default:
			t += power(v - w)
		}
	}
	return t
}

// power returns |d|·√|d|.
func power[T Float](d T) T {
	d = T(math.Abs(float64(d)))
	return T(d * T(math.Sqrt(float64(d))))
}

// value returns f(t) times the weight that is in s. For CosSin it returns both members of the
// pair.
func value[T Float](f Func, s *series[T], t T) (v, v2 T) {
	switch f {
	case Cos:
		return cosTurns(t, s), 0
	case CosSin:
		return cosSinTurns(t, s)
	case Linear:
		return t, 0
	case ArcCos0:
		switch {
		case t > 0:
			return 1, 0
		case t == 0:
			return 0.5, 0
		case t < 0:
			return 0, 0
		}
		return t, 0 // NaN
	case ArcCos1:
		if t < 0 {
			return 0, 0
		}
		return t, 0
	case ArcCos2:
		if t < 0 {
			return 0, 0
		}
		return t * t, 0
	}
	return section(f, t), 0
}

// common returns the weight that all columns of p share, or 1.
func (p *Projection[T]) common() T {
	if p.Weight == nil {
		return p.Scale
	}
	return 1
}

// series returns the series of f for the weight that all columns of p share.
func (p *Projection[T]) series(f Func) series[T] { return weighted(f, p.common()) }

// value returns the features of projection t on frequency j, the second for
// CosSin alone.
func (p *Projection[T]) value(f Func, s *series[T], t T, j int) (v, v2 T) {
	v, v2 = value(f, s, t)
	if p.Weight == nil {
		return v, v2
	}
	v = T(v * p.Weight[j])
	if f == CosSin {
		v2 = T(v2 * p.Weight2[j])
	}
	return v, v2
}

func featuresGo[T Float](width, panel int, f Func, p *Projection[T], out *Output[T]) {
	if p.Cols == 0 {
		return // X may then be anything
	}
	s := p.series(f)
	for r := 0; r < p.Rows; r++ {
		for j := 0; j < p.Cols; j++ {
			v, v2 := p.value(f, &s, p.project(r, j, width), j)
			at := r*out.RowStride + j/panel*out.PanelStride + j%panel
			out.Z[at] = v
			if f == CosSin {
				out.Z2[at] = v2
			}
		}
	}
}

// evaluate sets the kernels that evaluate features, by a function that writes them.
func (k *Kernels[T]) evaluate(features func(f Func, p *Projection[T], out *Output[T])) {
	panel, width := k.Panel, k.Width
	rows := sync.Pool{New: func() any { return new([]T) }} // cosines, then sines, of a row
	k.Features = func(f Func, p *Projection[T], out *Output[T]) {
		p.check(f, width)
		out.check(f, p, panel)
		features(f, p, out)
	}
	k.Scores = func(f Func, p *Projection[T], y []T, ldy, targets int, acc, acc2 []T, lda int) {
		p.check(f, width)
		checkScores(f, p, y, ldy, targets, acc, acc2, lda)
		if p.Rows == 0 || p.Cols == 0 || targets == 0 {
			return // X may then be anything, and Rows and Cols without bound
		}
		kept := rows.Get().(*[]T)
		defer rows.Put(kept)
		*kept = slices.Grow((*kept)[:0], 2*p.Cols)[:2*p.Cols]
		row, z, z2 := *p, (*kept)[:p.Cols], (*kept)[p.Cols:]
		row.Rows = 1
		for r := 0; r < p.Rows; r++ {
			row.X = p.X[r*p.LDX:]
			features(f, &row, &Output[T]{Z: z, Z2: z2, PanelStride: panel})
			for i, target := range y[r*ldy:][:targets] {
				addTimes(acc[i*lda:][:p.Cols], target, z)
				if f == CosSin {
					addTimes(acc2[i*lda:][:p.Cols], target, z2)
				}
			}
		}
	}
}

// addTimes adds y times z to acc.
func addTimes[T Float](acc []T, y T, z []T) {
	for j, v := range z {
		acc[j] = fma(y, v, acc[j])
	}
}

func applyGo[T Float](f Func, z, z2, t, phase, weight, weight2 []T) {
	s := weighted(f, T(1))
	for j := range t {
		v, v2 := value(f, &s, t[j]+phase[j])
		z[j] = weight[j] * v
		if f == CosSin {
			z2[j] = weight2[j] * v2
		}
	}
}

// chain is the product of row i of a packed tile and column j of packed panels.
func chain[T Float](i, j, k int, a []T, lda int, b []T, bStride, panel int) T {
	var s T
	at := j/panel*bStride + j%panel
	for l := 0; l < k; l++ {
		s = fma(a[l*lda+i], b[at+l*panel], s)
	}
	return s
}

func gemmGo[T Float](panel, m, n, k int, alpha T, a []T, lda int, b []T, bStride int, c []T, ldc int, overwrite bool) {
	for i := 0; i < m; i++ {
		for j := 0; j < n; j++ {
			s := chain(i, j, k, a, lda, b, bStride, panel)
			if overwrite {
				c[i*ldc+j] = alpha * s
			} else {
				c[i*ldc+j] = fma(alpha, s, c[i*ldc+j])
			}
		}
	}
}

func accumulateGo[T Float](panel, m, n, k int, a []T, lda int, b []T, bStride int, c []float64, ldc int) {
	for i := 0; i < m; i++ {
		for j := 0; j < n; j++ {
			c[i*ldc+j] += float64(chain(i, j, k, a, lda, b, bStride, panel))
		}
	}
}

func dotGo[T Float](x, y []T) T {
	var lane [Lanes]T
	for i, v := range x {
		lane[i%Lanes] = fma(v, y[i], lane[i%Lanes])
	}
	return fold(lane[:])
}

// fold adds a power of two of partial sums.
func fold[T Float](lane []T) T {
	for h := len(lane) / 2; h > 0; h /= 2 {
		for l := 0; l < h; l++ {
			lane[l] += lane[l+h]
		}
	}
	return lane[0]
}

func hadamardGo[T Float](x, d []T, size int) {
	for j, v := range d {
		x[j] = T(x[j] * v)
	}
	for h := 1; h < size; h *= 2 {
		for i := 0; i < len(x); i += 2 * h {
			for j := i; j < i+h; j++ {
				x[j], x[j+h] = x[j]+x[j+h], x[j]-x[j+h]
			}
		}
	}
}

func peakGo[T Float](rounds int) int {
	var a, b, c, d T
	for range rounds {
		a, b, c, d = fma(a, a, a), fma(b, b, b), fma(c, c, c), fma(d, d, d)
	}
	if a+b+c+d != 0 {
		panic("unreachable")
	}
	return 4 * rounds
}
