package band

import (
	"math"
	"math/big"
	"testing"
)

// The norm of columns whose squares leave the range of float64, at either end, and
// of those beside the bounds, against 200-bit arithmetic.
func TestNorm(t *testing.T) {
	for _, scale := range []float64{1, 0x1p-460, 0x1p-449, 0x1p449, 0x1p460, 0x1p-1000, 0x1p1000, 0x1p-1074} {
		for _, x := range [][]float64{{3}, {3, -4}, {1, 2, 3, 4, 5, 6, 7}, {0, 0, 5}, {1, 0x1p-40, 1}} {
			sum := new(big.Float).SetPrec(200)
			scaled := make([]float64, len(x))
			for i, v := range x {
				scaled[i] = v * scale
				f := new(big.Float).SetPrec(200).SetFloat64(scaled[i])
				sum.Add(sum, f.Mul(f, f))
			}
			want, _ := sum.Sqrt(sum).Float64()
			// A sum of n squares has a relative error of n·u, its root half of that and u.
			bound := float64(len(x)+2) * 0x1p-53 * want
			if got := norm(scaled); !(math.Abs(got-want) <= max(bound, 0x1p-1074)) {
				t.Errorf("norm of %v·%g is %g, want %g", x, scale, got, want)
			}
		}
	}
	if got := norm(make([]float64, 5)); got != 0 {
		t.Errorf("norm of zeros is %g", got)
	}
}
