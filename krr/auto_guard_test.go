package krr_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// noisy returns rows of two classes, of which that share of the labels is drawn anew,
// in the same places of the same seed.
func noisy(seed uint64, n, d int, share float64) *rows {
	r := classes(seed, n, d, "a", "b")
	rng := rand.New(rand.NewPCG(seed, 77))
	for i := range n {
		u, v := rng.Float64(), rng.Float64()
		if u < share {
			r.y.Row(i)[0] = map[bool]float64{true: 1, false: -1}[v < 0.5]
		}
	}
	return r
}

// On noise in the labels, up to nothing else, what Auto learns is plain features or
// their equal: variants of it against a search without learning.
func TestAutoNeverWorse(t *testing.T) {
	t.Parallel()
	const n, held = 800, 4000
	variants := []uint64{0, 2, 4, 5, 7, 9}
	if testing.Short() {
		variants = []uint64{0, 4, 6, 9} // the least noise and nothing else, of 3 inputs and of 9
	}
	sum := 0.0
	for _, variant := range variants {
		share := []float64{0.2, 0.4, 0.6, 0.8, 1}[variant%5]
		d := 3 + 6*int(variant/5)
		train, test := noisy(variant, n, d, share), noisy(variant+50, held, d, share)
		set := krr.AutoSettings{Budget: time.Second / 5, Steps: anyNumber, Features: 64, Fit: krr.Settings{Seed: variant}}
		m, r := auto(t, train, set)
		if !slices.ContainsFunc(krr.StepsOf(r), func(s hook.Step) bool { return s.Name == "refined" && s.Candidates > 0 }) {
			t.Fatalf("variant %d: the budget is too small to learn: %v", variant, krr.StepsOf(r))
		}
		if krr.SearchOf(r).Learned == "" && !strings.HasPrefix(krr.SearchOf(r).Sampler, "nystrom") {
			t.Logf("variant %d: plain", variant)
			continue // its features are what it would be compared with
		}
		set.Sampler = sampling.MonteCarlo{}
		plain, _ := auto(t, train, set)
		a, b := wrongLabels(t, m, test), wrongLabels(t, plain, test)
		// Of 4000 rows the difference of two shares has a standard error of at most 1.1 %
		// when the labels are noise, less when the models agree; the choice rests on 800.
		if a > b+0.045 {
			t.Errorf("variant %d, %v of the labels noise: %.3f wrong, %.3f without learning; learned %q", variant, share, a, b, krr.SearchOf(r).Learned)
		}
		t.Logf("variant %d: learned %q, landmarks %v, %.3f against %.3f", variant, krr.SearchOf(r).Learned, strings.HasPrefix(krr.SearchOf(r).Sampler, "nystrom"), a, b)
		sum += a - b
	}
	// Three of these standard errors, of the mean of the variants.
	if n := float64(len(variants)); sum/n > 3*0.0105/math.Sqrt(n) {
		t.Errorf("worse by %.4f in the mean of %v variants", sum/n, n)
	}
}

func wrongLabels(t *testing.T, m *krr.Model, test *rows) float64 {
	t.Helper()
	labels, err := m.Labels(dense(test.x))
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0.0
	for i, l := range labels {
		if (l == "b") != (test.y.Row(i)[0] > 0) {
			wrong++
		}
	}
	return wrong / float64(len(labels))
}

// One input, for which no metric can be learned.
func TestAutoOneInput(t *testing.T) {
	t.Parallel()
	f := func(x []float64) float64 { return math.Sin(3 * x[0]) }
	m, r := auto(t, planted(1, 1500, 1, 0.1, f), krr.AutoSettings{Budget: 3 * time.Second / 8, Steps: anyNumber})
	if e := relativeRMSE(t, m, planted(2, 1000, 1, 0, f)); e > 0.06 {
		t.Errorf("relative error %.3f: %v", e, krr.StepsOf(r))
	}
}

// medians returns the bandwidth, in medians, that the first step of that name found; 0 if
// it was not kept.
func medians(t *testing.T, r *krr.Report, name string) (in float64) {
	t.Helper()
	for _, s := range krr.StepsOf(r) {
		if s.Name == name {
			if !s.Kept {
				return 0
			}
			if _, err := fmt.Sscanf(s.Best[indexOf(s.Best, "("):], "(%g medians)", &in); err != nil {
				t.Fatalf("%q: %v", s.Best, err)
			}
			return in
		}
	}
	return 0
}

// indexOf is the last place of a mark that "medians" follows.
func indexOf(text, mark string) int {
	for i := len(text) - 1; i >= 0; i-- {
		if text[i:i+1] == mark {
			return i
		}
	}
	return 0
}

// Where the best bandwidth lies at the edge of the grid, from a sixteenth of the median
// to four medians, the grid is extended: for a plane, and for fast waves.
func TestAutoBeyondTheGrid(t *testing.T) {
	t.Parallel()
	gaussian := []rff.Stationary{rff.NewGaussian()}
	plane := func(x []float64) float64 { return 3*x[0] - x[1] + 0.5*x[2] }
	_, r := auto(t, planted(1, 1200, 3, 0, plane), krr.AutoSettings{Budget: time.Second, Steps: anyNumber, Features: 64, Kernels: gaussian, Sampler: sampling.MonteCarlo{}})
	if in := medians(t, r, "bandwidth"); !(in > 4) {
		t.Errorf("a plane: %.3g medians: %v", in, krr.StepsOf(r))
	}
	waves := func(x []float64) float64 { return math.Sin(60 * x[0]) }
	_, r = auto(t, planted(1, 4000, 1, 0, waves), krr.AutoSettings{Budget: 2 * time.Second, Steps: anyNumber, Features: 512, Kernels: gaussian, Sampler: sampling.MonteCarlo{}})
	if in := medians(t, r, "bandwidth"); !(in > 0 && in < 1./16) {
		t.Errorf("waves: %.3g medians: %v", in, krr.StepsOf(r))
	}
}

