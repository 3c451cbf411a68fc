package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/portable"
)

// The definitions of all results in plain loops, element by element.

func fma[T Float](x, y, z T) T {
	if unsafe.Sizeof(x) == 8 {
		return T(math.FMA(float64(x), float64(y), float64(z)))
	}
	// The product is exact in float64. The sum is rounded twice, which matters only where the first
	// rounding is half way between two float32 and has an error, found by TwoSum, that says to
	// which side.
	p, c := float64(x)*float64(y), float64(z)
	s := p + c
	if math.Float64bits(s)<<35 == 1<<63 {
		b := s - p
		if err := (p - (s - b)) + (c - b); err != 0 {
			s = math.Nextafter(s, math.Inf(int(math.Copysign(1, err))))
		}
	}
	return T(s)
}

func elem[T Float](m General[T], trans bool, i, j int) T {
	if trans {
		i, j = j, i
	}
	return m.Data[i*m.Stride+j]
}

func refGemm[T Float](tri triangle, transA, transB bool, alpha T, a, b General[T], beta T, c General[T]) {
	_, k := a.op(transA)
	for i := range c.Rows {
		for j := range c.Cols {
			if (tri == upperTriangle && j < i) || (tri == lowerTriangle && j > i) {
				continue
			}
			p := &c.Data[i*c.Stride+j]
			switch beta {
			case 0:
				*p = 0
			case 1:
			default:
				*p *= beta
			}
			if alpha == 0 {
				continue
			}
			for l0 := 0; l0 < k; l0 += BlockK {
				var s T
				for l := l0; l < min(k, l0+BlockK); l++ {
					s = fma(elem(a, transA, i, l), elem(b, transB, l, j), s)
				}
				if l0 == 0 && beta == 0 {
					*p = alpha * s
				} else {
					*p = fma(alpha, s, *p)
				}
			}
		}
	}
}

// refInverse is the rounded inverse of the triangle of u from row b on.
func refInverse[T Float](u General[T], b, n int) [][]T {
	v := make([][]float64, n)
	at := func(i, j int) float64 { return float64(u.Data[(b+i)*u.Stride+b+j]) }
	for i := range v {
		v[i] = make([]float64, n)
	}
	for j := range n {
		v[j][j] = 1 / at(j, j)
		for i := j - 1; i >= 0; i-- {
			var s float64
			for l := i + 1; l <= j; l++ {
				s = math.FMA(at(i, l), v[l][j], s)
			}
			v[i][j] = -s / at(i, i)
		}
	}
	out := make([][]T, n)
	for i := range v {
		out[i] = make([]T, n)
		for j := range v {
			out[i][j] = T(v[i][j])
		}
	}
	return out
}

// refSolveSmall solves rows r0 … r1−1 of b, the columns from col on.
func refSolveSmall[T Float](trans bool, u, b General[T], r0, r1, col int) {
	v := refInverse(u, r0, r1-r0)
	for j := col; j < b.Cols; j++ {
		x := make([]T, r1-r0)
		for i := range x {
			for l := range x {
				w := v[i][l]
				if trans {
					w = v[l][i]
				}
				x[i] = fma(w, b.Data[(r0+l)*b.Stride+j], x[i])
			}
		}
		for i := range x {
			b.Data[(r0+i)*b.Stride+j] = x[i]
		}
	}
}

// refUpdate subtracts from rows r0 … r1−1 of b the chain over rows l0 … l1−1.
func refUpdate[T Float](trans bool, u, b General[T], r0, r1, l0, l1, col int) {
	if l0 == l1 {
		return
	}
	for i := r0; i < r1; i++ {
		for j := col; j < b.Cols; j++ {
			var s T
			for l := l0; l < l1; l++ {
				s = fma(elem(u, trans, i, l), b.Data[l*b.Stride+j], s)
			}
			b.Data[i*b.Stride+j] = fma(-1, s, b.Data[i*b.Stride+j])
		}
	}
}

