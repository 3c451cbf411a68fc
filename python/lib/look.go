package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/files"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/limit"
	seen "github.com/rffgo/rff/internal/look"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// look is what must be known of rows before features are drawn.
type look struct {
	data    rff.Source // without targets
	sample  *dataset.Table
	scaling rff.Scaling
}

// look reads the rows once, as rff fit does.
func (r *request) look(ctx context.Context) (*look, error) {
	scale := dataset.Scale(r.Scale)
	if known := []string{string(dataset.Robust), string(dataset.Standard), string(dataset.MinMax), string(dataset.Unscaled)}; !slices.Contains(known, r.Scale) {
		return nil, inside.Unknown("scale", r.Scale, known...)
	}
	seen, rows, err := r.seen(ctx)
	if err != nil {
		return nil, err
	}
	sum, err := files.Summary(seen, dataset.Unlabelled)
	if err != nil {
		return nil, err
	}
	schema := sum.Source().Schema()
	schema.Rows = rows
	data, err := r.inputs(ctx, schema)
	if err != nil {
		return nil, err
	}
	if data, err = rff.WithSchema(data, schema); err != nil {
		return nil, err
	}
	return &look{data, sum.Sample, sum.Scaling(scale)}, nil
}

// seen returns what a pass over the rows finds, and their number. A row counts as often as its
// weight says.
func (r *request) seen(ctx context.Context) (found *seen.Look, rows int64, err error) {
	raw, err := r.raw(ctx)
	if err != nil {
		return nil, 0, err
	}
	data, err := r.label(raw)
	if err != nil {
		return nil, 0, err
	}
	counted, err := r.counted()
	if err != nil {
		return nil, 0, err
	}
	schema := raw.Schema()
	if schema.Missing == rff.MissingNaN { // see raw
		schema.Missing = rff.MissingMean
	}
	found = seen.New(schema)
	for b, err := range data.Batches(ctx) {
		if err != nil {
			return nil, 0, err
		}
		for i := range b.X.Rows {
			x, gaps := b.X.Row(i), false
			for j, v := range x {
				if gaps = gaps || v != v; v-v != 0 && (v == v || schema.Missing != rff.MissingMean) {
					return nil, 0, notFinite(schema, int(rows), j, v)
				}
			}
			row := seen.Row{X: x, Label: r.labelOf(b.Y.Row(i)), Weight: 1, File: fileName, Number: rows + 1}
			times := 1
			if counted {
				times = int(b.Weight[i])
			} else if b.Weight != nil {
				row.Weight = b.Weight[i]
			}
			for range times {
				found.Add(&row, gaps)
			}
			rows++
		}
	}
	return found, rows, nil
}

// labelOf returns the label of a row as a file has it, for the order of the rows of a sample is
// that of hashes of all that is in them.
func (r *request) labelOf(y []float64) seen.Label {
	switch {
	case len(y) == 0:
		return seen.Label{}
	case r.Classes == nil:
		return seen.Label{Value: y[0], Number: true}
	case len(y) == 1:
		return seen.LabelOf(r.Classes[int(y[0]+1)/2])
	}
	return seen.LabelOf(r.Classes[slices.Index(y, 1)])
}

// counted reports whether weights are numbers of rows: whole numbers that add up to at most
// mostCounted or twice as many as there are rows. Scaling, bandwidth and means are then those of
// rows that stand in the data so often, as scikit-learn wants it.
func (r *request) counted() (bool, error) {
	w := r.one('w')
	if w == nil {
		return false, nil
	}
	weight := newMatrix(w.rows, 1)
	if err := w.read(weight, 0, 0); err != nil {
		return false, err
	}
	sum := 0.0
	for _, v := range weight.Data {
		if sum += v; v < 0 || v != math.Trunc(v) {
			return false, nil
		}
	}
	return sum <= max(mostCounted, 2*float64(w.rows)), nil
}

const mostCounted = 100_000

