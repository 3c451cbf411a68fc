// Package onnx writes a model as an ONNX graph, which onnxruntime runs in Python, Node, C#, Java,
// a browser and elsewhere:
//
//	err := onnx.Write(file, model, onnx.Options{})
//
// The graph does what docs/model-format.md describes, from a row of raw values to a prediction.
//
// Inputs: x, n×c, with the columns of the model in order, if these have numbers. If a column has
// words that are no numbers, every column is an input of its own, n×1, under its name, as
// skl2onnx names those of a DataFrame: of strings for words (without spaces at their ends, and numbers among them as 2, 2.0 or 0.5), of
// numbers otherwise. A column of dates and times is given as the numbers that it becomes: days
// since 1970-01-01, and hour, weekday and day of the year if the model has them. A column without a
// name is x1, x2, …. A name that another column or an output has gets underscores.
//
// A missing value is NaN, or the empty string. It goes by the rule of the model. A row that the
// model has no prediction for, or refuses, such as one with an infinite value, a word that it does
// not know or, without a rule, a missing value, has NaN in every output, and the label "".
//
// Outputs: y, n×t, of a regression; label, a string for each of n rows, scores, and of a calibrated
// model probabilities, n×classes, of a classification. Intervals, label sets and variances are left
// out.
package onnx

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// Options of Write.
type Options struct {
	// Float32 makes the inputs and outputs float32. Otherwise they are float64. The arithmetic is
	// float32, too, where that is accurate enough: see Written.Arithmetic.
	Float32 bool
}

func (o Options) kind() kind {
	if o.Float32 {
		return float32s
	}
	return float64s
}

// Written says what Write wrote.
type Written struct {
	Bytes int64
	// Error is the largest difference between the graph and Predict on Rows random rows within
	// the ranges of the columns, relative to the larger of 1 and the prediction of Predict. With
	// Options.Float32 Predict has the rows before they lose digits, of which numbers far from 0 for
	// their range, such as 10⁸ ± 1, lose all. The graph is evaluated by this package, in the
	// arithmetic of the graph: a runtime that adds in another order has other rounding errors of
	// that size.
	Error float64
	Rows  int
	// Arithmetic is "float32" or "float64", in which the graph computes. With Options.Float32 it
	// is float64 on landmarks, whose kernel takes the digits that float32 has, on trees, where a rounding
	// error at a threshold takes another leaf, and where the arithmetic would make an error of more than 10⁻⁶, as large coefficients make of small
	// rounding errors.
	Arithmetic string
	// Inputs and Outputs are the names of those of the graph.
	Inputs, Outputs []string
}

// most32 is a tenth of the 10⁻⁵ within which graphs are to be: rows beyond the ranges of the columns,
// and sums in another order, have larger errors.
const most32 = 1e-6

// largest is what Protocol Buffers allow a file.
const largest = math.MaxInt32

// Write writes a model to w. Nothing is written if there is an error other than that of w: a
// *rff.ParameterError for names that are not UTF-8, for words that float32 does not tell apart, and
// for a model that makes more than 2 GiB.
func Write(w io.Writer, from *krr.Model, o Options) (Written, error) {
	io := o.kind()
	if err := checkWords(from.Info().Schema, io); err != nil {
		return Written{}, err
	}
	m, err := read(from)
	if err != nil {
		return Written{}, err
	}
	var g *graph
	var out Written
	for _, arithmetic := range m.arithmetics(io) {
		g = graphOf(m, io, arithmetic)
		if size := g.size(); size > largest-1<<20 {
			return Written{}, &rff.ParameterError{Name: "the model", Need: fmt.Sprintf("makes an ONNX file of %d bytes, and 2 GiB are the most that one has: fit fewer features", size)}
		}
		out.Arithmetic = names[arithmetic]
		var own float64
		if own, out.Error, out.Rows, err = measured(g, m, from, io); err != nil {
			return Written{}, err
		}
		if own <= most32 {
			break
		}
	}
	for _, v := range g.inputs {
		out.Inputs = append(out.Inputs, v.name)
	}
	for _, v := range g.outputs {
		out.Outputs = append(out.Outputs, v.name)
	}
	n, err := w.Write(encoded(g, m.doc(), m.metadata(io, out)))
	out.Bytes = int64(n)
	return out, err
}

var names = map[kind]string{float32s: "float32", float64s: "float64"}

// arithmetics are those that a graph with inputs of kind io may compute in, the cheapest first.
func (m *model) arithmetics(io kind) []kind {
	if io == float64s || slices.ContainsFunc(m.parts, func(p *part) bool { return p.landmarks.Data != nil || p.hasTrees() }) {
		return []kind{float64s}
	}
	return []kind{float32s, float64s}
}

// graphOf returns the graph of a model whose inputs and outputs are of kind io.
func graphOf(m *model, io, arithmetic kind) *graph {
	b := &builder{real: arithmetic, mark: "rff "}
	b.graph.name = "rff"
	x, without := b.filled(m, b.rows(m, io))
	b.results(m, b.predictions(m, x, without), without, io)
	return &b.graph
}

// doc says how to call the graph.
func (m *model) doc() string {
	text := "Ridge regression on random features, written by rff. Input: x, rows of numbers in the order of the metadata rff.columns. "
	if m.texts {
		text = "Ridge regression on random features, written by rff. Inputs: the columns of the metadata rff.columns, n×1 each. "
	}
	return text + "A missing value is NaN or the empty string; a row without a prediction has NaN and the label \"\"."
}

// metadata returns what the file says about itself.
func (m *model) metadata(io kind, w Written) [][2]string {
	all := [][2]string{
		{"rff.columns", m.columns()},
		{"rff.model.sha256", m.sha256},
		{"rff.precision", names[io]},
		{"rff.arithmetic", w.Arithmetic},
		{"rff.opset", fmt.Sprint(Opset)},
		{"rff.error", fmt.Sprintf("%.2g", w.Error)},
		{"rff.error.rows", fmt.Sprint(w.Rows)},
	}
	if m.classes != nil {
		text, err := json.Marshal(m.classes)
		if err != nil {
			panic(err) // texts have an encoding
		}
		all = append(all, [2]string{"rff.classes", string(text)})
	}
	return all
}

// columns describes the inputs of the graph in JSON, for a program that fills them.
func (m *model) columns() string {
	type column struct {
		Name  string   `json:"name"`
		Words []string `json:"words,omitempty"`
	}
	var all []column
	for _, c := range m.cells {
		all = append(all, column{c.title, c.words})
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // texts and slices of them have an encoding
	}
	return string(text)
}
