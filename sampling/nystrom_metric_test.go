package sampling

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
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
	for _, k := range []rff.Kernel{rff.NewGaussian(wide...), rff.NewMatern(0.5, wide...), rff.NewMatern(1.5, wide...), rff.NewMatern(2.5, wide...), rff.NewLaplacian(wide...)} {
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
