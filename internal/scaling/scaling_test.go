package scaling

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// width is the distance between the 0.5 % and the 99.5 % quantile of a standard
// normal, from scipy.stats.norm.ppf.
const width = 5.151658607097801

// column returns n values, of which the first few are those of f.
func column(n, few int, rest float64, f func(i int) float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rest
		if i < few {
			v[i] = f(i)
		}
	}
	rand.New(rand.NewPCG(7, uint64(n))).Shuffle(n, func(i, j int) { v[i], v[j] = v[j], v[i] })
	return v
}

// Columns of every kind: where the median goes, and how far from 0 all but the
// wild values.
func TestRobustIsBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	normal := make([]float64, 10000)
	for i := range normal {
		normal[i] = 5 + 3*rng.NormFloat64()
	}
	one := func(int) float64 { return 1 }
	pixel := func(i int) float64 { return float64(1 + i*37%255) }
	for _, c := range []struct {
		name     string
		v        []float64
		at, top  float64 // median, and the largest value that is not wild
		from, to float64 // of the scaled top
	}{
		// Half a percent of 10,000 is where quantiles fall between 0 and 1.
		{"indicator, 1 of 10000", column(10000, 1, 0, one), 0, 1, width, width},
		{"indicator, 30 of 10000", column(10000, 30, 0, one), 0, 1, width, width},
		{"indicator, 49 of 10000", column(10000, 49, 0, one), 0, 1, width, width},
		{"indicator, 50 of 10000", column(10000, 50, 0, one), 0, 1, width, width},
		{"indicator, 51 of 10000", column(10000, 51, 0, one), 0, 1, width, width},
		{"indicator, 70 of 10000", column(10000, 70, 0, one), 0, 1, width, width},
		{"indicator, 3000 of 10000", column(10000, 3000, 0, one), 0, 1, width, width},
		{"indicator, all but 50", column(10000, 50, 1, func(int) float64 { return 0 }), 1, 0, -width, -width},
		// Nine tenths of the grey values 1 … 255 are up to 230.
		{"border pixel, 30", column(60000, 30, 0, pixel), 0, 255, 1, 2 * width},
		{"border pixel, 299", column(60000, 299, 0, pixel), 0, 255, width, 2 * width},
		{"border pixel, 301", column(60000, 301, 0, pixel), 0, 255, width, 2 * width},
		{"border pixel, 620", column(60000, 620, 0, pixel), 0, 255, width, 2 * width},
		// Mostly constant, and the rest wild: one of a hundred must not decide.
		{"mostly 100, wild", append(column(9999, 99, 100, func(i int) float64 { return 90 + float64(i%10) }), 1e9), 100, 90, -2 * width, -width},
		// As Standard: 10,000 normal values reach about 4.
		{"normal", normal, 5, 5 + 3*4, 3.7, 4.3},
		{"normal with spikes", append(slices.Clone(normal), 1e6, -1e7, 1e8), 5, 5 + 3*4, 3.7, 4.3},
		{"constant", column(100, 0, 0.1, nil), 0.1, 0.1, 0, 0},
	} {
		shift, scale := Robust(c.v)
		if math.Abs(shift-c.at) > 0.2*math.Abs(c.top-c.at) {
			t.Errorf("%s: the median is %v, want about %v", c.name, shift, c.at)
		}
		if got := (c.top - c.at) / scale; got < c.from-1e-12 || got > c.to+1e-12 {
			t.Errorf("%s: %v goes to %v, want %v … %v", c.name, c.top, got, c.from, c.to)
		}
	}
}

// Where more than a tenth of the values differ from the median, the scale is
// that of the quantiles, whatever the tails.
func TestRobustIsTheQuantiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, draw := range map[string]func() float64{
		"normal":      rng.NormFloat64,
		"uniform":     rng.Float64,
		"exponential": rng.ExpFloat64,
		"Cauchy":      func() float64 { return math.Tan(math.Pi * (rng.Float64() - 0.5)) },
		"lognormal":   func() float64 { return math.Exp(3 * rng.NormFloat64()) },
		"half zeros":  func() float64 { return math.Max(0, rng.NormFloat64()) },
		"a fifth": func() float64 {
			if rng.IntN(5) > 0 {
				return 0
			}
			return math.Exp(2 * rng.NormFloat64())
		},
	} {
		v := make([]float64, 5000)
		for i := range v {
			v[i] = draw()
		}
		shift, scale := Robust(v) // sorts v
		// R's type 7: the order statistics h = (n−1)p and the next one, by hand.
		at := func(p float64) float64 {
			h := p * 4999
			i := math.Floor(h)
			return v[int(i)]*(1-(h-i)) + v[int(i)+1]*(h-i)
		}
		if want := (at(0.995) - at(0.005)) / width; math.Abs(scale-want) > 1e-12*want {
			t.Errorf("%s: scale %v, want %v", name, scale, want)
		}
		if want := at(0.5); math.Abs(shift-want) > 1e-12*math.Abs(want) {
			t.Errorf("%s: shift %v, want %v", name, shift, want)
		}
	}
}

