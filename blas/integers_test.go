package blas

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff/asm"
)

// integerSpecs are maps of features that sums of integers take: pairs and cosines, equal and
// unequal weights, a structured map, sizes that fill no panel.
func integerSpecs() map[string]*Spec {
	r := rand.New(rand.NewPCG(3, 1))
	specs := map[string]*Spec{}
	for name, s := range map[string]*Spec{"pairs": benchSpec(3, 50), "wide": benchSpec(5, 700)} {
		specs[name] = s
		for i := range s.Weight {
			s.Weight[i] = math.Sqrt(2 / float64(len(s.Weight)))
		}
		other := *s
		other.Func, other.Weight, other.Phase = asm.Cos, slices.Clone(s.Weight[:s.W.Rows]), make([]float64, s.W.Rows)
		for i := range other.Weight {
			other.Weight[i] *= 0.2 + r.Float64()
			other.Phase[i] = 6 * r.Float64()
		}
		specs[name+" cos"] = &other
	}
	specs["whole units"] = benchSpec(2, 10) // 127 of them
	for i := range specs["whole units"].Weight {
		specs["whole units"].Weight[i] = 127. / 1024
	}
	return specs
}

// The sums are those of features in float32 that are rounded to multiples of the unit, and of
// targets rounded to multiples of 2⁻⁴², computed here with big integers.
func TestIntegerSums(t *testing.T) {
	const n, targets = RowBlock + 37, 2
	for name, spec := range integerSpecs() {
		for _, levels := range []int{2047, 127} {
			m := Pack[float32](spec)
			in, s := m.Dims()
			x, y := integerRows(n, in, targets)
			z := NewGeneral[float32](n, s)
			m.Transform(Engine{Workers: 1}, z, x)
			a := NewIntegers(m, targets, levels, true)
			addSplit(a, Engine{Workers: 1}, x, y)
			unit := a.Unit
			used := map[int]float64{2047: 1. / 2, 127: 8. / 9}[levels] // the least share of the levels
			if most := spec.heaviest() / unit; most > float64(levels) || most <= used*float64(levels) {
				t.Fatalf("%s: the largest weight is %g units", name, most)
			}
			whole := func(r, j int) float64 { return math.RoundToEven(float64(z.Row(r)[j]*float32(1/unit))) * unit }
			q := func(r, j int) *big.Rat { return rat(whole(r, j)) }
			v := func(r, k int) *big.Rat { return rat(math.RoundToEven(math.Ldexp(y.Row(r)[k], 42)) * 0x1p-42) }
			one := func(int, int) *big.Rat { return big.NewRat(1, 1) }
			exact := func(f, g func(r, j int) *big.Rat, i, j int) *big.Rat {
				sum, p := new(big.Rat), new(big.Rat)
				for r := range n {
					sum.Add(sum, p.Mul(f(r, i), g(r, j)))
				}
				return sum
			}
			j := a.Joined(nil)
			// check compares columns that add up to a sum with the sum.
			check := func(what string, columns []float64, want *big.Rat) {
				sum := new(big.Rat)
				for _, v := range columns {
					sum.Add(sum, rat(v))
				}
				if sum.Cmp(want) != 0 {
					w, _ := want.Float64()
					t.Fatalf("%s, %d levels: %s is not %v", name, levels, what, w)
				}
			}
			for _, i := range []int{0, 1, s / 2, s/2 - 1, s - 1} {
				for _, k := range []int{i, s - 1} {
					check(fmt.Sprintf("G[%d,%d]", i, k), a.G.Row(i)[k:k+1], exact(q, q, i, k))
				}
				check(fmt.Sprintf("Z[%d]", i), a.Z[i:i+1], exact(q, one, i, 0))
				for k := range targets {
					check(fmt.Sprintf("ZY[%d,%d]", i, k), a.ZY.Row(i)[k*Parts:][:Parts], exact(q, v, i, k))
				}
			}
			for k := range targets {
				check("Y", a.Y[k*Parts:][:Parts], exact(v, one, k, 0))
				check("YY", a.YY[k*Parts:][:Parts], exact(v, v, k, k))
				if want, _ := exact(v, v, k, k).Float64(); math.Abs(j.YY[k]-want) > 0x1p-50*want {
					t.Errorf("%s, %d levels: YY is %v, want %v", name, levels, j.YY[k], want)
				}
			}
			// Bias is the variance of rounding errors. Cosines are most often near ±1: a share of
			// about 2/π·√(2u) is within a unit u ≥ 2/levels of it, and has errors of any variance
			// from 0 to three times that of uniform ones.
			var squares float64
			for i := range s {
				for r := range n {
					e := whole(r, i) - float64(z.Row(r)[i])
					squares += e * e
				}
			}
			if mean := squares / float64(n*s); math.Abs(mean/j.Bias-1) > 2*2/math.Pi*math.Sqrt(4/float64(levels)) {
				t.Errorf("%s, %d levels: errors have a variance of %g, want %g", name, levels, mean, j.Bias)
			}
			if a.Rows != n || a.W != n {
				t.Errorf("%d rows of weight %g", a.Rows, a.W)
			}
		}
	}
}

