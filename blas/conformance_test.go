package blas_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

// The conformance suite: every backend must pass it.
//
// Results are held against plain loops in float64 within bounds derived from
// the number of terms and the sizes of the operands. Matrices have odd strides
// and lie between guard bands of NaN that nothing may read or write.

func TestNative(t *testing.T) {
	for _, k := range asm.All[float64]() {
		t.Run(k.ISA, func(t *testing.T) { conforms(t, "native:"+k.ISA) })
	}
}

func TestGonum(t *testing.T) { conforms(t, "gonum") }

// conforms tests the backend of that name with one worker and with three.
func conforms(t *testing.T, name string) {
	b, err := blas.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	if b.Name() == "" {
		t.Error("the backend has no name")
	}
	for _, workers := range []int{1, 3} {
		e := blas.Engine{Backend: b, Workers: workers}
		t.Run(fmt.Sprintf("float64/workers=%d", workers), func(t *testing.T) { suite[float64]{e, 0x1p-53, 4e-16}.run(t) })
		t.Run(fmt.Sprintf("float32/workers=%d", workers), func(t *testing.T) { suite[float32]{e, 0x1p-24, 1.2e-7}.run(t) })
	}
	t.Run("panics", func(t *testing.T) { misuse(t, blas.Engine{Backend: b, Workers: 1}) })
	t.Run("empty", func(t *testing.T) { empty(t, blas.Engine{Backend: b, Workers: 2}) })
}

// suite tests one element type of one engine.
type suite[T blas.Float] struct {
	e   blas.Engine
	eps float64 // unit roundoff
	cos float64 // error allowed to a cosine of an exact argument
}

func (s suite[T]) run(t *testing.T) {
	t.Run("Gemm", s.gemm)
	t.Run("Syrk", s.syrk)
	t.Run("TrsmUpper", s.trsm)
	t.Run("Cholesky", s.cholesky)
	t.Run("NotPositiveDefinite", s.notPositiveDefinite)
	t.Run("Inverse", s.inverse)
	t.Run("Trailing", s.trailing)
	t.Run("Features", s.features)
	t.Run("Sections", s.sections)
	t.Run("Gram", s.gram)
	t.Run("NaN", s.nan)
}

// guarded is a matrix between guard bands.
type guarded[T blas.Float] struct {
	blas.General[T]
	all []T
}

const guard = 37

// matrix returns a random r×c matrix with a stride that is no multiple of anything.
func matrix[T blas.Float](r *rand.Rand, rows, cols int) guarded[T] {
	stride := cols + 3
	all := make([]T, 2*guard+rows*stride)
	for i := range all {
		all[i] = T(math.NaN())
	}
	g := guarded[T]{blas.General[T]{Rows: rows, Cols: cols, Stride: stride, Data: all[guard : guard+rows*stride]}, all}
	for i := range rows {
		for j := range g.Row(i) {
			g.Row(i)[j] = T(r.NormFloat64())
		}
	}
	return g
}

// check fails if a guard band was written, or on a NaN inside.
func (g guarded[T]) check(t *testing.T, name string) {
	t.Helper()
	for i, v := range g.all {
		at := i - guard
		inside := at >= 0 && at < g.Rows*g.Stride && at%g.Stride < g.Cols
		if inside == (v != v) {
			t.Fatalf("%s: element %d of the array is %v; inside the matrix: %v", name, at, v, inside)
		}
	}
}

func (g guarded[T]) clone() guarded[T] {
	all := append([]T(nil), g.all...)
	g.all, g.Data = all, all[guard:guard+len(g.Data)]
	return g
}

func at[T blas.Float](m blas.General[T], trans bool, i, j int) float64 {
	if trans {
		i, j = j, i
	}
	return float64(m.Data[i*m.Stride+j])
}

// near fails unless |got − want| ≤ bound; the bounds are worst cases, so half
// of one used up is worth a warning.
func near(t *testing.T, what string, i, j int, got, want, bound float64) {
	d := math.Abs(got - want)
	if !(d <= bound) {
		t.Helper() // here, since it walks the stack
		t.Fatalf("%s: element (%d, %d) is %g, want %g ± %.2g", what, i, j, got, want, bound)
	}
	if d > bound/2 && bound > 0 {
		t.Logf("warning: %s: element (%d, %d): error %.2g of at most %.2g", what, i, j, d, bound)
	}
}

