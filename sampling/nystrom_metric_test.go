package sampling

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/portable"
)

// plantedScales returns n rows of 6 inputs in units of their own, of which the target follows
// the first two; with noise set it follows none.
func plantedScales(t *testing.T, n int, noise bool) rff.Source {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	x, y := mat.NewDense(n, 6, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		var row [6]float64
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		y.Set(i, 0, math.Sin(3*row[0])+math.Cos(2*row[1]))
		if noise {
			y.Set(i, 0, rng.NormFloat64())
		}
		for j, v := range row {
			x.Set(i, j, v*math.Pow(10, float64(j-2)))
		}
	}
	s, err := rff.FromMatrix(x, y)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// As many landmarks as rows, of which a fifth is held out to learn bandwidths, are more than
// there are rows to learn on.
func TestNystromMetricOfFewRows(t *testing.T) {
	m, err := Nystrom{Metric: true}.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 6, Features: 90, Data: plantedScales(t, 90, false), Rand: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	if _, features := m.Dims(); features != 90 {
		t.Errorf("%d features", features)
	}
}

// Inputs that matter get the smaller bandwidths, in units of their deviations; of noise
// nothing is learned; the map says which kernel it has, and is the same for the same seed.
func TestNystromMetric(t *testing.T) {
	own := []float64{0.01, 0.1, 1, 10, 100, 1000} // deviations
	wide := make([]float64, 6)
	for j, v := range own {
		wide[j] = 3 * v
	}
	for _, k := range []rff.Kernel{rff.NewGaussian(wide...), rff.NewMatern(0.5, wide...), rff.NewMatern(1.5, wide...), rff.NewMatern(2.5, wide...), rff.NewLaplacian(wide...), rff.NewExponentialPower(1.5, 1.5, wide...)} {
		sample := func(data rff.Source) *rff.Map {
			m, err := Nystrom{Metric: true}.Sample(context.Background(), rff.Request{Kernel: k, Dim: 6, Features: 60, Data: data, Rand: rand.NewPCG(1, 1)})
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		data := plantedScales(t, 400, false)
		m := sample(data)
		bandwidths := inside.FamilyOf(m.Kernel(), 6).Bandwidths
		if len(bandwidths) != 6 {
			t.Fatalf("the map has the kernel %v", m.Kernel())
		}
		for j := 2; j < 6; j++ {
			for i := range 2 {
				if !(bandwidths[i]/own[i] < 0.5*bandwidths[j]/own[j]) {
					t.Errorf("%v: bandwidths %.3g of deviations %.3g", k, bandwidths, own)
				}
			}
		}
		if m.Fingerprint() != sample(data).Fingerprint() {
			t.Error("the same seed gives another map")
		}
		plain := inside.FamilyOf(sample(plantedScales(t, 400, true)).Kernel(), 6)
		for j, v := range plain.Bandwidths {
			if v != wide[j] {
				t.Errorf("%v: of noise it learned %v", k, plain.Bandwidths)
				break
			}
		}
	}
	var unsupported *rff.ParameterError
	if _, err := (Nystrom{Metric: true}).Sample(context.Background(), rff.Request{Kernel: rff.NewCauchy(1), Dim: 6, Features: 60, Data: plantedScales(t, 900, false), Rand: rand.NewPCG(1, 1)}); !errors.As(err, &unsupported) || unsupported.Name != "kernel" {
		t.Errorf("cauchy: %v", err)
	}
	unlabelled, err := rff.FromMatrix(mat.NewDense(90, 6, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	var few *rff.DegenerateDataError
	if _, err := (Nystrom{Metric: true}).Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 6, Features: 60, Data: unlabelled, Rand: rand.NewPCG(1, 1)}); !errors.As(err, &few) {
		t.Errorf("no targets: %v", err)
	}
}

// Signs of slopes lead to the minimum of a bowl, however far away it is and however steep the
// bowl is in each direction; λ stays between its bounds, and slopes that are not finite end it.
func TestDescent(t *testing.T) {
	at, steep := []float64{3, -8, 0.5, 20}, []float64{1, 1e-6, 1e6, 1}
	d := &descent{logs: make([]float64, 4), rate: []float64{firstRate, firstRate, firstRate, firstRate}, before: make([]float64, 4)}
	slope := make([]float64, 4)
	for range 60 {
		for j := range slope {
			slope[j] = steep[j] * (d.logs[j] - at[j])
		}
		if !d.step(slope) {
			t.Fatal("slopes are finite")
		}
		if l := d.logs[3]; l > 0 || l < portable.Log(leastLambda) {
			t.Fatalf("λ is %v", portable.Exp(l))
		}
	}
	for j, v := range d.logs[:3] {
		if math.Abs(v-at[j]) > 0.02 {
			t.Errorf("number %d is %v, its minimum is at %v", j, v, at[j])
		}
	}
	if slope[1] = math.NaN(); d.step(slope) {
		t.Error("a slope is not a number")
	}
}

// A climb leads from bandwidths that are far too narrow for that many sections, or too wide, to
// those with the least error.
func TestSomeSections(t *testing.T) {
	q := &request{Request: rff.Request{Dim: 6, Features: 30, Data: plantedScales(t, 600, false), Rand: rand.NewPCG(3, 3)}, sampler: "nystrom"}
	rows, err := readLearning(t.Context(), q, 600, 60, 1)
	if err != nil {
		t.Fatal(err)
	}
	c := newSections(inside.FamilyOf(rff.NewGaussian(1), 6), q, rows)
	if n := c.split.Train.X.Rows + c.split.Valid.X.Rows; n != rows.valid.X.Rows || c.split.Valid.X.Rows != n/2 || c.marks.RawMatrix().Rows != 30 {
		t.Fatalf("%d rows, %d sections", n, c.marks.RawMatrix().Rows)
	}
	var ends []float64
	for _, by := range []float64{0.25, 1, 4} {
		start := []float64{by, by, 99, 99, 99, 99}
		best, at, err := c.climb(t.Context(), start)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, at[0])
		if again, err := c.fit(t.Context(), at); err != nil || again.Mean != best.Mean {
			t.Errorf("the bandwidths %v have the error %v, not %v", at, again.Mean, best.Mean)
		}
		for _, octave := range []float64{math.Sqrt2, 1 / math.Sqrt2} {
			beside := make([]float64, len(at))
			for j, v := range at {
				beside[j] = v * octave
			}
			if f, err := c.fit(t.Context(), beside); err != nil || f.Mean < best.Mean {
				t.Errorf("from %v: %v times %v have %v, less than %v", by, octave, at, f.Mean, best.Mean)
			}
		}
	}
	if ends[0] <= 0.25 || ends[2] >= 4 {
		t.Errorf("climbs end at %v", ends)
	}
}

// Rows of a run are in one of the halves that few sections are compared on, and rows that all
// share a run leave the kernel as it is.
func TestSomeSectionsKeepRunsTogether(t *testing.T) {
	const run = 25
	begin := func(run int) (*request, *learningRows) {
		data := rff.Source(waves(1000, 3, 1))
		schema := data.Schema()
		schema.FoldRows = run
		data, err := rff.WithSchema(data, schema)
		if err != nil {
			t.Fatal(err)
		}
		q := &request{Request: rff.Request{Dim: 3, Features: 20, Data: data, Kernel: rff.NewGaussian(1), Rand: rand.NewPCG(3, 3)}, sampler: "nystrom"}
		rows, err := readLearning(t.Context(), q, 1000, 200, 1)
		if err != nil {
			t.Fatal(err)
		}
		return q, rows
	}
	q, rows := begin(run)
	c := newSections(inside.FamilyOf(q.Kernel, 3), q, rows)
	fitted := map[int64]bool{}
	for _, i := range c.split.Train.Index {
		fitted[i/run] = true
	}
	for _, i := range c.split.Valid.Index {
		if fitted[i/run] {
			t.Fatalf("row %d is held out beside rows of its run", i)
		}
	}
	q, rows = begin(500)
	if newSections(inside.FamilyOf(q.Kernel, 3), q, rows) != nil {
		t.Error("rows of one run are divided")
	}
	if k, err := (Nystrom{Metric: true}).learnedKernel(t.Context(), q); err != nil || fmt.Sprint(k) != fmt.Sprint(q.Kernel) {
		t.Errorf("%v, %v", k, err)
	}
}

// Bandwidths are learned by the slope of exp(−Σ|xⱼ−yⱼ|ᵖ/σⱼᵖ), and not of its square root's.
func TestMetricOfPowers(t *testing.T) {
	for q, refused := range map[float64]bool{1.5: false, 0.75: true} {
		_, err := Nystrom{Metric: true}.Sample(context.Background(), rff.Request{Kernel: rff.NewExponentialPower(1.5, q, 3), Dim: 6, Features: 20, Data: plantedScales(t, 400, false), Rand: rand.NewPCG(3, 3)})
		var p *rff.ParameterError
		if errors.As(err, &p) != refused || !refused && err != nil {
			t.Errorf("q = %v: %v", q, err)
		}
	}
}