func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// integerRows returns rows with targets of several kinds: a wide range, and codes of classes.
func integerRows(n, in, targets int) (General[float32], General[float64]) {
	r := rand.New(rand.NewPCG(7, 7))
	x, y := randomGeneral[float32](r, n, in, 0), NewGeneral[float64](n, targets)
	for i := range n {
		y.Row(i)[0] = math.Ldexp(r.NormFloat64(), r.IntN(40)-20)
		for k := 1; k < targets; k++ {
			y.Row(i)[k] = float64(2*r.IntN(2) - 1)
		}
	}
	return x, y
}

// addSplit adds rows with their targets in parts.
func addSplit(a *Accumulator[float32], e Engine, x General[float32], y General[float64]) {
	p := NewGeneral[float32](y.Rows, Parts*y.Cols)
	for i := range y.Rows {
		for k, v := range y.Row(i) {
			SplitTarget(p.Row(i)[k*Parts:][:Parts], v)
		}
	}
	a.Add(e, x, p, nil)
	a.Flush(e)
}

// Integers add up to the same bits on every instruction set and any number of workers, in any
// order of the rows, any split of them and any order of merging. Adding rows and taking them
// out again gives the bits of never having added them.
func TestIntegerSumsInAnyOrder(t *testing.T) {
	const n, targets = 3*RowBlock + 101, 2
	r := rand.New(rand.NewPCG(5, 5))
	for name, spec := range integerSpecs() {
		for _, levels := range []int{2047, 127} {
			m := Pack[float32](spec)
			in, _ := m.Dims()
			x, y := integerRows(n, in, targets)
			want := NewIntegers(m, targets, levels, true)
			addSplit(want, Engine{Workers: 1}, x, y)
			for _, b := range Backends() {
				if !strings.HasPrefix(b, "native:") {
					continue
				}
				for workers := 1; workers <= 3; workers++ {
					backend, err := lookup(b, "backend")
					if err != nil {
						t.Fatal(err)
					}
					e := Engine{Backend: backend, Workers: workers}
					order, cut := r.Perm(n), 1+r.IntN(n-1)
					parts := []*Accumulator[float32]{NewIntegers(m, targets, levels, true), NewIntegers(m, targets, levels, true)}
					for i, rows := range [][]int{order[:cut], order[cut:]} {
						px, py := NewGeneral[float32](len(rows), in), NewGeneral[float64](len(rows), targets)
						for k, row := range rows {
							copy(px.Row(k), x.Row(row))
							copy(py.Row(k), y.Row(row))
						}
						addSplit(parts[i], e, px, py)
					}
					total := NewIntegers(m, targets, levels, true)
					total.Merge(&parts[1].Sums, 1)
					total.Merge(&parts[0].Sums, 1)
					if what := differentSums(&total.Sums, &want.Sums); what != "" {
						t.Fatalf("%s, %d levels, %s, %d workers, %d and %d rows: %s differs", name, levels, b, workers, cut, n-cut, what)
					}
					total.Merge(&parts[1].Sums, -1)
					if what := differentSums(&total.Sums, &parts[0].Sums); what != "" {
						t.Fatalf("%s, %d levels, %s: %s remains of rows taken out", name, levels, b, what)
					}
				}
			}
		}
	}
}

// differentSums names what differs between two sums, or returns "".
func differentSums(a, b *Sums) string {
	switch {
	case a.Rows != b.Rows || a.W != b.W:
		return "the number of rows"
	case !slices.Equal(a.G.Data, b.G.Data):
		return "G"
	case !slices.Equal(a.ZY.Data, b.ZY.Data):
		return "ZY"
	case !slices.Equal(a.Z, b.Z):
		return "Z"
	case !slices.Equal(a.Y, b.Y) || !slices.Equal(a.YY, b.YY):
		return "the sums of targets"
	}
	return ""
}
