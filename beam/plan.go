package rffbeam

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/gob"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

func init() {
	beam.RegisterType(reflect.TypeFor[look]())
	beam.RegisterCoder(reflect.TypeFor[look](), encodeLook, decodeLook)
	beam.RegisterType(reflect.TypeFor[lookFn]())
	beam.RegisterType(reflect.TypeFor[planFn]())
	beam.RegisterType(reflect.TypeFor[gatherFn]())
}

// Planning says what to decide once all rows were looked at.
type Planning struct {
	Features  int               // in columns
	Sampler   string            // as sampling.ByName has it; "": rff
	Kernel    string            // as rff.ParseKernel has it; "": gaussian
	Bandwidth krr.BandwidthRule // "": median
	Scale     dataset.Scale
	Task      dataset.Task
	Float32   bool // features and their products
	Seed      uint64
}

// Plan looks at all rows of the files of a glob once and returns a plan: an empty
// krr.Gram with scaling, map and classes, as Fit takes it and as the command rff
// takes it (rff gram --like). Scaling, bandwidth and samplers that need data see
// up to 10,000 rows, those whose keys have the least hashes: the same ones however
// the engine bundles.
func Plan(s beam.Scope, glob string, r Reading, p Planning) beam.PCollection {
	s = s.Scope("rffbeam.Plan")
	return beam.ParDo(s, &planFn{Planning: p}, sampleOf(s, glob, r))
}

const (
	sampleRows   = 10_000
	sampleValues = 5 << 20 // 40 MiB
	mostClasses  = 4096
)

// look is what is known of some files: a sample, the labels, the columns.
type look struct {
	Rows   int64
	Inputs []string
	Target string
	Width  int
	Sample []sampled
	Labels map[string]bool // the first mostClasses+1, shortest form of numbers
	Number bool            // the labels are numbers, too many to be classes
}

type sampled struct {
	Key    uint64
	X      []float64
	Label  string
	Weight float64
}

func encodeLook(l look) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(l)
	return b.Bytes(), err
}

func decodeLook(b []byte) (l look, err error) {
	err = gob.NewDecoder(bytes.NewReader(b)).Decode(&l)
	return l, err
}

// lookFn looks at files.
type lookFn struct{ Reading Reading }

func (f *lookFn) ProcessElement(ctx context.Context, file fileio.ReadableFile, emit func(look)) error {
	files, closer, err := f.Reading.open(ctx, file, f.Reading.options())
	if err != nil {
		return err
	}
	defer closer.Close()
	at := files.Layout()
	l := look{Inputs: at.Inputs, Target: at.Target, Width: at.Width, Labels: map[string]bool{}}
	key := fileKey(file.Metadata.Path)
	most := min(sampleRows, max(1, sampleValues/l.Width))
	limit := uint64(math.MaxUint64)   // keys above it are not among the least
	numbers := map[float64]struct{}{} // labels that are in l.Labels
	for row, err := range files.Rows(ctx) {
		if err != nil {
			return err
		}
		l.Rows++
		text := ""
		if _, known := numbers[row.Label.Value]; len(l.Labels) <= mostClasses && !(known && row.Label.Number) {
			text = row.Label.String()
			l.Labels[text] = true
			if row.Label.Number {
				numbers[row.Label.Value] = struct{}{}
			}
		}
		k := keyOf(key, row.Place.Row)
		if k > limit {
			continue
		}
		if text == "" {
			text = row.Label.String()
		}
		l.Sample = append(l.Sample, sampled{Key: k, X: slices.Clone(row.X), Label: text, Weight: row.Weight})
		if len(l.Sample) >= 2*most {
			l.cut()
			limit = l.Sample[len(l.Sample)-1].Key
		}
	}
	l.cut()
	emit(l)
	return nil
}

// cut keeps the rows of the sample with the least keys.
func (l *look) cut() {
	most := min(sampleRows, max(1, sampleValues/max(l.Width, 1)))
	slices.SortFunc(l.Sample, func(a, b sampled) int {
		if c := cmp.Compare(a.Key, b.Key); c != 0 {
			return c
		}
		return cmp.Or(slices.Compare(a.X, b.X), cmp.Compare(a.Label, b.Label))
	})
	l.Sample = l.Sample[:min(len(l.Sample), most)]
}

// gatherFn puts together what was seen of several files.
type gatherFn struct{}

func (gatherFn) CreateAccumulator() look { return look{} }

