package sampling

import (
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/quality"
)

// planted returns rows of d normal inputs with a target that depends on few
// directions, and noise.
func planted(n, d int, target func(x []float64, rng *rand.Rand) []float64) rff.Source {
	rng := rand.New(rand.NewPCG(5, 6))
	x := mat.NewDense(n, d, nil)
	var y *mat.Dense
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = normal(rng)
		}
		v := target(row, rng)
		if y == nil {
			y = mat.NewDense(n, len(v), nil)
		}
		y.SetRow(i, v)
	}
	s, err := rff.FromMatrix(x, y)
	if err != nil {
		panic(err)
	}
	return s
}

func learned(t *testing.T, name string, dim, features int, data rff.Source) *Learned {
	t.Helper()
	s, err := ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	l, err := SampleLearned(context.Background(), s, rff.Request{Kernel: rff.NewGaussian(), Dim: dim, Features: features, Data: data, Rand: rand.NewPCG(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	if in, out := l.Map.Dims(); in != dim || out != features {
		t.Fatalf("the map has %d inputs and %d columns, want %d and %d", in, out, dim, features)
	}
	return l
}

// TestMetricFindsDirections: of eight inputs the target varies with the sum of the
// first two and, less, with the third.
func TestMetricFindsDirections(t *testing.T) {
	data := planted(1500, 8, func(x []float64, rng *rand.Rand) []float64 {
		return []float64{math.Sin(1.4*(x[0]+x[1])) + 0.3*x[2]*x[2] + 0.05*normal(rng)}
	})
	along := planted(1500, 8, func(x []float64, rng *rand.Rand) []float64 {
		return []float64{math.Sin(2*x[0]) + math.Cos(2*x[1]) + 0.3*x[2]*x[2] + 0.05*normal(rng)}
	})
	const diagonal = "metric:preset=fast,diagonal=yes"
	for _, name := range []string{"metric:preset=fast", diagonal, "metric:preset=fast,base=orf", "metric:preset=fast,base=sorf"} {
		rows := data
		if name == diagonal { // which finds scales of inputs, not a sum of them
			rows = along
		}
		l := learned(t, name, 8, 64, rows)
		if l.Outcome != gained {
			t.Errorf("%s: %v", name, l.Outcome)
			continue
		}
		if s := l.Importance[0] + l.Importance[1] + l.Importance[2]; s < 0.95 {
			t.Errorf("%s: the inputs that matter have importance %.3f of 1: %.3f", name, s, l.Importance)
		}
		if l.Map.Kernel() != nil {
			t.Errorf("%s: the map claims the kernel %v", name, l.Map.Kernel())
		}
		if _, err := quality.MeasureKernel(l.Map, mat.NewDense(3, 8, nil)); err == nil {
			t.Errorf("%s: a kernel error was measured", name)
		}
		b := l.Transform
		if l.Importance == nil || (b.Rows == 1) != (name == diagonal) {
			t.Errorf("%s: the transform is %d×%d", name, b.Rows, b.Cols)
			continue
		}
		if b.Rows == 8 { // x₁+x₂ matters, x₁−x₂ does not
			along, across := lengthOf(b, []float64{1, 1}), lengthOf(b, []float64{1, -1})
			if along < 5*across {
				t.Errorf("%s: B takes x₁+x₂ to length %.3f and x₁−x₂ to %.3f", name, along, across)
			}
		}
	}
}

// lengthOf returns ‖B·x‖ of x filled up with zeros.
func lengthOf(b blas.General[float64], x []float64) float64 {
	var s float64
	for i := range b.Rows {
		var v float64
		for j, u := range x {
			v += b.Row(i)[j] * u
		}
		s += v * v
	}
	return math.Sqrt(s)
}

// TestLearningGuard: where nothing can be learned the features are plain, and the
// outcome says why.
func TestLearningGuard(t *testing.T) {
	sine := func(x []float64) float64 { return math.Sin(x[0]) }
	for _, c := range []struct {
		name   string
		n, d   int
		want   []string
		target func(x []float64, rng *rand.Rand) []float64
	}{
		{"constant", 300, 4, []string{constant}, func([]float64, *rand.Rand) []float64 { return []float64{7} }},
		{"one class of three", 300, 4, []string{constant}, func([]float64, *rand.Rand) []float64 { return []float64{1, -1, -1} }},
		{"few rows", 30, 4, []string{fewRows}, func(x []float64, _ *rand.Rand) []float64 { return []float64{sine(x)} }},
		{"pure noise", 600, 6, []string{noGain}, func(_ []float64, rng *rand.Rand) []float64 { return []float64{normal(rng)} }},
		{"noise labels", 600, 6, []string{noGain}, func(_ []float64, rng *rand.Rand) []float64 { return []float64{float64(2*rng.IntN(2) - 1)} }},
		{"one input", 300, 1, []string{noGain}, func(x []float64, _ *rand.Rand) []float64 { return []float64{sine(x)} }},
		{"duplicated columns", 300, 6, []string{gained, noGain}, func(x []float64, _ *rand.Rand) []float64 {
			copy(x[3:], x[:3])
			return []float64{sine(x)}
		}},
		{"constant columns", 300, 6, []string{gained, noGain}, func(x []float64, _ *rand.Rand) []float64 {
			x[4], x[5] = 3, 0
			return []float64{sine(x)}
		}},
		{"constant rows", 300, 3, []string{noGain, fewRows}, func(x []float64, rng *rand.Rand) []float64 {
			x[0], x[1], x[2] = 1, 2, 3
			return []float64{normal(rng)}
		}},
		{"huge values", 300, 3, []string{gained, noGain}, func(x []float64, _ *rand.Rand) []float64 {
			y := sine(x)
			x[1] *= 1e300
			return []float64{y}
		}},
		{"fewer rows than features", 60, 5, []string{gained, noGain}, func(x []float64, _ *rand.Rand) []float64 { return []float64{sine(x)} }},
	} {
		for _, name := range []string{"metric:preset=fast", "refined:preset=fast,epochs=4"} {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				l := learned(t, name, c.d, 96, planted(c.n, c.d, c.target))
				found := false
				for _, o := range c.want {
					found = found || o == l.Outcome
				}
				if !found && !(c.name == "one input" && name[0] == 'r') {
					t.Errorf("outcome %v, want %v", l.Outcome, c.want)
				}
				if plain := l.Outcome != gained; plain != (l.Map.Kernel() != nil) {
					t.Errorf("outcome %v with the kernel %v", l.Outcome, l.Map.Kernel())
				}
				for i, v := range inside.Spec(l.Map).W.Data {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Fatalf("frequency element %d is %g", i, v)
					}
				}
			})
		}
	}
}

