package compare

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

// Rows that bandwidth rules look at: pairs cost their square.
const bandwidthRows = 1000

// kernel returns the kernel of the settings, with the bandwidth found on the
// rows of train if the specification has none.
func (s *Settings) kernel(ctx context.Context, train *dataset.Table, seed uint64) (rff.Kernel, error) {
	return FindKernel(ctx, s.Kernel, s.Bandwidth, train, krr.Settings{Lambda: s.Lambda, Folds: s.Folds, Seed: s.Seed, Precision: s.Precision, Engine: s.Engine}, seed)
}

// FindKernel returns the kernel of a specification, see rff.ParseKernel. One
// without parameters gets the bandwidth of the rule on scaled training rows.
func FindKernel(ctx context.Context, spec string, rule Bandwidth, train *dataset.Table, fit krr.Settings, seed uint64) (rff.Kernel, error) {
	name, parameter := spec, bandwidthParameter(spec)
	if parameter == "" {
		return rff.ParseKernel(spec)
	}
	x := mat.NewDense(train.X.Rows, train.X.Cols, train.X.Data)
	src := rand.NewPCG(seed, 0x6b65726e656c)
	var h float64
	var err error
	if rule == Neighbour {
		h, err = rff.NeighbourDistance(x, 0, bandwidthRows, src)
	} else {
		h, err = rff.MedianDistance(x, bandwidthRows, src)
	}
	if err != nil {
		return nil, err
	}
	if name == "laplacian" {
		// Its distance is ℓ₁: √(2d/π) Euclidean ones for normal differences.
		h *= math.Sqrt(2 * float64(train.X.Cols) / math.Pi)
	}
	at := func(h float64) (rff.Kernel, error) {
		full, err := WithBandwidth(spec, h)
		if err != nil {
			return nil, err
		}
		return rff.ParseKernel(full)
	}
	if rule != CrossValidated {
		return at(h)
	}
	return crossValidate(ctx, at, h, train, fit, seed)
}

// WithBandwidth returns the specification of a kernel that leaves its bandwidth
// open with bandwidth h. The error is a *rff.ParameterError.
func WithBandwidth(spec string, h float64) (string, error) {
	p := bandwidthParameter(spec)
	if p == "" {
		return "", &rff.ParameterError{Name: "kernel", Value: spec, Need: "has its bandwidth already, or none"}
	}
	sep := ":"
	if strings.Contains(spec, ":") {
		sep = ","
	}
	return fmt.Sprintf("%s%s%s=%v", spec, sep, p, h), nil
}

// bandwidthParameter returns the name of the bandwidth that spec leaves open, or "".
func bandwidthParameter(spec string) string {
	name, rest, _ := strings.Cut(spec, ":")
	switch name {
	case "gaussian", "laplacian", "cauchy":
		if rest == "" {
			return "sigma"
		}
	case "matern":
		if !strings.Contains(rest, "length") {
			return "length"
		}
	}
	return ""
}

// crossValidate returns the kernel at the multiple of h with the least
// cross-validated error of Monte Carlo features, on some of the rows. The draws
// are the same for every multiple, so that differences are the bandwidth's.
func crossValidate(ctx context.Context, at func(float64) (rff.Kernel, error), h float64, train *dataset.Table, fit krr.Settings, seed uint64) (rff.Kernel, error) {
	const rows, features = 5000, 512
	part := train
	if train.Len() > rows {
		part = train.Select(dataset.Shuffle(train.Len(), seed)[:rows])
	}
	kernel, err := at(h)
	if err != nil {
		return nil, err
	}
	m, err := rff.New(kernel.(rff.Stationary), train.X.Cols, features, rand.NewPCG(seed, features))
	if err != nil {
		return nil, err
	}
	var scales []float64
	for k := -3; k <= 1; k++ { // 2^(k−½) and 2^k, exact or rounded once on every platform
		scales = append(scales, math.Ldexp(math.Sqrt2, k-1), math.Ldexp(1, k))
	}
	fit.Lambda = 0
	_, best, err := krr.Bandwidths(ctx, m.On(fit.Engine), part.Source(), scales, fit)
	if err != nil {
		return nil, err
	}
	return at(h * scales[best])
}

func kernelText(k rff.Kernel) string {
	if s, ok := k.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%T", k)
}