func refTrsm[T Float](trans bool, u, b General[T]) {
	n := u.Rows
	var starts []int
	for k := 0; k < n; k += blockTri {
		starts = append(starts, k)
	}
	for s := range starts {
		k0 := starts[s]
		if !trans {
			k0 = starts[len(starts)-1-s]
		}
		k1 := min(n, k0+blockTri)
		var small []int
		for r := k0; r < k1; r += blockInv {
			small = append(small, r)
		}
		for q := range small {
			if trans {
				r0 := small[q]
				refUpdate(true, u, b, r0, min(k1, r0+blockInv), k0, r0, 0)
				refSolveSmall(true, u, b, r0, min(k1, r0+blockInv), 0)
			} else {
				r0 := small[len(small)-1-q]
				r1 := min(k1, r0+blockInv)
				refUpdate(false, u, b, r0, r1, r1, k1, 0)
				refSolveSmall(false, u, b, r0, r1, 0)
			}
		}
		if trans {
			refUpdate(true, u, b, k1, n, k0, k1, 0)
		} else {
			refUpdate(false, u, b, 0, k0, k0, k1, 0)
		}
	}
}

func refCholesky[T Float](a General[T]) {
	n := a.Rows
	sub := func(i0, i1, l0, l1 int) { // rows i0 … i1−1, all columns from the diagonal on
		if l0 == l1 {
			return
		}
		for i := i0; i < i1; i++ {
			for j := i; j < n; j++ {
				var s T
				for l := l0; l < l1; l++ {
					s = fma(a.Data[l*a.Stride+i], a.Data[l*a.Stride+j], s)
				}
				a.Data[i*a.Stride+j] = fma(-1, s, a.Data[i*a.Stride+j])
			}
		}
	}
	for k0 := 0; k0 < n; k0 += blockTri {
		k1 := min(n, k0+blockTri)
		for b0 := k0; b0 < k1; b0 += blockInv {
			b1 := min(k1, b0+blockInv)
			sub(b0, b1, k0, b0)
			var u [blockInv][blockInv]float64
			for i := b0; i < b1; i++ {
				for j := i; j < b1; j++ {
					s := float64(a.Data[i*a.Stride+j])
					for l := b0; l < i; l++ {
						s = math.FMA(-u[l-b0][i-b0], u[l-b0][j-b0], s)
					}
					if i == j {
						s = math.Sqrt(s)
					} else {
						s /= u[i-b0][i-b0]
					}
					u[i-b0][j-b0] = s
				}
			}
			for i := b0; i < b1; i++ {
				for j := i; j < b1; j++ {
					a.Data[i*a.Stride+j] = T(u[i-b0][j-b0])
				}
			}
			refSolveSmall(true, a, a, b0, b1, b1)
		}
		sub(k1, n, k0, k1)
	}
}

