package sampling

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
)

// Scores from sums of integers do not depend on the order of the rows after the first, which is
// subtracted from all, and differ from those of
// float64 as A does, by at most ‖ΔA‖/nλ. The cross terms ZᵀE + EᵀZ of rounding errors E of variance
// σ² have a norm of about 2σ√(s·tr A), and EᵀE is smaller.
func TestLeverageOfIntegers(t *testing.T) {
	const n, d, features, lambda = 1500, 5, 48, 1e-2
	data, back := waves(n, d, 0), waves(n, d, 0)
	for i := 1; i < n; i++ {
		copy(back.x.Row(n-i), data.x.Row(i))
	}
	s := Leverage{Pool: Pool{Base: MonteCarlo{}}, Lambda: lambda}
	want := scored(t, s, d, features, data, 3)
	for precision, levels := range map[string]float64{"int12": 2047, "int8": 127} {
		s.Precision = precision
		got, other := scored(t, s, d, features, data, 3), scored(t, s, d, features, back, 3)
		if !slices.Equal(got.Scores, other.Scores) {
			t.Errorf("%s: other scores in another order", precision)
		}
		spec := inside.Spec(want.Candidates)
		columns := float64(len(spec.Weight))
		sigma := 2 * slices.Max(spec.Weight) / levels / math.Sqrt(12) // of a unit that may be twice the least
		slack := 2 * 2 * sigma * math.Sqrt(columns*n) / (n * lambda)  // twice, for the two columns of a score
		for i, v := range got.Scores {
			if d := math.Abs(v - want.Scores[i]); d > slack {
				t.Errorf("%s: score %d is %v, want %v to within %.2g", precision, i, v, want.Scores[i], slack)
			}
		}
	}
}

// Scores from sums in float32 are those from sums in float64 but for √504·u·tr A/nλ and
// ‖δ‖/√(nλ): see Leverage.Precision. An angle ωᵀx + b is off by its rounding errors, d+3
// times u of its terms, and a cosine by that and a few u. How far the rows lie from 0 does
// not matter, where float64 tells them from each other.
func TestLeverageFloat32(t *testing.T) {
	const n, d, features, u = 1500, 5, 48, 0x1p-24
	for _, far := range []float64{0, 1e4, -1e8} {
		data := waves(n, d, 0)
		data.weight = make([]float64, n)
		for i := range n {
			data.weight[i] = float64(1 + i%3)
			for j := range d {
				v := data.x.Row(i)[j]
				data.x.Row(i)[j] = far + v*v*v // in the tails further apart
			}
		}
		for _, base := range []rff.Sampler{MonteCarlo{}, MonteCarlo{Form: rff.CosBias}, SORF{}} {
			for _, lambda := range []float64{1.01 * stream.Float32.LeastRidge, 1e-3, 0.1} {
				name := fmt.Sprintf("%T %+v, λ = %.2g, rows at %g", base, base, lambda, far)
				s := Leverage{Pool: Pool{Base: base}, Lambda: lambda}
				if base == (MonteCarlo{Form: rff.CosBias}) {
					s.Lambda *= 1.1 // tr A is about 1 a row
				}
				want := scored(t, s, d, features, data, 3)
				s.Precision = "float32"
				got := scored(t, s, d, features, data, 3)
				if got.Rows != want.Rows || len(got.Scores) != len(want.Scores) {
					t.Fatalf("%s: %d rows, %d scores", name, got.Rows, len(got.Scores))
				}
				spec := inside.Spec(want.Candidates)
				var trace, noise, weight float64
				for i := range n {
					w := data.weight[i]
					weight += w
					trace += 1.1 * w
					for c, a := range spec.Weight {
						var angle float64
						for j := range d {
							angle += size(spec.W.Data, c%(len(spec.Weight)/spec.Func.Outputs()), d, j) * math.Abs(data.x.Row(i)[j]-data.x.Row(0)[j])
						}
						off := a * u * (8 + 2*math.Pi + float64(d+3)*angle)
						noise += w * off * off
					}
				}
				mu := weight * s.Lambda
				bound := math.Sqrt(504)*u*trace/mu + math.Sqrt(noise/mu)
				if far != 0 { // ωᵀx of float64 is off by 2⁻⁵³ of its terms
					bound += 10 * d * 0x1p-53 * math.Abs(far) / math.Sqrt(s.Lambda)
				}
				bound *= float64(spec.Func.Outputs())
				var most float64
				for i, w := range want.Scores {
					most = max(most, math.Abs(got.Scores[i]-w))
				}
				if !(most <= bound) || bound > 0.1 {
					t.Errorf("%s: scores differ by %.2g, bound %.2g", name, most, bound)
				}
				if most == 0 {
					t.Errorf("%s: the sums are those of float64", name)
				}
			}
		}
	}
}

