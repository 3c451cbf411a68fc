package sampling

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rffgo/rff"
)

// Importance weights are 1/√(l·p), and 1/√clip where l·p is below the clip.
func TestImportanceIsClipped(t *testing.T) {
	const l = 4
	r := &Result{Prob: []float64{0.9, 0.1 - 1e-4 - 1e-9, 1e-4, 1e-9}, Picked: []int{0, 1, 2, 3}, Count: []int{2, 1, 1, 1}}
	const draws = 5
	for i, a := range (Pool{Importance: true}).amplitudes(r, draws) {
		p := l * r.Prob[i]
		if i >= 2 { // 4·10⁻⁴ and 4·10⁻⁹ count as 10⁻³
			p = 1e-3
		}
		if want := math.Sqrt(l * float64(r.Count[i]) / draws / p); !close2(a, want, 1e-15) {
			t.Errorf("probability %g: amplitude %g, want %g", r.Prob[i], a, want)
		}
	}
	for i, a := range (Pool{}).amplitudes(r, draws) {
		if want := math.Sqrt(l * float64(r.Count[i]) / draws); !close2(a, want, 1e-15) {
			t.Errorf("unit amplitude %g, want %g", a, want)
		}
	}
}

// A weighted row counts with its weight in every score, also in those of a sample
// of the rows, and whatever the batches: Σ w(y−ȳ)z with ȳ the weighted mean.
func TestRowWeightsInScores(t *testing.T) {
	const n, d, features, fraction = 900, 2, 6, 0.3
	data := waves(n, d, 2)
	data.weight = make([]float64, n)
	for i := range data.weight {
		data.weight[i] = 0.25 + float64(i%5)
	}
	data.weight[17] = 0
	data.cut = []int{100, 7, 300, 1}
	for name, c := range map[string]struct {
		s        scorer
		raw, all bool
		score    func(energy, rows float64) float64
	}{
		"eerf":      {EERF{Fraction: fraction}, false, false, func(e, rows float64) float64 { return math.Sqrt(e) / rows }},
		"eerf raw":  {EERF{Fraction: fraction, Raw: true}, true, false, func(e, rows float64) float64 { return math.Sqrt(e) / rows }},
		"lkrf":      {LKRF{Fraction: fraction}, false, false, func(e, _ float64) float64 { return e }},
		"surrogate": {Surrogate{}, false, true, func(e, _ float64) float64 { return e * 4 * features / 2 }},
	} {
		// The pool is drawn first, then the seed of the sample.
		src := rand.NewPCG(3, 4)
		pool, err := rff.New(rff.NewGaussian(0.7), d, 4*features, src)
		if err != nil {
			t.Fatal(err)
		}
		keep := everyRow(fraction, src)
		r, err := c.s.sampleScored(context.Background(), rff.Request{Kernel: rff.NewGaussian(0.7), Dim: d, Features: features, Data: data, Rand: rand.NewPCG(3, 4)})
		if err != nil {
			t.Fatal(err)
		}
		if pool.Fingerprint() != r.Candidates.Fingerprint() {
			t.Fatalf("%s: another pool", name)
		}
		z := denseOf(t, pool, data.x)
		var rows, weight, number float64 // number counts the rows of positive weight
		mean := make([]float64, 2)
		in := make([]bool, n)
		for i := range n {
			if data.weight[i] == 0 {
				continue
			}
			in[i] = c.all || keep(int64(number))
			if number++; in[i] {
				rows++
				weight += data.weight[i]
				for k := range mean {
					mean[k] += data.weight[i] * data.y.Row(i)[k]
				}
			}
		}
		for k := range mean {
			if mean[k] /= weight; c.raw {
				mean[k] = 0
			}
		}
		if r.Rows != int64(rows) {
			t.Errorf("%s: %d rows, want %g", name, r.Rows, rows)
		}
		f := len(r.Scores)
		for m := range f {
			var energy float64
			for _, column := range []int{m, m + f} {
				for k := range mean {
					var v float64
					for i := range n {
						if in[i] {
							v += data.weight[i] * (data.y.Row(i)[k] - mean[k]) * z.At(i, column)
						}
					}
					energy += v * v
				}
			}
			if want := c.score(energy, rows); !close2(r.Scores[m]/want, 1, 1e-11) {
				t.Fatalf("%s: score %d is %.15g, want %.15g", name, m, r.Scores[m], want)
			}
		}
	}
}