// The unit of a bandwidth is the median of the kernel's own distance: of 40 standard
// normal inputs, times 2, 2·√80 for the Gaussian and 40·2·2/√π for the Laplacian; each
// within a few per cent.
func TestAutoUnits(t *testing.T) {
	t.Parallel()
	const d = 40
	f := func(x []float64) float64 { return x[0] + x[1]*x[1] }
	scale := make([]float64, d)
	for j := range scale {
		scale[j] = 0.5 // inputs are divided by it
	}
	for _, c := range []struct {
		kernel rff.Stationary
		format string
		want   float64
	}{{rff.NewGaussian(), "gaussian:sigma=%g", 2 * math.Sqrt(2*d)}, {rff.NewLaplacian(), "laplacian:sigma=%g", 2 * d * 2 / math.Sqrt(math.Pi)}, {rff.NewMatern(1.5), "matern:length=%g", 2 * math.Sqrt(2*d)}} {
		m, r := auto(t, planted(1, 500, d, 0.1, f), krr.AutoSettings{Budget: time.Second / 10, Features: 64, Steps: 1, Kernels: []rff.Stationary{c.kernel}, Fit: krr.Settings{Scaling: rff.Scaling{Shift: make([]float64, d), Scale: scale}}})
		var bandwidth float64
		if _, err := fmt.Sscanf(fmt.Sprint(m.Map().Kernel()), c.format, &bandwidth); err != nil {
			t.Fatal(m.Map().Kernel(), err)
		}
		if unit := bandwidth / medians(t, r, "search"); math.Abs(unit/c.want-1) > 0.05 {
			t.Errorf("%v: unit %.4g, want %.4g", m.Map().Kernel(), unit, c.want)
		}
	}
}

// The smallest λ is 10⁻¹² where the arithmetic allows; that it was the best is said.
func TestAutoLeastLambda(t *testing.T) {
	t.Parallel()
	f := func(x []float64) float64 { return math.Sin(x[0]) * math.Cos(x[1]) }
	train := planted(1, 1500, 2, 0, f)
	gaussian := []rff.Stationary{rff.NewGaussian()}
	for precision, least := range map[krr.Precision]float64{krr.Float64: 1e-12, krr.Float32: 1e-8} {
		m, r := auto(t, train, krr.AutoSettings{Budget: time.Second / 8, Steps: anyNumber, Features: 128, Kernels: gaussian, Sampler: sampling.ORF{}, Fit: krr.Settings{Precision: precision}})
		if chosen := m.Info().Lambda[0]; krr.LeastLambda(r) != least || r.AtEdge != (chosen == least) || chosen > 10*least {
			t.Errorf("%v: least λ %g, at the edge %v, chosen %g", precision, krr.LeastLambda(r), r.AtEdge, m.Info().Lambda[0])
		}
	}
	_, r := auto(t, planted(1, 1500, 2, 1, f), krr.AutoSettings{Budget: time.Second / 8, Steps: anyNumber, Features: 128, Kernels: gaussian})
	if r.AtEdge || krr.InfoOf(r).Lambda[0] < 1e-7 {
		t.Errorf("noise: λ %g, at the edge %v", krr.InfoOf(r).Lambda[0], r.AtEdge)
	}
}

// A regression's predictions stay within the targets of the training rows.
func TestAutoClips(t *testing.T) {
	t.Parallel()
	plane := func(x []float64) float64 { return x[0] }
	train := planted(1, 600, 2, 0, plane)
	set := krr.AutoSettings{Budget: time.Second / 10, Steps: anyNumber}
	far := mat.NewDense(1, 2, []float64{30, 0})
	var p mat.Dense
	m, _ := auto(t, train, set)
	if err := m.Predict(&p, far); err != nil {
		t.Fatal(err)
	}
	least, most := math.Inf(1), math.Inf(-1)
	for _, y := range train.y.Data {
		least, most = min(least, y), max(most, y)
	}
	if v := p.At(0, 0); v < least || v > most {
		t.Errorf("predicts %v, targets are from %v to %v", v, least, most)
	}
}

// A search refuses the weights that a fit refuses, in the same words: it had an error without a
// type about sums that are not finite.
func TestAutoOfWeightsBeyondSums(t *testing.T) {
	for _, w := range []float64{1e308, 5e-324} {
		r := synthetic(1, 300, 2, 1, 0.1)
		r.w = slices.Repeat([]float64{w}, 300)
		_, _, err := krr.Auto(t.Context(), r, krr.AutoSettings{Budget: -1})
		_, _, fit := krr.Fit(t.Context(), gaussianMap(t, 9, 2, 8, 2), r, krr.Settings{})
		var row *rff.ValueError
		if !errors.As(err, &row) || row.Column != "weight" || fit == nil || err.Error() != fit.Error() {
			t.Errorf("weights of %g: Auto: %v; Fit: %v", w, err, fit)
		}
	}
}