// size returns |ω_j| of frequency f, or the 4 that no entry of a structured one reaches
// here.
func size(w []float64, f, d, j int) float64 {
	if w == nil {
		return 4
	}
	return math.Abs(w[f*d+j])
}

// turn moves the origin of a map of cosines to a row and leaves the features alone.
func TestTurn(t *testing.T) {
	const d, features = 3, 12
	row := []float64{7, -3e3, 0.25}
	for _, s := range []rff.Sampler{MonteCarlo{}, MonteCarlo{Form: rff.CosBias}, SORF{}, Fastfood{}} {
		m, err := s.Sample(t.Context(), rff.Request{Kernel: rff.NewGaussian(1), Dim: d, Features: features, Rand: rand.NewPCG(5, 6)})
		if err != nil {
			t.Fatal(err)
		}
		spec := inside.Spec(m)
		turn(spec, row)
		turned, err := inside.New(spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		data := waves(20, d, 0)
		less := denseOf(t, turned, data.x)
		for i := range data.x.Rows {
			for j, v := range row {
				data.x.Row(i)[j] += v
			}
		}
		z := denseOf(t, m, data.x)
		for i := range data.x.Rows {
			for c := range features {
				// Angles of 1e4 and their sums are off by some 2⁻⁵³·1e4 = 1e-12.
				if a, b := z.At(i, c), less.At(i, c); math.Abs(a-b) > 1e-11 {
					t.Fatalf("%T: feature %d of row %d is %g, about the row %g", s, c, i, a, b)
				}
			}
		}
	}
}

// What float32 cannot hold is refused by name, row and column.
func TestLeverageFloat32Refuses(t *testing.T) {
	const n, d = 600, 2
	sample := func(s Leverage, change func(*cutSource)) error {
		data := waves(n, d, 0)
		data.weight = make([]float64, n)
		for i := range data.weight {
			data.weight[i] = 1
		}
		data.cut = []int{100}
		if change != nil {
			change(data)
		}
		_, err := s.Sample(t.Context(), rff.Request{Kernel: kernelFor(s, rff.NewGaussian(1)), Dim: d, Features: 8, Data: data, Rand: rand.NewPCG(1, 2)})
		return err
	}
	var p *rff.ParameterError
	for _, base := range []rff.Sampler{nil, ofKernel{rff.NewArcCosine(1)}} {
		s := Leverage{Pool: Pool{Base: base}, Lambda: 0.5 * stream.Float32.LeastRidge * 1e-3, Precision: "float32"}
		if err := sample(s, nil); !errors.As(err, &p) || p.Name != "lambda" || p.Value != s.Lambda || !strings.Contains(p.Need, "float32") {
			t.Errorf("%T: too small a λ: %v", base, err)
		}
		s.Precision = ""
		if err := sample(s, nil); err != nil {
			t.Errorf("%T: that λ in float64: %v", base, err)
		}
	}
	// zᵀz = 1 in a row of pairs, so that the limit is known.
	for by, refused := range map[float64]bool{0.999: true, 1.001: false} {
		if err := sample(Leverage{Lambda: by * stream.Float32.LeastRidge, Precision: "float32"}, nil); errors.As(err, &p) != refused {
			t.Errorf("%g of the least λ: %v", by, err)
		}
	}
	if err := sample(Leverage{Published: true, Precision: "float32"}, nil); !errors.As(err, &p) || p.Name != "published" {
		t.Errorf("published: %v", err)
	}
	for column, change := range map[string]func(*cutSource){
		"input 2": func(s *cutSource) { s.x.Row(357)[1] = 1e9 },
		"weight":  func(s *cutSource) { s.weight[357] = 1e9 },
	} {
		var v *rff.ValueError
		if err := sample(Leverage{Precision: "float32"}, change); !errors.As(err, &v) || v.Row != 357 || v.Column != column || v.Value != 1e9 || !strings.Contains(v.Need, "float32") {
			t.Errorf("%s: %v", column, err)
		}
		if err := sample(Leverage{}, change); err != nil {
			t.Errorf("%s in float64: %v", column, err)
		}
	}
	// Rows of weight 0 are no rows.
	if err := sample(Leverage{Precision: "float32"}, func(s *cutSource) { s.weight[3] = 0 }); err != nil {
		t.Error(err)
	}
}
