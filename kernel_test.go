package rff

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// stationaryCases are the kernels at bandwidths where random pairs of standard
// normal points have kernel values all over (0, 1).
func stationaryCases(d int) []Stationary {
	s := math.Sqrt(float64(d))
	ard := make([]float64, d)
	for j := range ard {
		ard[j] = s * (0.7 + 0.6*float64(j)/float64(d))
	}
	return []Stationary{
		NewGaussian(s), NewGaussian(ard...),
		NewLaplacian(float64(d)), NewLaplacian(ard...),
		NewCauchy(s), NewCauchy(ard...),
		NewMatern(0.5, s), NewMatern(1.5, s), NewMatern(2.5, s), NewMatern(1.5, ard...),
		NewExponentialPower(1.5, 1.5, math.Pow(float64(d), 1/1.5)), NewExponentialPower(2, 2, s), NewExponentialPower(1, 0.8, float64(d)),
		NewExponentialPower(1.2, 0.9, ard...), NewExponentialPower(2, 1, s), NewExponentialPower(0.7, 0.7, math.Pow(float64(d), 1/0.7)),
	}
}

// worstScore returns the largest |k̃−k| over pairs of points, in standard
// deviations of k̃. With Δ = x−y, F independent frequencies give k̃ the variance
//
//	CosSin   ((1+k(2Δ))/2 − k(Δ)²)/F     terms cos ωᵀΔ
//	CosBias  (1+k(2Δ)/2 − k(Δ)²)/F       terms cos ωᵀΔ + cos(ωᵀ(x+y)+2b)
//
// so that each score is standard normal up to O(1/√F).
func worstScore(t *testing.T, m *Map, k Stationary, form Form, pairs int, seed uint64) float64 {
	t.Helper()
	d, s := m.Dims()
	f, err := form.frequencies(s)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 77))
	zx, zy := make([]float64, s), make([]float64, s)
	x, y, twice := make([]float64, d), make([]float64, d), make([]float64, d)
	zero := make([]float64, d)
	worst := 0.0
	for p := range pairs {
		for j := range x {
			x[j] = rng.NormFloat64()
			y[j] = x[j] + rng.NormFloat64()*2*float64(p+1)/float64(pairs)
			twice[j] = 2 * (x[j] - y[j])
		}
		if err := errors.Join(m.TransformVec(zx, x), m.TransformVec(zy, y)); err != nil {
			t.Fatal(err)
		}
		exact, double := k.Eval(x, y), k.Eval(twice, zero)
		variance := (1+double)/2 - exact*exact
		if form == CosBias {
			variance = 1 + double/2 - exact*exact
		}
		score := math.Abs(NewLinear().Eval(zx, zy)-exact) / math.Sqrt(variance/float64(f))
		worst = math.Max(worst, score)
	}
	return worst
}

// The bound of TestFeaturesAreUnbiased: 16 kernels × 2 forms × 4 dimensions × 30
// pairs are 3840 normal scores, of which one beyond 5 has probability 0.0022.
const scoreBound = 5

func TestFeaturesAreUnbiased(t *testing.T) {
	for _, d := range []int{1, 2, 7, 16} {
		for i, k := range stationaryCases(d) {
			for _, form := range []Form{CosSin, CosBias} {
				m, err := New(k, d, 4096, rand.NewPCG(uint64(i), uint64(d)), form)
				if err != nil {
					t.Fatal(err)
				}
				if s := worstScore(t, m, k, form, 30, uint64(d)); s > scoreBound {
					t.Errorf("%v, %v, d = %d: an estimate is %.1f standard deviations off", k, form, d, s)
				}
			}
		}
	}
}

// The statistical test is worth something only if it sees the mistakes people
// make: a bandwidth off by √2 (σ taken from exp(−r²/σ²)) or by 2 (γ for 1/γ).
func TestWrongBandwidthIsSeen(t *testing.T) {
	scale := func(s []float64, c float64) []float64 {
		out := make([]float64, len(s))
		for i := range s {
			out[i] = c * s[i]
		}
		return out
	}
	for _, d := range []int{1, 7, 16} {
		for i, k := range stationaryCases(d) {
			for _, c := range []float64{math.Sqrt2, 1 / math.Sqrt2, 2} {
				wrong := k.(scalable).with(scale(k.(scalable).bandwidth(), c))
				for _, form := range []Form{CosSin, CosBias} {
					m, err := New(wrong, d, 4096, rand.NewPCG(uint64(i), uint64(d)), form)
					if err != nil {
						t.Fatal(err)
					}
					if s := worstScore(t, m, k, form, 30, uint64(d)); s < scoreBound {
						t.Errorf("%v, %v, d = %d: a bandwidth wrong by %.2f passes with score %.1f", k, form, d, c, s)
					}
				}
			}
		}
	}
}

