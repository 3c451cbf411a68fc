package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	flag "github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/files"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/limit"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr"
)

// learnFlags are the settings that compare and fit share.
type learnFlags struct {
	flags     *flag.FlagSet
	kernel    string
	sigma     string
	scale     dataset.Scale
	lambda    number
	folds     int
	seed      uint64
	workers   int
	precision krr.Precision
	backend   string
	rule      fits.BandwidthRule // that sigma names; set by settle
}

// readPrecision reads the name of a precision.
func readPrecision(name string) (krr.Precision, error) {
	p := stream.Named(name)
	if p == nil {
		_, sentence := stream.Names()
		return "", errors.New("must be " + sentence)
	}
	return krr.Precision(p.Name), nil
}

// declareMap declares the flags that decide on the features.
func (l *learnFlags) declareMap(f *flag.FlagSet) {
	l.flags = f
	f.StringVar(&l.kernel, "kernel", "gaussian", "`kernel`: gaussian, laplacian, exponential-power:p=1.5, cauchy, matern:nu=0.5 (1.5, 2.5); a sampler may have its own")
	f.StringVar(&l.sigma, "sigma", "median", "`bandwidth` in scaled inputs: a number, or a rule: median (distance between rows),\nknn (distance to the 50th neighbour), cv (cross-validation)")
	choose(f, &l.scale, "scale", "`scaling` of the inputs, fitted on the training rows: robust, standard, minmax or none", dataset.Robust, dataset.Standard, dataset.MinMax, dataset.Unscaled)
	declareSeed(f, &l.seed)
	whole(f, &l.workers, "workers", 0, 0, "`number` of threads (default: one per processor); results do not depend on it")
	names, sentence := stream.Names()
	declare(f, &l.precision, "precision", string(krr.Float64), "arithmetic of the features, a `type`: "+sentence+" (kernel sections are always f64)", readPrecision)
	words(f, "precision", names...)
	f.StringVar(&l.backend, "backend", "", "`name` of the matrix engine (default: native); rff info lists those built in")
	words(f, "kernel", inside.KernelNames()...)
	words(f, "sigma", string(fits.MedianBandwidth), string(fits.NeighbourBandwidth), string(fits.SearchedBandwidth))
	words(f, "backend", blas.Backends()...)
}

// declare also declares the flags of the ridge parameter.
func (l *learnFlags) declare(f *flag.FlagSet) {
	l.declareMap(f)
	declareLambda(f, &l.lambda, "cv", "ridge `parameter` per sample, or cv for cross-validation")
	whole(f, &l.folds, "folds", 5, 2, "`number` of folds of the cross-validation")
}

// engine returns the engine for the matrix work.
func engine(name string, workers int) (rff.Engine, error) {
	if err := asm.Select(); err != nil {
		return rff.Engine{}, err
	}
	if _, err := blas.Lookup(name); err != nil {
		return rff.Engine{}, &flagError{"backend", err}
	}
	return rff.Engine{Backend: name, Workers: workers}, nil
}

// inOrder is all rows of a data set, with a sample whose distances are measured.
type inOrder struct {
	rff.Source
	sample *dataset.Table
}

func (d inOrder) Matrix() *mat.Dense { return d.sample.Matrix() }