func (g gatherFn) AddInput(a, b look) (look, error) { return g.MergeAccumulators(a, b) }

func (gatherFn) MergeAccumulators(a, b look) (look, error) {
	switch {
	case a.Width == 0:
		return b, nil
	case b.Width == 0:
		return a, nil
	case a.Width != b.Width || !slices.Equal(a.Inputs, b.Inputs):
		return a, fmt.Errorf("rffbeam: files of different columns: %d inputs %.80q, and %d %.80q", a.Width, a.Inputs, b.Width, b.Inputs)
	}
	out := look{Rows: a.Rows + b.Rows, Inputs: a.Inputs, Target: a.Target, Width: a.Width, Sample: slices.Concat(a.Sample, b.Sample), Labels: map[string]bool{}}
	for _, from := range []look{a, b} {
		for l := range from.Labels {
			out.Labels[l] = true
		}
	}
	out.cut()
	return out, nil
}

func (gatherFn) ExtractOutput(a look) look { return a }

// planFn decides.
type planFn struct{ Planning Planning }

func (f *planFn) ProcessElement(ctx context.Context, l look, emit func([]byte)) error {
	g, err := f.Planning.decide(ctx, l)
	if err != nil {
		return err
	}
	data, err := bytesOf(g)
	if err != nil {
		return err
	}
	emit(data)
	return nil
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
	if len(l.Sample) == 0 {
		return nil, rff.Scaling{}, fmt.Errorf("rffbeam: the files have no rows")
	}
	coding, err := codingOf(ctx, l.Labels, p.Task)
	if err != nil {
		return nil, rff.Scaling{}, err
	}
	x := blas.NewGeneral[float64](len(l.Sample), l.Width)
	table := &dataset.Table{Name: "sample", Inputs: l.Inputs, Target: l.Target, X: x, Y: make([]float64, x.Rows), Coding: coding}
	for i, r := range l.Sample {
		copy(x.Row(i), r.X)
		if table.Y[i], err = coding.Value(dataset.Row{Label: labelOf(r.Label), Place: dataset.Place{File: "the files"}}); err != nil {
			return nil, rff.Scaling{}, err
		}
	}
	return table, dataset.FitScaling(p.Scale, x), nil
}

// kernelOf returns the kernel of a sampler with its bandwidth; nil where it has none.
func (p Planning) kernelOf(ctx context.Context, source rff.Source) (rff.Sampler, rff.Kernel, error) {
	kernel, rule, sampler, err := p.settings()
	if err != nil {
		return nil, nil, err
	}
	if kernel = sampling.KernelFor(sampler, kernel); kernel == nil {
		return sampler, nil, nil
	}
	kernel, err = krr.SearchBandwidth(ctx, kernel, source, rule, krr.Settings{Seed: p.Seed, Precision: p.precision()}, p.Seed)
	return sampler, kernel, err
}

func (p Planning) precision() krr.Precision {
	if p.Float32 {
		return krr.Float32
	}
	return krr.Float64
}

func (p Planning) source() rand.Source { return rand.NewPCG(p.Seed, uint64(p.Features)) }

// decide makes the plan.
func (p Planning) decide(ctx context.Context, l look) (*krr.Gram, error) {
	table, scaling, err := p.sample(ctx, l)
	if err != nil {
		return nil, err
	}
	source := table.Scaled(scaling).Source()
	sampler, kernel, err := p.kernelOf(ctx, source)
	if err != nil {
		return nil, err
	}
	m, err := sampler.Sample(ctx, kernel, l.Width, p.Features, source, p.source())
	if err != nil {
		return nil, err
	}
	return krr.NewGram(m, table.Coding.Targets(), krr.GramSettings{Precision: p.precision(), Scaling: scaling, Inputs: l.Inputs, Target: l.Target, Classes: table.Coding.Classes}), nil
}

// codingOf takes labels as package dataset does: as if they were the rows of a file.
func codingOf(ctx context.Context, labels map[string]bool, task dataset.Task) (dataset.Coding, error) {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write([]string{"row", "label"})
	for l := range labels {
		w.Write([]string{"0", l})
	}
	w.Flush()
	f, err := dataset.OpenReader(ctx, dataset.Options{Format: dataset.CSV, Header: true, Comma: ',', Task: task}, "the labels", strings.NewReader(b.String()))
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
	if g, err = like(g); err != nil {
		return nil, err
	}
	return bytesOf(g)
}
