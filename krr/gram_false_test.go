package krr_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// mapOf returns features of a kernel of three inputs, drawn unless the map is linear.
func mapOf(t *testing.T, k rff.Kernel) *rff.Map {
	t.Helper()
	m, err := sampling.MonteCarlo{}.Sample(t.Context(), rff.Request{Kernel: k, Dim: 3, Features: 64, Rand: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Sums with the right digest that no rows have are refused by the name of their tensor, where a
// solution would be false without a word. With |y| ≤ h, |z| ≤ 1 and n rows, Σz² ≤ n, Σy² ≤ nh² and,
// by Cauchy and Schwarz, (Σy)² ≤ nΣy², (Σzy)² ≤ Σz²Σy².
func TestFalseSumsAreRefused(t *testing.T) {
	linear := mapOf(t, rff.NewLinear())
	far := math.Nextafter(math.Inf(1), 0)
	type change struct {
		name string
		at   int
		v    float64
	}
	for name, m := range map[string]*rff.Map{"cosines": gaussianMap(t, 9, 3, 4, 2), "linear": linear} {
		for _, p := range []krr.Precision{krr.Float64, krr.Float32} {
			g := gram(t, m, weighted(1, 4000, 3, 2).rows, p)
			pending, err := g.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			var fe *krr.FileError
			if err := new(krr.Gram).UnmarshalBinary(withNumber(t, pending, "pending.weight", 0, 1e300)); !errors.As(err, &fe) {
				t.Errorf("%s, %s: a weight of 1e300: %v", name, p, err)
			}
			if _, err := g.Solve(t.Context(), 1e-3); err != nil { // no rows are pending any more
				t.Fatal(err)
			}
			b, err := g.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if err := new(krr.Gram).UnmarshalBinary(b); err != nil {
				t.Fatalf("%s, %s: %v", name, p, err)
			}
			bad := []change{{"count", 0, 0}, {"count", 1, 0}, {"count", 1, 1e300}, {"gram", 0, -1e3}, {"gram", 1, 1e7}, {"z", 0, 1e7}, {"z", 3, -1e7},
				{"y", 1, 1e7}, {"yy", 0, -1e3}, {"yy", 0, 1e9}, {"zy", 0, 1e7}, {"zy", 7, -1e7}, {"low", 0, math.Inf(-1)}, {"high", 1, math.Inf(1)}, {"high", 1, far}}
			if name == "cosines" { // of linear features there may be rows that have these
				bad = append(bad, change{"gram", 0, 4001}, change{"gram", 9, 1e300})
			}
			for _, c := range bad {
				err := new(krr.Gram).UnmarshalBinary(withNumber(t, b, c.name, c.at, c.v))
				if !errors.As(err, &fe) {
					t.Errorf("%s, %s: %s[%d] = %g: %v", name, p, c.name, c.at, c.v, err)
				} else if says := err.Error(); !strings.Contains(says, `"`+c.name+`"`) && !strings.Contains(says, "the range of target") && !strings.Contains(says, "count") {
					t.Errorf("%s, %s: %s[%d] = %g is another's fault: %v", name, p, c.name, c.at, c.v, err)
				}
			}
		}
	}
}

// What is left of sums is read back, with the rounding errors of the rows that were subtracted: also
// where features and targets of the rows that are left are 0.
func TestSumsThatAreLeftAreRead(t *testing.T) {
	for _, kernel := range []rff.Kernel{rff.NewArcCosine(0), rff.NewLinear(), rff.NewGaussian(0.2)} {
		m := mapOf(t, kernel)
		for _, p := range []krr.Precision{krr.Float64, krr.Float32, "int12"} {
			const n, left = 20000, 200 // in float32 1/√(64·2⁻²³) = 360 times as many rows may go
			r := synthetic(3, n, 3, 2, .1)
			for i := range left {
				clear(r.x.Row(i))
				r.y.Row(i)[0] = r.y.Row(0)[0]
			}
			all, gone := gram(t, m, r, p), krr.NewGram(m, 2, krr.GramSettings{Precision: p})
			if err := gone.Add(context.Background(), rff.Batch{First: left, X: r.x.RowRange(left, n), Y: r.y.RowRange(left, n)}); err != nil {
				t.Fatal(err)
			}
			if err := all.Subtract(gone); err != nil {
				t.Fatalf("%v, %s: %v", kernel, p, err)
			}
			b, err := all.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if err := new(krr.Gram).UnmarshalBinary(b); err != nil {
				t.Errorf("%v, %s: %v", kernel, p, err)
			}
		}
	}
}
