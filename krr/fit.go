package krr

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/atomicfile"
	"github.com/rffgo/rff/krr/internal/ridge"
)

// Report says what a fit did and chose.
type Report struct {
	Rows      int64
	Resumed   int64   // of these, rows taken from a checkpoint
	Weight    float64 // Σw
	Inputs    int
	Features  int
	Targets   int
	Classes   []string
	Counts    []int64     // rows per class
	Lambda    []float64   // per target
	Path      []PathPoint // cross-validation, ascending in λ; nil if λ was given
	AtEdge    bool        // a chosen λ is an end of the grid: the best may lie beyond
	Solved    Solved
	R2, RMSE  []float64 // on the training rows, per target
	HeldOut   *HeldOut  // with Probabilities or Settings.HeldOut
	Precision Precision
	Engine    blas.Engine
	// CheckpointError says why the last checkpoint could not be written; nil if it could.
	CheckpointError error

	// Read and accumulate; choose λ; the final solve; probabilities.
	Read, Select, Solve, Calibrate time.Duration
}

// Fit fits ridge regression on the features of m to the rows of data, read
// once. It returns a model for the rows as data gives them.
//
// Errors: *RowError names a row that cannot be used, with a target or weight out of
// range or an input that the map does not resolve; *ClassError, *EmptyError,
// *SettingError, *SingularError, *ConvergenceError, *MismatchError; those of
// data; ctx.Err(). With a checkpoint *FileError if it does not fit, *InUseError,
// and *WriteError if there can be none at that place; see Checkpoint.
func Fit(ctx context.Context, m *rff.Map, data rff.Source, s Settings) (*Model, *Report, error) {
	f, err := newFit(m, data, s)
	if err != nil {
		return nil, nil, err
	}
	if s.Solver == ConjugateGradients {
		return f.fitIterative(ctx)
	}
	if err := f.openCheckpoint(); err != nil {
		return nil, nil, err
	}
	defer f.closeCheckpoint()
	if err := f.read(ctx); err != nil {
		return nil, nil, err
	}
	return f.finish(ctx)
}

// fit is a fit on its way.
type fit struct {
	Settings
	m       *rff.Map
	data    rff.Source
	grid    []float64
	classes *classCounter // nil for regression
	held    *held         // nil unless held-out rows are measured
	targets int
	grams   []*Gram // one per fold, or one
	shift   shift   // of the targets
	limits  *limits // of the inputs
	report  Report

	foldCount int
	early     *early // the rows while the dual is possible, instead of grams
	rows      int64  // read so far
	seen      digest // of those rows, with a checkpoint
	skip      int64  // rows that a checkpoint had
	want      string // digest of those rows
	saved     int64  // rows that the checkpoint has now
	lock      *atomicfile.Lock
}

