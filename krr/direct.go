package krr

import (
	"context"
	"fmt"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// direct is a fit that solves a system of all rows: from their sums, or, as long as
// they are fewer than the features, from the rows themselves.
type direct struct {
	*fit
	rows     int64    // read so far
	grams    []*Gram  // one per fold, or one
	early    *early   // the rows while the dual is possible, instead of grams
	held     *held    // nil unless held-out rows are measured
	resuming resuming // the checkpoint
}

func newDirect(f *fit) (*direct, error) {
	if err := f.checkMemory(); err != nil {
		return nil, err
	}
	d := &direct{fit: f}
	if f.HeldOut && !f.Probabilities {
		if f.PerTarget && f.classes != nil {
			return nil, &SettingError{"held out", true, "a classification with λ per target measures no held-out rows"}
		}
		d.held = newHeld(f)
		f.data = d.held.watch()
	}
	if most := d.dualRows(); most > 0 {
		d.early = &early{most: most}
	} else {
		d.makeGrams()
	}
	return d, nil
}

// run reads the rows and solves.
func (f *direct) run(ctx context.Context) (*Model, *Report, error) {
	if err := f.openCheckpoint(); err != nil {
		return nil, nil, err
	}
	defer f.closeCheckpoint()
	if err := f.read(ctx); err != nil {
		return nil, nil, err
	}
	return f.finish(ctx)
}

func (f *direct) makeGrams() {
	f.grams = make([]*Gram, f.foldCount)
	for i := range f.grams {
		f.grams[i] = NewGram(f.m, f.targets, GramSettings{f.Settings.Precision, f.Scaling, f.Inputs, f.Target})
		f.grams[i].shift.at = f.shift.at
	}
}

// read adds all rows to the Grams of their folds.
func (f *direct) read(ctx context.Context) error {
	start := time.Now()
	reported, saved := start, start
	for b, err := range ahead(ctx, f.data, f.report.Features) {
		if err != nil {
			return err
		}
		if b, err = f.unseen(b); err != nil {
			return err
		}
		if err := f.admit(b); err != nil {
			return err
		}
		for _, g := range f.grams {
			g.shift.at = f.shift.at
		}
		wait := func() {}
		if f.Checkpoint.Path != "" {
			wait = f.resuming.seen.addAside(b)
		}
		if err := f.take(b); err != nil {
			return err
		}
		f.rows += int64(b.X.Rows)
		wait()
		now := time.Now()
		if now.Sub(reported) > progressEvery {
			reported = now
			f.progress("rows", f.rows, sourceRows(f.data), start)
		}
		if now.Sub(saved) >= f.Checkpoint.every() {
			f.checkpoint()
			saved = time.Now()
		}
	}
	skip := f.resuming.skip
	if f.rows < skip {
		return f.otherData(fmt.Sprintf("it holds %d rows and the data have %d", skip, f.rows))
	}
	f.checkpoint() // with all rows, for what may happen before the model is safe
	f.progress("rows", f.rows, f.rows, start)
	f.report.Rows, f.report.Resumed, f.report.Read = f.rows, skip, time.Since(start)
	if f.classes != nil {
		f.report.Counts = f.classes.count
		return f.classes.check()
	}
	return nil
}

// take adds rows to the early ones while these are few, otherwise to the sums.
func (f *direct) take(b rff.Batch) error {
	folds := f.foldsOf(b)
	if f.early != nil {
		if f.early.add(b, folds) {
			return nil
		}
		if err := f.checkGrams(); err != nil {
			return err
		}
		in, targets := f.data.Dims()
		first, of := f.early.memory(in, targets), f.early.fold
		f.early = nil
		f.makeGrams()
		f.add(first.x, first.y, first.w, of)
	}
	f.add(b.X, b.Y, b.Weight, folds)
	return nil
}

// add adds rows to the Grams of their folds.
func (f *direct) add(x, y blas.General[float64], w []float64, folds []int) {
	if len(f.grams) == 1 {
		f.grams[0].add(x, y, w)
		return
	}
	for i, fold := range folds {
		var wi []float64
		if w != nil {
			wi = w[i : i+1]
		}
		f.grams[fold].add(x.RowRange(i, i+1), y.RowRange(i, i+1), wi)
	}
}