// refFeatures evaluates a Spec.
func refFeatures[T Float](s *Spec, x General[T]) General[T] {
	plain := asm.Reference[T]()
	n, unit := s.Frequencies(), s.unit()
	z := NewGeneral[T](x.Rows, n*s.Func.Outputs())
	for r := range x.Rows {
		t, phase := make([]T, n), make([]T, n)
		for j := range s.Phase {
			phase[j] = T(s.Phase[j] * unit)
		}
		weight, weight2 := make([]T, n), make([]T, n)
		for j := range n {
			weight[j] = T(s.Weight[j])
			if s.Func == asm.CosSin {
				weight2[j] = T(s.Weight[n+j])
			}
		}
		if s.Func.Section() {
			row, norm := refCentred(s, x.Row(r))
			for j := range n {
				w := make([]T, s.Dim)
				for k, v := range s.W.Row(j) {
					w[k] = T(v)
				}
				landmark, phase := refCentred(s, w)
				if s.Terms != asm.Products {
					t[j] = 0
					for k, v := range row {
						t[j] += refTerm(s.Terms, v-landmark[k])
					}
					continue
				}
				t[j] = phase
				for k, v := range row {
					t[j] = fma(v, -2*landmark[k], t[j])
				}
				t[j] = fma(norm, 1, t[j])
			}
		} else if len(s.Blocks) == 0 {
			for j := range n {
				t[j] = phase[j]
				for k, v := range x.Row(r) {
					t[j] = fma(v, T(s.W.Data[j*s.W.Stride+k]*unit), t[j])
				}
				phase[j] = 0
			}
		} else {
			at := 0
			for _, b := range s.Blocks {
				v := make([]T, b.Size)
				copy(v, x.Row(r))
				if b.Trees != nil {
					v = refTrees(b.Trees, x.Row(r))
				}
				for i := len(b.D) - 1; i >= 0; i-- {
					if i == 0 && b.Perm != nil {
						w := make([]T, b.Size)
						for j, p := range b.Perm {
							w[j] = v[p]
						}
						v = w
					}
					for j := range v {
						v[j] = T(b.D[i][j]) * v[j]
					}
					plain.Hadamard(v, nil, len(v))
				}
				for j := range b.Keep {
					t[at+j] = T(b.Scale[j]*unit) * v[j]
				}
				at += b.Keep
			}
		}
		row := z.Row(r)
		var z2 []T
		if s.Func == asm.CosSin {
			z2 = row[n:]
		}
		if w := s.Weight[0]; s.W.Data != nil && s.Func <= asm.CosSin && w > 0 && slices.Max(s.Weight) == slices.Min(s.Weight) {
			oneWeight(s.Func, row[:n], z2, t, T(w))
			continue
		}
		plain.Apply(s.Func, row[:n], z2, t, phase, weight, weight2)
	}
	if s.Walsh != nil {
		out := NewGeneral[T](x.Rows, len(s.Walsh.Columns))
		for r := range x.Rows {
			v := make([]T, s.Walsh.Size())
			for i, z := range z.Row(r) {
				v[i] = T(s.Walsh.D[i]) * z
			}
			plain.Hadamard(v, nil, len(v))
			for j, c := range s.Walsh.Columns {
				out.Row(r)[j] = v[c]
			}
		}
		return out
	}
	if s.Product.Data == nil {
		return z
	}
	out := NewGeneral[T](x.Rows, s.Product.Cols)
	refGemm(full, false, false, 1, z, convert[T](s.Product, 1), 0, out)
	return out
}

// refTrees sums the rows of the tables that x comes to. Of the rows of a table, and of the nodes of a depth if there are
// several, each answer leaves every second: the odd ones if x is above the threshold, else the even ones.
func refTrees[T Float](t *Trees, x []T) []T {
	sum, first := make([]T, t.Value.Cols), 0
	for tree := range t.Count() {
		row, step := 0, 1
		for depth := range t.Depth {
			at, width := first, t.WidthOf(tree*t.Depth+depth)
			if width > 1 {
				at += row
			}
			if float64(x[t.Input[at]]) > t.Threshold[at] {
				row += step
			}
			step, first = 2*step, first+width
		}
		for k, v := range t.Value.Row(tree<<t.Depth + row) {
			sum[k] += T(v)
		}
	}
	if t.Tanh {
		for k, v := range sum {
			sum[k] = T(portable.Tanh(float64(v)))
		}
	}
	return sum
}

// oneWeight evaluates f on projections t for a weight that all of them share.
// refCentred returns the row x of sections as they are defined on it, and its norm.
func refCentred[T Float](s *Spec, x []T) (row []T, norm T) {
	var lanes [4]float64
	for k, v := range x {
		c := T(float64((float64(v) - s.Shift[k]) * s.Scale[k]))
		row = append(row, c)
		lanes[k%4] += float64(float64(c) * float64(c))
	}
	return row, T((lanes[0] + lanes[2]) + (lanes[1] + lanes[3]))
}

func oneWeight[T Float](f asm.Func, z, z2, t []T, weight T) {
	plain := asm.Reference[T]()
	phase := append(slices.Clone(t), make([]T, plain.Panel)...)
	plain.Features(f, &asm.Projection[T]{Rows: 1, Cols: len(t), Phase: phase, Scale: weight},
		&asm.Output[T]{Z: z, Z2: z2, PanelStride: plain.Panel})
}

