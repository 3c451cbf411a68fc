package basis_test

import (
	"errors"
	"math"
	"testing"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/basis"
)

func square(n int, v ...float64) blas.General[float64] {
	return blas.General[float64]{Rows: n, Cols: n, Stride: n, Data: v}
}

func factor(n int, kernel func(blas.Engine, blas.General[float64])) (*basis.Change, error) {
	c, err := basis.Later(n, kernel)
	if err != nil {
		return nil, err
	}
	return c, c.Factor()
}

// K = [1 ½; ½ 1] has P = [1 −1/√3; 0 2/√3] and ‖P‖² = 1/(1 − ½), before and after the
// factor was inverted, and the change of P alone has the same norm and products.
func TestChange(t *testing.T) {
	made, err := factor(2, func(_ blas.Engine, k blas.General[float64]) { copy(k.Data, []float64{1, 0.5, 0.5, 1}) })
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-11) { // ε is 10⁻¹²
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	for range 2 {
		k, ok := made.Penalty()
		if !ok || k.Data[0] != 1+made.Jitter() || made.Jitter() != 1e-12 {
			t.Fatalf("penalty %v, %v", k, ok)
		}
		near("K", k.Data[1], 0.5)
		near("K", k.Data[2], 0.5)
		near("P", made.P().Data[1], -1/math.Sqrt(3))
		near("P", made.P().Data[2], 0)
	}
	for _, c := range []*basis.Change{made, basis.Of(made.P())} {
		if !(math.Abs(c.Norm()-2) <= 1e-9) { // ten steps of a power of K⁻¹ with the eigenvalues 2 and ⅔
			t.Errorf("‖P‖² is %v", c.Norm())
		}
		v := blas.General[float64]{Rows: 2, Cols: 1, Stride: 1, Data: []float64{3, 6}}
		near("Pβ", c.Base(blas.Engine{}, v).Data[0], 3-6/math.Sqrt(3))
		near("Pᵀv", c.Transposed(blas.Engine{}, v).Data[1], (12-3)/math.Sqrt(3))
		if c.Bytes() != 32 {
			t.Errorf("%d bytes", c.Bytes())
		}
	}
}

// What is no triangle with an inverse is no change, and a matrix of eigenvalues below −1
// has none.
func TestNoChange(t *testing.T) {
	for name, m := range map[string]blas.General[float64]{
		"lower": square(2, 1, 0, 1, 1), "singular": square(2, 1, 1, 0, 0), "wide": {Rows: 1, Cols: 2, Stride: 2, Data: []float64{1, 1}},
	} {
		if basis.Of(m) != nil {
			t.Error(name)
		}
	}
	_, err := factor(2, func(_ blas.Engine, k blas.General[float64]) { copy(k.Data, []float64{1, 3, 3, 1}) })
	if !errors.Is(err, basis.ErrNoFactor) {
		t.Error(err)
	}
	var none *basis.Change
	v := square(1, 5)
	if _, known := none.Penalty(); known || none.Jitter() != 0 || none.Bytes() != 0 || none.P().Rows != 0 || none.Base(blas.Engine{}, v).Data[0] != 5 || none.Transposed(blas.Engine{}, v).Data[0] != 5 {
		t.Error("nil changes something")
	}
}

// Nothing is computed before it is asked for, and what is asked for first makes no difference.
func TestLater(t *testing.T) {
	for name, ask := range map[string]func(c *basis.Change){
		"P": func(c *basis.Change) { c.P() }, "norm": func(c *basis.Change) { c.Norm() }, "ε": func(c *basis.Change) { c.Jitter() },
		"penalty": func(c *basis.Change) { c.Penalty() }, "factor": func(c *basis.Change) { _ = c.Factor() },
	} {
		calls := 0
		c, err := basis.Later(2, func(_ blas.Engine, k blas.General[float64]) {
			calls++
			copy(k.Data, []float64{1, 0.5, 0.5, 1})
		})
		if err != nil || calls != 0 || c.Bytes() != 32 {
			t.Fatalf("%s: %d calls and %d bytes before, %v", name, calls, c.Bytes(), err)
		}
		ask(c)
		if calls != 1 || c.Jitter() != 1e-12 || math.Abs(c.Norm()-2) > 1e-9 || math.Abs(c.P().Data[1]+1/math.Sqrt(3)) > 1e-11 {
			t.Errorf("%s: %d calls, ε %v, norm %v, P %v", name, calls, c.Jitter(), c.Norm(), c.P())
		}
	}
}

// Where the first try has no factor that counts, the next begins with K again: rows that are
// twice among the landmarks need more than 10⁻¹², and P of what is added is the inverse of
// the factor of that matrix.
func TestFactorIsTriedAgain(t *testing.T) {
	calls := 0
	c, err := factor(3, func(_ blas.Engine, k blas.General[float64]) {
		calls++
		copy(k.Data, []float64{1, 1, 0.5, 1, 1, 0.5, 0.5, 0.5, 1})
	})
	if err != nil {
		t.Fatal(err)
	}
	k, ok := c.Penalty()
	if !ok || calls < 2 || !(c.Jitter() > 1e-12 && c.Jitter() < 1e-5) {
		t.Fatalf("%d tries, %v on the diagonal", calls, c.Jitter())
	}
	p := c.P()
	for i := range 3 {
		for j := range 3 {
			var v, want float64 // of Pᵀ(K + εI)P
			for a := range 3 {
				for b := range 3 {
					v += p.Row(a)[i] * k.Row(a)[b] * p.Row(b)[j]
				}
			}
			if i == j {
				want = 1
			}
			// ‖P‖² is 1/ε at most, and so many times as large are rounding errors.
			if math.Abs(v-want) > 16*0x1p-52/c.Jitter() {
				t.Errorf("element %d, %d is %v", i, j, v)
			}
		}
	}
}
