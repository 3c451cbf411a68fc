package rahimi

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/bench/reproduce/reproducetest"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/require"
)

func drawn(n int, seed uint64) (x blas.General[float64], y []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x = blas.NewGeneral[float64](n, 2)
	for i := range n {
		x.Row(i)[0], x.Row(i)[1] = rng.NormFloat64(), rng.NormFloat64()
		y = append(y, math.Sin(2*x.Row(i)[0])+0.3*rng.NormFloat64())
	}
	return x, y
}

func gram(x blas.General[float64], sigma float64) blas.General[float64] {
	k := blas.NewGeneral[float64](x.Rows, x.Rows)
	reproduce.Gaussian(k, x, x, sigma)
	return k
}

// Two rows of either class: by symmetry α₁ = α₂ = 1/(1 − k), or C if that is less, and
// the offset is 0.
func TestTwoRows(t *testing.T) {
	x := blas.NewGeneral[float64](2, 1)
	x.Data[0], x.Data[1] = 1, -1
	for _, c := range []float64{0.5, 100} {
		m, err := classify(context.Background(), gram(x, 1), []float64{1, -1}, c)
		if err != nil {
			t.Fatal(err)
		}
		want := min(c, 1/(1-math.Exp(-2)))
		if !m.converged || math.Abs(m.coef[0]-want) > 1e-9 || math.Abs(m.coef[1]+want) > 1e-9 || math.Abs(m.offset) > 1e-9 {
			t.Errorf("C = %v: %+v, want ±%v", c, m, want)
		}
	}
}

// A solution has no gap: the primal objective of f is that of the dual, with the sign
// turned, up to the violation that the tolerance allows each of the variables,
// C·tolerance.
func TestNoGap(t *testing.T) {
	x, y := drawn(120, 5)
	k := gram(x, 0.7)
	const c = 3.0
	scores := func(m *machine) (f []float64, norm float64) {
		for i := range y {
			v := 0.0
			for j, a := range m.coef {
				v += a * k.Row(i)[j]
			}
			norm += m.coef[i] * v
			f = append(f, v+m.offset)
		}
		return f, norm
	}
	check := func(what string, m *machine, loss, dual, norm float64) {
		t.Helper()
		sum := 0.0
		for _, a := range m.coef {
			sum += a
			if math.Abs(a) > c*(1+1e-9) {
				t.Errorf("%s: a coefficient is %v", what, a)
			}
		}
		if primal := norm/2 + c*loss; !m.converged || math.Abs(sum) > 1e-9 || math.Abs(primal-dual) > c*tolerance*2*float64(len(y)) || primal < dual-1e-9*primal {
			t.Errorf("%s: primal %v, dual %v, Σ %v", what, primal, dual, sum)
		}
	}

	var labels []float64
	for _, v := range y {
		labels = append(labels, math.Copysign(1, v))
	}
	m, err := classify(context.Background(), k, labels, c)
	if err != nil {
		t.Fatal(err)
	}
	f, norm := scores(m)
	loss, dual := 0.0, -norm/2
	for i, v := range labels {
		loss += max(0, 1-v*f[i])
		dual += v * m.coef[i]
	}
	check("classes", m, loss, dual, norm)

	if m, err = regress(context.Background(), k, y, c, 0.1); err != nil {
		t.Fatal(err)
	}
	f, norm = scores(m)
	loss, dual = 0, -norm/2
	for i, v := range y {
		loss += max(0, math.Abs(v-f[i])-0.1)
		dual += v*m.coef[i] - 0.1*math.Abs(m.coef[i])
	}
	check("regression", m, loss, dual, norm)
	if m.vectors == 0 || m.vectors == len(y) {
		t.Errorf("%d of %d rows are support vectors", m.vectors, len(y))
	}
}

// All methods learn; the same seed gives the same numbers.
func TestMethods(t *testing.T) {
	for _, task := range []dataset.Task{dataset.Regression, dataset.Classification} {
		x, y := drawn(250, 3)
		table := &dataset.Table{X: x, Y: y, Coding: dataset.Coding{Task: task}}
		if task == dataset.Classification {
			table.Coding.Classes = []string{"a", "b"}
			for i, v := range y {
				y[i] = (math.Copysign(1, v) + 1) / 2
			}
		}
		for _, method := range []string{fourier, kernel, support} {
			var got [2]float64
			for i := range got {
				k := reproduce.Key{Data: "cpuact", Size: 50, Seed: 2}
				b := &bench{key: k, sigma: 1}
				if err := b.divide(table, k); err != nil {
					t.Fatal(err)
				}
				k.Sampler = method
				c := reproduce.Cell{Key: k, Values: map[string]float64{}, Seconds: map[string]float64{}}
				if err := b.Measure(context.Background(), &c); err != nil {
					t.Fatal(method, err)
				}
				got[i] = c.Values["error"]
			}
			// The noise is 0.3 of targets of 0.77, so 0.4; of labels about a tenth is wrong.
			if most := map[dataset.Task]float64{dataset.Regression: 55, dataset.Classification: 25}[task]; got[0] != got[1] || !(got[0] < most) {
				t.Errorf("%s, %s: errors %v", task, method, got)
			}
		}
	}
}

// Words and rows come from the cells; census has no data.
func TestDocument(t *testing.T) {
	o := reproduce.Options{Reps: 2, Sets: []string{"census", "adult"}}
	text := reproducetest.Markdown(t, Experiment(), reproduce.Published, o, func(k reproduce.Key) (values, seconds map[string]float64) {
		if k.Data != "adult" {
			return nil, nil
		}
		values = map[string]float64{"error": 15 + float64(k.Rep), "train_rows": 32561}
		seconds = map[string]float64{"train": 2 + float64(k.Rep)}
		if k.Sampler != fourier {
			values["train_rows"], seconds["train"] = 6500, 20
		}
		return values, seconds
	})
	for _, want := range []string{"adult 15.50 (14.9)", "exact SVM on adult 15.50 with 6500 of 32561 rows", "exact kernel ridge on adult 10", "| adult | Fourier + least squares | 500 | 32561 | 2 | 15.50 | 0.71 | 14.9 | 2 | 9 |", "| census | exact SVM |  |  |  | no data |", "DELVE, census-house"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// The paper's cpu: 3.6 % with 300 features, which reproduce at 3.5 to 5 with three
// seeds, as the paper's tuning is not known.
func TestCPU(t *testing.T) {
	folder := require.Data(t)
	if testing.Short() {
		t.Skip("experiments on real data take a while")
	}
	b := &bench{folder: folder}
	c := reproduce.Cell{Key: reproduce.Key{Data: "cpuact", Sampler: fourier, Size: 300, Seed: 1}, Values: map[string]float64{}, Seconds: map[string]float64{}}
	if err := b.Measure(context.Background(), &c); err != nil || !(c.Values["error"] > 3 && c.Values["error"] < 5.5) {
		t.Errorf("%v: %v", c.Values, err)
	}
}
