package sampling

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/limit"
)

// request is an rff.Request to the sampler of that name.
type request struct {
	rff.Request
	sampler string
	engine  blas.Engine // of Request.Engine
}

// onEngine returns r as a request to a sampler. It returns an error if this build lacks the
// engine of r.
func onEngine(sampler string, r rff.Request) (*request, error) {
	e, err := inside.EngineOf(r.Engine)
	return &request{r, sampler, e}, err
}

// newRequest is onEngine, and checks the seed and the sizes of the request.
func newRequest(ctx context.Context, sampler string, r rff.Request) (*request, error) {
	if err := checkSize(ctx, r); err != nil {
		return nil, err
	}
	return onEngine(sampler, r)
}

// made returns the map of a specification on the engine that was asked for; see inside.New.
func (q *request) made(s *blas.Spec, k rff.Kernel) (*rff.Map, error) {
	m, err := inside.New(s, k)
	if err != nil {
		return nil, err
	}
	return inside.On(m, q.engine), nil
}

// dataRequest returns r as a request to a sampler that looks at data, or an error if no such
// sampler can use r. labels says whether the scores need targets.
func dataRequest(ctx context.Context, sampler string, r rff.Request, labels bool) (*request, error) {
	if r.Data == nil {
		return nil, &rff.ParameterError{Name: "data", Need: "must be given: " + sampler + " chooses features by looking at the training rows"}
	}
	q, err := newRequest(ctx, sampler, r)
	if err != nil {
		return nil, err
	}
	in, targets := q.Data.Schema().Dims()
	if in != q.Dim {
		return nil, &rff.ShapeError{Name: "data", Cols: in, WantRows: -1, WantCols: q.Dim}
	}
	if labels && targets == 0 {
		return nil, dataError(q.sampler, "it scores features by the targets, and the data have none: pass labels, or choose leverage or a sampler that needs no data")
	}
	q.Data, err = rff.WithSchema(q.Data, q.Data.Schema()) // which counts the rows of every pass
	return q, err
}

// alive returns an error if ctx is nil or cancelled.
func alive(ctx context.Context) error {
	if ctx == nil {
		return &rff.ParameterError{Name: "ctx", Need: "must be given"}
	}
	return ctx.Err()
}

// seeded returns an error if there is no source of random numbers.
func seeded(src rand.Source) error {
	if src == nil {
		return &rff.ParameterError{Name: "rand", Need: "must be given: all draws come from it"}
	}
	return nil
}

// checkSize checks the arguments of Sample that all samplers have.
func checkSize(ctx context.Context, r rff.Request) error {
	if err := alive(ctx); err != nil {
		return err
	}
	if err := seeded(r.Rand); err != nil {
		return err
	}
	dim, features := r.Dim, r.Features
	if dim < 1 || dim > limit.Dim {
		return &rff.ParameterError{Name: "dim", Value: dim, Need: fmt.Sprintf("must be from 1 to %d", limit.Dim)}
	}
	if features < 1 || features > limit.Elements {
		return &rff.ParameterError{Name: "features", Value: features, Need: fmt.Sprintf("must be from 1 to %d", limit.Elements)}
	}
	return nil
}

func init() {
	hook.KernelFor = func(s, k any) any {
		of, _ := k.(rff.Kernel)
		return kernelFor(s.(rff.Sampler), of)
	}
}

// kernelFor is internal/inside.KernelFor.
func kernelFor(s rff.Sampler, k rff.Kernel) rff.Kernel {
	if own, ok := s.(interface{ kernel() rff.Kernel }); ok {
		return own.kernel()
	}
	if on, ok := s.(interface{ base() rff.Sampler }); ok && on.base() != nil {
		return kernelFor(on.base(), k)
	}
	return k
}
