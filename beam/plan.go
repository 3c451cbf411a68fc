package rffbeam

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/files"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/cmd/rff/looks"
	"github.com/rffgo/rff/cmd/rff/wording"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

func init() {
	beam.RegisterType(reflect.TypeFor[Planned]())
	beam.RegisterCoder(reflect.TypeFor[Planned](), encodePlanned, decodePlanned)
	beam.RegisterType(reflect.TypeFor[planFn]())
}

// Planning says what to decide once all rows were looked at.
type Planning struct {
	Features  int                // in columns
	Sampler   string             // as sampling.ByName has it; "": rff
	Kernel    string             // as rff.ParseKernel has it; "": gaussian
	Bandwidth fits.BandwidthRule // "": median
	Scale     dataset.Scale
	Task      dataset.Task
	Precision krr.Precision
	Folds     int // of the search for a bandwidth by cross-validation; 0: 5
	Seed      uint64
}

// Planned is a plan, with what was seen of the files.
type Planned struct {
	// Plan is an empty krr.Gram with scaling, map and classes, as Fit takes it and as the
	// command rff takes it (rff gram --like).
	Plan   []byte
	Kernel string // with its bandwidth, "" where the sampler has none
	Files  int
	Shares int // what workers read at a time: files, or some row groups of one
	Rows   int64
	// Sample is the number of rows that the bandwidth and the quantiles of a robust
	// scaling were taken from: those that rff fit takes them from.
	Sample int
	// Sampled says that the sampler chose features by these rows: rff fit shows it all.
	Sampled bool
	// Held names the inputs that have one value in all rows, in a sentence, or is "".
	Held string
	// Notes say which columns are left out, or become words or times, a sentence each.
	Notes []string
}

func encodePlanned(p Planned) (b []byte, err error) {
	if p.Plan, err = pack(p.Plan); err != nil {
		return nil, err
	}
	return encodeGob(p)
}

func decodePlanned(b []byte) (p Planned, err error) {
	if err = gob.NewDecoder(bytes.NewReader(b)).Decode(&p); err == nil {
		p.Plan, err = unpack(p.Plan)
	}
	return p, err
}

// Plan looks at all rows of the files of a glob and returns a Planned: the plan that the
// command rff makes of the same rows, bit for bit, whatever the engine does. Ranges, means,
// classes and words are those of all rows, and what needs rows sees the sample of
// dataset.Files.Scan. Only a sampler that depends on data sees the sample instead of all
// rows.
func Plan(s beam.Scope, glob string, r Reading, p Planning) beam.PCollection {
	s = s.Scope("rffbeam.Plan")
	// What comes next, as writing, is a stage of its own: Prism spins while a stage without
	// output works.
	return beam.Reshuffle(s, beam.ParDo(s, &planFn{Planning: p}, sampleOf(s, glob, r, p)))
}

// share returns the least rows of a share, as a fit with the folds that there are unless
// others are asked for can use them.
func (p Planning) share() int64 { return rowsPerFeature * 5 * int64(p.Features) }

// planFn decides.
type planFn struct{ Planning Planning }

func (f *planFn) ProcessElement(ctx context.Context, l seen, emit func(Planned)) error {
	p, err := f.Planning.decide(ctx, l)
	if err == nil {
		emit(p)
	}
	return err
}

// settings reads the words of a Planning.
func (p Planning) settings() (kernel rff.Kernel, rule fits.BandwidthRule, sampler rff.Sampler, err error) {
	first := func(e error) {
		if err == nil {
			err = e
		}
	}
	var e error
	kernel, e = rff.ParseKernel(cmp.Or(p.Kernel, "gaussian"))
	first(e)
	rule = cmp.Or(p.Bandwidth, fits.MedianBandwidth)
	sampler, e = sampling.ByName(cmp.Or(p.Sampler, "rff"))
	first(e)
	return kernel, rule, sampler, err
}

// found returns what was seen of all files, and the scaling.
func (p Planning) found(l seen) (*dataset.Summary, rff.Scaling, error) {
	if l.look == nil {
		return nil, rff.Scaling{}, errors.New("rffbeam: there are no files")
	}
	sum, err := files.Summary(l.look, p.Task)
	if err != nil {
		return nil, rff.Scaling{}, err
	}
	return sum, sum.Scaling(p.Scale), nil
}

// kernelOf returns the kernel of a sampler with its bandwidth; nil where it has none.
func (p Planning) kernelOf(ctx context.Context, source rff.Source) (rff.Sampler, rff.Kernel, error) {
	kernel, rule, sampler, err := p.settings()
	if err != nil {
		return nil, nil, err
	}
	if kernel = inside.KernelFor(sampler, kernel); kernel == nil {
		return sampler, nil, nil
	}
	kernel, err = fits.SearchBandwidth(ctx, kernel, source, rule, krr.Settings{Seed: p.Seed, Folds: p.Folds, Precision: p.Precision}, p.Seed)
	return sampler, kernel, err
}

func (p Planning) source() rand.Source { return rand.NewPCG(p.Seed, uint64(p.Features)) }

// decide makes the plan.
func (p Planning) decide(ctx context.Context, l seen) (Planned, error) {
	sum, scaling, err := p.found(l)
	if err != nil {
		return Planned{}, err
	}
	schema := sum.Sample.Source().Schema()
	schema.Weighted = l.look.Weighted
	in, targets := schema.Dims()
	out := Planned{Files: len(l.shares), Rows: sum.Rows, Sample: sum.Sample.Len(), Held: wording.Held(inside.Held(scaling), schema.InputNames()), Notes: l.look.Notes}
	for _, n := range l.shares {
		out.Shares += n
	}
	source := sum.Sample.Scaled(scaling).Source()
	sampler, kernel, err := p.kernelOf(ctx, source)
	if err != nil {
		return out, err
	}
	if kernel != nil {
		out.Kernel = fmt.Sprint(kernel)
	}
	watched := &looks.Watched{Source: dataset.Scaled(sum.Sample.Source(), scaling)}
	m, err := sampler.Sample(ctx, rff.Request{Kernel: kernel, Dim: in, Features: p.Features, Data: watched, Rand: p.source()})
	if err != nil {
		return out, err
	}
	out.Sampled = watched.Read && out.Rows > int64(out.Sample)
	g := krr.NewGram(m, targets, krr.GramSettings{Precision: p.Precision, Scaling: scaling, Schema: schema})
	out.Plan, err = bytesOf(g)
	return out, err
}

// EmptyPlan returns the plan of sums, such as rff gram writes: what they hold but
// the rows.
func EmptyPlan(data []byte) ([]byte, error) {
	g, err := krr.ReadGram(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return bytesOf(like(g))
}