func TestKernelValues(t *testing.T) {
	x, y := []float64{1, 2, 0}, []float64{0, 4, 2} // Δ = (1, −2, −2), ‖Δ‖ = 3, ‖Δ‖₁ = 5
	for _, c := range []struct {
		k    Kernel
		want float64
	}{
		{NewGaussian(2), math.Exp(-9. / 8)},
		{NewGaussian(), math.Exp(-4.5)},
		{NewGaussian(1, 2, 4), math.Exp(-(1 + 1 + .25) / 2)},
		{NewGaussian(1 / math.Sqrt(2*.3)), math.Exp(-.3 * 9)},
		{NewLaplacian(2), math.Exp(-2.5)},
		{NewLaplacian(1, 2, 4), math.Exp(-2.5)},
		{NewExponentialPower(1, 1, 2), math.Exp(-2.5)},
		{NewExponentialPower(2, 2, 2), math.Exp(-9. / 4)},
		{NewExponentialPower(2, 1, 2), math.Exp(-1.5)},
		{NewExponentialPower(1.5, 1.5, 1, 2, 4), math.Exp(-(1 + 1 + math.Sqrt(1./8)))},
		{NewExponentialPower(1.5, 0.75, 1, 2, 4), math.Exp(-math.Sqrt(1 + 1 + math.Sqrt(1./8)))},
		{NewExponentialPower(1, 0.3), math.Exp(-math.Pow(5, .3))},
		{NewCauchy(1), 1. / 2 / 5 / 5},
		{NewCauchy(1, 2, 4), 1. / 2 / 2 / 1.25},
		{NewMatern(.5, 2), math.Exp(-1.5)},
		{NewMatern(1.5, 3), (1 + math.Sqrt(3)) * math.Exp(-math.Sqrt(3))},
		{NewMatern(0, 3), (1 + math.Sqrt(3)) * math.Exp(-math.Sqrt(3))},
		{NewMatern(2.5, 3), (1 + math.Sqrt(5) + 5./3) * math.Exp(-math.Sqrt(5))},
		{NewLinear(), 8},
	} {
		if got := c.k.Eval(x, y); math.Abs(got-c.want) > 1e-15*c.want*4 {
			t.Errorf("%v: %g, want %g", c.k, got, c.want)
		}
	}
}

// Arc-cosine values at angles where J has closed forms, and against a direct
// integration over the circle: with ω = r(cos φ, sin φ),
// k = 2·E[(ωᵀx)ᵖ(ωᵀy)ᵖ] over both positive.
func TestArcCosineValues(t *testing.T) {
	for p, want := range map[int][]float64{0: {1, .5, 0}, 1: {1, 1 / math.Pi, 0}, 2: {3, .5, 0}} {
		for i, y := range [][]float64{{1, 0}, {0, 1}, {-1, 0}} {
			if got := NewArcCosine(p).Eval([]float64{1, 0}, y); math.Abs(got-want[i]) > 1e-15 {
				t.Errorf("order %d, angle %d·π/2: %g, want %g", p, i, got, want[i])
			}
		}
		theta, nx, ny := 1.1, 2.0, 0.5
		x, y := []float64{nx, 0}, []float64{ny * math.Cos(theta), ny * math.Sin(theta)}
		moment := []float64{1, 2, 8}[p] // E r²ᵖ of the plane normal
		const steps = 200000
		var sum float64
		for i := range steps {
			phi := 2 * math.Pi * (float64(i) + .5) / steps
			a, b := math.Cos(phi)*x[0]+math.Sin(phi)*x[1], math.Cos(phi)*y[0]+math.Sin(phi)*y[1]
			if a > 0 && b > 0 {
				sum += math.Pow(a*b, float64(p))
			}
		}
		if got, want := NewArcCosine(p).Eval(x, y), 2*moment*sum/steps; math.Abs(got-want) > 2e-5*want {
			t.Errorf("order %d: %g, integral %g", p, got, want)
		}
	}
	if got := NewArcCosine(0).Eval([]float64{0, 0}, []float64{0, 0}); got != .5 {
		t.Errorf("order 0 at the origin: %g", got)
	}
}

