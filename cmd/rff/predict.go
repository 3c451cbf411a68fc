package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

var predictCommand = &command{
	name:    "predict",
	summary: "predict the rows of a data set with a saved model",
	details: `Reads rows as a stream and writes one line of CSV for each: the predicted class or
value. With --score or --label the data have labels, which are compared with the
predictions; the result of that goes to standard error. A named data set with a test
part of its own stands for that part.`,
	example: `rff predict --model model.safetensors --data new.csv --scores --output predictions.csv`,
	setup:   setupPredict,
}

func setupPredict(f *flag.FlagSet) func(context.Context, *stdio) error {
	var data dataFlags
	var model, outFile, backend string
	var add columns
	var score bool
	var workers int
	f.StringVar(&model, "model", "", "`file` that fit wrote")
	data.declare(f, "")
	f.StringVar(&outFile, "output", "-", "`file` to write to; - for standard output")
	f.BoolVar(&add.scores, "scores", false, "add the score of each class")
	f.BoolVar(&add.probabilities, "probabilities", false, "add the probability of each class, from a model fitted with --probabilities")
	f.BoolVar(&add.variance, "variance", false, "add the variance of each prediction, from a model fitted with --variance")
	f.BoolVar(&score, "score", false, "the data have labels: compare them with the predictions")
	whole(f, &workers, "workers", 0, 0, "`number` of threads (default: one per processor)")
	f.StringVar(&backend, "backend", "", "`name` of the matrix engine (default: native)")

	return func(ctx context.Context, s *stdio) error {
		if model == "" {
			return usagef("predict: say which model: --model FILE")
		}
		on, err := engine(backend, workers)
		if err != nil {
			return err
		}
		m, err := krr.Load(model)
		if err != nil {
			return &flagError{"model", err}
		}
		m = m.On(on)
		switch {
		case add.probabilities && !m.HasProbabilities():
			return fmt.Errorf("--probabilities: %s was fitted without them: rff fit --probabilities", model)
		case add.variance && !m.HasVariance():
			return fmt.Errorf("--variance: %s was fitted without it: rff fit --variance", model)
		case add.scores && m.Classes() == nil:
			return fmt.Errorf("--scores: %s is a regression", model)
		}
		data.options.NoLabel = !score && data.options.Label == "" && data.options.LabelFile == ""
		p, err := newPredictor(ctx, m, &data)
		if err != nil {
			return err
		}
		w := io.Writer(bufio.NewWriter(s.data))
		var out *output
		if outFile != "-" {
			if out, err = createOutput("output", outFile); err != nil {
				return err
			}
			defer out.discard()
			w = out
		}
		line := newProgress(s)
		defer line.clear()
		if err := p.run(ctx, w, add, line); err != nil {
			return err
		}
		line.clear()
		if b, ok := w.(*bufio.Writer); ok {
			if err := b.Flush(); err != nil {
				return err
			}
		}
		if out != nil {
			if err := out.commit(); err != nil {
				return err
			}
			s.note("wrote %d predictions to %s", p.rows, outFile)
		}
		if text := p.outside.note(); text != "" {
			s.note("%s", text)
		}
		if p.labelled {
			s.note("%s", p.score())
		}
		return nil
	}
}

// predictor streams rows through a model.
type predictor struct {
	model    *krr.Model
	rowsOf   func(context.Context) iter.Seq2[dataset.Row, error]
	labelled bool
	classes  []string
	coding   dataset.Coding
	outside  *outside

	rows, right   int64
	seen          int64
	ss, mean, rss float64
}

// newPredictor opens the data and checks that they fit the model.
func newPredictor(ctx context.Context, m *krr.Model, data *dataFlags) (*predictor, error) {
	in, _ := m.Dims()
	p := &predictor{model: m, classes: m.Classes(), coding: dataset.NewCoding(m.Classes()), outside: newOutside(m)}
	var name string
	var width int
	if set, ok := data.named(); ok {
		t, err := dataset.Named(ctx, set, data.folder)
		if err != nil {
			return nil, err
		}
		name, width, p.rowsOf, p.labelled = set, t.X.Cols, t.Tail(t.Train).Rows, true
	} else {
		if data.options.Width == 0 {
			data.options.Width = in // LIBSVM files need not name the last inputs
		}
		files, err := data.files()
		if err != nil {
			return nil, err
		}
		name, width, p.rowsOf, p.labelled = files.Paths()[0], files.Width(), files.Rows, !files.NoLabel()
	}
	if width != in {
		hint := ""
		if width == in+1 && !p.labelled {
			hint = ": if one of them is the label, say which: --label COLUMN"
		}
		return nil, fmt.Errorf("--data: %s has %d inputs, the model was fitted on %d%s", name, width, in, hint)
	}
	return p, nil
}