// refSums accumulates rows in blocks of RowBlock.
func refSums[T Float](s *Spec, x, y General[T], weight []T, gram bool) *Sums {
	return refSumsOf(refFeatures(s, x), y, weight, gram)
}

// refSumsOf is refSums of these features, which are much of the work, and which it leaves as they are.
func refSumsOf[T Float](z, y General[T], weight []T, gram bool) *Sums {
	z = clone(z)
	u := NewSums(z.Cols, y.Cols, gram)
	u.Rows = int64(z.Rows)
	for r0 := 0; r0 < z.Rows; r0 += RowBlock {
		r1 := min(z.Rows, r0+RowBlock)
		left := make([][]T, z.Rows) // factors of the targets and of one
		for r := r0; r < r1; r++ {
			factor := T(1)
			w := 1.0
			if weight != nil {
				w = float64(weight[r])
				factor = weight[r]
				if gram {
					factor = T(math.Sqrt(w))
					for j := range z.Row(r) {
						z.Row(r)[j] *= factor
					}
				}
			}
			for t, v := range y.Row(r) {
				left[r] = append(left[r], v*factor)
				u.Y[t] += float64(w * float64(v))
				u.YY[t] += float64(w * float64(v) * float64(v))
			}
			left[r] = append(left[r], factor)
			u.W += w
		}
		for j := range z.Cols {
			for t := range y.Cols + 1 {
				var s T
				for r := r0; r < r1; r++ {
					s = fma(left[r][t], z.Row(r)[j], s)
				}
				if t < y.Cols {
					u.ZY.Data[j*y.Cols+t] += float64(s)
				} else {
					u.Z[j] += float64(s)
				}
			}
			if !gram {
				continue
			}
			for i := range j + 1 {
				var s T
				for r := r0; r < r1; r++ {
					s = fma(z.Row(r)[i], z.Row(r)[j], s)
				}
				u.G.Data[i*z.Cols+j] += float64(s)
			}
		}
	}
	return u
}

// oddKernels are kernels of a shape that no instruction set has, so that
// nothing rests on the shapes at hand: elements by the contract of asm.Kernels.
func oddKernels[T Float](panel, across, strip, mr int) *asm.Kernels[T] {
	k := *asm.Reference[T]()
	width := across * panel
	k.ISA, k.Panel, k.Width, k.Strip, k.MR = fmt.Sprintf("odd%d", panel), panel, width, strip, mr
	plain := asm.Reference[T]()
	each := func(f asm.Func, p *asm.Projection[T], emit func(r, j int, z, z2 T)) {
		z, z2, turn, zero := make([]T, p.Cols), make([]T, p.Cols), make([]T, p.Cols), make([]T, p.Cols)
		for r := range p.Rows {
			for j := range p.Cols {
				t, w := p.Phase[j], p.W[j/width*p.D*width+j%width:]
				for i, v := range p.X[r*p.LDX:][:p.D] {
					if p.Terms != asm.Products {
						t += refTerm(p.Terms, v-w[i*width])
					} else {
						t = fma(v, w[i*width], t)
					}
				}
				turn[j] = t
			}
			if p.Weight == nil {
				oneWeight(f, z, z2, turn, p.Scale)
			} else if f == asm.CosSin {
				plain.Apply(f, z, z2, turn, zero, p.Weight[:p.Cols], p.Weight2[:p.Cols])
			} else {
				plain.Apply(f, z, z2, turn, zero, p.Weight[:p.Cols], nil)
			}
			for j := range p.Cols {
				emit(r, j, z[j], z2[j])
			}
		}
	}
	k.Features = func(f asm.Func, p *asm.Projection[T], o *asm.Output[T]) {
		each(f, p, func(r, j int, z, z2 T) {
			at := r*o.RowStride + j/panel*o.PanelStride + j%panel
			o.Z[at] = z
			if f == asm.CosSin {
				o.Z2[at] = z2
			}
		})
	}
	k.Scores = func(f asm.Func, p *asm.Projection[T], y []T, ldy, targets int, acc, acc2 []T, lda int) {
		each(f, p, func(r, j int, z, z2 T) {
			for i := range targets {
				acc[i*lda+j] = fma(y[r*ldy+i], z, acc[i*lda+j])
				if f == asm.CosSin {
					acc2[i*lda+j] = fma(y[r*ldy+i], z2, acc2[i*lda+j])
				}
			}
		})
	}
	chain := func(i, j, k int, a []T, lda int, b []T, bStride int) T {
		var s T
		b = b[j/panel*bStride+j%panel:]
		for l := range k {
			s = fma(a[l*lda+i], b[l*panel], s)
		}
		return s
	}
	k.Gemm = func(m, n, k int, alpha T, a []T, lda int, b []T, bStride int, c []T, ldc int, overwrite bool, _ []T) {
		if m < 1 || m > mr || n < 1 {
			panic("bad tile")
		}
		for i := range m {
			for j := range n {
				s := chain(i, j, k, a, lda, b, bStride)
				if overwrite {
					c[i*ldc+j] = alpha * s
				} else {
					c[i*ldc+j] = fma(alpha, s, c[i*ldc+j])
				}
			}
		}
	}
	k.Accumulate = func(m, n, k int, a []T, lda int, b []T, bStride int, c []float64, ldc int, _ []T) {
		if m < 1 || m > mr || n < 1 {
			panic("bad tile")
		}
		for i := range m {
			for j := range n {
				c[i*ldc+j] += float64(chain(i, j, k, a, lda, b, bStride))
			}
		}
	}
	return &k
}

