package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/onnx"
)

func exportCommand(s *stdio) *cobra.Command {
	return newCommand(s, new(exporting), &cobra.Command{
		Use:   "export [MODEL]",
		Short: "write a model as an ONNX graph, for onnxruntime",
		Long: `Writes a model as an ONNX graph, which onnxruntime runs in Python, Node, C#, Java, a browser
and elsewhere. The graph takes raw rows: the words, the rules for missing values and the
scaling are in it. Its input is x, rows of numbers in the order of the model's columns; if a
column has words, every column is an input of its own, n×1, under its name. Dates and times
are given as the numbers that rff show lists for them. A missing value is NaN, or an empty
text. The output of a regression is y, those of a classification are label, scores and, of a
model fitted with --probabilities, probabilities. A row without a prediction has NaN and an
empty label. Intervals and variances are left out.`,
		Example: `rff export model.safetensors --onnx model.onnx
rff export model.safetensors --onnx model.onnx --precision float32`,
		Args: operand("model"),
	})
}

// exporting has the flags of rff export.
type exporting struct{ model, onnx, precision string }

func (c *exporting) declare(f *flag.FlagSet) {
	f.StringVar(&c.model, "model", "", "`file` that fit wrote; - for standard input")
	f.StringVar(&c.onnx, "onnx", "", "`file` to write the graph to; - for standard output")
	choose(f, &c.precision, "precision", "`type` of the inputs and outputs: float64 or float32", "float64", "float32")
}

func (c *exporting) check(*flag.FlagSet) error {
	if c.model == "" || c.onnx == "" {
		return usagef("say which model and where the graph goes: rff export MODEL --onnx FILE")
	}
	return apart(places("onnx", c.onnx), places("model", c.model)...)
}

func (c *exporting) run(ctx context.Context, s *stdio) error {
	if err := asm.Select(); err != nil {
		return err
	}
	return s.produce("onnx", c.onnx, "reading "+c.model, func(at *stages) (io.WriterTo, string, error) {
		m, err := s.loadModel(ctx, c.model)
		if err != nil {
			return nil, "", &flagError{"model", err}
		}
		at.stage("writing and measuring the graph")
		var graph bytes.Buffer
		w, err := onnx.Write(&graph, m, onnx.Options{Float32: c.precision == "float32"})
		if err != nil {
			return nil, "", &flagError{"onnx", err}
		}
		c.notes(s, m, w)
		return &graph, fmt.Sprintf("ONNX opset %d, %s; %s; %d bytes; within %.1g of rff predict on %d random rows",
			onnx.Opset, listed("input", w.Inputs), listed("output", w.Outputs), w.Bytes, w.Error, w.Rows), nil
	})
}

// notes says what the graph is not.
func (c *exporting) notes(s *stdio, m *krr.Model, w onnx.Written) {
	if w.Arithmetic != c.precision {
		s.note("the graph computes in %s between inputs and outputs of %s, whose own digits are too few for this model", w.Arithmetic, c.precision)
	}
	if c.precision == "float32" && w.Error > 1e-4 {
		s.note("predictions of the graph differ by up to %.1g: float32 has too few digits for the inputs, as of a column far from 0 for its range, or of a number at a threshold of a tree; leave --precision float32 out", w.Error)
	}
	if i := m.Info(); i.Noise != nil || i.Intervals > 0 {
		s.note("the graph predicts without the variances and intervals of the model")
	}
}

// listed names some things, or counts them if they are many.
func listed(what string, names []string) string {
	if len(names) > 1 {
		what += "s"
	}
	const most = 8
	if len(names) > most {
		return fmt.Sprintf("%d %s", len(names), what)
	}
	return what + " " + strings.Join(names, ", ")
}
