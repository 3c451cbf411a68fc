package portable

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The reference is math/big at 400 bits, by power series that are written here
// from their definitions.
const prec = 400

func num(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }
func op() *big.Float           { return new(big.Float).SetPrec(prec) }

var bigPi, _ = op().SetString("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651328230664709384460955")

// bigExp sums Σ yⁿ/n! at y = x/2²⁰ and squares twenty times.
func bigExp(x *big.Float) *big.Float {
	y := op().Quo(x, num(1<<20))
	sum, term := num(1), num(1)
	for n := 1.0; n < 60; n++ {
		term.Mul(term, y).Quo(term, num(n))
		sum.Add(sum, term)
	}
	for range 20 {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog corrects y = math.Log(x) by log(x·e^{−y}), |x·e^{−y} − 1| < 1e-12.
func bigLog(x *big.Float) *big.Float {
	f, _ := x.Float64()
	y := num(math.Log(f))
	d := op().Sub(op().Mul(x, bigExp(op().Neg(y))), num(1))
	power, sum := num(1), op()
	for n := 1.0; n < 10; n++ {
		power.Mul(power, d)
		term := op().Quo(power, num(n))
		if int(n)%2 == 0 {
			term.Neg(term)
		}
		sum.Add(sum, term)
	}
	return sum.Add(sum, y)
}

// bigSinCos sums the Taylor series at πx, |x| ≤ 2.
func bigSinCos(x float64) (sin, cos *big.Float) {
	y := op().Mul(num(x), bigPi)
	sin, cos = op(), op()
	term := num(1)
	for n := 0; n < 120; n++ {
		part := op().Set(term)
		if n%4 >= 2 {
			part.Neg(part)
		}
		if n%2 == 0 {
			cos.Add(cos, part)
		} else {
			sin.Add(sin, part)
		}
		term.Mul(term, y).Quo(term, num(float64(n+1)))
	}
	return sin, cos
}

// bigGamma returns P(k/2, t²/2) for k = 1, 3, 5 by its series of positive terms,
// and the derivative in t.
func bigGamma(t float64, k int) (p, density *big.Float) {
	x := op().Quo(op().Mul(num(t), num(t)), num(2))
	// xᵃe⁻ˣ/Γ(a+1), with √(x)·x^{(k−1)/2} and Γ(k/2+1) = √π·Π (i/2).
	lead := op().Sqrt(x)
	gamma := op().Sqrt(bigPi)
	for i := 1; i <= k; i += 2 {
		gamma.Mul(gamma, num(float64(i)/2))
		if i > 1 {
			lead.Mul(lead, x)
		}
	}
	lead.Mul(lead, bigExp(op().Neg(x))).Quo(lead, gamma)
	sum, term := num(1), num(1)
	for n := 1.0; n < 400; n++ {
		term.Mul(term, x).Quo(term, num(float64(k)/2+n))
		sum.Add(sum, term)
	}
	p = op().Mul(lead, sum)
	// dP/dx = xᵃ⁻¹e⁻ˣ/Γ(a) = lead·a/x, dx/dt = t.
	density = op().Mul(lead, num(float64(k)/2))
	density.Quo(density, x).Mul(density, num(t))
	return p, density
}

// ulps returns |got − want| in units in the last place of want.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	d, _ := op().Sub(num(got), want).Float64()
	return math.Abs(d) / ulp(w)
}

func ulp(x float64) float64 {
	x = math.Abs(x)
	return math.Nextafter(x, math.Inf(1)) - x
}

// uniforms returns points all over (0, 1), dense at both ends and at ½.
func uniforms(n int) []float64 {
	rng := rand.New(rand.NewPCG(11, 13))
	u := []float64{0x1p-54, 0x1p-53, 3 * 0x1p-54, 1e-10, 0.0749, 0.075, 0.0751, 0.25, 0.4999999999, 0.5 - 0x1p-54, 0.5 + 0x1p-53,
		0.5 + 1e-9, 0.74999, 0.75, 0.85, 0.925, 0.9250001, 1 - 1e-10, 1 - 0x1p-53}
	for range n {
		// Only exact scalings, for these are the inputs of golden values too.
		u = append(u, rng.Float64(), math.Ldexp(1+rng.Float64(), -1-rng.IntN(54)), 1-math.Ldexp(1, -1-rng.IntN(52)), 0.5+math.Ldexp(rng.Float64()-.5, -rng.IntN(50)))
	}
	return u
}

func TestErrorsInULP(t *testing.T) {
	count := 250
	if testing.Short() {
		count = 60
	}
	worst := map[string]float64{}
	at := map[string]float64{}
	record := func(name string, x, e float64) {
		if !(e <= worst[name]) {
			worst[name], at[name] = e, x
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 4 * count {
		x := math.Exp2(2000*rng.Float64() - 1000)
		record("Log", x, ulps(Log(x), bigLog(num(x))))
		x = 1 + (rng.Float64()-.5)*math.Exp2(-40*rng.Float64())
		record("Log", x, ulps(Log(x), bigLog(num(x))))
		x = (.69*rng.Float64() - .28) * math.Exp2(-40*rng.Float64())
		record("LogGap", x, ulps(LogGap(x), op().Sub(num(x), bigLog(op().Add(num(1), num(x))))))
		x = 1400*rng.Float64() - 700
		record("Exp", x, ulps(Exp(x), bigExp(num(x))))
		x = (rng.Float64() - .5) * math.Exp2(-30*rng.Float64())
		record("Exp", x, ulps(Exp(x), bigExp(num(x))))
		x = 4*rng.Float64() - 2
		if rng.IntN(2) == 0 {
			x = math.Round(2*x)/2 + (rng.Float64()-.5)*math.Exp2(-40*rng.Float64())
		}
		s, c := bigSinCos(x)
		record("SinPi", x, ulps(SinPi(x), s))
		record("CosPi", x, ulps(CosPi(x), c))
		if math.Abs(2*x-math.Round(2*x)) > 0 {
			record("TanPi", x, ulps(TanPi(x), op().Quo(s, c)))
		}
	}
	for _, u := range uniforms(count) {
		s, c := bigSinCos(u)
		if u != 0.5 {
			record("CauchyQuantile", u, ulps(CauchyQuantile(u), op().Neg(op().Quo(c, s))))
			// ½ ± P(½, g²/2)/2 is Φ(±|g|).
			g := NormalQuantile(u)
			p, density := bigGamma(math.Abs(g), 1)
			p.Sub(p, op().Mul(num(2), op().Sub(num(math.Max(u, 1-u)), num(.5))))
			if u < 0.5 { // 1−u would round
				p, density = bigGamma(-g, 1)
				p.Sub(p, op().Sub(num(1), op().Mul(num(2), num(u))))
			}
			d, _ := op().Quo(p, density).Float64()
			record("NormalQuantile", u, math.Abs(d)/ulp(g))
			// Laplace: absolute inside (¼, ¾).
			l := LaplaceQuantile(u)
			want := bigLog(op().Mul(num(2), num(u)))
			if u > 0.5 {
				want = op().Neg(bigLog(op().Mul(num(2), op().Sub(num(1), num(u)))))
			}
			record("LaplaceQuantile", u, ulps(l, want))
		}
		for i, k := range []int{1, 3, 5} {
			q := ChiQuantile(u, k)
			p, density := bigGamma(q, k)
			d, _ := op().Quo(p.Sub(p, num(u)), density).Float64()
			record([]string{"ChiQuantile 1", "ChiQuantile 3", "ChiQuantile 5"}[i], u, math.Abs(d)/ulp(q))
		}
	}
	for name, bound := range map[string]float64{"Log": 1, "LogGap": 3, "Exp": 1, "SinPi": 1, "CosPi": 1, "TanPi": 3, "CauchyQuantile": 3,
		"NormalQuantile": 6, "LaplaceQuantile": 1, "ChiQuantile 1": 8, "ChiQuantile 3": 8, "ChiQuantile 5": 8} {
		t.Logf("%-15s %.2f ULP at %v", name, worst[name], at[name])
		if !(worst[name] < bound) {
			t.Errorf("%s: %.2f ULP off at %v, the bound is %g", name, worst[name], at[name], bound)
		}
	}
}

func TestSpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"Log(0)", Log(0), -inf}, {"Log(1)", Log(1), 0}, {"Log(inf)", Log(inf), inf}, {"Log(-1)", Log(-1), nan}, {"Log(NaN)", Log(nan), nan},
		{"Log(subnormal)", Log(0x1p-1074), -1074 * math.Ln2},
		{"Exp(0)", Exp(0), 1}, {"Exp(-inf)", Exp(-inf), 0}, {"Exp(inf)", Exp(inf), inf}, {"Exp(NaN)", Exp(nan), nan}, {"Exp(710)", Exp(710), inf},
		{"Exp(-746)", Exp(-746), 0}, {"Exp(-745)", Exp(-745), 0x1p-1074},
		{"SinPi(7)", SinPi(7), 0}, {"SinPi(2.5)", SinPi(2.5), 1}, {"SinPi(-0.5)", SinPi(-0.5), -1}, {"CosPi(3)", CosPi(3), -1}, {"CosPi(0.5)", CosPi(.5), 0},
		{"SinPi(inf)", SinPi(inf), nan}, {"CosPi(NaN)", CosPi(nan), nan}, {"TanPi(0.25)", TanPi(.25), 1},
		{"NormalQuantile(0)", NormalQuantile(0), -inf}, {"NormalQuantile(1)", NormalQuantile(1), inf}, {"NormalQuantile(0.5)", NormalQuantile(.5), 0},
		{"NormalQuantile(-1)", NormalQuantile(-1), nan}, {"NormalQuantile(2)", NormalQuantile(2), nan},
		{"CauchyQuantile(0.5)", CauchyQuantile(.5), 0}, {"LaplaceQuantile(0.5)", LaplaceQuantile(.5), 0},
		{"ChiQuantile(0)", ChiQuantile(0, 3), 0}, {"ChiQuantile(1)", ChiQuantile(1, 5), inf}, {"ChiQuantile(NaN)", ChiQuantile(nan, 1), nan},
	} {
		if !(c.got == c.want || (c.got != c.got && c.want != c.want)) {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
}

// Quantiles increase, over the seams of their approximations too.
func TestQuantilesIncrease(t *testing.T) {
	for name, q := range map[string]func(float64) float64{"normal": NormalQuantile, "Cauchy": CauchyQuantile, "Laplace": LaplaceQuantile,
		"χ 1": func(u float64) float64 { return ChiQuantile(u, 1) }, "χ 3": func(u float64) float64 { return ChiQuantile(u, 3) }, "χ 5": func(u float64) float64 { return ChiQuantile(u, 5) }} {
		last := math.Inf(-1)
		for i := 1; i < 20000; i++ {
			if v := q(float64(i) / 20000); !(v > last) {
				t.Fatalf("%s: %v after %v at %v", name, v, last, float64(i)/20000)
			} else {
				last = v
			}
		}
	}
}

// The bits are part of the interface: every platform and compiler gives these
// hashes of 4·10⁴ values each.
func TestGoldenBits(t *testing.T) {
	golden := map[string]string{
		"cauchy":  "1dff28aa7d808e45",
		"chi1":    "367d7b4a73324f08",
		"chi3":    "f48e25e1c73dc202",
		"chi5":    "1f356a3897804ff8",
		"cospi":   "d732ca0bf8668567",
		"exp":     "3b26a48bd29e35f1",
		"laplace": "19528ee6e9f13090",
		"log":     "2b8c4b352b6a26f4",
		"normal":  "136662950bea899a",
		"sinpi":   "178e2cddcaca15a4",
		"tanpi":   "fca11d1797fae482",
		"tanh":    "242c2455658c0b96",
		"atanh":   "233cb79f03ae16bc",
	}
	for name, f := range map[string]func(u float64) float64{
		"log": func(u float64) float64 { return Log(u * 1e3) }, "exp": func(u float64) float64 { return Exp(100 * (u - .5)) },
		"sinpi": func(u float64) float64 { return SinPi(8 * (u - .5)) }, "cospi": func(u float64) float64 { return CosPi(8 * (u - .5)) },
		"tanpi": func(u float64) float64 { return TanPi(3 * (u - .5)) }, "tanh": func(u float64) float64 { return Tanh(40 * (u - .5)) }, "atanh": func(u float64) float64 { return Atanh(1.8 * (u - .5)) }, "normal": NormalQuantile, "cauchy": CauchyQuantile, "laplace": LaplaceQuantile,
		"chi1": func(u float64) float64 { return ChiQuantile(u, 1) }, "chi3": func(u float64) float64 { return ChiQuantile(u, 3) }, "chi5": func(u float64) float64 { return ChiQuantile(u, 5) },
	} {
		h := sha256.New()
		for _, u := range uniforms(10000) {
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(f(u)))
			h.Write(b[:])
		}
		if got := hex.EncodeToString(h.Sum(nil)[:8]); got != golden[name] {
			t.Errorf("%q: %q,", name, got)
		}
	}
}

func TestNormalQuantiles(t *testing.T) {
	u := append(uniforms(300), 0, 1, -1, 2, math.NaN(), math.Inf(1), math.Inf(-1), 0.075, 0.925)
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(u), func(i, j int) { u[i], u[j] = u[j], u[i] })
	for n := range 200 {
		part := u[n : 2*n]
		got := make([]float64, n+1)
		got[n] = 7
		NormalQuantiles(got, part)
		for i, v := range part {
			if want := NormalQuantile(v); math.Float64bits(got[i]) != math.Float64bits(want) && (got[i] == got[i] || want == want) {
				t.Fatalf("%d of %d: quantile of %v is %v, alone %v", i, n, v, got[i], want)
			}
		}
		if got[n] != 7 {
			t.Fatalf("%d quantiles: wrote beyond them", n)
		}
	}
}

func BenchmarkNormalQuantiles(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	u, g := make([]float64, 14), make([]float64, 14)
	for i := range u {
		u[i] = rng.Float64()
	}
	for b.Loop() {
		for i := range u { // others, or the branches are learnt by heart
			u[i] = rng.Float64()
		}
		NormalQuantiles(g, u)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(14*b.N), "ns/value")
}

func BenchmarkNormalQuantile(b *testing.B) {
	u, s := uniforms(256), 0.0
	for i := range b.N {
		s += NormalQuantile(u[i%1000])
	}
	_ = s
}

func BenchmarkChiQuantile5(b *testing.B) {
	u, s := uniforms(256), 0.0
	for i := range b.N {
		s += ChiQuantile(u[i%1000], 5)
	}
	_ = s
}