// everyRow keeps about the fraction, other rows with another seed, and no fewer of
// consecutive or far rows.
func TestEveryRow(t *testing.T) {
	if everyRow(1, rand.NewPCG(1, 1)) != nil {
		t.Error("all rows need no decision")
	}
	const n, fraction = 20000, 0.3
	a, b := everyRow(fraction, rand.NewPCG(1, 1)), everyRow(fraction, rand.NewPCG(1, 2))
	for _, from := range []int64{0, 1 << 40} {
		var first, both, next float64
		for i := range int64(n) {
			if a(from + i) {
				first++
				if b(from + i) {
					both++
				}
				if a(from + i + 1) {
					next++
				}
			}
		}
		// Binomial counts; independent decisions meet with the product.
		for _, c := range []struct{ got, p float64 }{{first, fraction}, {both, fraction * fraction}, {next, fraction * fraction}} {
			if math.Abs(c.got-n*c.p) > 5*math.Sqrt(n*c.p*(1-c.p)) {
				t.Errorf("%g of %d rows, want %g", c.got, n, n*c.p)
			}
		}
	}
}

// uniformRows keeps every subset with the same probability: one or two of four rows.
func TestUniformRowsAreFair(t *testing.T) {
	const trials = 20000
	data := waves(4, 1, 0)
	for i := range 4 {
		data.x.Row(i)[0] = float64(i)
	}
	data.cut = []int{1, 2}
	for _, n := range []int{1, 2, 4, 9} {
		q := &request{Request: rff.Request{Dim: 1, Data: data, Rand: rand.NewPCG(uint64(n), 2)}, sampler: "ses"}
		var in [4]float64
		var first float64 // both of the rows 0 and 1
		for range trials {
			x, seen, err := uniformRows(context.Background(), q, n, 2, "")
			if err != nil || seen != 4 || x.Rows != min(n, 4) {
				t.Fatalf("%d of %d rows, %v", x.Rows, seen, err)
			}
			low := 0
			for i := range x.Rows {
				row := int(x.Row(i)[0])
				in[row]++
				if row < 2 {
					low++
				}
			}
			if low == 2 {
				first++
			}
		}
		p := float64(min(n, 4)) / 4
		for i, c := range in {
			if math.Abs(c/trials-p) > 5*math.Sqrt(p*(1-p)/trials) {
				t.Errorf("row %d is in %.4f of the samples of %d, want %.4f", i, c/trials, n, p)
			}
		}
		if n == 2 && math.Abs(first/trials-1./6) > 5*math.Sqrt(1./6*5/6/trials) {
			t.Errorf("rows 0 and 1 are together in %.4f of the samples, want 1/6", first/trials)
		}
	}
}

// The default radius of LKRF shrinks where its α would be positive on fewer
// candidates than are to be picked; a radius asked for does not.
func TestLKRFReachesEnoughCandidates(t *testing.T) {
	const features = 600
	data := waves(300, 2, 1)
	r := scored(t, LKRF{}, 2, features, data, 4)
	m := len(r.Scores)
	if len(r.Picked) != features/2 || !(r.Rho < 0.005*float64(m)) {
		t.Errorf("%d picked of %d with ρ = %g, the default is %g", len(r.Picked), m, r.Rho, 0.005*float64(m))
	}
	fixed := LKRF{Rho: 0.005 * float64(m)}
	_, err := fixed.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(0.7), Dim: 2, Features: features, Data: data, Rand: rand.NewPCG(4, 1)})
	if e := (*rff.DegenerateDataError)(nil); !errors.As(err, &e) || !strings.Contains(e.Why, fmt.Sprintf("and %d are asked for", features/2)) {
		t.Errorf("the same radius as asked for: %v", err)
	}
}

// The row of a weight that sums do not hold is named, as fits name it: errors were about targets
// that were in order, or about λ.
func TestWeightsBeyondSums(t *testing.T) {
	all := map[string]rff.Sampler{"nystrom": Nystrom{}, "nystrom metric": Nystrom{Metric: true}, "metric": Metric{Fast: true}}
	for name, s := range onData() {
		all[name] = s.s
	}
	for name, s := range all {
		for _, w := range []float64{1e308, 5e-324} {
			data := waves(200, 2, 1)
			data.weight = make([]float64, 200)
			for i := range data.weight {
				data.weight[i] = w
			}
			_, err := s.Sample(t.Context(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 2, Features: 12, Data: data, Rand: rand.NewPCG(1, 2)})
			var row *rff.ValueError
			if !errors.As(err, &row) || row.Row != 0 || row.Column != "weight" || row.Value != w {
				t.Errorf("%s of weights %g: %v", name, w, err)
			}
		}
	}
}