func newFit(m *rff.Map, data rff.Source, s Settings) (*fit, error) {
	if s.Engine != (blas.Engine{}) {
		m = m.On(s.Engine)
	}
	f := &fit{Settings: s, m: m, data: data}
	in, targets := data.Dims()
	d, features := m.Dims()
	if in != d {
		return nil, &MismatchError{"inputs", fmt.Sprintf("%d of the map", d), fmt.Sprintf("%d of the data", in)}
	}
	if targets < 1 {
		return nil, &SettingError{"targets", targets, "learning needs a target column"}
	}
	if f.Classes == nil {
		if l, ok := data.(Labelled); ok {
			f.Classes = l.Classes()
		}
	}
	f.targets, f.shift, f.limits = targets, newShift(targets), newLimits(m, s.Precision, s.Scaling)
	var err error
	if f.Classes != nil {
		if f.classes, err = newClassCounter(f.Classes, targets); err != nil {
			return nil, err
		}
		f.shift.none()
	}
	if f.grid, err = s.lambdas(); err != nil {
		return nil, err
	}
	if s.Probabilities && f.classes == nil {
		return nil, &SettingError{"probabilities", true, "only a classification has them"}
	}
	if s.FoldRows < 0 {
		return nil, &SettingError{"fold rows", s.FoldRows, "the number of consecutive rows that share a fold; 0 for 1"}
	}
	if s.Criterion > LeaveOneOut {
		return nil, &SettingError{"criterion", uint8(s.Criterion), "must be CrossValidation, GCV or LeaveOneOut"}
	}
	folds := 1
	if (len(f.grid) > 1 && s.Criterion == CrossValidation) || s.Probabilities || s.HeldOut {
		if folds, err = s.folds(); err != nil {
			return nil, err
		}
	}
	if err := s.Scaling.Check(in); err != nil {
		return nil, err
	}
	if s.Inputs != nil && len(s.Inputs) != in {
		return nil, &SettingError{"inputs", len(s.Inputs), fmt.Sprintf("one name for each of the %d inputs", in)}
	}
	f.foldCount = folds
	f.report = Report{Inputs: in, Features: features, Targets: f.targets, Classes: f.Classes, Precision: s.Precision, Engine: m.Engine()}
	switch s.Solver {
	case "", Cholesky:
	case ConjugateGradients:
		if s.Probabilities || s.HeldOut || s.Variance || s.PerTarget || s.Checkpoint.Path != "" || s.Criterion != CrossValidation {
			return nil, &SettingError{"solver", s.Solver, "conjugate gradients give no probabilities, held-out measures, variance, checkpoints, λ per target or criterion other than a held-out fold"}
		}
		return f, nil // memory: planMemory
	default:
		return nil, &SettingError{"solver", s.Solver, "must be cholesky or cg"}
	}
	if err := f.checkMemory(); err != nil {
		return nil, err
	}
	if s.HeldOut && !s.Probabilities {
		if s.PerTarget && f.classes != nil {
			return nil, &SettingError{"held out", true, "a classification with λ per target measures no held-out rows"}
		}
		f.held = newHeld(f)
		f.data = f.held.watch()
	}
	if f.dualRows() > 0 {
		f.early = &early{most: f.dualRows()}
	} else {
		f.makeGrams()
	}
	return f, nil
}

func (f *fit) makeGrams() {
	f.grams = make([]*Gram, f.foldCount)
	for i := range f.grams {
		f.grams[i] = NewGram(f.m, f.targets, GramSettings{f.Settings.Precision, f.Scaling, f.Inputs, f.Target})
		f.grams[i].shift.at = f.shift.at
	}
}

// admit checks rows and takes note of them: the reference of the targets is that of
// the first row, for all folds.
func (f *fit) admit(b rff.Batch) error {
	if f.classes != nil {
		if err := f.classes.add(b.First, b.Y, b.Weight); err != nil {
			return err
		}
	}
	at := f.shift.from(b.Y, b.Weight)
	if at != nil {
		if err := f.shift.check(f.Settings.Precision, at, b.Y, b.Weight, b.First); err != nil {
			return err
		}
	}
	if f.shift.at == nil {
		f.shift.at = at
		for _, g := range f.grams {
			g.shift.at = at
		}
	}
	f.shift.add(b.Y, b.Weight)
	return f.limits.check(b.X, b.First, f.Inputs)
}

// read adds all rows to the Grams of their folds.
func (f *fit) read(ctx context.Context) error {
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
		wait := func() {}
		if f.Checkpoint.Path != "" {
			wait = f.seen.addAside(b)
		}
		switch {
		case f.early == nil:
			f.add(b.X, b.Y, b.Weight, f.foldsOf(b))
		case !f.early.add(b, f.foldsOf(b)):
			if err := f.checkGrams(); err != nil {
				return err
			}
			in, targets := f.data.Dims()
			first, folds := f.early.memory(in, targets), f.early.fold
			f.early = nil
			f.makeGrams()
			f.add(first.x, first.y, first.w, folds)
			f.add(b.X, b.Y, b.Weight, f.foldsOf(b))
		}
		f.rows += int64(b.X.Rows)
		wait()
		now := time.Now()
		if now.Sub(reported) > progressEvery {
			reported = now
			f.progress("rows", f.rows, sourceRows(f.data), start)
		}
		if now.Sub(saved) >= f.every() {
			f.checkpoint()
			saved = time.Now()
		}
	}
	if f.rows < f.skip {
		return f.otherData(fmt.Sprintf("it holds %d rows and the data have %d", f.skip, f.rows))
	}
	f.checkpoint() // with all rows, for what may happen before the model is safe
	f.progress("rows", f.rows, f.rows, start)
	f.report.Rows, f.report.Resumed, f.report.Read = f.rows, f.skip, time.Since(start)
	if f.classes != nil {
		f.report.Counts = f.classes.count
		return f.classes.check()
	}
	return nil
}

