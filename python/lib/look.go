package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/sampling"
)

// look is what must be known of rows before features are drawn.
type look struct {
	data    rff.Source // without targets
	sample  *dataset.Table
	scaling rff.Scaling
}

// look reads the rows once.
func (r *request) look(ctx context.Context) (*look, error) {
	scale := dataset.Scale(r.Scale)
	if known := []string{string(dataset.Robust), string(dataset.Standard), string(dataset.MinMax), string(dataset.Unscaled)}; !slices.Contains(known, r.Scale) {
		return nil, &rff.ParameterError{Name: "scale", Value: r.Scale, Need: "must be robust, standard, minmax or none", Known: known}
	}
	if r.with('t') != nil {
		files, err := r.table(ctx, nil)
		if err != nil {
			return nil, err
		}
		sum, err := files.Scan(ctx, nil)
		if err != nil {
			return nil, err
		}
		return &look{sum.Source(), sum.Sample, sum.Scaling(scale)}, nil
	}
	rows, err := rowsOf(r.with('x'))
	if err != nil {
		return nil, err
	}
	for i, name := range r.Names {
		rows.schema.Inputs[i].Name = name
	}
	all, err := rows.observed(ctx)
	if err != nil {
		return nil, err
	}
	if all, err = r.counted(all); err != nil {
		return nil, err
	}
	rows.setRanges(all)
	return &look{rows, &dataset.Table{X: some(all, r.Seed)}, dataset.FitScaling(scale, all)}, nil
}

// counted returns the rows that the weights count: without those of weight 0 and, if weights are
// whole numbers that add up to at most mostCounted rows, every row as often as its weight says.
// Scaling and bandwidth are then those of the rows that such weights stand for.
func (r *request) counted(all rff.Matrix) (rff.Matrix, error) {
	w := r.one('w')
	if w == nil {
		return all, nil
	}
	weight := newMatrix(w.rows, 1)
	if err := w.read(weight, 0, 0); err != nil {
		return all, err
	}
	sum, whole := 0.0, true
	for _, v := range weight.Data {
		sum += v
		whole = whole && v == float64(int64(v))
	}
	var rows []int
	for i, v := range weight.Data {
		times := 0
		if v > 0 {
			times = 1
		}
		if whole && sum <= max(mostCounted, 2*float64(all.Rows)) {
			times = int(v)
		}
		for range times {
			rows = append(rows, i)
		}
	}
	if rows == nil {
		return all, &rff.DegenerateDataError{What: "a fit", Why: "no row has a positive weight"}
	}
	return pick(all, rows), nil
}

const (
	mostCounted = 100_000
	mostSampled = 10_000 // as many as dataset.Summary.Sample
)

// some returns a sample of at most mostSampled rows, or all.
func some(all rff.Matrix, seed uint64) rff.Matrix {
	if all.Rows <= mostSampled {
		return all
	}
	rows := rand.New(rand.NewPCG(seed, 0x6c6f6f6b)).Perm(all.Rows)[:mostSampled]
	slices.Sort(rows)
	return pick(all, rows)
}

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

const distanceRows = 1000 // rows whose distances are measured, as in rff fit

// kernel returns the kernel with the bandwidth that is asked for. A rule leaves a kernel as it is
// that has its bandwidth, or none.
func (r *request) kernel(l *look) (rff.Kernel, error) {
	k, err := rff.ParseKernel(r.Kernel)
	if err != nil {
		return nil, err
	}
	if h, err := strconv.ParseFloat(r.Bandwidth, 64); err == nil {
		return rff.WithBandwidth(k, h)
	}
	if _, err := rff.WithBandwidth(k, 1); err != nil && r.Bandwidth == "median" {
		return k, nil
	}
	x := l.sample.Scaled(l.scaling).Matrix()
	src := rand.NewPCG(r.Seed, 0x6b65726e656c)
	var h float64
	switch r.Bandwidth {
	case "median":
		h, err = rff.MedianDistance(x, distanceRows, src)
	case "knn":
		h, err = rff.NeighbourDistance(x, 0, distanceRows, src)
	default:
		return nil, &rff.ParameterError{Name: "bandwidth", Value: r.Bandwidth, Need: `must be a positive number, "median" or "knn"`, Known: []string{"median", "knn"}}
	}
	if err != nil {
		return nil, err
	}
	if own, ok := k.(interface {
		FromEuclidean(r float64, dim int) float64
	}); ok {
		h = own.FromEuclidean(h, l.sample.X.Cols)
	}
	return rff.WithBandwidth(k, h)
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
		if m, err := s.Sample(ctx, q(nil)); err == nil { // it has a kernel of its own
			return m, nil, nil
		}
		r.Kernel = "gaussian"
	}
	switch s.(type) {
	case sampling.Metric, sampling.Refined: // which choose the bandwidth
		k, err := rff.ParseKernel(r.Kernel)
		if err != nil {
			return nil, nil, err
		}
		found, err := sampling.SampleLearned(ctx, s, q(k))
		if err != nil {
			return nil, nil, err
		}
		return found.Map, found.Importance, nil
	}
	k, err := r.kernel(l)
	if err != nil {
		return nil, nil, err
	}
	m, err := s.Sample(ctx, q(k))
	return m, nil, err
}