// A sample that has next to nothing of a rare column is scaled by its extremes.
func TestRobustSample(t *testing.T) {
	for _, c := range []struct {
		name         string
		v            []float64
		low, high    float64
		shift, scale float64
	}{
		{"constant in the sample", column(1000, 0, 3, nil), 3, 258, 3, 255 / width},
		{"below as well", column(1000, 0, 3, nil), -97, 13, 3, 100 / width},
		{"nine of another value", column(1000, 9, 3, func(int) float64 { return 4 }), 3, 258, 3, 255 / width},
		{"ten of another value", column(1000, 10, 3, func(int) float64 { return 4 }), 3, 258, 3, 1 / width},
		{"constant", column(1000, 0, 3, nil), 3, 3, 3, 1},
		{"wild", column(1000, 500, 3, func(int) float64 { return 4 }), 3, 3e30, 3.5, 1 / width},
	} {
		shift, scale := RobustSample(c.v, c.low, c.high)
		if shift != c.shift || math.Abs(scale-c.scale) > 1e-12*c.scale {
			t.Errorf("%s: %v, %v; want %v, %v", c.name, shift, scale, c.shift, c.scale)
		}
	}
}

// The farthest tenth of the values other than the median is left out, from
// either side.
func TestNineTenths(t *testing.T) {
	for _, c := range []struct {
		v   []float64
		far float64
		n   int
	}{
		{[]float64{5, 5, 5}, 0, 0},
		{[]float64{1, 5, 5, 5, 6}, 4, 2},
		{[]float64{0, 4, 4, 4, 4, 5, 6, 6, 6, 7}, 5, 9},
		{[]float64{0, 4, 4, 4, 4, 5, 6, 6, 6, 6, 7}, 2, 10},
		{[]float64{3, 4, 4, 4, 4, 5, 5, 5, 6, 6, 6, 6, 9}, 2, 10},
		{[]float64{4, 4, 4, 4, 4, 5, 5, 5, 6, 6, 6, 6, 9}, 1, 10},
	} {
		if far, n := nineTenths(c.v, 5); math.Abs(far*width-c.far) > 1e-12 || n != c.n {
			t.Errorf("%v: %v of %d, want %v of %d", c.v, far*width, n, c.far, c.n)
		}
	}
}

// Finite whatever the values.
func TestExtremes(t *testing.T) {
	for _, v := range [][]float64{
		{-math.MaxFloat64, 0, math.MaxFloat64},
		{-math.MaxFloat64, math.MaxFloat64},
		{0, 0, 0, 5e-324},
		{0, 1e-310, 2e-310, 1e300},
		{1}, {}, {0, math.Copysign(0, -1)},
	} {
		for name, f := range map[string]func([]float64) (float64, float64){"robust": Robust, "minmax": MinMax} {
			shift, scale := f(slices.Clone(v))
			if math.IsNaN(shift) || math.IsInf(shift, 0) || !(scale > 0) || math.IsInf(scale, 0) {
				t.Errorf("%s of %v: %v, %v", name, v, shift, scale)
			}
			for _, x := range v {
				if z := (x - shift) / scale; name == "robust" && !math.IsInf(x-shift, 0) && !(math.Abs(z) <= 0x1p41) {
					t.Errorf("robust of %v: %v goes to %v", v, x, z)
				}
			}
		}
	}
}

func TestStandard(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	v := make([]float64, 1000)
	for i := range v {
		v[i] = 1e3 + rng.ExpFloat64()
	}
	mean, std := stat.PopMeanStdDev(v, nil)
	if shift, scale := Standard(v); math.Abs(shift-mean) > 1e-9 || math.Abs(scale-std) > 1e-9 {
		t.Errorf("%v, %v; want %v, %v", shift, scale, mean, std)
	}
	// 0.1 summed a thousand times is not 100: a constant column stays exact.
	if shift, scale := Standard(column(1000, 0, 0.1, nil)); shift != 0.1 || scale != 1 {
		t.Errorf("constant: %v, %v", shift, scale)
	}
	if shift, scale := MinMax([]float64{7, 3, 5}); shift != 3 || scale != 4 {
		t.Errorf("minmax: %v, %v", shift, scale)
	}
	for _, f := range []func([]float64) (float64, float64){Robust, Standard, MinMax} {
		if shift, scale := f(nil); shift != 0 || scale != 1 {
			t.Errorf("no values: %v, %v", shift, scale)
		}
	}
}

func TestQuantile(t *testing.T) {
	v := []float64{1, 2, 4, 8}
	for p, want := range map[float64]float64{0: 1, 0.5: 3, 1: 8, 1.0 / 6: 1.5, 0.25: 1.75} { // numpy.quantile
		if got := Quantile(v, p); math.Abs(got-want) > 1e-15 {
			t.Errorf("%v: %v, want %v", p, got, want)
		}
	}
}