func pick(all rff.Matrix, rows []int) rff.Matrix {
	out := newMatrix(len(rows), all.Cols)
	for i, j := range rows {
		copy(out.Row(i), all.Row(j))
	}
	return out
}

// dense returns m as gonum's matrix, in place.
func dense(m rff.Matrix) *mat.Dense {
	var d mat.Dense
	d.SetRawMatrix(blas64.General{Rows: m.Rows, Cols: m.Cols, Stride: m.Stride, Data: m.Data})
	return &d
}

// kernel returns the kernel with the bandwidth that is asked for. A rule leaves a kernel as it is
// that has its bandwidth, or none.
func (r *request) kernel(ctx context.Context, l *look) (rff.Kernel, error) {
	k, err := rff.ParseKernel(r.Kernel)
	if err != nil {
		return nil, err
	}
	if h, err := strconv.ParseFloat(r.Bandwidth, 64); err == nil {
		if !(h >= limit.LeastBandwidth && h <= limit.MostBandwidth) { // the map would call it sigma
			return nil, &rff.ParameterError{Name: "bandwidth", Value: h, Need: fmt.Sprintf("must be from %g to %g", limit.LeastBandwidth, limit.MostBandwidth)}
		}
		return rff.WithBandwidth(k, h)
	}
	rule := fits.BandwidthRule(r.Bandwidth)
	if known := []string{string(fits.MedianBandwidth), string(fits.NeighbourBandwidth)}; !slices.Contains(known, r.Bandwidth) {
		return nil, inside.Unknown("bandwidth", r.Bandwidth, append(known, "a positive number")...)
	}
	if _, err := rff.WithBandwidth(k, 1); err != nil && rule != fits.MedianBandwidth {
		return nil, err
	}
	return fits.SearchBandwidth(ctx, k, l.sample.Scaled(l.scaling).Source(), rule, krr.Settings{}, r.Seed)
}

// draw returns the features for rows, which have targets if the request has some, and how much
// each input matters if the sampler has learned that.
func (r *request) draw(ctx context.Context, l *look, rows rff.Source) (*rff.Map, []float64, error) {
	s, err := sampling.ByName(r.Sampler)
	if err != nil {
		return nil, nil, err
	}
	in, _ := rows.Schema().Dims()
	q := func(k rff.Kernel) rff.Request {
		return rff.Request{Kernel: k, Dim: in, Features: r.Features, Data: dataset.Scaled(rows, l.scaling), Rand: rand.NewPCG(r.Seed, uint64(r.Features)), Engine: r.engine()}
	}
	if r.Kernel == "" {
		if m, err := s.Sample(ctx, q(nil)); err == nil {
			return m, nil, r.leaves("bandwidth", r.Bandwidth == "median", "has a kernel of its own: leave this out")
		}
		r.Kernel = "gaussian"
	}
	switch s.(type) {
	case sampling.Metric, sampling.Refined: // which choose the bandwidth
		k, err := rff.ParseKernel(r.Kernel)
		if err != nil {
			return nil, nil, err
		}
		_, fixed := rff.WithBandwidth(k, 1)
		if err := cmp.Or(r.leaves("kernel", fixed == nil, "chooses the bandwidth: give the kernel without one"),
			r.leaves("bandwidth", r.Bandwidth == "median", "chooses the bandwidth: leave this out")); err != nil {
			return nil, nil, err
		}
		found, err := sampling.SampleLearned(ctx, s, q(k))
		if err != nil {
			return nil, nil, err
		}
		return found.Map, found.Importance, nil
	}
	k, err := r.kernel(ctx, l)
	if err != nil {
		return nil, nil, err
	}
	m, err := s.Sample(ctx, q(k))
	return m, nil, err
}

// leaves returns an error that a setting is of no use to the sampler, unless ok.
func (r *request) leaves(setting string, ok bool, why string) error {
	if ok {
		return nil
	}
	value := map[string]string{"kernel": r.Kernel, "bandwidth": r.Bandwidth}[setting]
	return &rff.ParameterError{Name: setting, Value: value, Need: "is of no use: the sampler " + r.Sampler + " " + why}
}
