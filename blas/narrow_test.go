package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rffgo/rff/asm"
)

// A map of few frequencies gives many rows the bits that it gives each by itself.
func TestNarrowRows(t *testing.T) {
	for _, isa := range testedISAs() {
		t.Run(isa, func(t *testing.T) {
			e := engineOn(t, isa, 2)
			narrowRowsOf[float64](t, e)
			narrowRowsOf[float32](t, e)
		})
	}
}

func narrowRowsOf[T Float](t *testing.T, e Engine) {
	r := rand.New(rand.NewPCG(3, 5))
	dims, rows := []int{1, 2, 5, 14, 33, narrowInputs, narrowInputs + 1}, []int{2, 23, 2*narrowRows + 17}
	if testing.Short() {
		dims, rows = []int{1, 5, narrowInputs}, []int{23, narrowRows + 17}
	}
	for _, fn := range []asm.Func{asm.Cos, asm.CosSin, asm.Linear, asm.ArcCos0, asm.ArcCos1, asm.ArcCos2} {
		for _, dim := range dims {
			for freqs := 1; freqs <= narrowFrequencies+1; freqs++ {
				for _, equal := range []bool{true, false} {
					s := &Spec{Dim: dim, W: uniform[float64](r, freqs, dim), Func: fn, Weight: uniform[float64](r, 1, freqs*fn.Outputs()).Data}
					if equal {
						s.Weight = slices.Repeat([]float64{0.7}, len(s.Weight))
					}
					if fn == asm.Cos && freqs%2 == 0 {
						s.Phase = uniform[float64](r, 1, freqs).Data
					}
					m := Pack[T](s)
					if formsOf(m).packed(operationsOf[T](e).(nativeOperations[T]).kern).narrow == nil && dim <= narrowInputs && freqs <= narrowFrequencies {
						t.Fatal("not narrow")
					}
					for _, n := range rows {
						name := fmt.Sprintf("%T, function %d, %d inputs, %d frequencies, %d rows", T(0), fn, dim, freqs, n)
						sameByRow(t, name, e, m, uniform[T](r, n, dim))
					}
				}
			}
		}
	}
}

// sameByRow compares the features of x, in rows with a gap, with those of its rows.
func sameByRow[T Float](t *testing.T, name string, e Engine, m *Features[T], x General[T]) {
	t.Helper()
	_, s := m.Dims()
	alone := NewGeneral[T](x.Rows, s)
	for i := range x.Rows {
		m.Transform(e, alone.RowRange(i, i+1), x.RowRange(i, i+1))
	}
	sameRows(t, name, e, m, x, alone)
}

// sameRows compares the features of x, in rows with a gap, with those that its rows have alone.
func sameRows[T Float](t *testing.T, name string, e Engine, m *Features[T], x, alone General[T]) {
	t.Helper()
	_, s := m.Dims()
	const gap = 3
	z := NewGeneral[T](x.Rows, s+gap)
	for i := range z.Data {
		z.Data[i] = 9
	}
	all := General[T]{Rows: x.Rows, Cols: s, Stride: z.Stride, Data: z.Data}
	m.Transform(e, all, x)
	for i := range x.Rows {
		for j, v := range alone.Row(i) {
			if got := all.Row(i)[j]; math.Float64bits(float64(got)) != math.Float64bits(float64(v)) {
				t.Fatalf("%s: feature %d of row %d is %v, by itself %v", name, j, i, got, v)
			}
		}
		for _, v := range z.Row(i)[s:] {
			if v != 9 {
				t.Fatalf("%s: row %d is written past its end", name, i)
			}
		}
	}
}

// Where frequencies do not fit the second-level cache and rows are few, workers share
// out frequencies: every row still gets the bits that it gets by itself.
func TestPartsOfFrequencies(t *testing.T) {
	for _, isa := range testedISAs() {
		partsOf[float64](t, isa)
		partsOf[float32](t, isa)
	}
}

func partsOf[T Float](t *testing.T, isa string) {
	r := rand.New(rand.NewPCG(9, 2))
	for _, fn := range []asm.Func{asm.Cos, asm.CosSin} {
		const dim, freqs, most = 1500, 137, manyRows + 9
		m := Pack[T](&Spec{Dim: dim, W: uniform[float64](r, freqs, dim), Func: fn, Weight: uniform[float64](r, 1, freqs*fn.Outputs()).Data})
		x, alone := uniform[T](r, most, dim), NewGeneral[T](most, freqs*fn.Outputs())
		for i := range most {
			m.Transform(engineOn(t, isa, 1), alone.RowRange(i, i+1), x.RowRange(i, i+1))
		}
		for _, workers := range []int{1, 2, 5} {
			e := engineOn(t, isa, workers)
			f := formsOf(m).packed(operationsOf[T](e).(nativeOperations[T]).kern)
			for _, n := range []int{2, 64, most} {
				if parts := f.parts(n, e.workers()); e.workers() > 1 && parts < 2 {
					t.Fatalf("%d parts for %d rows", parts, n)
				}
				name := fmt.Sprintf("%T, function %d, %d rows, %d workers", T(0), fn, n, e.workers())
				sameRows(t, name, e, m, x.RowRange(0, n), alone)
				if n == 2 { // rows by themselves are not shared out, however many workers there are
					sameByRow(t, name, e, m, x.RowRange(0, n))
				}
			}
		}
	}
}
