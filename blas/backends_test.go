package blas

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/gonum"

	"github.com/rffgo/rff/asm"
)

// others are the backends whose bits may differ: gonum's, and another BLAS through
// its interfaces.
func others() []Backend {
	own, _ := lookup("gonum", "backend")
	return []Backend{own, NewLevel3("level 3", gonum.Implementation{}, gonum.Implementation{})}
}

func filledWith[T Float](rng *rand.Rand, r, c int) General[T] {
	m := NewGeneral[T](r, c)
	for i := range m.Data {
		m.Data[i] = T(rng.NormFloat64())
	}
	return m
}

// apart is max|a−b|, infinite if an element is NaN.
func apart[T Float](a, b General[T]) (worst float64) {
	for i := range a.Data {
		d := math.Abs(float64(a.Data[i]) - float64(b.Data[i]))
		if math.IsNaN(d) {
			return math.Inf(1)
		}
		worst = math.Max(worst, d)
	}
	return worst
}

// Every operation on the other backends is that of the native one, to rounding:
// sums of 40 terms of size 1, and solutions of well-conditioned systems.
func TestOtherBackends(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testOtherBackends[float64](t, 1e-12) })
	t.Run("float32", func(t *testing.T) { testOtherBackends[float32](t, 1e-3) })
}

func testOtherBackends[T Float](t *testing.T, tolerance float64) {
	const n, k = 12, 40
	native, err := Lookup("native:go")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range others() {
		e, ref := Engine{Backend: b}, Engine{Backend: native}
		same := func(what string, got, want General[T]) {
			t.Helper()
			if d := apart(got, want); !(d <= tolerance) {
				t.Errorf("%s, %s: off by %g", b.Name(), what, d)
			}
		}
		if b.Exact() {
			t.Errorf("%s says that its bits are defined", b.Name())
		}
		for _, transA := range []bool{false, true} {
			for _, transB := range []bool{false, true} {
				rng := rand.New(rand.NewPCG(1, 2))
				sized := func(trans bool, r, c int) General[T] {
					if trans {
						r, c = c, r
					}
					return filledWith[T](rng, r, c)
				}
				x, y, c := sized(transA, n, k), sized(transB, k, n+3), filledWith[T](rng, n, n+3)
				want := NewGeneral[T](n, n+3)
				copy(want.Data, c.Data)
				Gemm(e, transA, transB, 0.5, x, y, -2, c)
				Gemm(ref, transA, transB, 0.5, x, y, -2, want)
				same("Gemm", c, want)
			}
			for _, upper := range []bool{false, true} {
				rng := rand.New(rand.NewPCG(3, 4))
				a := filledWith[T](rng, n, n)
				c := filledWith[T](rng, n, n)
				want := NewGeneral[T](n, n)
				copy(want.Data, c.Data)
				Syrk(e, upper, transA, 1, a, 1, c)
				Syrk(ref, upper, transA, 1, a, 1, want)
				same("Syrk", c, want)
			}
			rng := rand.New(rand.NewPCG(5, 6))
			u, x := filledWith[T](rng, n, n), filledWith[T](rng, n, 5)
			for i := range n {
				u.Row(i)[i] = T(5 + i)
			}
			want := NewGeneral[T](n, 5)
			copy(want.Data, x.Data)
			TrsmUpper(e, transA, u, x)
			TrsmUpper(ref, transA, u, want)
			same("TrsmUpper", x, want)
		}
		for _, f := range []asm.Func{asm.Cos, asm.CosSin, asm.Linear, asm.ArcCos0, asm.ArcCos1, asm.ArcCos2} {
			rng := rand.New(rand.NewPCG(7, uint64(f)))
			s := &Spec{Dim: 3, Func: f, W: filledWith[float64](rng, 6, 3), Phase: make([]float64, 6), Weight: make([]float64, 6*f.Outputs())}
			for i := range s.Weight { // other weights for the sines
				s.Weight[i] = rng.NormFloat64()
			}
			clear(s.W.Row(2)) // ωᵀx + b = 0, where the step is ½
			for i := range s.Phase {
				if i != 2 {
					s.Phase[i] = rng.Float64()
				}
			}
			x := filledWith[T](rng, 4, 3)
			got, want := NewGeneral[T](4, len(s.Weight)), NewGeneral[T](4, len(s.Weight))
			m := Pack[T](s)
			m.Transform(e, got, x)
			m.Transform(ref, want, x)
			same("Transform", got, want)
		}
	}
}

// A result must not share memory with either operand.
func TestProductsRefuseAliases(t *testing.T) {
	m := NewGeneral[float64](8, 4)
	top, bottom, shifted := m.RowRange(0, 4), m.RowRange(4, 8), m.RowRange(1, 5)
	for name, f := range map[string]func(){
		"Gemm, A":   func() { Gemm(Engine{}, false, false, 1, top, bottom, 0, shifted) },
		"Gemm, B":   func() { Gemm(Engine{}, false, false, 1, NewGeneral[float64](4, 4), top, 0, shifted) },
		"Syrk":      func() { Syrk(Engine{}, true, false, 1, top, 0, shifted) },
		"TrsmUpper": func() { TrsmUpper(Engine{}, true, top, shifted) },
	} {
		func() {
			defer func() {
				if recover() != errAlias {
					t.Errorf("%s: aliases pass", name)
				}
			}()
			f()
		}()
	}
}