// exactBackends are the native backend on every instruction set and on kernels
// of odd shapes.
func exactBackends() map[string]Backend {
	all := map[string]Backend{
		"odd12": &nativeBackend{oddKernels[float64](12, 3, 5, 6), oddKernels[float32](24, 2, 7, 4)},
		"odd40": &nativeBackend{oddKernels[float64](40, 1, 1, 20), oddKernels[float32](2, 1, 3, 1)},
	}
	f32 := asm.All[float32]()
	for i, k := range asm.All[float64]() {
		all[k.ISA] = &nativeBackend{k, f32[i]}
	}
	return all
}

// testedISAs is the instruction sets to test: all, but of an emulated processor, which
// takes short tests, its own. Kernels in Go give the bits that they give on every host.
func testedISAs() []string {
	var all []string
	for _, k := range asm.All[float64]() {
		all = append(all, k.ISA)
	}
	if testing.Short() {
		return all[:1]
	}
	return all
}

// engineOn returns the engine of an instruction set's kernels.
func engineOn(t *testing.T, isa string, workers int) Engine {
	t.Helper()
	b, err := Lookup("native:" + isa)
	if err != nil {
		t.Fatal(err)
	}
	return Engine{Backend: b, Workers: workers, eager: true}
}

// onExact runs f on every exact backend, with one and with three workers; short tests
// take those of testedISAs.
func onExact(t *testing.T, f func(t *testing.T, e Engine)) {
	for name, b := range exactBackends() {
		if testing.Short() && name != testedISAs()[0] {
			continue
		}
		for _, w := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s/workers=%d", name, w), func(t *testing.T) { f(t, Engine{Backend: b, Workers: w, eager: true}) })
		}
	}
}

func randomGeneral[T Float](r *rand.Rand, rows, cols, pad int) General[T] {
	m := General[T]{Rows: rows, Cols: cols, Stride: cols + pad, Data: make([]T, max(0, (rows-1)*(cols+pad)+cols))}
	for i := range m.Data {
		m.Data[i] = T(r.NormFloat64())
	}
	return m
}

func clone[T Float](m General[T]) General[T] {
	m.Data = append([]T(nil), m.Data...)
	return m
}

// sameBits fails unless all of both backing arrays agree, padding included.
func sameBits[T Float](t *testing.T, what string, got, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	for i := range got {
		if math.Float64bits(float64(got[i])) != math.Float64bits(float64(want[i])) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// refTerm is |d| or |d|·√|d|.
func refTerm[T Float](terms asm.Terms, d T) T {
	d = T(math.Abs(float64(d)))
	if terms == asm.ThreeHalves {
		d *= T(math.Sqrt(float64(d)))
	}
	return d
}
