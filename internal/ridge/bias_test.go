package ridge

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// What rounding added to the diagonal of all sums changes neither the system nor the errors of
// rows left out.
func TestBias(t *testing.T) {
	const n, s, bias = 60, 7, 1e-2
	r := rand.New(rand.NewPCG(1, 1))
	of := func(rows int) *blas.Sums {
		u := blas.NewSums(s, 1, true)
		for range rows {
			var z [s]float64
			y := r.NormFloat64()
			for i := range z {
				z[i] = r.NormFloat64()
				y += z[i]
			}
			for i := range z {
				for j := i; j < s; j++ {
					u.G.Row(i)[j] += z[i] * z[j]
				}
				u.ZY.Row(i)[0] += z[i] * y
				u.Z[i] += z[i]
			}
			u.Y[0], u.YY[0], u.Rows, u.W = u.Y[0]+y, u.YY[0]+y*y, u.Rows+1, u.W+1
		}
		return u
	}
	biased := func(u *blas.Sums) *blas.Sums {
		b := *u
		b.G, b.Bias = dense.Clone(u.G), bias
		for i := range s {
			b.G.Row(i)[i] += b.W * bias
		}
		return &b
	}
	train, held := of(n), of(n/3)
	solve := func(train, held *blas.Sums) ([]float64, []float64) {
		system := New(Coordinates{}, train, nil, []float64{0})
		diag := append([]float64(nil), system.Diag...)
		errs, _, err := system.HeldOut(context.Background(), blas.Engine{Workers: 1}, held, []float64{1e-3, 1e-1, 1, 10, 100}, blas.General[float64]{}, func(float64) {})
		if err != nil {
			t.Fatal(err)
		}
		return diag, errs
	}
	diag, errs := solve(train, held)
	diag2, errs2 := solve(biased(train), biased(held))
	for i := range diag {
		if math.Abs(diag[i]-diag2[i]) > 1e-12*diag[i] {
			t.Errorf("element %d of the diagonal is %v, want %v", i, diag2[i], diag[i])
		}
	}
	for i := range errs {
		if math.Abs(errs[i]-errs2[i]) > 1e-10*errs[i] {
			t.Errorf("held-out error %d is %v, want %v", i, errs2[i], errs[i])
		}
	}
}
