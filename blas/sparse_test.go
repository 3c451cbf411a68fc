package blas

import (
	"math/rand/v2"
	"testing"
)

// Features of the inputs that are not 0 have the bits of those of whole rows.
func TestSome(t *testing.T) {
	t.Run("float64", testSome[float64])
	t.Run("float32", testSome[float32])
}

func testSome[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	tried := 0
	for name, s := range specs(r) {
		m := Pack[T](s)
		in, out := m.Dims()
		if !m.Sparse() {
			continue
		}
		tried++
		inputs := []int{}
		for j := range in {
			if r.IntN(3) == 0 || j == in-1 && len(inputs) == 0 {
				inputs = append(inputs, j)
			}
		}
		x, some := NewGeneral[T](9, in), NewGeneral[T](9, len(inputs))
		for i := range x.Rows {
			for k, j := range inputs {
				x.Row(i)[j] = T(r.NormFloat64())
				some.Row(i)[k] = x.Row(i)[j]
			}
		}
		t.Run(name, func(t *testing.T) {
			onExact(t, func(t *testing.T, e Engine) {
				got, want := NewGeneral[T](9, out), NewGeneral[T](9, out)
				m.Some(inputs).Transform(e, got, some)
				m.Transform(e, want, x)
				sameBits(t, "Some", got.Data, want.Data)
			})
		})
	}
	if tried < 5 {
		t.Error("only", tried, "maps")
	}
	for _, s := range specs(r) {
		if m := Pack[T](s); len(s.Blocks) > 0 && m.Sparse() {
			t.Error("Hadamard blocks mix all inputs")
		}
	}
}