func (f *fit) every() time.Duration {
	if f.Checkpoint.Every > 0 {
		return f.Checkpoint.Every
	}
	return time.Minute
}

func (f *fit) progress(stage string, n, total int64, start time.Time) {
	if f.Progress != nil {
		f.Progress(Progress{Stage: stage, Rows: n, Total: total, Elapsed: time.Since(start)})
	}
}

// foldsOf returns the folds of the rows of b, nil if there is only one.
func (f *fit) foldsOf(b rff.Batch) []int {
	if f.foldCount == 1 {
		return nil
	}
	folds := make([]int, b.X.Rows)
	for i := range folds {
		folds[i] = f.fold(b, i)
	}
	return folds
}

// add adds rows to the Grams of their folds.
func (f *fit) add(x, y blas.General[float64], w []float64, folds []int) {
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

// finish chooses λ and solves.
func (f *fit) finish(ctx context.Context) (*Model, *Report, error) {
	if f.report.Rows == 0 {
		return nil, nil, &EmptyError{"rows"}
	}
	if f.early != nil {
		in, targets := f.data.Dims()
		return f.fitDual(ctx, f.early.memory(in, targets))
	}
	total, err := f.total()
	if err != nil {
		return nil, nil, err
	}
	sums := total.Sums()
	f.report.Weight = sums.W
	start := time.Now()
	path, folds, err := f.path(ctx, total)
	if err != nil {
		return nil, nil, err
	}
	lambda, at := make([]float64, f.targets), make([]int, f.targets)
	if len(f.grid) > 1 {
		f.report.Path = path
		f.choose(at, path, func(t int) float64 { return sums.YY[t] / sums.W })
	}
	for t := range lambda {
		lambda[t] = f.grid[at[t]]
	}
	if f.held != nil {
		f.report.HeldOut = f.held.report(at, func(t int) float64 { // whatever the sums are shifted by
			return sums.YY[t]/sums.W - float64((sums.Y[t]/sums.W)*(sums.Y[t]/sums.W))
		})
	}
	for i := range f.grams {
		f.grams[i] = nil // the folds' memory is free for the solve
	}
	f.report.Select = time.Since(start)
	start = time.Now()
	// The sums are not needed any more: form the system on their memory.
	solving := newStage(f.Progress, "solve", 1)
	model, err := total.solveSystem(ctx, ridge.NewIn(sums.G, sums, nil, total.shift.at), lambda, f.Variance, solving)
	if err != nil {
		return nil, nil, err
	}
	solving.end()
	model.classes = f.Classes
	if f.ClipPredictions && f.classes == nil {
		model.lo, model.hi = total.shift.lo, total.shift.hi
	}
	f.report.Lambda, f.report.Solved, f.report.Solve = lambda, model.solved, time.Since(start)
	f.report.R2, f.report.RMSE = model.r2, model.rmse
	if f.Probabilities {
		start = time.Now()
		if err := f.calibrate(ctx, model, folds, at); err != nil {
			return nil, nil, err
		}
		f.report.Calibrate = time.Since(start)
	}
	model.prov = f.provenance(model)
	return model, &f.report, ctx.Err()
}

// total returns the Gram of all folds, checked for solving with every λ.
func (f *fit) total() (*Gram, error) {
	total := f.grams[0]
	if len(f.grams) > 1 {
		total = total.empty()
		for _, g := range f.grams {
			if err := total.Merge(g); err != nil {
				return nil, err
			}
		}
	}
	sums := total.Sums()
	if !(sums.W > 0) {
		return nil, &EmptyError{"rows of positive weight"}
	}
	return total, f.checkSums(sums.W, &total.shift)
}

// checkSums returns an error unless rows of weight w with the targets of s can be
// solved with every λ.
func (f *fit) checkSums(w float64, s *shift) error {
	if err := s.resolved(f.Settings.Precision, s.at); err != nil {
		return err
	}
	for _, l := range f.grid {
		if err := checkRidge(w, l); err != nil {
			return err
		}
	}
	return nil
}

// path returns the criterion of every λ, and the models of the folds if they
// are needed.
func (f *fit) path(ctx context.Context, total *Gram) ([]PathPoint, []foldModel, error) {
	var folds []foldModel
	var path []PathPoint
	if len(f.grams) > 1 {
		sums := make([]*blas.Sums, len(f.grams))
		for i, g := range f.grams {
			sums[i] = g.Sums()
		}
		keep := &folds
		if !f.Probabilities && f.held == nil {
			keep = nil
		}
		var err error
		selecting := newStage(f.Progress, "select", len(sums))
		path, err = crossValidate(ctx, f.m.Engine(), total.Sums(), sums, f.grid, total.shift.at, keep, selecting, func() error {
			if f.held == nil {
				return nil
			}
			last := folds[len(folds)-1]
			folds = folds[:0] // one fold's coefficients at a time
			return f.held.measure(last)
		})
		if err != nil {
			return nil, nil, err
		}
		selecting.end()
		if f.held != nil {
			f.held.path = path
		}
	}
	if len(f.grid) == 1 {
		return path, folds, nil
	}
	switch f.Criterion {
	case GCV:
		selecting := newStage(f.Progress, "select", 1)
		all, err := total.analyze(ctx, f.grid, selecting)
		if err != nil {
			return nil, nil, err
		}
		selecting.end()
		path = nil
		for _, a := range all {
			path = append(path, PathPoint{Lambda: a.Lambda, MSE: a.GCV, Freedom: a.Freedom, Solved: a.Solved})
		}
	case LeaveOneOut:
		var err error
		if path, err = total.LeaveOneOut(ctx, f.data, f.grid); err != nil {
			return nil, nil, err
		}
	}
	return path, folds, nil
}

// provenance records where a model comes from.
func (f *fit) provenance(m *Model) map[string]string {
	p := map[string]string{
		"rff":       version(),
		"rows":      fmt.Sprint(f.report.Rows),
		"features":  fmt.Sprint(f.report.Features),
		"precision": m.precision.String(),
		"solver":    m.solved.String(),
		"backend":   f.m.Engine().String(),
	}
	if k := f.m.Kernel(); k != nil {
		p["kernel"] = fmt.Sprint(k) // its name and its bandwidths, as rff.ParseKernel reads them
	}
	if f.report.Path != nil {
		p["lambda"] = fmt.Sprintf("%s, %d values from %g to %g", f.Criterion, len(f.grid), f.grid[0], f.grid[len(f.grid)-1])
		if f.Criterion == CrossValidation {
			p["lambda"] += fmt.Sprintf(", %d folds, seed %d", f.foldCount, f.Seed)
			if f.foldRows() > 1 {
				p["lambda"] += fmt.Sprintf(", runs of %d rows", f.foldRows())
			}
		}
	}
	score := func(name string, values ...float64) {
		var text []string
		for _, v := range values {
			text = append(text, strconv.FormatFloat(v, 'g', 6, 64))
		}
		if text != nil {
			p[name] = strings.Join(text, ", ")
		}
	}
	if len(m.classes) == 0 {
		score("training R²", f.report.R2...)
		score("training RMSE", f.report.RMSE...)
	}
	for _, point := range f.report.Path {
		if point.Lambda == m.lambda[0] {
			score("held-out mean squared error", point.Total())
		}
	}
	if h := f.report.HeldOut; h != nil {
		score("held-out RMSE", h.RMSE...)
		score("held-out MAE", h.MAE...)
		score("held-out R²", h.R2...)
		if f.classes != nil {
			score("held-out accuracy", h.Accuracy)
		}
		if f.Probabilities {
			score("held-out log loss", h.LogLoss)
		}
	}
	for k, v := range f.Settings.Provenance {
		p[k] = v
	}
	return p
}

// choose sets the index in the grid of every target's λ.
// variance is the mean square of a target, the scale of its errors.
func (f *fit) choose(at []int, path []PathPoint, variance func(t int) float64) {
	pick := func(scale float64, value func(*PathPoint) float64) int {
		i := best(path, scale, value)
		f.report.AtEdge = f.report.AtEdge || i == 0 || i == len(path)-1
		return i
	}
	if f.PerTarget {
		for t := range at {
			at[t] = pick(variance(t), func(p *PathPoint) float64 { return p.MSE[t] })
		}
		return
	}
	var scale float64
	for t := range at {
		scale += variance(t)
	}
	i := pick(scale, (*PathPoint).Total)
	for t := range at {
		at[t] = i
	}
}

// sourceRows returns the number of rows of a source that knows it, or −1.
func sourceRows(s rff.Source) int64 {
	if c, ok := s.(interface{ Rows() int64 }); ok {
		return c.Rows()
	}
	return -1
}