// columns says what goes beside the prediction.
type columns struct{ scores, probabilities, variance bool }

// header names the columns. Scores and variances have one column per output:
// one for two classes or a number, one per class for more.
func (a columns) header(classes []string, outputs int) []string {
	header := []string{"predicted"}
	each := func(name string, of []string) {
		for _, c := range of {
			header = append(header, name+" "+c)
		}
	}
	per := func(name string) {
		if outputs > 1 {
			each(name, classes)
		} else {
			header = append(header, name)
		}
	}
	if a.scores {
		per("score")
	}
	if a.probabilities {
		each("probability", classes)
	}
	if a.variance {
		per("variance")
	}
	return header
}

// Rows in one call of the model.
const predictRows = 2 * blas.RowBlock

func (p *predictor) run(ctx context.Context, w io.Writer, add columns, line *progress) error {
	in, out := p.model.Dims()
	c := csv.NewWriter(w)
	header := add.header(p.classes, out)
	c.Write(header)
	x, f := blas.NewGeneral[float64](predictRows, in), blas.NewGeneral[float64](predictRows, out)
	truth := make([]float64, predictRows)
	n := 0
	record := make([]string, 0, len(header))
	prob := make([]float64, len(p.classes))
	var variance mat.Dense
	number := func(v float64) { record = append(record, strconv.FormatFloat(v, 'g', -1, 64)) }
	flush := func() error {
		rows := f.RowRange(0, n)
		if err := p.model.PredictBatch(rows, x.RowRange(0, n)); err != nil {
			return err
		}
		if add.variance {
			variance.Reset()
			if err := p.model.Variance(&variance, mat.NewDense(n, in, x.Data[:n*in])); err != nil {
				return err
			}
		}
		for i := range n {
			record = record[:0]
			row := rows.Row(i)
			if p.classes == nil {
				for _, v := range row {
					number(v)
				}
			} else {
				record = append(record, p.classes[p.model.ClassOf(row)])
			}
			if add.scores {
				for _, v := range row {
					number(v)
				}
			}
			if add.probabilities {
				p.model.ProbabilitiesOf(prob, row)
				for _, v := range prob {
					number(v)
				}
			}
			if add.variance {
				for _, v := range variance.RawRowView(i) {
					number(v)
				}
			}
			c.Write(record)
			p.count(row, truth[i])
		}
		p.rows += int64(n)
		n = 0
		line.show("%d rows", p.rows)
		return c.Error()
	}
	for row, err := range p.rowsOf(ctx) {
		if err != nil {
			return err
		}
		copy(x.Row(n), row.X)
		p.outside.observe(row.X)
		if p.labelled {
			if truth[n], err = p.coding.Value(row.Label); err != nil {
				return &dataset.LabelError{File: row.Place.File, Row: row.Place.Row, Need: fmt.Sprintf("label %q %v", row.Label.String(), err)}
			}
		}
		if n++; n == predictRows {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if n > 0 {
		if err := flush(); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// count compares a prediction with the label.
func (p *predictor) count(row []float64, truth float64) {
	if p.classes != nil {
		if p.model.ClassOf(row) == int(truth) {
			p.right++
		}
		return
	}
	e := truth - row[0]
	p.rss += e * e
	// Welford's update of the spread of the labels.
	p.seen++
	n := float64(p.seen)
	d := truth - p.mean
	p.mean += d / n
	p.ss += d * (truth - p.mean)
}

func (p *predictor) score() string {
	if p.classes != nil {
		return fmt.Sprintf("accuracy %.2f %%: %d of %d rows", 100*float64(p.right)/float64(p.rows), p.right, p.rows)
	}
	n := float64(p.rows)
	text := fmt.Sprintf("root mean square error %.6g", math.Sqrt(p.rss/n))
	if p.ss > 0 {
		text += fmt.Sprintf(", %.2f %% of the labels' standard deviation", 100*math.Sqrt(p.rss/p.ss))
	}
	return text + fmt.Sprintf(", over %d rows", p.rows)
}
