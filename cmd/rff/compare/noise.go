package compare

import (
	"math"
	"slices"
)

// Difference compares a row with the row of the first sampler that has as many features. In each
// repetition both have the same training and test rows, so their luck with the rows cancels.
type Difference struct {
	Mean float64 `json:"mean"` // of the scores' differences
	P    float64 `json:"p"`    // probability of a difference at least as large by chance, rounded to three digits
	// Beyond says "better" or "worse" if the difference is beyond noise: Holm's
	// procedure keeps the chance of even one wrong mark in the whole table below
	// five per cent.
	Beyond string `json:"beyond_noise,omitempty"`
}

// markLevel is the share of tables that may have a wrong mark.
const markLevel = 0.05

// cellKey names a cell of a sampler.
type cellKey struct {
	sampler       string
	features, rep int
}

// measureRows records, for the cells of a repetition, how much the difference from the first
// sampler would vary with other test rows. This is the variance of its mean over the rows. For
// regression, √MSE₁ − √MSE₀ = (MSE₁ − MSE₀)/(√MSE₁ + √MSE₀).
func (r *Result) measureRows(rep int) {
	first := map[int]*Cell{}
	for i := range r.Cells {
		if c := &r.Cells[i]; c.Rep == rep && c.Sampler == r.Settings.Samplers[0] {
			first[c.Features] = c
		}
	}
	if r.rowNoise == nil {
		r.rowNoise = map[cellKey]float64{}
	}
	for _, c := range r.Cells {
		base := first[c.Features]
		if c.Rep != rep || base == nil || c.losses == nil || base.losses == nil {
			continue
		}
		unit := 1.0
		if sum := c.Score + base.Score; r.Classes == 0 && r.Settings.ownLoss() == nil && sum > 0 {
			unit = sum
		}
		d := make([]float64, len(c.losses))
		for i := range d {
			d[i] = (c.losses[i] - base.losses[i]) / unit
		}
		_, sd := MeanSD(d)
		r.rowNoise[cellKey{c.Sampler, c.Features, rep}] = float64(sd*sd) / float64(len(d))
	}
	for i := range r.Cells {
		r.Cells[i].losses = nil
	}
}

// compareWithFirst fills Versus of all rows but the first sampler's.
//
// The statistic is the mean of the J differences over its standard error. Its law is Student's t
// with J − 1 degrees of freedom. Let σ² be the variance of the differences. The variance of their
// mean is not σ²/J:
//
//   - Repetitions that divide the same rows anew share most of them. The variance is then
//     (1/J + n₂/n₁)·σ² for n₁ training and n₂ test rows (C. Nadeau and Y. Bengio, "Inference for
//     the generalization error", Machine Learning 52:239–281, 2003, section 3).
//   - A test part of the set's own is the same in every repetition, so σ² does not contain the
//     luck with these rows. Their variance is added, see measureRows.
//
// S. Holm, "A simple sequentially rejective multiple test procedure",
// Scandinavian Journal of Statistics 6:65–70, 1979.
func (r *Result) compareWithFirst() {
	first := map[cellKey]float64{}
	for _, c := range r.Cells {
		if c.Sampler == r.Settings.Samplers[0] && c.Failure == "" {
			first[cellKey{"", c.Features, c.Rep}] = c.Score
		}
	}
	shared := 0.0
	if r.Divided && r.Train > 0 {
		shared = float64(r.Test) / float64(r.Train)
	}
	var tested []*Difference
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Sampler == r.Settings.Samplers[0] {
			continue
		}
		var d []float64
		var rows float64
		for _, c := range r.Cells {
			if base, ok := first[cellKey{"", c.Features, c.Rep}]; ok && c.Sampler == row.Sampler && c.Features == row.Features && c.Failure == "" {
				d = append(d, c.Score-base)
				rows += r.rowNoise[cellKey{c.Sampler, c.Features, c.Rep}]
			}
		}
		if len(d) < 2 {
			continue
		}
		row.Versus = Paired(d, shared, rows/float64(len(d)))
		tested = append(tested, row.Versus)
	}
	slices.SortStableFunc(tested, func(a, b *Difference) int {
		switch {
		case a.P < b.P:
			return -1
		case a.P > b.P:
			return 1
		}
		return 0
	})
	for _, d := range tested[:Holm(tested, func(d *Difference) float64 { return d.P })] {
		d.Beyond = "worse"
		if (d.Mean > 0) == r.HigherIsBetter() {
			d.Beyond = "better"
		}
	}
	r.Tested = len(tested)
}

// Holm returns how many of the tests, which are sorted by their probabilities p, are beyond
// noise. The chance that even one of these is due to luck is below five per cent.
func Holm[T any](sorted []T, p func(T) float64) int {
	for i, t := range sorted {
		if p(t) > markLevel/float64(len(sorted)-i) {
			return i
		}
	}
	return len(sorted)
}

// Paired tests whether the mean of the differences d is 0 (see compareWithFirst). shared is
// n₂/n₁, or 0 for repetitions that share no rows. rows is the variance of the mean over a fixed
// test part.
func Paired(d []float64, shared, rows float64) *Difference {
	mean, sd := MeanSD(d)
	out := &Difference{Mean: mean, P: 1} // without any spread there is no noise to measure by
	if sd > 1e-9*math.Abs(mean) {        // a smaller deviation is rounding: the differences are equal
		n := float64(len(d))
		variance := float64(sd*sd*(1/n+shared)) + rows
		out.P = ThreeDigits(bothTails(mean/math.Sqrt(variance), len(d)-1))
	}
	return out
}

// bothTails returns the probability that Student's t with df degrees of freedom
// is at least |t| in size. With t = √df·v/(1−v) its density is proportional to
//
//	((1−v)/r)^(df−1) / r²,  r² = (1−v)² + v²,  0 ≤ v < 1,
//
// which is smooth, so Simpson's rule gives six digits of it. Nothing here depends on the
// platform.
func bothTails(t float64, df int) float64 {
	density := func(v float64) float64 {
		r2 := float64((1-v)*(1-v)) + float64(v*v)
		base, p := (1-v)/math.Sqrt(r2), 1/r2
		for n := df - 1; n > 0; n >>= 1 {
			if n&1 == 1 {
				p *= base
			}
			base *= base
		}
		return p
	}
	integral := func(from float64) float64 {
		const steps = 1 << 12
		h := (1 - from) / steps
		sum := density(from) + density(1)
		for i := 1; i < steps; i++ {
			weight := float64(2 + 2*(i&1))
			sum += float64(weight * density(from+float64(float64(i)*h)))
		}
		return sum * h / 3
	}
	u := math.Abs(t) / math.Sqrt(float64(df))
	return min(1, integral(u/(1+u))/integral(0))
}

// ThreeDigits rounds to three digits.
func ThreeDigits(p float64) float64 {
	if !(p > 1e-300) {
		return 0
	}
	scale := 1.0
	for p*scale < 100 {
		scale *= 10
	}
	return math.Round(p*scale) / scale
}
