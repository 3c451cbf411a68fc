package rahimi

import (
	"context"
	"math"
	"time"

	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
)

// exact is a solver on a kernel matrix.
type exact interface {
	// grid has the values of its parameter to choose from.
	grid() []float64
	// fit returns coefficients and offset. It may overwrite k where last says so.
	fit(ctx context.Context, k blas.General[float64], y []float64, parameter float64, last bool) (coef []float64, offset float64, err error)
}

// ridge is kernel ridge regression.
type ridge struct{}

func (ridge) grid() []float64 { return []float64{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2} }

func (ridge) fit(_ context.Context, k blas.General[float64], y []float64, lambda float64, last bool) ([]float64, float64, error) {
	if !last {
		kept := k
		k = blas.NewGeneral[float64](kept.Rows, kept.Rows)
		copy(k.Data, kept.Data)
	}
	return reproduce.KernelRidge(k, y, lambda)
}

// vector is a support vector machine. For a regression targets are scaled to a standard
// deviation of 1, and ε is 0.05 of it.
type vector struct {
	task    dataset.Task
	machine *machine // the last one
}

const epsilon = 0.05

func (*vector) grid() []float64 { return []float64{1, 10, 100, 1000} }

func (v *vector) fit(ctx context.Context, k blas.General[float64], y []float64, c float64, _ bool) ([]float64, float64, error) {
	var err error
	if v.task == dataset.Classification {
		if v.machine, err = classify(ctx, k, y, c); err != nil {
			return nil, 0, err
		}
		return v.machine.coef, v.machine.offset, nil
	}
	mean, sd := meanSD(y)
	scaled := make([]float64, len(y))
	for i, t := range y {
		scaled[i] = (t - mean) / sd
	}
	if v.machine, err = regress(ctx, k, scaled, c, epsilon); err != nil {
		return nil, 0, err
	}
	coef := make([]float64, len(y))
	for i, a := range v.machine.coef {
		coef[i] = a * sd
	}
	return coef, float64(v.machine.offset*sd) + mean, nil
}

func meanSD(y []float64) (mean, sd float64) {
	for _, v := range y {
		mean += v / float64(len(y))
	}
	for _, v := range y {
		sd += float64((v-mean)*(v-mean)) / float64(len(y))
	}
	return mean, math.Sqrt(sd)
}

// The rows that exact solvers choose their parameters on, a fifth of them held out, and
// the multiples of the bandwidth of the Fourier features that they choose from.
const chosenRows = 2500

var multiples = []float64{0.5, 1, 2}

// solve chooses bandwidth and parameter of an exact solver on held-out rows, and fits it
// to the rows of x.
func (b *bench) solve(ctx context.Context, c *reproduce.Cell, s exact, x blas.General[float64], y []float64) (*reproduce.Expansion, error) {
	start := time.Now()
	n := min(chosenRows, x.Rows)
	held := n / 5
	fitted, test := x.RowRange(held, n), x.RowRange(0, held)
	k := blas.NewGeneral[float64](fitted.Rows, fitted.Rows)
	least, sigma, parameter := math.Inf(1), 0.0, 0.0
	for _, m := range multiples {
		reproduce.Gaussian(k, fitted, fitted, m*b.sigma)
		for _, p := range s.grid() {
			coef, offset, err := s.fit(ctx, k, y[held:n], p, false)
			if err != nil {
				return nil, err
			}
			f, err := (&reproduce.Expansion{X: fitted, Coef: coef, Offset: offset, Sigma: m * b.sigma}).Predict(ctx, test)
			if err != nil {
				return nil, err
			}
			if e := b.error(y[:held], f); e < least {
				least, sigma, parameter = e, m*b.sigma, p
			}
		}
	}
	c.Seconds["choose"] = time.Since(start).Seconds()
	start = time.Now()
	k = blas.NewGeneral[float64](x.Rows, x.Rows)
	reproduce.Gaussian(k, x, x, sigma)
	coef, offset, err := s.fit(ctx, k, y, parameter, true)
	if err != nil {
		return nil, err
	}
	c.Seconds["train"] = time.Since(start).Seconds()
	c.Values["bandwidth"], c.Values["parameter"] = sigma, parameter
	return &reproduce.Expansion{X: x, Coef: coef, Offset: offset, Sigma: sigma}, nil
}
