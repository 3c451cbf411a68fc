package main

import (
	"context"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/cells"
)

// Rows are read, predicted and written at the same time, each by a goroutine of its
// own, and handed on in batches in their order.

const (
	predictRows   = 2 * blas.RowBlock // in one call of the model
	predictValues = 1 << 20           // numbers in a batch of wide rows
	// One batch is being read, one predicted and one written, and one waits.
	predictBatches = 4
)

// predictBatch is some rows on their way.
type predictBatch struct {
	n        int
	x, f     blas.General[float64]
	truth    []float64 // NaN where a row lacks its label
	weight   []float64
	places   []dataset.Place
	lacks    []bool // whether a row lacks a value and so has no prediction
	variance mat.Dense
	spans    []spans // of every level
	err      error   // an error of reading, in place of rows
}

func newPredictBatch(in, out int) *predictBatch {
	rows := max(blas.RowBlock/8, min(predictRows, predictValues/(in+out)))
	return &predictBatch{x: blas.NewGeneral[float64](rows, in), f: blas.NewGeneral[float64](rows, out),
		truth: make([]float64, rows), weight: make([]float64, rows), places: make([]dataset.Place, rows), lacks: make([]bool, rows)}
}

// run predicts all rows. It returns the error of the first row that has one, and writes the
// predictions before it.
func (p *predictor) run(ctx context.Context, c predictions, at *stages) error {
	in, out := p.model.Dims()
	header, texts := p.add.header(p.model), []string(nil)
	if p.classes != nil {
		texts = []string{"predicted", "set"}
	}
	if err := c.header(header, texts...); err != nil {
		return err
	}
	p.holding, p.groups = make([]holding, len(p.levels)), map[float64]*holding{}
	ctx, cancel := context.WithCancel(ctx)
	free, full, done := make(chan *predictBatch, predictBatches), make(chan *predictBatch, predictBatches), make(chan *predictBatch, predictBatches)
	for range predictBatches {
		free <- newPredictBatch(in, out)
	}
	go func() {
		defer close(full)
		p.read(ctx, free, full)
	}()
	written := make(chan error, 1)
	go func() {
		start := time.Now()
		var err error
		for b := range done {
			if err == nil {
				if err = p.write(c, b, len(header)); err != nil {
					cancel() // nobody needs more
				}
				at.at("predicting", p.rows, -1, "rows", time.Since(start))
			}
			free <- b
		}
		written <- err
	}()
	var err error
	for b := range full {
		if err == nil {
			if err = p.predict(b); err == nil {
				done <- b
				continue
			}
			cancel()
		}
		free <- b // until read notices
	}
	close(done)
	cancel()
	if failed := <-written; failed != nil {
		return failed // at rows before those of err
	}
	if err != nil {
		return err
	}
	return c.close()
}

// read fills batches until the rows end, or one is an error.
func (p *predictor) read(ctx context.Context, free <-chan *predictBatch, full chan<- *predictBatch) {
	next := func() *predictBatch {
		b := <-free
		b.n, b.err = 0, nil
		return b
	}
	b := next()
	for row, err := range p.rowsOf(ctx) {
		if err == nil {
			b.truth[b.n], err = p.truth(row)
		}
		if err != nil {
			b.err = err
			full <- b
			return
		}
		p.unseen.Observe(row.X)
		if b.lacks[b.n] = row.Missing && p.keepsGaps(); b.lacks[b.n] {
			clear(b.x.Row(b.n))
		} else {
			p.outside.observe(row.X)
			copy(b.x.Row(b.n), row.X)
		}
		b.places[b.n], b.weight[b.n] = row.Place, row.Weight
		if b.n++; b.n == b.x.Rows {
			full <- b
			b = next()
		}
	}
	if b.n > 0 {
		full <- b
	}
}

// truth returns what the prediction of a row is compared with, or NaN if there is nothing.
func (p *predictor) truth(row dataset.Row) (float64, error) {
	if !p.labelled || row.Weight == 0 {
		return math.NaN(), nil
	}
	v, err := p.coding.Value(row)
	if err != nil && (row.Label() == "" || slices.Contains(cells.NA(), row.Label())) {
		return math.NaN(), nil
	}
	return v, err
}

// predict computes the values that are written for a batch.
func (p *predictor) predict(b *predictBatch) error {
	if b.err != nil {
		return b.err
	}
	x := b.x.RowRange(0, b.n)
	if err := fits.PredictBatch(p.model, b.f.RowRange(0, b.n), x); err != nil {
		return rowError(err, func(i int64) (dataset.Place, bool) { return b.places[i], true })
	}
	at := mat.NewDense(b.n, x.Cols, x.Data[:b.n*x.Cols])
	if b.spans == nil {
		b.spans = make([]spans, len(p.levels))
	}
	if len(p.levels) > 0 {
		if err := setSpans(b.spans, p.model, at, p.levels); err != nil {
			return &flagError{"interval", err}
		}
	}
	if !p.add.variance {
		return nil
	}
	b.variance.Reset()
	return p.model.Variance(&b.variance, at)
}

// write writes the predictions of a batch, in lines of that many fields, and compares them with
// the labels.
func (p *predictor) write(c predictions, b *predictBatch, fields int) error {
	prob := make([]float64, len(p.classes))
	for i := range b.n {
		row := b.f.Row(i)
		if b.lacks[i] {
			c.blank(fields)
			c.end()
			p.blank++
			continue
		}
		if p.classes == nil {
			c.numbers(row)
		} else {
			c.text(p.labels[p.model.ClassOf(row)])
		}
		if p.add.scores {
			c.numbers(row)
		}
		if p.add.probabilities {
			p.model.ProbabilitiesOf(prob, row)
			c.numbers(prob)
		}
		if p.add.variance {
			c.numbers(b.variance.RawRowView(i))
		}
		if p.add.level > 0 {
			b.spans[0].write(c, i, p.classes, p.labels)
		}
		c.end()
		switch {
		case !p.labelled || b.weight[i] == 0:
		case math.IsNaN(b.truth[i]):
			p.bare++
		default:
			p.scored++
			p.count(row, prob, b.truth[i], b.weight[i])
			for k := range p.levels {
				p.holding[k].add(&b.spans[k], i, p.classes, b.truth[i], b.weight[i])
			}
			if p.by.Name != "" && p.add.level > 0 {
				of := p.by.Of(b.x.Row(i))
				if p.groups[of] == nil {
					p.groups[of] = new(holding)
				}
				p.groups[of].add(&b.spans[0], i, p.classes, b.truth[i], b.weight[i])
			}
		}
	}
	p.rows += int64(b.n)
	return c.flush()
}
