package krr_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// 55 rows of a sine with noise are searched like many, and predict it: R² is at least .94 on
// new rows without noise. What that costs is a part of the budget of many rows.
func TestAutoFewRows(t *testing.T) {
	t.Parallel()
	for seed := range seeds(3) {
		rng := rand.New(rand.NewPCG(seed, 1))
		sine := func(x []float64) float64 {
			x[0] = 4*rng.Float64() - 2
			return math.Sin(3 * x[0])
		}
		m, r := auto(t, planted(seed+1, 55, 1, 0.2, sine), krr.AutoSettings{})
		if len(krr.StepsOf(r)) == 0 || krr.SearchOf(r).Estimated > time.Second {
			t.Errorf("seed %d: %v estimated: %v", seed, krr.SearchOf(r).Estimated, krr.StepsOf(r))
		}
		if e := relativeRMSE(t, m, planted(seed+50, 1000, 1, 0, sine)); 1-e*e < 0.94 {
			t.Errorf("seed %d: R² %.3f", seed, 1-e*e)
		}
	}
}

// A table of words has rows alike, and fewer different ones than a search would like to have
// landmarks: it ends with a model all the same.
func TestAutoWords(t *testing.T) {
	t.Parallel()
	r := classes(3, 1500, 8, "a", "b")
	for i := range r.x.Rows {
		for j, v := range r.x.Row(i) {
			r.x.Row(i)[j] = math.Round(1 / (1 + math.Exp(-v)))
		}
	}
	m, report := auto(t, r, krr.AutoSettings{Budget: time.Second})
	if m == nil || krr.SearchOf(report).Searched > 512 || report.Train.Rows != 1500 { // 2⁸ rows of two classes
		t.Errorf("%d different rows of %d: %v", krr.SearchOf(report).Searched, report.Train.Rows, krr.StepsOf(report))
	}
}

// Kernels with their bandwidth, and of a program's own, take part: Auto widens them as the
// open ones, to the same error.
func TestAutoOwnKernels(t *testing.T) {
	t.Parallel()
	f := func(x []float64) float64 { return math.Sin(2*x[0]) + x[1] }
	train, test := planted(1, 600, 2, 0.1, f), planted(2, 1000, 2, 0, f)
	var want float64
	for _, k := range []rff.Stationary{rff.NewGaussian(), rff.NewGaussian(1), own{}} {
		m, r := auto(t, train, krr.AutoSettings{Budget: time.Second / 8, Kernels: []rff.Stationary{k}, Sampler: sampling.MonteCarlo{}})
		e := relativeRMSE(t, m, test)
		if want == 0 {
			want = e
		}
		if e > 1.01*want || !strings.Contains(m.Info().Provenance["auto"], "medians") {
			t.Errorf("%v: relative error %.3f, that of the open Gaussian kernel %.3f: %s", k, e, want, r.Stopped)
		}
	}
}

// own is a Gaussian kernel that the library does not know.
type own struct{}

func (own) Eval(x, y []float64) float64            { return rff.NewGaussian(1).Eval(x, y) }
func (own) Spectrum(dim int) (rff.Spectrum, error) { return rff.NewGaussian(1).Spectrum(dim) }
func (own) String() string                         { return "own" }

// Probabilities of learned features hold on new rows: they come from rows that nothing was
// learned from. Labels are wrong with a chance of 20 %, and 1,024 features of 16 inputs learn
// what is wrong of 3,000 rows by heart: folds of these would say .90 where .75 holds.
func TestAutoCalibratesLearned(t *testing.T) {
	for _, loss := range []string{"", "logistic"} {
		t.Run(loss, func(t *testing.T) {
			t.Parallel()
			calibratesLearned(t, loss)
		})
	}
}

func calibratesLearned(t *testing.T, loss string) {
	flip := func(seed uint64, n int) *rows {
		rng := rand.New(rand.NewPCG(seed, 5))
		r := planted(seed, n, 16, 0, func(x []float64) float64 {
			y := math.Copysign(1, math.Sin(2*(x[0]+x[1])))
			if rng.Float64() < 0.2 {
				y = -y
			}
			return y
		})
		r.classes = []string{"a", "b"}
		return r
	}
	m, r := auto(t, flip(1, 3000), krr.AutoSettings{Budget: 2 * time.Second, Features: 1024, Kernels: []rff.Stationary{rff.NewGaussian()}, Fit: krr.Settings{Loss: loss}})
	if krr.SearchOf(r).Learned == "" {
		t.Fatalf("nothing is learned: %v", krr.StepsOf(r))
	}
	test := flip(2, 20000)
	var p mat.Dense
	if err := m.Probabilities(&p, dense(test.x)); err != nil {
		t.Fatal(err)
	}
	var said, held, n float64
	for i := range test.x.Rows {
		if q := max(p.At(i, 0), p.At(i, 1)); q >= 0.7 {
			said, n = said+q, n+1
			if (p.At(i, 1) > 0.5) == (test.y.Row(i)[0] > 0) {
				held++
			}
		}
	}
	// What is measured on the held-out rows is all that other fits measure.
	h := r.HeldOut
	of := hook.Classes(h)
	if len(h.Recall) != 2 || !(of.Guess >= .5 && of.Guess < .6) || !(of.Balanced > .55 && h.AUC > .55) || h.Rows < 300 {
		t.Errorf("held out: %+v", h)
	}
	if at, want := m.Info().Provenance["held-out accuracy"], strconv.FormatFloat(h.Accuracy, 'g', 6, 64); at != want {
		t.Errorf("the model has a held-out accuracy of %q, the report of %s", at, want)
	}
	said, held = said/n, held/n
	t.Logf("of %g rows with at least .7 it says %.3f, and %.3f hold", n, said, held)
	// 5 standard errors of the share of new rows and of that of some 600 held-out ones.
	if n < 1000 || math.Abs(said-held) > 5*math.Sqrt(0.2*0.8*(1/n+1./600)) {
		t.Errorf("of %g rows with at least .7 it says %.3f, and %.3f hold", n, said, held)
	}
}

// Where groups are fewer than folds, each row is held out once before the probabilities are
// calibrated and measured, not those of some groups twice.
func TestAutoFewGroups(t *testing.T) {
	t.Parallel()
	for seed := range seeds(3) {
		r := classes(seed+1, 60, 2, "a", "b")
		r.group = make([]uint64, 60)
		for i := range r.group {
			r.group[i] = uint64(i % 7)
		}
		_, report := auto(t, r, krr.AutoSettings{Budget: time.Second, Fit: krr.Settings{Probabilities: true}})
		if report.HeldOut == nil || report.HeldOut.Rows != 60 {
			t.Errorf("seed %d: held out %+v of 60 rows: %v", seed, report.HeldOut, krr.StepsOf(report))
		}
	}
}
