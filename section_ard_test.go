package rff_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
)

// Sections have the bandwidth of every input.
func TestSectionsOfOwnBandwidths(t *testing.T) {
	const d, n, m = 5, 40, 12
	scales := []float64{0.3, 1, 2.5, 7, 40}
	rng := rand.New(rand.NewPCG(1, 8))
	c, x := mat.NewDense(m, d, nil), mat.NewDense(n, d, nil)
	for _, a := range []*mat.Dense{c, x} {
		a.Apply(func(_, j int, _ float64) float64 { return scales[j] * rng.NormFloat64() }, a)
	}
	for _, k := range []rff.Kernel{rff.NewGaussian(scales...), rff.NewMatern(0.5, scales...), rff.NewMatern(1.5, scales...), rff.NewMatern(2.5, scales...), rff.NewLaplacian(scales...)} {
		full, err := rff.Nystrom(k, c)
		if err != nil {
			t.Fatal(err)
		}
		sections := plainSections(t, full)
		var z mat.Dense
		if err := sections.Transform(&z, x); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range m {
				want := k.Eval(x.RawRowView(i), c.RawRowView(j))
				if e := math.Abs(z.At(i, j) - want); !(e <= sectionBound(inside.Spec(sections), x.RawRowView(i), c.RawRowView(j), 0x1p-52)) {
					t.Fatalf("%v: row %d, landmark %d: %v, want %v", k, i, j, z.At(i, j), want)
				}
			}
		}
	}
}

// Sections of far rows keep their digits down to 2⁻⁵⁰⁰: of landmarks and rows at whole
// numbers distances are exact, and what is left is the rounding of the exponent, whose
// error of eps·700 is relative to the kernel, and of its polynomial.
func TestSectionsOfFarRows(t *testing.T) {
	c := mat.NewDense(3, 1, []float64{-1, 0, 1})
	for _, k := range []rff.Kernel{rff.NewGaussian(1), rff.NewMatern(0.5, 0.1), rff.NewMatern(1.5, 0.1), rff.NewMatern(2.5, 0.1), rff.NewLaplacian(0.1)} {
		full, err := rff.Nystrom(k, c)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []float64{5, 9, 14, 20} {
			x := mat.NewDense(1, 1, []float64{at})
			var z mat.Dense
			if err := plainSections(t, full).Transform(&z, x); err != nil {
				t.Fatal(err)
			}
			for j := range 3 {
				want := k.Eval(x.RawRowView(0), c.RawRowView(j))
				if want > 0x1p-490 && !(math.Abs(z.At(0, j)-want) <= 0x1p-52*4000*want) {
					t.Errorf("%v at %v from %v: %g, want %g", k, at, c.At(j, 0), z.At(0, j), want)
				}
			}
		}
	}
}