// product is Σ_l op(A)[i,l]·op(B)[l,j], and the same of absolute values.
func product[T blas.Float](a, b blas.General[T], transA, transB bool, i, j, k int) (sum, size float64) {
	p, dp := i*a.Stride, 1
	if transA {
		p, dp = i, a.Stride
	}
	q, dq := j, b.Stride
	if transB {
		q, dq = j*b.Stride, 1
	}
	for range k {
		v := float64(a.Data[p]) * float64(b.Data[q])
		sum, size = sum+v, size+math.Abs(v)
		p, q = p+dp, q+dq
	}
	return
}

// A sum of k products of T has an error of at most k·u·Σ|ab|, whatever its
// order; four more roundings make it α·s + β·c. The reference adds k·2⁻⁵³.
func (s suite[T]) bound(k int, size float64) float64 {
	return (float64(k+4)*s.eps + float64(k+4)*0x1p-53) * size
}

func (s suite[T]) gemm(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for i, z := range [][3]int{{1, 1, 1}, {2, 3, 4}, {17, 31, 8}, {64, 64, 64}, {33, 65, 130}, {9, 7, 1100}, {130, 1, 40}, {1, 130, 40}, {90, 110, 200}} {
		m, n, k := z[0], z[1], z[2]
		for c := range 4 {
			transA, transB := c&1 == 1, c&2 == 2
			alpha := []T{1, -0.5, 2}[(i+c)%3]
			beta := []T{0, 1, -1.5}[(i+2*c)%3]
			a, b := matrix[T](r, m, k), matrix[T](r, k, n)
			if transA {
				a = matrix[T](r, k, m)
			}
			if transB {
				b = matrix[T](r, n, k)
			}
			got := matrix[T](r, m, n)
			old := got.clone()
			if beta == 0 {
				for i := range m {
					for j := range n {
						got.Row(i)[j] = T(math.NaN())
					}
				}
			}
			blas.Gemm(s.e, transA, transB, alpha, a.General, b.General, beta, got.General)
			what := fmt.Sprintf("Gemm %d×%d×%d trans %v %v", m, n, k, transA, transB)
			got.check(t, "C")
			a.check(t, "A")
			b.check(t, "B")
			for i := range m {
				for j := range n {
					sum, size := product(a.General, b.General, transA, transB, i, j, k)
					was := float64(beta) * at(old.General, false, i, j)
					near(t, what, i, j, at(got.General, false, i, j),
						float64(alpha)*sum+was, s.bound(k, math.Abs(float64(alpha))*size+math.Abs(was)))
				}
			}
		}
	}
}

func (s suite[T]) syrk(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, z := range [][2]int{{1, 1}, {5, 9}, {33, 70}, {70, 600}, {150, 20}} {
		n, k := z[0], z[1]
		for c := range 4 {
			upper, trans := c&1 == 1, c&2 == 2
			a := matrix[T](r, n, k)
			if trans {
				a = matrix[T](r, k, n)
			}
			got := matrix[T](r, n, n)
			old := got.clone()
			blas.Syrk(s.e, upper, trans, 0.5, a.General, -1, got.General)
			got.check(t, "C")
			for i := range n {
				for j := range n {
					if (upper && j < i) || (!upper && j > i) {
						near(t, "Syrk, other triangle", i, j, at(got.General, false, i, j), at(old.General, false, i, j), 0)
						continue
					}
					sum, size := product(a.General, a.General, trans, !trans, i, j, k)
					was := at(old.General, false, i, j)
					near(t, "Syrk", i, j, at(got.General, false, i, j), sum/2-was, s.bound(k, size/2+math.Abs(was)))
				}
			}
		}
	}
}