// features chooses the features for a data set and returns them with the scaling.
func (l *learnFlags) features(ctx context.Context, set *openSet, by *samplerFlags, fit krr.Settings) (*rff.Map, rff.Scaling, error) {
	scaling := set.scaling(l.scale)
	in, _ := set.source.Schema().Dims()
	draw := func(k rff.Kernel) (*rff.Map, rff.Scaling, error) {
		m, err := by.sampler.Sample(ctx, rff.Request{Kernel: inside.KernelFor(by.sampler, k), Dim: in, Features: by.features, Data: dataset.Scaled(set.source, scaling), Rand: rand.NewPCG(l.seed, uint64(by.features)), Engine: fit.Engine})
		return m, scaling, err
	}
	if hasOwnKernel(by.sampler) {
		return draw(nil)
	}
	kernel, err := rff.ParseKernel(l.kernel)
	if err == nil && learns(by.sampler) {
		m, err := by.learning.sample(ctx, by, kernel, dataset.Scaled(set.source, scaling), l.seed, fit.Engine)
		return m, scaling, err
	}
	if err == nil {
		rows := set.sample.Scaled(scaling)
		data := rows.Source()
		if set.source.Schema().FoldRows > 1 {
			data = inOrder{dataset.Scaled(set.source, scaling), rows} // a sample is in no order, and has no runs
		}
		kernel, err = fits.SearchBandwidth(ctx, kernel, data, l.rule, fit, l.seed)
		if named := files.BadRow(err, rows, set.sample, func(i int) int { return i }); named != err {
			return nil, scaling, named
		}
	}
	if err != nil {
		return nil, scaling, bandwidthError(fmt.Errorf("%s: %w", set.name, err))
	}
	return draw(kernel)
}

// unknownKernel is a kernel that no sampler knows.
type unknownKernel struct{}

func (unknownKernel) Eval(x, y []float64) float64 { return 0 }

// hasOwnKernel reports whether a sampler has a kernel of its own and asks for none.
func hasOwnKernel(s rff.Sampler) bool {
	_, asks := inside.KernelFor(s, unknownKernel{}).(unknownKernel)
	return !asks
}

// usesKernel refuses the flags of the kernel for a sampler with its own.
func (l *learnFlags) usesKernel(by *samplerFlags) error {
	if err := (given{l.flags}).unused(hasOwnKernel(by.sampler), "is of no use: the sampler "+by.name+" has a kernel of its own", "kernel", "sigma"); err != nil {
		return err
	}
	return l.unusedBandwidth(by)
}

// settle checks kernel and bandwidth. It puts a bandwidth that is a number into the kernel's
// specification.
func (l *learnFlags) settle() error {
	kernel, err := rff.ParseKernel(l.kernel)
	if err != nil {
		return usagef("--kernel: %s", oneLine(err))
	}
	switch rule := fits.BandwidthRule(l.sigma); rule {
	case fits.MedianBandwidth, fits.NeighbourBandwidth, fits.SearchedBandwidth:
		l.rule = rule
		_, closed := rff.WithBandwidth(kernel, 1)
		return given{l.flags}.unused(closed != nil, "is of no use: --kernel "+l.kernel+" has its bandwidth, or none", "sigma")
	}
	v, err := strconv.ParseFloat(l.sigma, 64)
	if err != nil || !(v >= limit.LeastBandwidth && v <= limit.MostBandwidth) {
		return usagef("invalid value %q for --sigma: must be a number from %g to %g, median, knn or cv", l.sigma, limit.LeastBandwidth, limit.MostBandwidth)
	}
	if kernel, err = rff.WithBandwidth(kernel, v); err != nil {
		return usagef("--sigma: %s", oneLine(err))
	}
	l.kernel = fmt.Sprint(kernel)
	return nil
}

// bandwidthError adds the flag that helps to the error of data that give no bandwidth.
func bandwidthError(err error) error {
	var d *rff.DegenerateDataError
	if errors.As(err, &d) {
		return fmt.Errorf("%w; --sigma NUMBER sets a bandwidth", err)
	}
	return err
}

// unusedBandwidth refuses a bandwidth for a sampler that chooses it.
func (l *learnFlags) unusedBandwidth(by *samplerFlags) error {
	if !learns(by.sampler) {
		return nil
	}
	if k, err := rff.ParseKernel(l.kernel); err == nil {
		if _, err := rff.WithBandwidth(k, 1); err != nil {
			return usagef("--kernel: the sampler %s chooses the bandwidth: give the kernel without one", by.name)
		}
	}
	return given{l.flags}.unused(true, "is of no use: the sampler "+by.name+" chooses the bandwidth", "sigma")
}
