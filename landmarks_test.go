package rff_test

import (
	"math"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
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
			_, change := inside.Split(m)
			penalty := func() *mat.Dense {
				k, ok := change.Penalty()
				if !ok {
					t.Fatal("no penalty")
				}
				return general(k)
			}
			before := penalty()
			var wait sync.WaitGroup
			var p blas.General[float64]
			wait.Add(1)
			go func() {
				defer wait.Done()
				p = change.P()
			}()
			during := penalty()
			wait.Wait()
			after := penalty()
			if !mat.Equal(before, during) || !mat.Equal(before, after) {
				t.Errorf("%v, %d landmarks: other bits with the inverse", k, n)
			}
			for i := range n {
				for j := range n {
					want := k.Eval(c.RawRowView(i), c.RawRowView(j))
					if i == j {
						want += change.Jitter()
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
			if e := mat.Norm(&one, 2); !(e <= 10*float64(n)*0x1p-52*change.Norm()) {
				t.Errorf("%v, %d landmarks: PᵀKP is off I by %v, of ‖P‖² = %v", k, n, e, change.Norm())
			}
		}
	}
}

// Only maps of landmarks have a base, with the features that the change multiplies; and so
// has what a triangle makes of sections by hand, of which the penalty is not known.
func TestBase(t *testing.T) {
	c, x := landmarksAndRows(3, 12, 4)
	k := rff.NewMatern(1.5, 2)
	m, err := rff.Nystrom(k, c)
	if err != nil {
		t.Fatal(err)
	}
	again, err := inside.New(inside.Spec(m), k)
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]*rff.Map{"made": m, "of its numbers": again} {
		base, change := inside.Split(m)
		if change == nil {
			t.Fatal(name, "no base")
		}
		if _, known := change.Penalty(); known != (name == "made") || known != (change.Jitter() > 0) {
			t.Errorf("%s: the penalty is known: %v", name, known)
		}
		if same, none := inside.Split(base); none != nil || same != base {
			t.Errorf("%s: the base has a base", name)
		}
		p := general(change.P())
		var z, s, sp mat.Dense
		if m.Transform(&z, x) != nil || base.Transform(&s, x) != nil {
			t.Fatal("no features")
		}
		sp.Mul(&s, p)
		if !mat.EqualApprox(&z, &sp, 1e-9) {
			t.Errorf("%s: features are not those of the base, times the change", name)
		}
		// The power method is from below.
		if largest := math.Pow(mat.Norm(p, 2), 2); !(change.Norm() > 0.5/12*largest && change.Norm() <= largest*(1+1e-12)) {
			t.Errorf("%s: ‖P‖² ≈ %v of at most %v", name, change.Norm(), largest)
		}
	}
	// A product that is no triangle stays one of the rows, at any bandwidth.
	spec := inside.Spec(m)
	spec.Product = blas.General[float64]{Rows: 12, Cols: 2, Stride: 2, Data: slices.Clone(spec.Product.Data[:24])}
	narrow, err := inside.New(spec, k)
	if err != nil {
		t.Fatal(err)
	}
	wider, err := narrow.Rescale(2)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*rff.Map{narrow, wider} {
		if base, change := inside.Split(m); change != nil || base != m {
			t.Error("a product of two columns is a change of basis")
		}
		if _, out := m.Dims(); out != 2 {
			t.Errorf("%d features", out)
		}
	}
}