// upperTriangle returns a matrix of which only the upper triangle may be read:
// diagonally dominant by columns and rows, so of a condition below 10.
func upperTriangle[T blas.Float](r *rand.Rand, n int) guarded[T] {
	u := matrix[T](r, n, n)
	for i := range n {
		for j := range n {
			v := &u.Row(i)[j]
			switch {
			case j < i:
				*v = T(math.NaN())
			case j == i:
				*v = T(1 + r.Float64())
			default:
				*v /= T(2 * n)
			}
		}
	}
	return u
}

// The residual of a triangular solve, op(U)·x − b, is at most (n+4)·u·|U||x|
// for substitution; inverting diagonal blocks multiplies that by the condition
// of the blocks, below 10 here.
func (s suite[T]) trsm(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, z := range [][2]int{{1, 1}, {5, 3}, {40, 17}, {300, 5}, {65, 90}} {
		n, cols := z[0], z[1]
		for _, trans := range []bool{false, true} {
			u, b := upperTriangle[T](r, n), matrix[T](r, n, cols)
			x := b.clone()
			blas.TrsmUpper(s.e, trans, u.General, x.General)
			x.check(t, "X")
			for i := range n {
				for j := range cols {
					var sum, size float64
					from, to := i, n
					if trans {
						from, to = 0, i+1
					}
					for l := from; l < to; l++ {
						v := at(u.General, trans, i, l) * at(x.General, false, l, j)
						sum += v
						size += math.Abs(v)
					}
					near(t, "TrsmUpper residual", i, j, sum, at(b.General, false, i, j), 10*s.bound(n, size+math.Abs(at(b.General, false, i, j))))
				}
			}
		}
	}
}

// definite returns AᵀA + n·I in the upper triangle, NaN below.
func definite[T blas.Float](r *rand.Rand, n int) guarded[T] {
	a := matrix[T](r, n, n)
	g := matrix[T](r, n, n)
	for i := range n {
		for j := range n {
			sum := math.NaN()
			if j >= i {
				sum, _ = product(a.General, a.General, true, false, i, j, n)
			}
			if i == j {
				sum += float64(n)
			}
			g.Row(i)[j] = T(sum)
		}
	}
	return g
}

func (s suite[T]) cholesky(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for _, n := range []int{1, 2, 31, 64, 130, 290} {
		a := definite[T](r, n)
		u := a.clone()
		if err := blas.Cholesky(s.e, u.General); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range n {
				if j < i {
					if v := u.Row(i)[j]; v == v {
						t.Fatalf("Cholesky wrote below the diagonal at (%d, %d)", i, j)
					}
					continue
				}
				sum, size := product(u.General, u.General, true, false, i, j, i+1)
				near(t, "UᵀU", i, j, sum, at(a.General, false, i, j), 10*s.bound(n, size))
			}
		}
		// Solve: the residual of b is that of both triangles, condition below 10 as A ⪰ nI, ‖A‖ ≈ 5n.
		b := matrix[T](r, n, 3)
		x := b.clone()
		blas.CholeskySolve(s.e, u.General, x.General)
		for i := range n {
			for j := range 3 {
				var sum, size float64
				for l := range n {
					v := at(a.General, l < i, i, l) * at(x.General, false, l, j)
					sum += v
					size += math.Abs(v)
				}
				near(t, "A·x", i, j, sum, at(b.General, false, i, j), 100*s.bound(n, size+1))
			}
		}
	}
}

func (s suite[T]) notPositiveDefinite(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for _, pivot := range []int{0, 33, 139} {
		a := definite[T](r, 140)
		a.Row(pivot)[pivot] = -1
		var e *blas.NotPositiveDefiniteError
		if err := blas.Cholesky(s.e, a.General); !errors.As(err, &e) || e.Pivot != pivot || !(e.Value < 0) {
			t.Errorf("diagonal element %d is negative: Cholesky returns %v", pivot, err)
		}
	}
}

