package quality

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/sampling"
)

func randomDense(r, c int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 5))
	m := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			m.Set(i, j, rng.NormFloat64())
		}
	}
	return m
}

func TestMeasureKernel(t *testing.T) {
	x := randomDense(150, 4, 1)
	k := rff.NewMatern(1.5, 2)
	m, err := rff.New(k, 4, 200, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	got, err := MeasureKernel(m, x)
	if err != nil {
		t.Fatal(err)
	}
	// The same with gonum: products, norms and eigenvalues.
	var z, approx, diff mat.Dense
	if err := m.Transform(&z, x); err != nil {
		t.Fatal(err)
	}
	approx.Mul(&z, z.T())
	exact := mat.NewDense(150, 150, nil)
	for i := range 150 {
		for j := range 150 {
			exact.Set(i, j, k.Eval(x.RawRowView(i), x.RawRowView(j)))
		}
	}
	diff.Sub(&approx, exact)
	largest := func(a *mat.Dense) float64 {
		var svd mat.SVD
		if !svd.Factorize(a, mat.SVDNone) {
			t.Fatal("no singular values")
		}
		return svd.Values(nil)[0]
	}
	var inner mat.Dense
	inner.MulElem(&approx, exact)
	near := func(name string, got, want, tolerance float64) {
		t.Helper()
		if math.Abs(got-want) > tolerance*want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	near("spectral", got.Spectral, largest(&diff)/largest(exact), 1e-7)
	near("Frobenius", got.Frobenius, mat.Norm(&diff, 2)/mat.Norm(exact, 2), 1e-12)
	worst := 0.0
	for _, v := range diff.RawMatrix().Data {
		worst = max(worst, math.Abs(v))
	}
	near("max", got.Max, worst, 1e-12)
	near("alignment", got.Alignment, mat.Sum(&inner)/mat.Norm(&approx, 2)/mat.Norm(exact, 2), 1e-12)
	if got.Rows != 150 || got.Spectral < .01 || got.Alignment > .9999 {
		t.Errorf("%+v", got)
	}

	trained, err := rff.FromFrequencies(randomDense(5, 4, 1), nil, nil, rff.CosSin)
	if err != nil {
		t.Fatal(err)
	}
	var p *rff.ParameterError
	if _, err := MeasureKernel(trained, x); !errors.As(err, &p) {
		t.Errorf("a map of no kernel is measured: %v", err)
	}
	linear, err := sampling.MonteCarlo{}.Sample(t.Context(), rff.Request{Kernel: rff.NewLinear(), Dim: 2, Features: 8, Rand: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	var d *rff.DegenerateDataError
	if got, err := MeasureKernel(linear, mat.NewDense(3, 2, nil)); !errors.As(err, &d) {
		t.Errorf("a kernel of 0 has the errors %+v, %v", got, err)
	}
}

// Targets made from the features' own kernel align better than noise, and a
// kernel whose features are the target aligns perfectly.
func TestTargetAlignment(t *testing.T) {
	x := randomDense(400, 3, 1)
	w := mat.NewDense(1, 3, []float64{1, -1, .5})
	perfect, err := rff.FromFrequencies(w, nil, []float64{1, 0}, rff.CosSin)
	if err != nil {
		t.Fatal(err)
	}
	y := mat.NewDense(400, 1, nil)
	for i := range 400 {
		y.Set(i, 0, 3+2*math.Cos(x.At(i, 0)-x.At(i, 1)+.5*x.At(i, 2)))
	}
	if a, err := TargetAlignment(perfect, x, y); err != nil || math.Abs(a-1) > 1e-12 {
		t.Errorf("%v, %v, want 1", a, err)
	}
	m, err := rff.New(rff.NewGaussian(2), 3, 100, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	signal, err := TargetAlignment(m, x, y)
	noise, err2 := TargetAlignment(m, x, randomDense(400, 1, 9))
	if err != nil || err2 != nil || !(signal > 3*noise) {
		t.Errorf("signal %v %v, noise %v %v", signal, err, noise, err2)
	}
	var d *rff.DegenerateDataError
	for _, v := range []float64{0, .1, 1e8 + .1} { // the mean of .1 is not .1
		constant := mat.NewDense(400, 1, nil)
		constant.Apply(func(int, int, float64) float64 { return v }, constant)
		if a, err := TargetAlignment(m, x, constant); !errors.As(err, &d) {
			t.Errorf("constant targets %v: %v, %v", v, a, err)
		}
	}
	alike := mat.NewDense(400, 3, nil)
	if a, err := TargetAlignment(m, alike, y); !errors.As(err, &d) {
		t.Errorf("constant features: %v, %v", a, err)
	}
	for _, unit := range []float64{1e-90, 1e90} { // its fourth power is 0, or infinite
		y.Scale(unit, y)
		if a, err := TargetAlignment(m, x, y); err != nil || math.Abs(a-signal) > 1e-12 {
			t.Errorf("in another unit: %v, %v, want %v", a, err, signal)
		}
		y.Scale(1/unit, y)
	}
	var s *rff.ShapeError
	opposite, ends := mat.NewDense(400, 1, nil), mat.NewDense(400, 1, nil)
	opposite.Set(0, 0, -1)
	opposite.Set(1, 0, 1)
	ends.Scale(math.MaxFloat64, opposite)
	if a, err := TargetAlignment(m, x, ends); err != nil {
		t.Errorf("targets whose differences overflow: %v", err)
	} else if want, _ := TargetAlignment(m, x, opposite); !(math.Abs(a-want) <= 1e-12) { // nor NaN
		t.Errorf("targets whose differences overflow: %v, want %v", a, want)
	}
	var parameter *rff.ParameterError
	if _, err := TargetAlignment(m, x, nil); !errors.As(err, &parameter) || parameter.Name != "y" {
		t.Errorf("no targets: %v", err)
	}
	if _, err := TargetAlignment(m, x, mat.NewDense(399, 1, nil)); !errors.As(err, &s) {
		t.Errorf("a target short: %v", err)
	}
}

// The bounds hold for what they bound, and are the numbers of their formulas.
func TestHoeffding(t *testing.T) {
	for _, form := range []rff.Form{rff.CosSin, rff.CosBias} {
		const s, eps = 64, .35
		bound, err := HoeffdingTail(form, s, eps)
		if err != nil {
			t.Fatal(err)
		}
		want := map[rff.Form]float64{rff.CosSin: 2 * math.Exp(-32*eps*eps/2), rff.CosBias: 2 * math.Exp(-64*eps*eps/8)}[form]
		if math.Abs(bound-want) > 1e-15 {
			t.Errorf("%v: %v, want %v", form, bound, want)
		}
		k := rff.NewGaussian(1)
		x, y := []float64{.3, 1}, []float64{-.5, 1.2}
		exact := k.Eval(x, y)
		zx, zy := make([]float64, s), make([]float64, s)
		exceeded := 0
		const maps = 2000
		for i := range maps {
			m, err := rff.New(k, 2, s, rand.NewPCG(uint64(i), 4), form)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(m.TransformVec(zx, x), m.TransformVec(zy, y)); err != nil {
				t.Fatal(err)
			}
			if math.Abs(rff.NewLinear().Eval(zx, zy)-exact) >= eps {
				exceeded++
			}
		}
		if float64(exceeded)/maps > bound {
			t.Errorf("%v: %d of %d estimates are off by %g, bound %g", form, exceeded, maps, eps, bound)
		}
		n, err := HoeffdingFeatures(form, eps, bound)
		if err != nil || n < s || n > s+2 {
			t.Errorf("%v: %d features for the bound of %d, %v", form, n, s, err)
		}
		if p, _ := HoeffdingTail(form, 2, .1); p != 1 {
			t.Errorf("a probability of %g", p)
		}
	}
	// ε = 0.1, δ = 0.01: ln(200) = 5.2983; pairs 2/ε²·5.2983 = 1059.7, phases 4 times that.
	if n, err := HoeffdingFeatures(rff.CosSin, .1, .01); err != nil || n != 2120 {
		t.Error(n, err)
	}
	if n, err := HoeffdingFeatures(rff.CosBias, .1, .01); err != nil || n != 4239 {
		t.Error(n, err)
	}
	// σₚ² = 16/4 = 4, diameter 3: σₚ·diameter/ε = 60.
	want := 2 * int(math.Ceil(4*18/.01*(math.Log(256/.05)+2*math.Log(60))))
	if n, err := UniformFeatures(rff.NewGaussian(2), 16, 3, .1, .05); err != nil || n != want {
		t.Error(n, want, err)
	}
	for name, f := range map[string]func() (int, error){
		"eps":       func() (int, error) { return HoeffdingFeatures(rff.CosSin, 0, .1) },
		"delta 0":   func() (int, error) { return HoeffdingFeatures(rff.CosSin, .1, 0) },
		"delta 1":   func() (int, error) { return HoeffdingFeatures(rff.CosSin, .1, 1) },
		"form":      func() (int, error) { return HoeffdingFeatures("5", .1, .1) },
		"tiny":      func() (int, error) { return HoeffdingFeatures(rff.CosSin, 1e-9, .1) },
		"diameter":  func() (int, error) { return UniformFeatures(rff.NewGaussian(1), 2, 0, .1, .1) },
		"no moment": func() (int, error) { return UniformFeatures(rff.NewLaplacian(1), 2, 1, .1, .1) },
		"Matérn ½":  func() (int, error) { return UniformFeatures(rff.NewMatern(.5, 1), 2, 1, .1, .1) },
		"sigma":     func() (int, error) { return UniformFeatures(rff.NewGaussian(-1), 2, 1, .1, .1) },
		"subnormal": func() (int, error) { return UniformFeatures(rff.NewGaussian(1), 2, 1, 5e-324, .1) },
		"moment":    func() (int, error) { return UniformFeatures(rff.NewGaussian(1e-200), 2, 1, .1, .1) },
	} {
		var p *rff.ParameterError
		if n, err := f(); !errors.As(err, &p) {
			t.Errorf("%s: %d, %v", name, n, err)
		}
	}
}

// Parameters of any size that float64 holds have the number that the formula gives, in logarithms
// of base 10 here.
func TestFeaturesOfExtremeParameters(t *testing.T) {
	ln := func(digits, exponent float64) float64 { return math.Log(digits) + exponent*math.Ln10 }
	gaussian := rff.NewGaussian(2) // σₚ² = dim/4
	for _, c := range []struct {
		name        string
		features    func() (int, error)
		frequencies float64
	}{
		{"δ", func() (int, error) { return HoeffdingFeatures(rff.CosSin, .1, 1e-320) }, 200 * ln(2, 320)},
		{"least δ", func() (int, error) { return UniformFeatures(gaussian, 16, 3, .1, 1e-320) }, 7200 * (ln(256, 320) + 2*ln(60, 0))},
		{"diameter", func() (int, error) { return UniformFeatures(gaussian, 16, 1e308, .1, .05) }, 7200 * (ln(5120, 0) + 2*ln(2, 309))},
		{"σ", func() (int, error) { return UniformFeatures(rff.NewGaussian(4e-150), 16, 3e200, .1, .05) }, 7200 * (ln(5120, 0) + 2*ln(30, 350))},
		{"large ε", func() (int, error) { return UniformFeatures(gaussian, 16, 3, 1e200, .05) }, 1},
		{"huge ε", func() (int, error) { return HoeffdingFeatures(rff.CosSin, 1e300, .05) }, 1},
	} {
		// δ of 1e-320 has four digits.
		if n, err := c.features(); err != nil || math.Abs(float64(n)/2-c.frequencies) > 2 {
			t.Errorf("%s: %d features, want %g: %v", c.name, n, 2*c.frequencies, err)
		}
	}
}

// Second moments against −∇²k(0), by finite differences of the exact kernel.
func TestSecondMoments(t *testing.T) {
	const d, h = 3, 1e-3
	for _, k := range []rff.Stationary{rff.NewGaussian(1, 2, .7), rff.NewCauchy(1.5), rff.NewMatern(2.5, 1, 2, 3), rff.NewMatern(1.5, 2)} {
		zero, x := make([]float64, d), make([]float64, d)
		var want float64
		for j := range d {
			x[j] = h
			want += 2 * (1 - k.Eval(x, zero)) / (h * h)
			x[j] = 0
		}
		sp, err := k.Spectrum(d)
		if err != nil {
			t.Fatal(err)
		}
		// The next term is h times the third derivative (Matérn 3/2).
		if got := sp.(moment).SecondMoment(); math.Abs(got-want) > 3*h*want {
			t.Errorf("%v: %v, want %v", k, got, want)
		}
	}
}

// Too many features are the fault of the parameter that asks for them, with the value it has.
func TestTooManyFeatures(t *testing.T) {
	var p *rff.ParameterError
	if n, err := HoeffdingFeatures(rff.CosSin, 1e-9, .1); !errors.As(err, &p) || p.Name != "eps" || p.Value != 1e-9 {
		t.Errorf("%d, %v", n, err)
	}
}
