package portable

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestTanh(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		x := (2*rng.Float64() - 1) * math.Exp2(6-20*rng.Float64())
		e := bigExp(num(2 * x))
		want, _ := op().Quo(op().Sub(e, num(1)), op().Add(e, num(1))).Float64()
		got := Tanh(x)
		if !(math.Abs(got-want) <= 0x1p-51) || got != -Tanh(-x) {
			t.Errorf("Tanh(%v) = %v, want %v", x, got, want)
		}
		// What the tangent lost of x, the slope of its inverse multiplies by 1/(1 − tanh²).
		if back := Atanh(got); math.Abs(got) < 0.99 && !(math.Abs(back-x) <= 0x1p-50/(1-got*got)) {
			t.Errorf("Atanh(%v) = %v, want %v", got, back, x)
		}
	}
	for x, want := range map[float64]float64{0: 0, math.Inf(1): 1, math.Inf(-1): -1, 1000: 1, -1000: -1} {
		if got := Tanh(x); got != want {
			t.Errorf("Tanh(%v) = %v, want %v", x, got, want)
		}
	}
	if Tanh(math.NaN()) == Tanh(math.NaN()) || Atanh(0) != 0 || !math.IsInf(Atanh(1), 1) {
		t.Error("NaN, or what is no tangent")
	}
}