// TestLearningRefuses: what a user can get wrong.
func TestLearningRefuses(t *testing.T) {
	data := planted(100, 2, func(x []float64, _ *rand.Rand) []float64 { return x[:1] })
	noLabels, err := rff.FromMatrix(mat.NewDense(9, 2, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for _, s := range []rff.Sampler{Metric{}, Refined{}} {
		var parameter *rff.ParameterError
		if _, err := s.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(), Dim: 2, Features: 8, Rand: rand.NewPCG(1, 1)}); !errors.As(err, &parameter) || parameter.Name != "data" {
			t.Errorf("%T without data: %v", s, err)
		}
		var labels *rff.DegenerateDataError
		if _, err := s.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(), Dim: 2, Features: 8, Data: noLabels, Rand: rand.NewPCG(1, 1)}); !errors.As(err, &labels) {
			t.Errorf("%T without labels: %v", s, err)
		}
		if _, err := s.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(1, 2), Dim: 2, Features: 8, Data: data, Rand: rand.NewPCG(1, 1)}); !errors.As(err, &parameter) || parameter.Name != "kernel" {
			t.Errorf("%T with two bandwidths: %v", s, err)
		}
		if _, err := s.Sample(stopped, rff.Request{Kernel: rff.NewGaussian(), Dim: 2, Features: 8, Data: data, Rand: rand.NewPCG(1, 1)}); !errors.Is(err, context.Canceled) {
			t.Errorf("%T cancelled: %v", s, err)
		}
	}
}