func (s suite[T]) inverse(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	const n = 150
	u := upperTriangle[T](r, n)
	x := matrix[T](r, n, n)
	blas.TriInverse(s.e, x.General, u.General)
	x.check(t, "U⁻¹")
	for i := range n {
		for j := range n {
			if j < i {
				near(t, "U⁻¹ below the diagonal", i, j, at(x.General, false, i, j), 0, 0)
				continue
			}
			want := 0.0
			if i == j {
				want = 1
			}
			var sum, size float64
			for l := i; l <= j; l++ {
				v := at(u.General, false, i, l) * at(x.General, false, l, j)
				sum += v
				size += math.Abs(v)
			}
			near(t, "U·U⁻¹", i, j, sum, want, 10*s.bound(n, size+want))
		}
	}
}

// trailing: two steps on whole blocks, on a ragged one, and with chains longer
// than those of one product.
func (s suite[T]) trailing(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	const b = 8
	for _, n := range []int{3 * b, 75, 530} {
		a := matrix[T](r, n, n)
		exact := make([][]float64, n) // what A has become, and the size of what made it so
		size := make([][]float64, n)
		for i := range n {
			exact[i], size[i] = make([]float64, n), make([]float64, n)
			for j := range i + 1 {
				v := a.Row(i)[j]
				a.Row(j)[i] = v
				exact[i][j], exact[j][i] = float64(v), float64(v)
				size[i][j], size[j][i] = math.Abs(float64(v)), math.Abs(float64(v))
			}
		}
		trail := blas.NewTrailing(s.e, nil, a.Rows, b, upperRows(a.General))
		a.check(t, "A")
		for step := range 2 {
			head, from := trail.Head(b), (step+1)*b
			for i := range head.Rows {
				for j := range b {
					near(t, "Head", i, j, float64(head.Row(i)[j]), exact[from-b+i][from-b+j], s.bound(2*b*step, size[from-b+i][from-b+j]))
				}
			}
			trail.Drop(b)
			rows := n - from
			v, x, y := matrix[T](r, rows, b), matrix[T](r, rows, b), matrix[T](r, rows, b)
			trail.Multiply(v.General, y.General)
			v.check(t, "V")
			y.check(t, "Y")
			for i := range rows {
				for j := range b {
					var sum, abs float64
					for l := range rows {
						sum += exact[from+i][from+l] * at(v.General, false, l, j)
						abs += size[from+i][from+l] * math.Abs(at(v.General, false, l, j))
					}
					near(t, "Multiply", i, j, at(y.General, false, i, j), sum, s.bound(rows+2*b*step, abs))
				}
			}
			trail.Subtract(v.General, x.General)
			for i := range rows {
				for j := range rows {
					vx, abs := product(v.General, x.General, false, true, i, j, b)
					xv, abs2 := product(x.General, v.General, false, true, i, j, b)
					exact[from+i][from+j] -= vx + xv
					size[from+i][from+j] += abs + abs2
				}
			}
		}
	}
}

// spec is a random map of f frequencies of dim inputs.
func spec(r *rand.Rand, f asm.Func, dim, n int) *blas.Spec {
	s := &blas.Spec{Dim: dim, W: blas.NewGeneral[float64](n, dim), Func: f, Weight: make([]float64, n*f.Outputs()), Phase: make([]float64, n)}
	for i := range s.W.Data {
		s.W.Data[i] = r.NormFloat64()
	}
	for i := range s.Phase {
		s.Phase[i] = 2 * math.Pi * r.Float64()
	}
	for i := range s.Weight {
		s.Weight[i] = 0.5 + r.Float64()
	}
	return s
}

func function(f asm.Func, t float64) (v, v2 float64) {
	switch f {
	case asm.Cos:
		return math.Cos(t), 0
	case asm.CosSin:
		return math.Cos(t), math.Sin(t)
	case asm.ArcCos1:
		return max(t, 0), 0
	case asm.ArcCos2:
		return max(t, 0) * max(t, 0), 0
	}
	return t, 0
}

