package asm

import (
	"math"
	"testing"
	"unsafe"
)

// Sections are as near their definition as section's doc says, from distances of 0
// through subnormal ones up to those where they are 0, and exactly 1 at 0.
func TestSectionAccuracy(t *testing.T) {
	sectionAccuracy[float64](t, 500) // sectionCut64 and 32, as their doc has them
	sectionAccuracy[float32](t, 60)
}

func sectionAccuracy[T Float](t *testing.T, cut float64) {
	eps := 0x1p-52
	if unsafe.Sizeof(*new(T)) == 4 {
		eps = 0x1p-23
	}
	// The exact values, in float64 from the exponent on, whose error counts a·eps.
	exact := map[Func]func(u, a float64) float64{
		SectionGaussian:    func(u, _ float64) float64 { return math.Exp2(-u) },
		SectionExponential: func(_, a float64) float64 { return math.Exp2(-a) },
		SectionMatern3:     func(_, a float64) float64 { return (1 + math.Ln2*a) * math.Exp2(-a) },
		SectionMatern5: func(_, a float64) float64 {
			b := math.Ln2 * a
			return (1 + b + b*b/3) * math.Exp2(-a)
		},
		SectionCauchy: func(u, _ float64) float64 { return 1 / (1 + u) },
	}
	worst := map[Func]float64{}
	for f, want := range exact {
		if v := section(f, T(0)); v != 1 {
			t.Errorf("%T: function %d of 0 is %v", v, f, v)
		}
		if v := section(f, T(-1e-3)); v != 1 {
			t.Errorf("%T: function %d of a negative distance is %v", v, f, v)
		}
		if v := section(f, T(math.Inf(1))); v != 0 {
			t.Errorf("%T: function %d of ∞ is %v", v, f, v)
		}
		if v := section(f, T(math.NaN())); v == v {
			t.Errorf("%T: function %d of NaN is %v", v, f, v)
		}
		for u := 1e-45; u < cut*cut; u *= 1.00137 {
			x := T(u)
			a := math.Sqrt(float64(x))
			exponent := a
			if f == SectionGaussian {
				exponent = float64(x)
			}
			got, w := float64(section(f, x)), want(float64(x), a)
			switch {
			case f != SectionCauchy && exponent > cut*(1+eps):
				if got != 0 {
					t.Fatalf("%T: function %d of %v is %v, beyond the cut", x, f, x, got)
				}
			case exponent < cut*(1-eps):
				// The root is off by half a unit, which the exponent multiplies; so is the
				// exact value's in float64.
				err := math.Abs(got-w)/w/eps - 0.35*exponent
				if f == SectionGaussian || f == SectionCauchy {
					err = math.Abs(got-w) / w / eps
				}
				worst[f] = max(worst[f], err)
			}
		}
	}
	for f, e := range worst {
		most := 3.1
		if f == SectionGaussian || f == SectionCauchy {
			most = 1.5
		}
		if e > most {
			t.Errorf("%T: function %d errs by %.2f eps", *new(T), f, e)
		}
		t.Logf("%T: function %d: %.2f eps", *new(T), f, e)
	}
}
