package portable

import "math"

// NormalQuantile returns Φ⁻¹(u) for u in (0, 1), with an error below 6 ULP
// (relative, also near u = ½ and in both tails); −Inf and +Inf at 0 and 1, NaN
// outside. M. J. Wichura, "Algorithm AS 241: The percentage points of the normal
// distribution", Applied Statistics 37 (1988) 477–484, routine PPND16.
func NormalQuantile(u float64) float64 {
	q := u - 0.5
	if math.Abs(q) <= 0.425 {
		return normalCentral(q)
	}
	if q < 0 {
		return -normalTail(u)
	}
	return normalTail(1 - u)
}

// NormalQuantiles sets dst[i] to NormalQuantile(u[i]), with the same bits, in less than half the
// time. It runs the central formula for all u without a branch, and then corrects the 15 % in the
// tails. dst must not overlap u.
func NormalQuantiles(dst, u []float64) {
	var tail [64]uint8
	for len(u) > 0 {
		n := min(len(u), len(tail))
		d, part := dst[:n], u[:n]
		k := 0
		for i, v := range part {
			q := v - 0.5
			d[i] = normalCentral(q)
			tail[k%len(tail)] = uint8(i)
			if !(math.Abs(q) <= 0.425) {
				k++
			}
		}
		for _, i := range tail[:k] {
			v := part[i]
			d[i] = math.Copysign(normalTail(min(v, 1-v)), v-0.5)
		}
		dst, u = dst[n:], u[n:]
	}
}

// normalCentral returns Φ⁻¹(½+q) for |q| ≤ 0.425.
func normalCentral(q float64) float64 {
	r := math.FMA(-q, q, 0.180625)
	num := horner7(r, 3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
		4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3)
	den := horner7(r, 1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
		2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3)
	return q * (num / den)
}

// normalTail returns −Φ⁻¹(p) for p in (0, 0.075].
func normalTail(p float64) float64 {
	switch {
	case p == 0:
		return math.Inf(1)
	case !(p > 0):
		return math.NaN()
	}
	r := math.Sqrt(-Log(p))
	if r <= 5 {
		r -= 1.6
		num := horner7(r, 1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
			1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4)
		den := horner7(r, 1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
			1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9)
		return num / den
	}
	r -= 5
	num := horner7(r, 6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
		2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7)
	den := horner7(r, 1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
		7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15)
	return num / den
}

// CauchyQuantile returns tan(π(u−½)), the quantile of the standard Cauchy
// distribution, with an error below 3 ULP.
func CauchyQuantile(u float64) float64 {
	// Reduced without rounding on either side: u−½ is exact from ¼ on, and near
	// the ends the cotangent of the small distance is used.
	switch {
	case u < 0.25:
		return -CosPi(u) / SinPi(u)
	case u > 0.75:
		return CosPi(1-u) / SinPi(1-u)
	}
	return TanPi(u - 0.5)
}

// LaplaceQuantile returns −sgn(u−½)·ln(1−2|u−½|), the quantile of the standard
// Laplace distribution, with an error below 1 ULP: the argument of the logarithm
// is exact on both sides.
func LaplaceQuantile(u float64) float64 {
	if u < 0.5 {
		return Log(2 * u)
	}
	return -Log(2 * (1 - u))
}
