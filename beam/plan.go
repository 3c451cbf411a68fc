package rffbeam

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/gob"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/message"
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
	Features  int               // in columns
	Sampler   string            // as sampling.ByName has it; "": rff
	Kernel    string            // as rff.ParseKernel has it; "": gaussian
	Bandwidth krr.BandwidthRule // "": median
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
	Kernel string     // with its bandwidth, "" where the sampler has none
	Files  []FileRows // in the order of their names
	Rows   int64
	// Sample is the number of rows that the bandwidth and the quantiles of a robust
	// scaling were taken from. They are the rows that rff fit takes them from, unless
	// Apart says that rows are so many that it would take too long to draw these.
	Sample int
	Apart  bool
	// Sampled says that the sampler chose features by these rows: rff fit shows it all.
	Sampled bool
	// Held names the inputs that have one value in all rows, in a sentence, or is "".
	Held string
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

// Plan looks at all rows of the files of a glob and returns a Planned: the plan that
// krr.Fit and the command rff make of the same files, in the order of their names. What
// needs rows sees up to 10,000 of them, drawn as dataset.Files.Scan draws them, whatever
// the engine does. Ranges, means and classes are those of all rows. A sampler that
// depends on data sees the sample only.
func Plan(s beam.Scope, glob string, r Reading, p Planning) beam.PCollection {
	s = s.Scope("rffbeam.Plan")
	// What comes next, as writing, is a stage of its own: Prism spins while a stage without
	// output works.
	return beam.Reshuffle(s, beam.ParDo(s, &planFn{Planning: p}, sampleOf(s, glob, r, p)))
}

// standard reports whether the scaling takes means and deviations.
func (p Planning) standard() bool { return p.Scale == dataset.Standard }

// share returns the least rows of a share, as a fit with the folds that there are unless
// others are asked for can use them.
func (p Planning) share() int64 { return rowsPerFeature * 5 * int64(p.Features) }

// planFn decides.
type planFn struct{ Planning Planning }

func (f *planFn) ProcessElement(ctx context.Context, l look, emit func(Planned)) error {
	p, err := f.Planning.decide(ctx, l)
	if err == nil {
		emit(p)
	}
	return err
}

// settings reads the words of a Planning.
func (p Planning) settings() (kernel rff.Kernel, rule krr.BandwidthRule, sampler rff.Sampler, err error) {
	first := func(e error) {
		if err == nil {
			err = e
		}
	}
	var e error
	kernel, e = rff.ParseKernel(cmp.Or(p.Kernel, "gaussian"))
	first(e)
	rule = cmp.Or(p.Bandwidth, krr.MedianBandwidth)
	sampler, e = sampling.ByName(cmp.Or(p.Sampler, "rff"))
	first(e)
	return kernel, rule, sampler, err
}

// sample is the sample of a look, as rows of package dataset.
func (p Planning) sample(ctx context.Context, l look) (*dataset.Table, rff.Scaling, error) {
	if len(l.Label) == 0 {
		return nil, rff.Scaling{}, fmt.Errorf("rffbeam: the files have no rows")
	}
	coding, err := codingOf(ctx, l.Labels, l.rows(), p.Task)
	if err != nil {
		return nil, rff.Scaling{}, err
	}
	table := &dataset.Table{Name: "sample", Inputs: l.Inputs, Target: l.Target, Y: make([]float64, len(l.Label)), Coding: coding,
		X: blas.General[float64]{Rows: len(l.Label), Cols: l.Width, Stride: l.Width, Data: l.X}}
	for i, text := range l.Label {
		if table.Y[i], err = coding.Value(dataset.Row{Label: labelOf(text), Place: dataset.Place{File: "the files"}}); err != nil {
			return nil, rff.Scaling{}, err
		}
		if l.Weights[i] != 1 {
			table.Weights = l.Weights
		}
	}
	s := l.summary(table)
	for j, v := range s.Std {
		if math.IsInf(v, 0) || v != v {
			return nil, rff.Scaling{}, fmt.Errorf("rffbeam: input %d has values whose squares are beyond the numbers: take the scaling robust or minmax, or rff fit", j+1)
		}
	}
	return table, s.Scaling(p.Scale), nil
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
	kernel, err = krr.SearchBandwidth(ctx, kernel, source, rule, krr.Settings{Seed: p.Seed, Folds: p.Folds, Precision: p.Precision}, p.Seed)
	return sampler, kernel, err
}

func (p Planning) source() rand.Source { return rand.NewPCG(p.Seed, uint64(p.Features)) }

// decide makes the plan.
func (p Planning) decide(ctx context.Context, l look) (Planned, error) {
	out := Planned{Files: l.Files, Rows: l.rows(), Sample: len(l.Label)}
	out.Apart = out.Rows > mostDrawn
	table, scaling, err := p.sample(ctx, l)
	if err != nil {
		return out, err
	}
	out.Held = message.Held(scaling.Held(), l.Inputs)
	source := table.Scaled(scaling).Source()
	sampler, kernel, err := p.kernelOf(ctx, source)
	if err != nil {
		return out, err
	}
	if kernel != nil {
		out.Kernel = fmt.Sprint(kernel)
	}
	seen := &watched{Source: source}
	m, err := sampler.Sample(ctx, rff.Request{Kernel: kernel, Dim: l.Width, Features: p.Features, Data: seen, Rand: p.source()})
	if err != nil {
		return out, err
	}
	out.Sampled = seen.read && out.Rows > int64(out.Sample)
	g := krr.NewGram(m, table.Coding.Targets(), krr.GramSettings{Precision: p.Precision, Scaling: scaling, Schema: table.Source().Schema()})
	out.Plan, err = bytesOf(g)
	return out, err
}

// watched is a source that knows whether its rows were read.
type watched struct {
	rff.Source
	read bool
}

func (w *watched) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	w.read = true
	return w.Source.Batches(ctx)
}

// codingOf takes the labels of so many rows as package dataset does: as if they were the
// rows of a file, which says how many rows a class has at least.
func codingOf(ctx context.Context, labels map[string]bool, rows int64, task dataset.Task) (dataset.Coding, error) {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write([]string{"row", "label"})
	some := ""
	for some = range labels {
		w.Write([]string{"0", some})
	}
	for range min(rows, 2*int64(len(labels))) - int64(len(labels)) { // in place of the rows that repeat a label
		w.Write([]string{"0", some})
	}
	w.Flush()
	f, err := dataset.OpenReader(ctx, dataset.Options{Format: dataset.CSV, Header: "yes", Comma: ',', Task: task}, "the labels", strings.NewReader(b.String()))
	if err != nil {
		return dataset.Coding{}, err
	}
	s, err := f.Scan(ctx, nil)
	if err != nil {
		return dataset.Coding{}, err
	}
	return s.Coding, nil
}

// labelOf returns a label of its text.
func labelOf(text string) dataset.Label {
	l := dataset.Label{Text: []byte(text)}
	v, err := strconv.ParseFloat(text, 64)
	l.Value, l.Number = v, err == nil
	return l
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
