package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

// predict writes what is wanted of each row to the array of the role 'o', one row each.
func (r *request) predict(ctx context.Context) (any, error) {
	model, err := of[*krr.Model](r.Handle)
	if err != nil {
		return nil, err
	}
	if r.Workers > 0 {
		if model, err = model.On(r.engine()); err != nil {
			return nil, err
		}
	}
	schema := model.Info().Schema
	if schema.Missing == rff.MissingDrop { // every row has a line in the output
		schema.Missing = rff.MissingNaN
	}
	data, err := r.inputs(ctx, schema)
	if err != nil {
		return nil, err
	}
	unseen := fits.NewUnseen(schema)
	if err := r.writeAll(ctx, model, unseen.Watch(data)); err != nil {
		return nil, err
	}
	return noted{unseen.Note()}, nil
}

// noted is the reply of what reads rows for a model: what Python warns of, or "".
type noted struct {
	Note string `json:"note,omitempty"`
}

// writeAll writes what is wanted of all rows.
func (r *request) writeAll(ctx context.Context, model *krr.Model, data rff.Source) error {
	drop := model.Info().Schema.Missing == rff.MissingDrop
	out := r.one('o')
	if r.Want == "features" {
		data = dataset.Scaled(data, model.Info().Scaling)
		if out.size == 4 {
			return features32(ctx, model.Map(), data, out)
		}
	}
	dst, ok := out.matrix()
	if !ok {
		return &rff.ParameterError{Name: "out", Need: "must be of float64, in C order"}
	}
	at := 0
	for b, err := range data.Batches(ctx) {
		if err != nil {
			return err
		}
		if at+b.X.Rows > dst.Rows {
			break
		}
		to := dst.RowRange(at, at+b.X.Rows)
		var lacking []int
		if drop {
			b.X, lacking = filled(b.X)
		}
		if lacking != nil && (r.Want == "class" || r.Want == "sets") {
			return &rff.ValueError{Row: b.First + int64(lacking[0]), Column: "its inputs", Value: math.NaN(), Need: "must all be there: a row that lacks one has no class, but scores and probabilities that are NaN"}
		}
		if err := r.write(model, to, b.X); err != nil {
			if v, ok := err.(*rff.ValueError); ok {
				v.Row += b.First
			}
			return err
		}
		for _, i := range lacking {
			for j := range to.Row(i) {
				to.Row(i)[j] = math.NaN()
			}
		}
		at += b.X.Rows
	}
	if at != dst.Rows {
		return &rff.ShapeError{Name: "out", Rows: dst.Rows, Cols: dst.Cols, WantRows: at, WantCols: dst.Cols}
	}
	return nil
}

// filled returns rows with 0 in place of NaN, and which of them had one.
func filled(x rff.Matrix) (to rff.Matrix, lacking []int) {
	to = newMatrix(x.Rows, x.Cols)
	for i := range x.Rows {
		copy(to.Row(i), x.Row(i))
		if slices.ContainsFunc(x.Row(i), func(v float64) bool { return v != v }) {
			lacking = append(lacking, i)
			clear(to.Row(i))
		}
	}
	return to, lacking
}

// write writes what is wanted of the rows of x to dst.
func (r *request) write(m *krr.Model, dst, x rff.Matrix) error {
	_, out := m.Dims()
	to, rows := dense(dst), dense(x)
	switch r.Want {
	case "features":
		return m.Map().Transform(to, rows)
	case "probabilities":
		return m.Probabilities(to, rows)
	case "variance":
		return m.Variance(to, rows)
	case "interval": // the ends of each target side by side
		low, high := new(mat.Dense), new(mat.Dense)
		if err := m.Interval(low, high, rows, r.Level); err != nil {
			return err
		}
		_, targets := low.Dims()
		for i := range x.Rows {
			for j := range targets {
				dst.Row(i)[2*j], dst.Row(i)[2*j+1] = low.At(i, j), high.At(i, j)
			}
		}
	case "sets": // 1 for each label of the set
		sets, err := m.LabelSets(rows, r.Level)
		if err != nil {
			return err
		}
		classes := m.Info().Schema.Target.Classes
		for i, set := range sets {
			for k, class := range classes {
				if dst.Row(i)[k] = 0; slices.Contains(set, class) {
					dst.Row(i)[k] = 1
				}
			}
		}
	case "class": // its number
		scores := newMatrix(x.Rows, out)
		if err := m.Predict(dense(scores), rows); err != nil {
			return err
		}
		for i := range x.Rows {
			dst.Row(i)[0] = float64(m.ClassOf(scores.Row(i)))
		}
	default:
		return m.Predict(to, rows)
	}
	return nil
}

// features32 writes features in float32.
func features32(ctx context.Context, m *rff.Map, data rff.Source, out *array) error {
	in, columns := m.Dims()
	dst := blas32.General{Rows: out.rows, Cols: columns, Stride: out.row / 4, Data: out.float32s()}
	at := 0
	for b, err := range data.Batches(ctx) {
		if err != nil {
			return err
		}
		n := b.X.Rows
		x := blas32.General{Rows: n, Cols: in, Stride: in, Data: make([]float32, n*in)}
		for i := range n {
			for j, v := range b.X.Row(i) {
				if x.Data[i*in+j] = float32(v); math.IsInf(float64(float32(v)), 0) {
					return &rff.ValueError{Row: b.First + int64(i), Column: dataColumn(j), Value: v, Need: "must fit into float32"}
				}
			}
		}
		to := blas32.General{Rows: n, Cols: columns, Stride: dst.Stride, Data: dst.Data[at*dst.Stride:][:(n-1)*dst.Stride+columns]}
		if err := m.Transform32(&to, x); err != nil {
			return err
		}
		at += n
	}
	return nil
}

// dataColumn names an input as package krr does.
func dataColumn(j int) string { return fmt.Sprintf("input %d", j+1) }