func (s suite[T]) features(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for _, f := range []asm.Func{asm.Cos, asm.CosSin, asm.Linear, asm.ArcCos1, asm.ArcCos2} {
		for _, z := range [][3]int{{1, 1, 1}, {3, 5, 7}, {40, 14, 33}, {19, 130, 70}} {
			rows, dim, n := z[0], z[1], z[2]
			sp := spec(r, f, dim, n)
			x := matrix[T](r, rows, dim)
			got := matrix[T](r, rows, n*f.Outputs())
			m := blas.Pack[T](sp)
			m.Transform(s.e, got.General, x.General)
			got.check(t, "Z")
			x.check(t, "X")
			check := func(i, j int, weight, v, v2, size float64, want float64) {
				// The projection rounds dim+2 times (weights and phase are rounded too);
				// no function here has a slope above 1, but ArcCos2's is 2|t|.
				bound := float64(2*dim+6) * s.eps * size
				if f == asm.ArcCos2 {
					bound *= 2 * size
				}
				near(t, fmt.Sprintf("features of function %d", f), i, j, at(got.General, false, i, j), want, weight*(bound+s.cos)+4*s.eps*math.Abs(want))
			}
			for i := range rows {
				for j := range n {
					p := sp.Phase[j]
					size := math.Abs(p)
					for k := range dim {
						v := at(x.General, false, i, k) * sp.W.Data[j*sp.W.Stride+k]
						p += v
						size += math.Abs(v)
					}
					v, v2 := function(f, p)
					check(i, j, sp.Weight[j], v, v2, size, sp.Weight[j]*v)
					if f == asm.CosSin {
						check(i, n+j, sp.Weight[n+j], v, v2, size, sp.Weight[n+j]*v2)
					}
				}
			}
			// Predictions from these features.
			cols := n * f.Outputs()
			coef := matrix[T](r, cols, 2)
			y := matrix[T](r, rows, 2)
			m.Predict(s.e, y.General, x.General, coef.General, []T{1, -1})
			y.check(t, "predictions")
			for i := range rows {
				for c := range 2 {
					sum, size := product(got.General, coef.General, false, false, i, c, cols)
					near(t, "prediction", i, c, at(y.General, false, i, c), sum+float64(1-2*c), s.bound(cols+1, size+1))
				}
			}
		}
	}
}

func (s suite[T]) gram(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	const rows, dim, n, targets = blas.RowBlock + 90, 6, 41, 2
	m := blas.Pack[T](spec(r, asm.CosSin, dim, n))
	x, y := matrix[T](r, rows, dim), matrix[T](r, rows, targets)
	z := blas.NewGeneral[T](rows, 2*n)
	m.Transform(s.e, z, x.General)
	for _, gram := range []bool{true, false} {
		for _, weighted := range []bool{true, false} {
			a := blas.NewAccumulator(m, targets, gram)
			w := make([]float64, rows)
			var weight []T
			if weighted {
				weight = make([]T, rows)
			}
			for i := range w {
				w[i] = 1
				if weighted {
					weight[i] = T(r.Float64() * 2)
					w[i] = float64(weight[i])
				}
			}
			piece := func(i, j int) {
				var ws []T
				if weighted {
					ws = weight[i:j]
				}
				a.Add(s.e, x.RowRange(i, j), y.RowRange(i, j), ws)
			}
			piece(0, 100)
			piece(100, rows-1)
			piece(rows-1, rows)
			a.Flush(s.e)
			if a.Rows != rows || a.Pending() != 0 {
				t.Fatalf("%d rows added, %d pending", a.Rows, a.Pending())
			}
			sum := func(f func(r int) float64) (v, size float64) {
				for i := range rows {
					v += w[i] * f(i)
					size += w[i] * math.Abs(f(i))
				}
				return
			}
			compare := func(what string, i, j int, got float64, f func(r int) float64) {
				t.Helper()
				v, size := sum(f)
				near(t, what, i, j, got, v, s.bound(rows, size))
			}
			for i := range 2 * n {
				zi := func(r int) float64 { return at(z, false, r, i) }
				compare("Z", i, 0, a.Z[i], zi)
				for c := range targets {
					compare("ZY", i, c, a.ZY.Data[i*a.ZY.Stride+c], func(r int) float64 { return zi(r) * at(y.General, false, r, c) })
				}
				if gram {
					for j := range 2 * n {
						got := a.G.Data[i*a.G.Stride+j]
						if j < i {
							near(t, "G below the diagonal", i, j, got, 0, 0)
							continue
						}
						compare("G", i, j, got, func(r int) float64 { return zi(r) * at(z, false, r, j) })
					}
				}
			}
			for c := range targets {
				compare("Y", c, 0, a.Y[c], func(r int) float64 { return at(y.General, false, r, c) })
				compare("YY", c, 0, a.YY[c], func(r int) float64 { v := at(y.General, false, r, c); return v * v })
			}
			total, size := sum(func(int) float64 { return 1 })
			near(t, "W", 0, 0, a.W, total, s.bound(rows, size))
		}
	}
}

