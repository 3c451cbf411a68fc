package liu

import (
	"context"
	"math/rand/v2"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/cmd/rff/sets"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/quality"
	"github.com/rffgo/rff/sampling"
)

const fig1Name = "liu-fig1"

// Figure1 returns the experiment of Figure 1: kernel error, accuracy and time on EEG.
func Figure1() *reproduce.Experiment {
	return &reproduce.Experiment{
		Name:    fig1Name,
		Paper:   "F. Liu, X. Huang, Y. Chen, J. Yang, J. Suykens, Random Fourier features via fast surrogate leverage weighted sampling, AAAI 2020, Figure 1",
		Summary: "kernel error, accuracy and seconds against the number of features on EEG",
		Protocols: []reproduce.Protocol{{
			Experiment: fig1Name, Name: reproduce.Published, Version: 1,
			Sets: []string{"eeg"}, Samplers: []string{plain, qmc, leverage, surrogate}, Reps: 10, QuickReps: 2,
			Unit: perInput, Sizes: publishedSizes, Cost: publishedCost,
			New:      func(o reproduce.Options) reproduce.Bench { return &fig1{published: published{folder: o.Folder}} },
			Document: fig1Document,
		}},
	}
}

// weighted are the samplers whose kernel error is measured: leverage and surrogate
// scores as their algorithms are printed, with the draw and the weights that keep the
// kernel. What Table 3 has of them approximates no kernel: its columns are not scaled.
var weighted = map[string]string{
	plain:     "rff",
	qmc:       "halton:published=yes",
	leverage:  "leverage:pool=1,pick=multinomial,weight=importance",
	surrogate: printed,
}

// kernelPoints is the number of rows that the kernel error is measured on, as in the
// paper.
const kernelPoints = 1000

// fig1 measures accuracy and seconds as Table 3 does, and the kernel error.
type fig1 struct {
	published
	scaled *dataset.Table // columns in [0, 1]
}

// Measure implements reproduce.Bench.
func (f *fig1) Measure(ctx context.Context, c *reproduce.Cell) error {
	if err := f.published.Measure(ctx, c); err != nil {
		return err
	}
	if f.scaled == nil {
		t, err := sets.Named(ctx, c.Data, f.folder)
		if err != nil {
			return err
		}
		fitUnit(t.X).scale(t.X)
		f.scaled = t
	}
	e, err := kernelError(ctx, f.scaled, c.Key)
	if err != nil {
		return err
	}
	c.Values["kernel_error"] = e
	return nil
}

// kernelError is ‖K − ZZᵀ‖₂/‖K‖₂ on random rows for the kernel as it is printed,
// exp(−‖x−x'‖²).
func kernelError(ctx context.Context, t *dataset.Table, k reproduce.Key) (float64, error) {
	sampler, err := sampling.ByName(weighted[k.Sampler])
	if err != nil {
		return 0, err
	}
	half, _ := divide(t, k)
	train := take(t, half)
	data, err := train.source()
	if err != nil {
		return 0, err
	}
	src := rand.NewPCG(reproduce.Stream(k.Seed, "kernel frequencies", k.Data, k.Size, k.Rep), 0)
	m, err := sampler.Sample(ctx, rff.Request{Kernel: rff.NewGaussian(sigmaAsPrinted), Dim: t.X.Cols, Features: 2 * k.Size * t.X.Cols, Data: data, Rand: src})
	if err != nil {
		return 0, err
	}
	points := fold.Permutation(t.Len(), reproduce.Stream(k.Seed, "points", k.Data, k.Rep))
	measures, err := quality.MeasureKernel(m, t.Select(points[:min(kernelPoints, len(points))]).Matrix())
	return measures.Spectral, err
}

// sigmaAsPrinted makes exp(−‖x−x'‖²/(2σ²)) the paper's exp(−‖x−x'‖²): σ = 1/√2.
const sigmaAsPrinted = 0x1.6a09e667f3bcdp-1
