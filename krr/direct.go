package krr

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr/internal/holdout"
)

// direct is a fit from the sums of all rows. Where settings allow, it first keeps the
// rows, and sums them only when they are no longer fewer than features.
type direct struct {
	*problem
	rows     int64           // read so far
	few      *few            // the rows while they are few, instead of grams
	grams    []*Gram         // one per fold, or one
	wide     *wide           // what makes the features of their rows, nil if the Grams do
	held     *held           // nil unless held-out rows are measured
	sample   *holdout.Sample // for intervals, or nil
	sections *sectionRows    // nil if there is no sample, or some row has no section
	resuming *resuming       // the checkpoint
}

func newDirect(p *problem) (*direct, error) {
	if err := p.checkMemory(); err != nil {
		return nil, err
	}
	d := &direct{problem: p}
	if p.foldCount > 1 && (p.HeldOut || p.Probabilities) {
		d.held = newHeld(p, len(p.grid), math.Inf(1))
		p.data = d.held.watch(p.place)
	} else if p.leftOut() {
		d.held = newHeld(p, len(p.grid), math.Inf(1)) // of rows that are left out one by one
	}
	if keeps, _ := p.comparesRows(); keeps && p.apart == nil {
		d.sample, d.sections = p.sampleRows(), newSectionRows(p)
	}
	if d.few = newFew(p); d.few == nil {
		if err := d.makeGrams(); err != nil {
			return nil, err
		}
	}
	d.resuming = newResuming(p, d.grams)
	return d, nil
}

func (f *direct) makeGrams() (err error) {
	f.grams = make([]*Gram, f.foldCount)
	for i := range f.grams {
		f.grams[i] = NewGram(f.m, f.targets, GramSettings{Precision: f.Settings.Precision, Scaling: f.Scaling, Schema: regression(f.schema)})
		f.grams[i].shift.at = f.shift.at
	}
	f.wide, err = newWide(f.problem, f.grams)
	return err
}

// read adds all rows to the Grams of their folds.
func (f *direct) read(ctx context.Context) error {
	start := time.Now()
	reported, saved := start, start
	for b, err := range ahead(ctx, f.data, f.report.features) {
		if err != nil {
			return err
		}
		if err := f.readBatch(b); err != nil {
			return err
		}
		now := time.Now()
		if now.Sub(reported) > progressEvery {
			reported = now
			f.progress("rows", f.rows, stream.Count(f.data), start)
		}
		if now.Sub(saved) >= f.Checkpoint.every() && !f.unlike() {
			if err := f.resuming.write(f.rows); err != nil {
				return err
			}
			saved = time.Now()
		}
	}
	if f.wide != nil {
		f.wide.flush(f.grams)
	}
	if f.rows > 0 && f.unlike() {
		return errUnlike
	}
	if err := f.checkWeightless(); err != nil {
		return err
	}
	skip := f.resuming.skip
	if f.rows < skip {
		return f.resuming.otherData(fmt.Sprintf("it holds %d rows and the data have %d", skip, f.rows))
	}
	// Write all rows to the checkpoint, in case the process stops before the model is safe.
	if err := f.resuming.write(f.rows); err != nil {
		return err
	}
	f.progress("rows", f.rows, f.rows, start)
	f.report.Train.Rows, f.report.Resumed, f.report.Took["rows"] = f.present(f.rows), skip, time.Since(start)
	if f.classes != nil {
		f.report.Counts = f.classes.count
		for _, g := range f.grams { // of the rows of the checkpoint, too
			f.shift.merge(&g.shift)
		}
		return f.classes.check(&f.shift)
	}
	return nil
}

// unlike reports whether each of the rows so far has a kernel section, and few share one, so that
// intervals cannot compare new rows with them.
func (f *direct) unlike() bool {
	return f.sections != nil && f.present(f.rows) <= int64(f.extent(0).mostExact())
}

// weightlessError asks for another fit, which takes the data for the rows that they have without those
// of weight 0: these made the data seem to have too many rows for sums of the map's own features.
type weightlessError struct{ rows int64 }

func (*weightlessError) Error() string { return "krr: rows of weight 0 count among the rows" }

func (f *direct) checkWeightless() error {
	own := func(rows int64) bool {
		x := f.extent(rows)
		return x.makesFeatures(f.Settings) && x.sumsChanged(f.Settings)
	}
	rows := f.present(f.rows)
	if f.grams == nil || f.weightless > 0 || rows == f.rows || f.knownRows() < 0 || own(f.knownRows()) == own(rows) {
		return nil
	}
	return &weightlessError{f.rows - rows}
}

// readBatch checks and adds the rows of b that the checkpoint does not have.
func (f *direct) readBatch(b rff.Batch) error {
	if b.Group != nil && f.Probabilities && f.leftOut() {
		return setting("criterion", f.Criterion, "leaves out single rows, and probabilities of rows with groups need whole groups left out: set HeldOut, which makes folds of them")
	}
	if b.Group != nil && f.sample != nil {
		return errUnlike
	}
	if f.sections != nil && !f.sections.add(b) {
		f.sections = nil
	}
	f.countRows(b)
	b, known, err := f.resuming.unseen(b, f.rows)
	if err != nil {
		return err
	}
	f.rows += known
	if err := f.admit(b); err != nil {
		return err
	}
	for _, g := range f.grams {
		g.shift.at = f.shift.at
	}
	wait := func() {}
	if f.Checkpoint.Path != "" {
		wait = f.resuming.seen.AddAside(b)
	}
	if err := checkRows(f.precision, f.rows+int64(b.X.Rows)); err != nil {
		return err
	}
	if err := f.take(b); err != nil {
		return err
	}
	f.rows += int64(b.X.Rows)
	wait()
	return nil
}

// take keeps the rows of b while there are few, and adds them to the sums otherwise.
func (f *direct) take(b rff.Batch) error {
	folds := f.foldsOf(b)
	if err := f.round.Weigh(&b); err != nil {
		return err
	}
	if f.few != nil {
		if f.few.take(b, folds) {
			return nil
		}
		if err := f.extent(math.MaxInt64).check(f.Settings); err != nil {
			return err
		}
		first := f.few
		f.few = nil
		if err := f.makeGrams(); err != nil {
			return err
		}
		x, y := first.matrices()
		f.add(x, y, first.w, first.of)
	}
	f.add(b.X, b.Y, b.Weight, folds)
	return nil
}

// add adds rows to the Grams of their folds.
func (f *direct) add(x, y blas.General[float64], w []float64, folds []int) {
	if f.wide != nil {
		f.wide.add(f.grams, x, y, w, folds)
		return
	}
	addTo(f.grams, x, y, w, folds)
}