// nan: a NaN or an infinity in a row of x makes the features of this row NaN
// and those of no other.
func (s suite[T]) nan(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 1))
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		x := matrix[T](r, 30, 5)
		x.Row(17)[2] = T(bad)
		z := blas.NewGeneral[T](30, 26)
		blas.Pack[T](spec(r, asm.CosSin, 5, 13)).Transform(s.e, z, x.General)
		for i := range 30 {
			for j, v := range z.Row(i) {
				if (v != v) != (i == 17) {
					t.Fatalf("%g in row 17: feature (%d, %d) is %g", bad, i, j, v)
				}
			}
		}
	}
}

// misuse: programmer errors panic with a message of package blas.
func misuse(t *testing.T, e blas.Engine) {
	g := func(r, c int) blas.General[float64] { return blas.NewGeneral[float64](r, c) }
	short := g(4, 4)
	short.Data = short.Data[:15]
	narrow := g(4, 4)
	narrow.Stride = 3
	one := g(8, 8)
	trail := func() *blas.Trailing[float64] { return blas.NewTrailing(e, nil, 8, 2, upperRows(one)) }
	m := blas.Pack[float64](spec(rand.New(rand.NewPCG(1, 2)), asm.CosSin, 3, 4))
	for name, f := range map[string]func(){
		"Gemm: inner sizes":         func() { blas.Gemm(e, false, false, 1, g(2, 3), g(2, 3), 0, g(2, 3)) },
		"Gemm: short data":          func() { blas.Gemm(e, false, false, 1, short, g(4, 4), 0, g(4, 4)) },
		"Gemm: narrow stride":       func() { blas.Gemm(e, false, false, 1, g(4, 4), narrow, 0, g(4, 4)) },
		"Gemm: C is A":              func() { blas.Gemm(e, false, false, 1, one, g(8, 8), 0, one) },
		"Gemm: C overlaps B":        func() { blas.Gemm(e, false, false, 1, g(4, 4), one.RowRange(0, 4), 0, shifted(one)) },
		"Syrk: C is A":              func() { blas.Syrk(e, true, true, 1, one, 0, one) },
		"Syrk: size":                func() { blas.Syrk(e, true, true, 1, g(3, 4), 0, g(3, 3)) },
		"TrsmUpper: B is U":         func() { blas.TrsmUpper(e, true, one, one) },
		"TrsmUpper: size":           func() { blas.TrsmUpper(e, true, g(3, 3), g(4, 1)) },
		"Cholesky: not square":      func() { _ = blas.Cholesky(e, g(3, 4)) },
		"TriInverse: in place":      func() { blas.TriInverse(e, one, one) },
		"Trailing: block":           func() { blas.NewTrailing(e, nil, 8, 0, upperRows(one)) },
		"Head: columns":             func() { trail().Head(9) },
		"Multiply: rows":            func() { trail().Multiply(g(7, 2), g(7, 2)) },
		"Multiply: in place":        func() { t := trail(); v := g(8, 2); t.Multiply(v, v) },
		"Multiply: before Drop":     func() { t := trail(); t.Head(2); t.Multiply(g(8, 2), g(8, 2)) },
		"Multiply: columns":         func() { trail().Multiply(g(8, 3), g(8, 3)) },
		"Subtract: columns":         func() { trail().Subtract(g(8, 3), g(8, 3)) },
		"Subtract: before Drop":     func() { t := trail(); t.Head(2); t.Subtract(g(8, 2), g(8, 2)) },
		"Head: of nothing":          func() { t := trail(); t.Drop(8); t.Head(1) },
		"Subtract: rows":            func() { trail().Subtract(g(7, 2), g(7, 2)) },
		"Subtract: twice":           func() { t := trail(); t.Subtract(g(8, 2), g(8, 2)); t.Subtract(g(8, 2), g(8, 2)) },
		"Drop: rows":                func() { trail().Drop(9) },
		"Transform: columns of x":   func() { m.Transform(e, g(2, 8), g(2, 4)) },
		"Transform: columns of dst": func() { m.Transform(e, g(2, 7), g(2, 3)) },
		"Transform: rows":           func() { m.Transform(e, g(3, 8), g(2, 3)) },
		"Predict: coefficients":     func() { m.Predict(e, g(2, 1), g(2, 3), g(7, 1), nil) },
		"Predict: intercept":        func() { m.Predict(e, g(2, 1), g(2, 3), g(8, 1), make([]float64, 2)) },
		"PredictBy: coefficients":   func() { m.PredictBy(e, g(2, 1), g(2, 3), g(8, 1), nil) },
		"Add: rows":                 func() { blas.NewAccumulator(m, 1, true).Add(e, g(2, 3), g(3, 1), nil) },
		"Add: weights":              func() { blas.NewAccumulator(m, 1, true).Add(e, g(2, 3), g(2, 1), make([]float64, 3)) },
	} {
		func() {
			defer func() {
				if p := recover(); p == nil {
					t.Errorf("%s: no panic", name)
				} else if s, ok := p.(string); !ok || len(s) < 5 || s[:5] != "blas:" {
					t.Errorf("%s: panics with %v, which is not a message of package blas", name, p)
				}
			}()
			f()
		}()
	}
}

