package krr_test

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/krr"
)

// rows is a Source over matrices, in batches of any size.
type rows struct {
	x, y    blas.General[float64]
	w       []float64
	group   []uint64
	batch   int
	classes []string
	class   []int
	names   []string // of the inputs, or nil
	target  string
	runs    int // rff.Schema.FoldRows
}

func (r *rows) Schema() rff.Schema {
	s := numbers(r.x.Cols, r.y.Cols)
	if r.names != nil {
		s.Inputs = rff.Columns(r.names...)
	}
	s.Target.Name, s.Target.Classes, s.Rows, s.FoldRows = r.target, r.classes, int64(r.x.Rows), r.runs
	return s
}

// logLossOf returns the log loss of a classification, 0 if it has none.
func logLossOf(h *krr.Measures) float64 {
	if len(h.Loss) == 0 {
		return 0
	}
	return h.Loss[0]
}

// uncertainty is the setting with variances, or without.
func uncertainty(variance bool) string {
	if variance {
		return "variance"
	}
	return ""
}

// inRuns returns the same rows, n consecutive ones of which are held out together.
func (r *rows) inRuns(n int) *rows {
	c := *r
	c.runs = n
	return &c
}

// fold returns the fold of row i, by its inputs.
func (r *rows) fold(seed uint64, i, folds int) int {
	return fold.Of(seed, fold.Content(r.x.Row(i)), folds)
}

func (r *rows) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		for i := 0; i < r.x.Rows; i += r.batch {
			if err := ctx.Err(); err != nil {
				yield(rff.Batch{}, err)
				return
			}
			j := min(i+r.batch, r.x.Rows)
			b := rff.Batch{First: int64(i), X: r.x.RowRange(i, j), Y: r.y.RowRange(i, j)}
			if r.w != nil {
				b.Weight = r.w[i:j]
			}
			if r.group != nil {
				b.Group = r.group[i:j]
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

// synthetic returns n rows of a smooth function of d inputs with noise sd, t targets.
func synthetic(seed uint64, n, d, t int, noise float64) *rows {
	rng := rand.New(rand.NewPCG(seed, 1))
	r := &rows{x: blas.NewGeneral[float64](n, d), y: blas.NewGeneral[float64](n, t), batch: 100}
	for i := range n {
		x := r.x.Row(i)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		for k := range t {
			var s float64
			for j := range x {
				s += math.Sin(x[j]*float64(1+k)+float64(j)) / float64(j+1)
			}
			r.y.Row(i)[k] = 3 + s + noise*rng.NormFloat64()
		}
	}
	return r
}

// classes returns n rows in k noisy clusters.
func classes(seed uint64, n, d int, labels ...string) *rows {
	rng := rand.New(rand.NewPCG(seed, 2))
	r := &rows{x: blas.NewGeneral[float64](n, d), batch: 64, classes: labels, class: make([]int, n)}
	for i := range n {
		k := rng.IntN(len(labels))
		r.class[i] = k
		for j := range d {
			r.x.Row(i)[j] = rng.NormFloat64()*0.7 + 2*math.Cos(2*math.Pi*float64(k)/float64(len(labels))+float64(j))
		}
	}
	r.y = krr.ClassTargets(r.class, len(labels))
	return r
}

func gaussianMap(t testing.TB, seed uint64, d, s int, sigma float64) *rff.Map {
	t.Helper()
	m, err := rff.New(rff.NewGaussian(sigma), d, s, rand.NewPCG(seed, 3))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func dense(g blas.General[float64]) *mat.Dense {
	d := mat.NewDense(g.Rows, g.Cols, nil)
	for i := range g.Rows {
		d.SetRow(i, g.Row(i))
	}
	return d
}

// features returns Z of the rows, through Map.Transform.
func features(t testing.TB, m *rff.Map, x blas.General[float64]) *mat.Dense {
	t.Helper()
	var z mat.Dense
	if err := m.Transform(&z, dense(x)); err != nil {
		t.Fatal(err)
	}
	return &z
}

// reference solves the weighted ridge with an unpenalised intercept by an
// augmented least squares problem and gonum's QR, which forms no normal equations:
// rows √w·[1 z], and √(λΣw)·[0 I] below.
func reference(z *mat.Dense, y blas.General[float64], w []float64, lambda float64) (coef *mat.Dense, intercept []float64) {
	n, s := z.Dims()
	var sum float64
	a := mat.NewDense(n+s, s+1, nil)
	b := mat.NewDense(n+s, y.Cols, nil)
	for i := range n {
		wi := 1.0
		if w != nil {
			wi = w[i]
		}
		sum += wi
		q := math.Sqrt(wi)
		a.Set(i, 0, q)
		for j := range s {
			a.Set(i, j+1, q*z.At(i, j))
		}
		for t, v := range y.Row(i) {
			b.Set(i, t, q*v)
		}
	}
	for j := range s {
		a.Set(n+j, j+1, math.Sqrt(lambda*sum))
	}
	var x mat.Dense
	if err := x.Solve(a, b); err != nil {
		panic(err)
	}
	coef = mat.NewDense(s, y.Cols, nil)
	coef.Copy(x.Slice(1, s+1, 0, y.Cols))
	return coef, mat.Row(nil, 0, &x)
}

func maxDiff(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return mat.Max(absolute{&d})
}

type absolute struct{ mat.Matrix }

func (a absolute) At(i, j int) float64 { return math.Abs(a.Matrix.At(i, j)) }

func gram(t testing.TB, m *rff.Map, r *rows, p krr.Precision) *krr.Gram {
	t.Helper()
	g := krr.NewGram(m, r.y.Cols, krr.GramSettings{Precision: p})
	if err := g.AddSource(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	return g
}

// native returns the engine whose bits are defined, whatever RFF_BACKEND says.
func native() rff.Engine { return rff.Engine{Backend: "native"} }
