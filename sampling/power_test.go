package sampling

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
)

// A power iteration takes the span of Q to that of FᵀF·Q, with F the features of
// the rows: the projector of the one leaves nothing of the other.
func TestTEFMPower(t *testing.T) {
	const n, d, l = 400, 3, 10
	data := waves(n, d, 0)
	k := rff.NewGaussian(0.7)
	for _, hadamard := range []bool{false, true} {
		var q [3]*mat.Dense
		var f *mat.Dense
		for power := range q {
			m, err := TEFM{Hadamard: hadamard, Power: power}.Sample(context.Background(), rff.Request{Kernel: k, Dim: d, Features: l, Data: data, Rand: rand.NewPCG(5, 5)})
			if err != nil {
				t.Fatal(err)
			}
			p := inside.Spec(m).Product
			q[power] = mat.NewDense(p.Rows, p.Cols, p.Data)
			plain := *inside.Spec(m)
			plain.Product = blas.General[float64]{}
			wide, err := inside.New(&plain, k)
			if err != nil {
				t.Fatal(err)
			}
			f = denseOf(t, wide, data.x)
		}
		for power := 1; power < len(q); power++ {
			var fq, next, inside, left mat.Dense
			fq.Mul(f, q[power-1])
			next.Mul(f.T(), &fq)
			inside.Mul(q[power].T(), &next)
			left.Mul(q[power], &inside)
			left.Sub(&next, &left)
			// Rounding of the products and of the basis: n·ε with room.
			if e := mat.Norm(&left, 2) / mat.Norm(&next, 2); e > 1e-11 {
				t.Errorf("power %d: %.2g of FᵀF·Q lies outside its span", power, e)
			}
			var moved mat.Dense
			moved.Mul(q[power-1].T(), q[power])
			if off := math.Sqrt(l) - mat.Norm(&moved, 2); off < 1e-6 {
				t.Errorf("power %d: the span has not moved", power)
			}
		}
	}
}

// Leverage scores stay in [0, 1] where rounding would not leave them: columns so
// small that 1 − nλ/(nλ+ε) is a rounding error of either sign.
func TestLeverageOfFaintColumns(t *testing.T) {
	const n, d = 50, 2
	src := rand.NewPCG(3, 3)
	spec := &blas.Spec{Dim: d, Func: asm.Linear, W: blas.NewGeneral[float64](30, d)}
	for i := range 30 {
		for j := range d {
			spec.W.Row(i)[j] = normal(src)
		}
		spec.Weight = append(spec.Weight, 1e-9*(1+float64(i)))
	}
	m, err := inside.New(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	bound := 0
	for i := range 40 {
		lambda := 0.1 + 0.0173*float64(i) // each rounds in its own way
		tau, _, err := leverageScores(context.Background(), "leverage", m, waves(n, d, 0), lambda, stream.Float64, blas.Engine{})
		if err != nil {
			t.Fatal(err)
		}
		for c, v := range tau {
			if !(v >= 0 && v <= 1) {
				t.Fatalf("λ = %g: column %d has the score %g", lambda, c, v)
			}
			if v == 0 {
				bound++
			}
		}
	}
	if bound == 0 {
		t.Error("no score is at its bound: the columns are not faint enough")
	}
}

// An odd number of columns to project is rounded up: a pair needs two.
func TestTEFMOddPool(t *testing.T) {
	m, err := TEFM{Multiple: 3}.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 2, Features: 5, Data: waves(100, 2, 0), Rand: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	if rows := inside.Spec(m).Product.Rows; rows != 16 {
		t.Errorf("%d columns are projected, want 16", rows)
	}
}