// TestRefinedResumes: a training that was cancelled half-way goes on from its file, and
// the map is that of a training without a stop.
func TestRefinedResumes(t *testing.T) {
	const dim, features = 5, 40
	data := planted(900, dim, func(x []float64, rng *rand.Rand) []float64 {
		return []float64{math.Sin(3*x[0]*x[1]) + math.Sin(2*x[2]+x[3])}
	})
	sample := func(ctx context.Context, r Refined) (*Learned, error) {
		return SampleLearned(ctx, r, rff.Request{Kernel: rff.NewGaussian(), Dim: dim, Features: features, Data: data, Rand: rand.NewPCG(3, 4)})
	}
	r := Refined{Metric: Metric{Fast: true}, Epochs: 24}
	whole, err := sample(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	last := whole.History[len(whole.History)-1]
	if whole.Outcome != gained || last.What != "epoch 24" {
		t.Fatalf("%v after %v: the test needs a training that gains", whole.Outcome, last)
	}
	r.Checkpoint, r.Every = filepath.Join(t.TempDir(), "state"), time.Nanosecond
	ctx, stop := context.WithCancel(context.Background())
	r.Progress = func(a Attempt) {
		if a.What == "epoch 13 of 24" {
			stop()
		}
	}
	if _, err := sample(ctx, r); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled half-way: %v", err)
	}
	var first string
	r.Progress = func(a Attempt) {
		if first == "" && strings.HasSuffix(a.What, " of 24") {
			first = a.What
		}
	}
	for _, want := range []string{"epoch 14 of 24", ""} { // and once more from the end
		first = ""
		got, err := sample(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		if got.Map.Fingerprint() != whole.Map.Fingerprint() || !slices.Equal(got.Importance, whole.Importance) || len(got.History) != len(whole.History) {
			t.Error("the map differs from that of a training without a stop")
		}
		if first != want {
			t.Errorf("it went on at %q, want %q", first, want)
		}
	}
	for name, state := range map[string][]byte{"empty": nil, "something else": []byte("a,b\n1,2\n")} {
		if err := os.WriteFile(r.Checkpoint, state, 0o666); err != nil {
			t.Fatal(err)
		}
		var parameter *rff.ParameterError
		if _, err := sample(context.Background(), r); !errors.As(err, &parameter) || parameter.Name != "checkpoint" {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := os.ReadFile(r.Checkpoint); !slices.Equal(left, state) {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

// fewPlanted are rows of two classes that two inputs tell apart.
func fewPlanted() rff.Source {
	return planted(250, 5, func(x []float64, rng *rand.Rand) []float64 {
		return []float64{math.Copysign(1, x[0]+x[1]+float64(0.1*normal(rng)))}
	})
}

// Rows of weight 0 are no rows, and none can be learned from.
func TestLearnFromNoRows(t *testing.T) {
	data := waves(30, 2, 1)
	data.weight = make([]float64, 30)
	for name, s := range map[string]rff.Sampler{"metric": Metric{Fast: true}, "refined": Refined{}} {
		_, err := s.Sample(t.Context(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 2, Features: 4, Data: data, Rand: rand.NewPCG(1, 2)})
		if e := (*rff.DegenerateDataError)(nil); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// shortGroups are rows whose batches have groups of a part of their rows.
type shortGroups struct{ *cutSource }

func (s shortGroups) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		for b, err := range s.cutSource.Batches(ctx) {
			b.Group = make([]uint64, 3)
			if !yield(b, err) {
				return
			}
		}
	}
}

// A program's own Source may give fewer groups than rows: the error says so.
func TestShortGroups(t *testing.T) {
	for name, s := range map[string]rff.Sampler{"metric": Metric{Fast: true}, "refined": Refined{}, "leverage": Leverage{}, "nystrom": Nystrom{}} {
		_, err := s.Sample(t.Context(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 2, Features: 4, Data: shortGroups{waves(300, 2, 1)}, Rand: rand.NewPCG(1, 2)})
		if e := (*rff.ShapeError)(nil); !errors.As(err, &e) || e.Name != "Group of a batch" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