func shifted(m blas.General[float64]) blas.General[float64] {
	return blas.General[float64]{Rows: 4, Cols: 4, Stride: m.Stride, Data: m.Data[3:]}
}

// empty: no rows, no columns, no inner dimension.
func empty(t *testing.T, e blas.Engine) {
	g := func(r, c int) blas.General[float64] { return blas.NewGeneral[float64](r, c) }
	c := g(2, 2)
	c.Data[3] = 7
	blas.Gemm(e, false, false, 1, g(2, 0), g(0, 2), 1, c)
	if c.Data[3] != 7 {
		t.Errorf("an empty product changed C to %v", c.Data)
	}
	blas.Gemm(e, false, false, 1, g(2, 0), g(0, 2), 0, c)
	if c.Data[3] != 0 {
		t.Errorf("an empty product with β = 0 left %v", c.Data)
	}
	blas.Gemm(e, false, false, 1, g(0, 3), g(3, 2), 0, g(0, 2))
	blas.Gemm(e, false, false, 1, g(2, 3), g(3, 0), 0, g(2, 0))
	blas.Syrk(e, true, true, 1, g(3, 0), 0, g(0, 0))
	blas.TrsmUpper(e, true, g(0, 0), g(0, 2))
	blas.TrsmUpper(e, true, g(2, 2), g(2, 0))
	if err := blas.Cholesky(e, g(0, 0)); err != nil {
		t.Errorf("Cholesky of an empty matrix: %v", err)
	}
	m := blas.Pack[float64](spec(rand.New(rand.NewPCG(1, 2)), asm.Cos, 3, 4))
	m.Transform(e, g(0, 4), g(0, 3))
	m.Predict(e, g(0, 1), g(0, 3), g(4, 1), nil)
	a := blas.NewAccumulator(m, 1, true)
	a.Add(e, g(0, 3), g(0, 1), nil)
	a.Flush(e)
	if a.Rows != 0 {
		t.Errorf("%d rows added of none", a.Rows)
	}
}

// upperRows gives a Trailing the upper triangle of a symmetric matrix.
func upperRows[T blas.Float](a blas.General[T]) func(dst []T, i, j int) {
	return func(dst []T, i, j int) { copy(dst, a.Row(i)[j:]) }
}
