package krr_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/metrics"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// Conjugate gradients find the Cholesky solution to the tolerance, which bounds
// what the predictions of the training rows are yet to change by: with either
// preconditioner, weights and several targets, from easy to ill-conditioned.
func TestConjugateGradients(t *testing.T) {
	t.Parallel()
	r := synthetic(3, 3000, 4, 2, 0.2)
	r.w = make([]float64, 3000)
	for i := range r.w {
		r.w[i] = float64(1 + i%3)
	}
	for _, c := range []struct {
		features int
		memory   int64 // 64 MiB: a sample of some 100 rows for 2048 features
		lambdas  []float64
	}{{300, 0, []float64{1e-9, 1e-6, 1e-3}}, {2048, 80 << 20, []float64{1e-2, 1e-1}}} {
		m := gaussianMap(t, 1, 4, c.features, 2)
		for _, p := range []krr.Precision{krr.Float64, krr.Float32} {
			g := gram(t, m, r, p)
			for _, lambda := range c.lambdas {
				// The two solvers see features rounded alike, but sums of them that differ
				// by n·2⁻²⁴, which changes predictions by as much over nλ at most.
				rounding := 0.0
				if p == krr.Float32 {
					if rounding = 0x1p-24 / lambda; rounding > 0.1 {
						continue
					}
				}
				want, err := g.Solve(context.Background(), lambda)
				if err != nil {
					t.Fatal(err)
				}
				for _, tolerance := range []float64{1e-2, 1e-4} {
					s := krr.Settings{Lambdas: []float64{lambda}, Passes: &krr.Passes{Memory: c.memory, Tolerance: tolerance}, Precision: p}
					got, report, err := krr.Fit(context.Background(), m, r, s)
					if err != nil {
						t.Fatal(err)
					}
					for k, change := range changes(t, got, want, r) {
						if !(change <= tolerance+rounding) {
							t.Errorf("%d features, %v, λ=%g, target %d: predictions differ by %.2g deviations of the target, tolerance %g; %v",
								c.features, p, lambda, k, change, tolerance, krr.InfoOf(report).Solved)
						}
					}
					if s := krr.InfoOf(report).Solved; s.Unconverged() || s.Iterations == 0 || s.Residual > tolerance || !(s.Condition >= 1) {
						t.Errorf("%v", s)
					}
				}
			}
		}
	}
}

// changes returns the root mean square of the difference of two models'
// predictions of training rows over the standard deviation of each target.
func changes(t *testing.T, a, b *krr.Model, r *rows) []float64 {
	t.Helper()
	var x, y mat.Dense
	for m, d := range map[*krr.Model]*mat.Dense{a: &x, b: &y} {
		if err := m.Predict(d, dense(r.x)); err != nil {
			t.Fatal(err)
		}
	}
	weight := func(i int) float64 {
		if r.w == nil {
			return 1
		}
		return r.w[i]
	}
	out := make([]float64, r.y.Cols)
	for k := range out {
		var w, mean, ss, diff float64
		for i := range r.x.Rows {
			w += weight(i)
			mean += weight(i) * r.y.Row(i)[k]
		}
		mean /= w
		for i := range r.x.Rows {
			d, e := r.y.Row(i)[k]-mean, x.At(i, k)-y.At(i, k)
			ss += weight(i) * d * d
			diff += weight(i) * e * e
		}
		out[k] = math.Sqrt(diff / ss)
	}
	return out
}

