package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestSumsBits(t *testing.T) {
	t.Run("float64", testSumsBits[float64])
	t.Run("float32", testSumsBits[float32])
}

func testSumsBits[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(21, 2))
	n := 2*RowBlock + 77
	if testing.Short() {
		n = RowBlock + 77
	}
	for name, s := range specs(r) {
		x := randomGeneral[T](r, n, s.Dim, 1)
		for _, targets := range []int{1, 3} {
			y := randomGeneral[T](r, n, targets, 1)
			weight := make([]T, n)
			for i := range weight {
				weight[i] = T(r.IntN(4)) / 2
			}
			if targets == 1 {
				weight = nil
			}
			for _, gram := range []bool{true, false} {
				if testing.Short() && gram != (targets == 3) {
					continue // one of the two per number of targets will do
				}
				want := refSums(s, x, y, weight, gram)
				t.Run(fmt.Sprintf("%s/targets=%d/gram=%v", name, targets, gram), func(t *testing.T) {
					m := Pack[T](s)
					onExact(t, func(t *testing.T, e Engine) {
						a := NewAccumulator(m, targets, gram)
						// In pieces of random sizes.
						pieces := rand.New(rand.NewPCG(uint64(e.Workers), 9))
						for i := 0; i < n; {
							j := min(n, i+1+pieces.IntN(2*RowBlock))
							var w []T
							if weight != nil {
								w = weight[i:j]
							}
							a.Add(e, x.RowRange(i, j), y.RowRange(i, j), w)
							i = j
						}
						a.Flush(e)
						sameSums(t, &a.Sums, want)
					})
				})
			}
		}
	}
}

func sameSums(t *testing.T, got, want *Sums) {
	t.Helper()
	if got.Rows != want.Rows || got.W != want.W {
		t.Fatalf("rows %d, weight %g; want %d, %g", got.Rows, got.W, want.Rows, want.W)
	}
	sameBits(t, "G", got.G.Data, want.G.Data)
	sameBits(t, "ZY", got.ZY.Data, want.ZY.Data)
	sameBits(t, "Z", got.Z, want.Z)
	sameBits(t, "Y", got.Y, want.Y)
	sameBits(t, "YY", got.YY, want.YY)
}

func TestMergeSubtract(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 2))
	s := specs(r)["cossin"]
	m := Pack[float64](s)
	x, y := randomGeneral[float64](r, 300, s.Dim, 0), randomGeneral[float64](r, 300, 2, 0)
	sums := func(i, j int) *Sums {
		a := NewAccumulator(m, 2, true)
		a.Add(Engine{}, x.RowRange(i, j), y.RowRange(i, j), nil)
		a.Flush(Engine{})
		return &a.Sums
	}
	total, part := sums(0, 300), sums(0, 100)
	total.Merge(part, -1)
	rest := sums(100, 300)
	near := func(what string, got, want []float64) {
		for i := range got {
			// Sums of 300 terms of size at most 1.5²·|y|: 300·eps·10 is plenty.
			if math.Abs(got[i]-want[i]) > 1e-11 {
				t.Fatalf("%s: element %d is %g, want %g", what, i, got[i], want[i])
			}
		}
	}
	near("G", total.G.Data, rest.G.Data)
	near("ZY", total.ZY.Data, rest.ZY.Data)
	near("Z", total.Z, rest.Z)
	if total.Rows != 200 || total.W != 200 {
		t.Fatalf("%d rows of weight %g left", total.Rows, total.W)
	}
	total.Merge(part, 1)
	if all := sums(0, 300); total.Rows != all.Rows {
		t.Fatalf("%d rows after Merge", total.Rows)
	}
}
