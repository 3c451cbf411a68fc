package rff_test

import (
	"math"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

func general(m blas.General[float64]) *mat.Dense {
	d := mat.NewDense(m.Rows, m.Cols, nil)
	for i := range m.Rows {
		d.SetRow(i, m.Row(i)[:m.Cols])
	}
	return d
}

// The kernel of the landmarks is that of rff.Kernel with ε on the diagonal, and has the
// same bits before and after its inverse factor P is made, for which PᵀKP = I.
func TestLandmarkKernel(t *testing.T) {
	for _, k := range sectionKernels {
		for _, n := range []int{1, 30, 270} { // beyond a block of the factor
			c, _ := landmarksAndRows(5, n, 0)
			m, err := rff.Nystrom(k, c)
			if err != nil {
				t.Fatal(err)
			}
			before := general(m.LandmarkKernel())
			var wait sync.WaitGroup
			var p blas.General[float64]
			wait.Add(1)
			go func() {
				defer wait.Done()
				_, p = m.Factored()
			}()
			during := general(m.LandmarkKernel())
			wait.Wait()
			after := general(m.LandmarkKernel())
			if !mat.Equal(before, during) || !mat.Equal(before, after) {
				t.Errorf("%v, %d landmarks: other bits with the inverse", k, n)
			}
			for i := range n {
				for j := range n {
					want := k.Eval(c.RawRowView(i), c.RawRowView(j))
					if i == j {
						want += m.Jitter()
					}
					// Squared distances are off by some eps·(‖x‖ + ‖c‖)², and k by the root of that.
					if e := math.Abs(before.At(i, j) - want); !(e <= 1e-6) || i == j && e != 0 {
						t.Fatalf("%v: (%d, %d) is %v, want %v", k, i, j, before.At(i, j), want)
					}
				}
			}
			var one mat.Dense
			one.Product(general(p).T(), before, general(p))
			for i := range n {
				one.Set(i, i, one.At(i, i)-1)
			}
			// Rounding errors of K, some n·eps, times ‖P‖².
			if e := mat.Norm(&one, 2); !(e <= 10*float64(n)*0x1p-52*m.FactorNorm()) {
				t.Errorf("%v, %d landmarks: PᵀKP is off I by %v, of ‖P‖² = %v", k, n, e, m.FactorNorm())
			}
		}
	}
}

// Only maps of landmarks have another map of sections, with the features that the
// factor multiplies.
func TestSections(t *testing.T) {
	c, x := landmarksAndRows(3, 12, 4)
	k := rff.NewMatern(1.5, 2)
	m, err := rff.Nystrom(k, c)
	if err != nil {
		t.Fatal(err)
	}
	plain, ok := m.Sections()
	if !ok {
		t.Fatal("no sections")
	}
	again, of := plain.Sections()
	if of || again != plain || plain.LandmarkKernel().Data != nil || plain.Jitter() != 0 || plain.FactorNorm() != 0 {
		t.Error("sections are of landmarks")
	}
	_, p := m.Factored()
	var z, s, sp mat.Dense
	if m.Transform(&z, x) != nil || plain.Transform(&s, x) != nil {
		t.Fatal("no features")
	}
	sp.Mul(&s, general(p))
	if !mat.EqualApprox(&z, &sp, 1e-9) {
		t.Error("features are not those of the sections, times the factor")
	}
}
