// Package teacher makes the rows of a student: its target is a classification, and the rows
// have the probability of each class that a larger model, the teacher, gives them, in place of
// a label (Hinton, Vinyals and Dean, "Distilling the knowledge in a neural network", 2015).
package teacher

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/portable"
)

// sumTolerance is how far the probabilities of a row may be from adding up to 1: that of
// probabilities written with three decimals, for twenty classes.
const sumTolerance = 0.01

// rows are data of which some inputs are the probabilities of classes.
type rows struct {
	rff.Source
	schema      rff.Schema
	inputs, of  []int // the inputs that stay, and those with the probability of each class
	temperature float64
}

// Rows returns data without the inputs of these names, which have the probability of a class
// each, and with the classes as the target, which are called as the columns are, without the word
// probability that rff predict writes before the class. The targets are 2p − 1 in place of 1 and −1
// (rff.Target), so that squares and all losses of classes count a row in each class by its
// probability. Probabilities are raised to 1/temperature and divided by their sum: at 1 they are
// those of the teacher, and above 1 more even. Weights and groups stay.
//
// Rows returns a *rff.ParameterError for fewer than two classes, one that is no input of numbers
// or named twice, a temperature that is not positive, data that have a target, and data whose gaps
// are filled, also those of probabilities (rff.MissingMean). Readings end with a *rff.ValueError
// for a row whose probabilities are negative or do not add up to 1 within 0.01.
func Rows(data rff.Source, names []string, temperature float64) (rff.Source, error) {
	s := data.Schema()
	r := &rows{Source: data, schema: s, temperature: temperature}
	r.schema.Target = rff.Target{}
	switch {
	case len(names) < 2:
		return nil, &rff.ParameterError{Name: "classes of a teacher", Value: len(names), Need: "must be two or more: name the column of each class"}
	case !(temperature > 0 && temperature <= math.MaxFloat64):
		return nil, &rff.ParameterError{Name: "temperature", Value: temperature, Need: "must be positive: 1 leaves probabilities as they are"}
	case s.Target.Columns > 0:
		return nil, &rff.ParameterError{Name: "target", Value: s.Target.Name, Need: "must be the probabilities of a teacher alone: read the data without a label"}
	case s.Missing == rff.MissingMean:
		return nil, &rff.ParameterError{Name: "missing", Value: s.Missing, Need: "would give a row without probabilities those of all rows: leave such rows out (drop)"}
	}
	all := s.InputNames()
	for i, name := range names {
		if slices.ContainsFunc(s.Inputs, func(c rff.Column) bool { return c.Name == name && (c.Words != nil || c.Time != nil) }) {
			return nil, wordsOf(name)
		}
		at := slices.Index(all, name)
		if at < 0 || slices.Contains(names[:i], name) || slices.Contains(all[at+1:], name) {
			return nil, &rff.ParameterError{Name: "class of a teacher", Value: name, Need: "must be the name of one column of numbers, and be named once", Known: all}
		}
		r.of = append(r.of, at)
	}
	r.schema.Inputs = nil
	at := 0
	for _, c := range s.Inputs {
		one := rff.Schema{Inputs: []rff.Column{c}}
		width, _ := one.Dims()
		teacher := slices.ContainsFunc(r.of, func(i int) bool { return at <= i && i < at+width })
		if teacher && (c.Words != nil || c.Time != nil) {
			return nil, wordsOf(c.Name)
		}
		for range width {
			if !teacher {
				r.inputs = append(r.inputs, at)
			}
			at++
		}
		if !teacher {
			r.schema.Inputs = append(r.schema.Inputs, c)
		}
	}
	if len(r.inputs) == 0 {
		return nil, &rff.ParameterError{Name: "inputs", Value: 0, Need: "must be one or more beside the probabilities of the classes"}
	}
	r.schema.Target.Columns, r.schema.Target.Classes = classes.Columns(len(names)), called(names)
	return r, nil
}

// wordsOf refuses a column of words or times.
func wordsOf(column string) error {
	return &rff.ParameterError{Name: "class of a teacher", Value: column, Need: "must be a column of numbers, and this one has words or times"}
}

// called returns the classes whose probabilities are in columns of these names.
func called(columns []string) []string {
	out := slices.Clone(columns)
	for i, name := range out {
		out[i] = strings.TrimPrefix(name, "probability ")
	}
	return out
}

func (r *rows) Schema() rff.Schema { return r.schema }

func (r *rows) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	var inputs, targets []float64
	p := make([]float64, len(r.of))
	return inside.Batches(ctx, r.Source, func(b *rff.Batch) error {
		x := dense.Fitting(&inputs, b.X.Rows, len(r.inputs))
		y := dense.Fitting(&targets, b.X.Rows, r.schema.Target.Columns)
		for i := range b.X.Rows {
			from, to := b.X.Row(i), x.Row(i)
			for j, at := range r.inputs {
				to[j] = from[at]
			}
			for k, at := range r.of {
				p[k] = from[at]
			}
			if err := r.target(y.Row(i), p, b.First+int64(i)); err != nil {
				return err
			}
		}
		b.X, b.Y = x, y
		return nil
	})
}

// target writes the targets of a row with these probabilities to y. It overwrites p.
func (r *rows) target(y, p []float64, row int64) error {
	var sum, most float64
	for k, v := range p {
		if !(v >= 0 && v <= math.MaxFloat64) {
			return &rff.ValueError{Row: row, Column: fmt.Sprintf("the probability of %q", r.schema.Target.Classes[k]), Value: v, Need: "probabilities are at least 0: take the softmax of a teacher's scores, and leave out rows that it gave none"}
		}
		sum, most = sum+v, max(most, v)
	}
	if math.Abs(sum-1) > sumTolerance {
		return &rff.ValueError{Row: row, Column: "the sum of the probabilities", Value: sum, Need: "it must be 1, within 0.01: name the columns of all classes, and take the softmax of a teacher's scores"}
	}
	sum = 0
	for k, v := range p {
		if r.temperature != 1 && v > 0 { // as shares of the largest, which cannot all underflow
			p[k] = portable.Exp(portable.Log(v/most) / r.temperature)
		}
		sum += p[k]
	}
	for t := range y {
		y[t] = float64(2*p[len(p)-len(y)+t])/sum - 1
	}
	return nil
}
