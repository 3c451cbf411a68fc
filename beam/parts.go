package rffbeam

import (
	"context"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/sampling"
)

func init() {
	beam.RegisterType(reflect.TypeFor[Scaled]())
	beam.RegisterCoder(reflect.TypeFor[Scaled](), encodeScaled, decodeScaled)
	beam.RegisterType(reflect.TypeFor[Scored]())
	beam.RegisterCoder(reflect.TypeFor[Scored](), encodeScored, decodeScored)
	beam.RegisterType(reflect.TypeFor[scalingFn]())
	beam.RegisterType(reflect.TypeFor[bandwidthFn]())
	beam.RegisterType(reflect.TypeFor[scoresFn]())
}

// Scaled says how inputs are scaled: as rff.Scaling has it.
type Scaled struct {
	Inputs       []string // or nil
	Shift, Scale []float64
	From, To     [][]float64
}

// Scored are candidate frequencies with the scores that features are picked by.
type Scored struct {
	Scores []float64 // of each candidate, as the sampler defines them
	Prob   []float64 // of being picked; their sum is 1
	Picked []int     // candidates, rising
	Rows   int64     // that were scored
}

func encodeScaled(s Scaled) ([]byte, error) { return encodeGob(s) }
func decodeScaled(b []byte) (Scaled, error) { return decodeGob[Scaled](b) }
func encodeScored(s Scored) ([]byte, error) { return encodeGob(s) }
func decodeScored(b []byte) (Scored, error) { return decodeGob[Scored](b) }

// Scaling returns the Scaled that Plan decides on.
func Scaling(s beam.Scope, glob string, r Reading, p Planning) beam.PCollection {
	s = s.Scope("rffbeam.Scaling")
	return beam.ParDo(s, &scalingFn{p}, sampleOf(s, glob, r, p))
}

// Bandwidth returns the kernel that Plan decides on, with its bandwidth in scaled
// inputs, as rff.ParseKernel reads it. A sampler without a kernel is an error.
func Bandwidth(s beam.Scope, glob string, r Reading, p Planning) beam.PCollection {
	s = s.Scope("rffbeam.Bandwidth")
	return beam.ParDo(s, &bandwidthFn{p}, sampleOf(s, glob, r, p))
}

// Scores returns the Scored of the candidates that Plan chooses features from. The
// sampler must be one that picks by scores: leverage, surrogate, eerf, lkrf or ses. The
// scores are those of the rows that Plan sees.
func Scores(s beam.Scope, glob string, r Reading, p Planning) beam.PCollection {
	s = s.Scope("rffbeam.Scores")
	return beam.ParDo(s, &scoresFn{p}, sampleOf(s, glob, r, p))
}

type scalingFn struct{ Planning Planning }

func (f *scalingFn) ProcessElement(ctx context.Context, l seen, emit func(Scaled)) error {
	sum, scaling, err := f.Planning.found(l)
	if err == nil {
		emit(Scaled{Inputs: sum.Sample.Inputs, Shift: scaling.Shift, Scale: scaling.Scale, From: scaling.From, To: scaling.To})
	}
	return err
}

// scaledSource returns the scaled rows of the sample.
func (p Planning) scaledSource(l seen) (rff.Source, error) {
	sum, scaling, err := p.found(l)
	if err != nil {
		return nil, err
	}
	return sum.Sample.Scaled(scaling).Source(), nil
}

type bandwidthFn struct{ Planning Planning }

func (f *bandwidthFn) ProcessElement(ctx context.Context, l seen, emit func(string)) error {
	source, err := f.Planning.scaledSource(l)
	if err != nil {
		return err
	}
	_, kernel, err := f.Planning.kernelOf(ctx, source)
	if err == nil && kernel == nil {
		err = fmt.Errorf("rffbeam: the sampler %q has no kernel", f.Planning.Sampler)
	}
	if err == nil {
		emit(fmt.Sprint(kernel))
	}
	return err
}

type scoresFn struct{ Planning Planning }

func (f *scoresFn) ProcessElement(ctx context.Context, l seen, emit func(Scored)) error {
	source, err := f.Planning.scaledSource(l)
	if err != nil {
		return err
	}
	sampler, kernel, err := f.Planning.kernelOf(ctx, source)
	if err != nil {
		return err
	}
	in, _ := source.Schema().Dims()
	r, err := sampling.SampleScored(ctx, sampler, rff.Request{Kernel: kernel, Dim: in, Features: f.Planning.Features, Data: source, Rand: f.Planning.source()})
	if err == nil {
		emit(Scored{Scores: r.Scores, Prob: r.Prob, Picked: r.Picked, Rows: r.Rows})
	}
	return err
}