// Rows unlike all others, which a uniform sample misses, are in the sample of
// the preconditioner: its condition is that of four rows per degree of freedom,
// ((1 + ½)/(1 − ½))², up to the estimates' error.
func TestConjugateGradientsRareRows(t *testing.T) {
	r := synthetic(5, 8000, 3, 1, 0.1)
	for i := range r.x.Rows {
		size := 0.2
		if i%10 == 0 {
			size = 5
		}
		for j := range r.x.Row(i) {
			r.x.Row(i)[j] *= size
		}
	}
	_, report, err := krr.Fit(context.Background(), gaussianMap(t, 1, 3, 2048, 1), r,
		krr.Settings{Passes: &krr.Passes{}, Lambdas: []float64{1e-6}, Precision: krr.Float32})
	if err != nil {
		t.Fatal(err)
	}
	if s := krr.InfoOf(report).Solved; s.Condition > 30 || s.Iterations > 30 {
		t.Errorf("%v", s)
	} else {
		t.Logf("%v", s)
	}
	// Nor where a fold is left out, which parts the rows that follow each other.
	_, report, err = krr.Fit(context.Background(), gaussianMap(t, 1, 3, 1024, 1), r,
		krr.Settings{Passes: &krr.Passes{}, Lambdas: []float64{1e-6, 1e-5}, Precision: krr.Float32, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range report.Path {
		if s := p.Solved; s.Condition > 30 || s.Iterations > 30 {
			t.Errorf("λ=%g on one half of the rows: %v", p.Lambda, s)
		}
	}
}

// forgetful is a source that does not know how many rows it has.
type forgetful struct{ *rows }

func (f forgetful) Schema() rff.Schema {
	s := f.rows.Schema()
	s.Rows = 0
	return s
}

// Neither workers, nor batches, nor whether the rows fit in memory change a bit.
func TestConjugateGradientsSameBits(t *testing.T) {
	const n = 30000
	r := synthetic(7, n, 40, 1, 0.3)
	m := gaussianMap(t, 1, 40, 64, 8)
	for _, p := range []krr.Precision{krr.Float64, krr.Float32} {
		var want *krr.Model
		for _, c := range []struct {
			workers, batch int
			memory         int64
			src            rff.Source
		}{{1, 504, 0, r}, {2, 1000, 0, r}, {3, 97, 0, forgetful{r}}, {2, 5000, 64 << 20, r}, {1, 333, 64 << 20, forgetful{r}}} {
			r.batch = c.batch
			s := krr.Settings{Lambdas: []float64{1e-7}, Passes: &krr.Passes{Memory: c.memory}, Precision: p, Engine: rff.Engine{Backend: "native", Workers: c.workers}}
			got, report, err := krr.Fit(context.Background(), m, c.src, s)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			if !models(t, got, want) {
				t.Errorf("%v, %d workers, batches of %d, %d bytes: another model; %v", p, c.workers, c.batch, c.memory, krr.InfoOf(report).Solved)
			}
		}
	}
}

func TestConjugateGradientsErrors(t *testing.T) {
	r := synthetic(3, 2000, 3, 1, 0.2)
	m := gaussianMap(t, 1, 3, 100, 1)
	var slow *krr.SolveError
	// Below the rounding of float32 predictions.
	model, _, err := krr.Fit(context.Background(), m, r, krr.Settings{Passes: &krr.Passes{Tolerance: 1e-12}, Lambdas: []float64{1e-6}, Precision: krr.Float32})
	if !errors.As(err, &slow) || model != nil || !krr.SolvedOf(slow).Unconverged() || !(krr.SolvedOf(slow).Residual > 1e-12) || !strings.Contains(err.Error(), "tolerance 1e-12") {
		t.Errorf("unreachable tolerance: %v", err)
	}
	var setting *rff.ParameterError
	if _, _, err := krr.Fit(context.Background(), m, r, krr.Settings{Passes: &krr.Passes{Memory: 1 << 20}}); !errors.As(err, &setting) || setting.Name != "memory" {
		t.Errorf("a budget of 1 MiB: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := krr.Fit(ctx, m, r, krr.Settings{Passes: &krr.Passes{}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestConjugateGradientsChooseLambda(t *testing.T) {
	r, test := classes(3, 2000, 3, "a", "b", "c"), classes(4, 500, 3, "a", "b", "c")
	m := gaussianMap(t, 1, 3, 200, 2)
	model, report, err := krr.Fit(context.Background(), m, r, krr.Settings{Passes: &krr.Passes{}})
	if err != nil {
		t.Fatal(err)
	}
	labels, err := model.Labels(dense(test.x))
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i, l := range labels {
		if l != test.classes[test.class[i]] {
			wrong++
		}
	}
	if wrong > 25 || len(report.Path) < 3 {
		t.Errorf("%d of 500 wrong; %+v", wrong, report)
	}
}

// A process that fits by conjugate gradients stays within the budget, whether that is enough for
// the rows, for the s×s preconditioner only, or for neither. The preconditioner of 6144 features
// has 4·6144² bytes, 144 MiB: whoever takes the last budget for enough exceeds it by that alone.
func TestConjugateGradientsMemory(t *testing.T) {
	if child := os.Getenv("KRR_TEST_CHILD"); child != "" {
		var memory int64
		var features int
		fmt.Sscan(child, &memory, &features)
		// Several λ read the rows many times, and choose among them.
		_, report, err := krr.Fit(context.Background(), gaussianMap(t, 1, 60, features, 3), generated{9000, 60},
			krr.Settings{Passes: &krr.Passes{Memory: memory}, Lambdas: []float64{1e-1, 1}, Folds: 5, Precision: krr.Float32})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(krr.InfoOf(report).Solved)
		printPeak(t)
		return
	}
	if testing.Short() {
		t.Skip("fits for seconds")
	}
	t.Setenv("GOMAXPROCS", "4") // each worker takes memory of its own
	for _, c := range []struct{ budget, features int64 }{{176 << 20, 3072}, {138 << 20, 3072}, {128 << 20, 6144}} {
		if peak := inChild(t, fmt.Sprint(c.budget, c.features)); peak > c.budget {
			t.Errorf("%d MiB resident for a budget of %d and %d features", peak>>20, c.budget>>20, c.features)
		} else {
			t.Logf("%d MiB resident for a budget of %d and %d features", peak>>20, c.budget>>20, c.features)
		}
	}
}

// The garbage collector is the program's: a fit does not call it.
func TestNoForcedCollection(t *testing.T) {
	forced := []metrics.Sample{{Name: "/gc/cycles/forced:gc-cycles"}}
	metrics.Read(forced)
	before := forced[0].Value.Uint64()
	_, _, err := krr.Fit(context.Background(), gaussianMap(t, 1, 60, 512, 3), generated{30000, 60},
		krr.Settings{Passes: &krr.Passes{Memory: 64 << 20}, Lambdas: []float64{1e-1}, Precision: krr.Float32})
	if err != nil {
		t.Fatal(err)
	}
	metrics.Read(forced)
	if n := forced[0].Value.Uint64() - before; n > 0 {
		t.Errorf("%d collections were forced", n)
	}
}

// The λ that passes choose for a target does not depend on how long they go on for another one.
func TestPassesPerTargetStandAlone(t *testing.T) {
	for _, seed := range []uint64{63, 65, 88, 116} {
		m := gaussianMap(t, seed, 3, 16, 1.5)
		var want float64
		for i, unit := range []float64{1e-9, 1e6} { // huber is squares of the one, and a tangent of the other
			r := synthetic(seed, 40, 3, 2, 0.1)
			for i := range 40 {
				r.y.Row(i)[1] *= unit
			}
			model, report := mustFit(t, m, r, krr.Settings{PerTarget: true, Loss: "huber:0.5"})
			got := model.Info().Lambda[0]
			if i > 0 && got != want {
				t.Errorf("seed %d: λ = %g, and %g where the passes go on to %d λ", seed, want, got, len(report.Path))
			}
			want = got
		}
	}
}

// Where the default grid is in the unit of a target, several targets that choose λ each by itself
// need one that is given: the sum of their units would decide over each.
func TestPassesPerTargetNeedsGrid(t *testing.T) {
	m, r := gaussianMap(t, 1, 3, 16, 1.5), synthetic(1, 60, 3, 2, 0.1) // targets above 0
	for _, loss := range []string{"poisson", "quantile:0.2,0.8"} {
		_, _, err := krr.Fit(t.Context(), m, r, krr.Settings{PerTarget: true, Loss: loss})
		if refused := (*rff.ParameterError)(nil); !errors.As(err, &refused) || refused.Name != "lambda" {
			t.Errorf("%s: %v", loss, err)
		}
		mustFit(t, m, r, krr.Settings{PerTarget: true, Loss: loss, Lambdas: []float64{1e-3, 1e-1}}) // the remedies
		mustFit(t, m, synthetic(1, 60, 3, 1, 0.1), krr.Settings{PerTarget: true, Loss: loss})
	}
}