func TestKernelParameters(t *testing.T) {
	for _, c := range []struct {
		k    Stationary
		dim  int
		name string
	}{
		{NewGaussian(0), 3, "sigma"}, {NewGaussian(-1), 3, "sigma"}, {NewGaussian(math.NaN()), 3, "sigma"},
		{NewGaussian(math.Inf(1)), 3, "sigma"}, {NewGaussian(1, 2), 3, "sigma"}, {NewGaussian(1, 2, 3, 4), 3, "sigma"}, {NewGaussian(1, 0, 1), 3, "sigma"},
		{NewGaussian(1e-281), 3, "sigma"}, {NewGaussian(1, 1, 1e281), 3, "sigma"},
		{NewLaplacian(0), 3, "sigma"}, {NewCauchy(-2), 3, "sigma"}, {NewMatern(1, 1), 3, "nu"},
		{NewExponentialPower(0, 0), 3, "p"}, {NewExponentialPower(2.1, 1), 3, "p"}, {NewExponentialPower(math.NaN(), 1), 3, "p"},
		{NewExponentialPower(1.5, 1.6), 3, "q"}, {NewExponentialPower(1.5, 0.19), 3, "q"}, {NewExponentialPower(0.19, 0.19), 3, "p"}, {NewExponentialPower(1.5, 1, -1), 3, "sigma"},
		{NewMatern(.5, 0), 3, "length"}, {NewGaussian(1), 0, "dim"},
	} {
		_, err := New(c.k, c.dim, 8, rand.NewPCG(1, 1))
		var p *ParameterError
		if !errors.As(err, &p) || p.Name != c.name {
			t.Errorf("%v in %d dimensions: error %v, want one about %s", c.k, c.dim, err, c.name)
		}
	}
}

// Only with p = q = 2, where the kernel is a Gaussian of σ/√2, do frequencies have a second moment. A
// stable number takes two uniforms, and so does what all coordinates are multiplied by for q < p.
func TestPowerSpectrum(t *testing.T) {
	for _, c := range []struct {
		p, q, moment float64
		uniforms     int
	}{{2, 2, 2 * (1./4 + 1./9), 4}, {2, 1, math.Inf(1), 6}, {1.5, 1.5, math.Inf(1), 4}, {1, 0.5, math.Inf(1), 6}, {1, 1, math.Inf(1), 2}} {
		s, err := NewExponentialPower(c.p, c.q, 2, 3).Spectrum(2)
		if err != nil {
			t.Fatal(err)
		}
		moment := s.(interface{ SecondMoment() float64 }).SecondMoment()
		if moment != c.moment && !(math.Abs(moment-c.moment) < 1e-15) || s.Uniforms() != c.uniforms {
			t.Errorf("p = %v, q = %v: second moment %v of %d uniforms, want %v of %d", c.p, c.q, moment, s.Uniforms(), c.moment, c.uniforms)
		}
	}
	for _, p := range []float64{0.2, 1, 2} { // the ends of the uniform numbers
		s, err := NewExponentialPower(p, 0.2).Spectrum(1)
		if err != nil {
			t.Fatal(err)
		}
		w, u := make([]float64, 1), make([]float64, s.Uniforms())
		for ends := range 1 << len(u) {
			for i := range u {
				u[i] = 0x1p-53
				if ends>>i&1 == 1 {
					u[i] = 1 - 0x1p-53
				}
			}
			if s.Quantile(w, u); math.IsInf(w[0], 0) || math.IsNaN(w[0]) {
				t.Errorf("p = %v: frequency %v of %v", p, w[0], u)
			}
		}
	}
	for text, want := range map[string]string{"exponential-power": "laplacian", "exponential-power:p=1.5": "exponential-power:p=1.5,q=1.5"} {
		if k, err := ParseKernel(text); err != nil || fmt.Sprint(k) != want {
			t.Errorf("%s is read as %v, %v, not %s", text, k, err, want)
		}
	}
}

