package portable

import "math"

// ChiQuantile returns the square root of the u-quantile of the χ² distribution
// with k ∈ {1, 3, 5} degrees of freedom, for u in (0, 1): the length of a
// k-vector of standard normals. The error is below 8 ULP. It panics for other k.
func ChiQuantile(u float64, k int) float64 {
	switch {
	case k != 1 && k != 3 && k != 5:
		panic("portable: degrees of freedom must be 1, 3 or 5")
	case !(u >= 0 && u <= 1):
		return math.NaN()
	case u == 0:
		return 0
	case u == 1:
		return math.Inf(1)
	}
	if k == 1 { // |N| ≤ t with probability 2Φ(t) − 1
		if u <= 0.85 {
			return normalCentral(float64(0.5 * u))
		}
		return normalTail(float64(0.5 * (1 - u)))
	}
	// Newton on x = t²/2 with P(a, x) = u, a = k/2, in the smaller tail and in
	// logarithms, where both tails are nearly straight.
	a := float64(k) / 2
	lower := u <= 0.5
	p := u
	if !lower {
		p = 1 - u
	}
	lp := Log(p)
	x := startGamma(u, a)
	for range 60 {
		tail, density := gammaTail(x, a, lower)
		if !(tail > 0) || !(density > 0) {
			break
		}
		away := lp - Log(tail)
		step := away * tail / density // of log(tail) in x
		if math.Abs(away) < 1e-3 {    // (p−tail)/density keeps the digits the difference of logarithms loses
			step = (p - tail) / density
		}
		if !lower {
			step = -step
		}
		next := x + step
		if !(next > 0) {
			next = x / 4
		}
		done := math.Abs(next-x) <= 0x1p-52*x
		x = next
		if done {
			break
		}
	}
	return math.Sqrt(2 * x)
}

// startGamma is a first approximation of the quantile x of Γ(a): the leading
// term of the series for small u, Wilson and Hilferty's cube elsewhere.
func startGamma(u, a float64) float64 {
	k := 2 * a
	g := NormalQuantile(u)
	c := 2 / (9 * k)
	b := 1 - c + float64(g*math.Sqrt(c))
	if u < 0.02 || b <= 0.1 {
		// P(a, x) ≈ xᵃ/Γ(a+1)
		return Exp(Log(float64(u*gammaOf(a+1))) / a)
	}
	return float64(k/2*b) * float64(b*b)
}

// gammaOf returns Γ(a) for a = 3/2, 5/2, 7/2.
func gammaOf(a float64) float64 {
	const sqrtPi = 1.77245385090551602729816748334
	switch a {
	case 1.5:
		return sqrtPi / 2
	case 2.5:
		return sqrtPi * 3 / 4
	}
	return sqrtPi * 15 / 8
}

// gammaTail returns P(a, x) (lower) or Q(a, x), and the density xᵃ⁻¹e⁻ˣ/Γ(a).
func gammaTail(x, a float64, lower bool) (tail, density float64) {
	power := math.Sqrt(x) // xᵃ⁻¹ for a = 3/2
	if a == 2.5 {
		power *= x
	}
	density = float64(power*Exp(-x)) / gammaOf(a)
	if x < a+1 {
		// P = density·x/a·(1 + x/(a+1) + x²/((a+1)(a+2)) + …), positive terms.
		term, sum := 1.0, 1.0
		for n := 1.0; term > 0x1p-56*sum; n++ {
			term = float64(term*x) / (a + n)
			sum += term
		}
		p := float64(float64(density*x) / a * sum)
		if lower {
			return p, density
		}
		return 1 - p, density
	}
	// Q = density·x·1/(x+1−a− 1(1−a)/(x+3−a− …)), Legendre's continued fraction
	// from below; 80 levels are enough for x ≥ a+1.
	f := 0.0
	for n := 80.0; n >= 1; n-- {
		f = float64(n*(n-a)) / (x + 2*n + 1 - a - f)
	}
	q := float64(density*x) / (x + 1 - a - f)
	if lower {
		return 1 - q, density
	}
	return q, density
}