// The distance of an exponential power kernel is the ℓp distance, and the one that is typical for a
// Euclidean distance is that of normal differences, of which 400 vary by 1 % or less in the mean.
func TestPowerDistances(t *testing.T) {
	const dim = 400
	rng := rand.New(rand.NewPCG(5, 5))
	for _, p := range []float64{1, 1.2, 1.5, 1.8, 2} {
		k := NewExponentialPower(p, p/2).(power)
		if got, want := k.Distance([]float64{1, 2, 0}, []float64{0, 4, 2}), math.Pow(1+2*math.Pow(2, p), 1/p); math.Abs(got-want) > 1e-14*want {
			t.Errorf("p = %v: distance %v, want %v", p, got, want)
		}
		var own, euclidean float64
		x, zero := make([]float64, dim), make([]float64, dim)
		for range 200 {
			for j := range x {
				x[j] = 3 * rng.NormFloat64()
			}
			own, euclidean = own+k.Distance(x, zero)/200, euclidean+math.Sqrt(NewLinear().Eval(x, x))/200
		}
		if got := k.FromEuclidean(euclidean, dim); math.Abs(got/own-1) > 0.02 {
			t.Errorf("p = %v: distances of %v, typical are %v", p, own, got)
		}
	}
}

// dimsOf returns how many bandwidths a kernel has, or 1 if it has none.
func dimsOf(k Kernel) int {
	if s, ok := k.(scalable); ok {
		return max(1, len(s.bandwidth()))
	}
	return 1
}

func TestParseKernel(t *testing.T) {
	for _, k := range []Kernel{NewGaussian(), NewGaussian(1.25), NewGaussian(1, 2, .3), NewLaplacian(7), NewCauchy(.1),
		NewExponentialPower(1.5, 0.75), NewExponentialPower(2, 2, 1, 3), NewExponentialPower(1, 1, 2), NewExponentialPower(1, 0.5, 2),
		NewMatern(.5, 2), NewMatern(2.5), NewArcCosine(2), NewLinear()} {
		got, err := ParseKernel(fmt.Sprint(k))
		if err != nil || fmt.Sprint(got) != fmt.Sprint(k) {
			t.Errorf("%v read back as %v, %v", k, got, err)
		} else if x, y := []float64{1, 2, 3}[:dimsOf(k)], []float64{0, 4, 2}[:dimsOf(k)]; got.Eval(x, y) != k.Eval(x, y) {
			t.Errorf("%v read back has the value %v, not %v", k, got.Eval(x, y), k.Eval(x, y))
		}
	}
	g, err := ParseKernel("gaussian:gamma=0.5")
	if err != nil || g.Eval([]float64{1}, []float64{0}) != NewGaussian(1).Eval([]float64{1}, []float64{0}) {
		t.Errorf("gamma = 0.5: %v, %v", g, err)
	}
	for _, bad := range []string{"", "rbf", "gaussian:sigma", "gaussian:sigma=", "gaussian:sigma=0", "gaussian:sigma=x",
		"gaussian:nu=1", "gaussian:sigma=1,gamma=1", "gaussian:sigma=1,sigma=2", "matern:nu=1", "matern:nu=1/2",
		"arccos:order=3", "arccos:order=0.5", "linear:x=1", "exponential-power:p=3", "exponential-power:q=1.5", "exponential-power:p=1/2", "exponential-power:p=2,q=0", "laplacian:p=1", "cauchy:sigma=NaN", "cauchy:sigma=Inf"} {
		var p *ParameterError
		if k, err := ParseKernel(bad); !errors.As(err, &p) {
			t.Errorf("%q: %v, %v", bad, k, err)
		}
	}
}

// A spectrum extended has the scales it had, and 1 in the dimensions added.
func TestExtendKeepsScales(t *testing.T) {
	for _, k := range []Stationary{NewGaussian(2, 4), NewMatern(1.5, 2, 4)} {
		sp, err := k.Spectrum(2)
		if err != nil {
			t.Fatal(err)
		}
		iso := sp.(Isotropic)
		extra := iso.Uniforms() - 2
		wide := iso.Extend(4)
		if got := wide.Scale(); !slices.Equal(got, []float64{0.5, 0.25, 1, 1}) || wide.Uniforms() != 4+extra {
			t.Errorf("%v: scales %v, %d uniforms", k, got, wide.Uniforms())
		}
		if got := iso.Scale(); !slices.Equal(got, []float64{0.5, 0.25}) {
			t.Errorf("%v: its own scales became %v", k, got)
		}
	}
}
