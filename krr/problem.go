package krr

import (
	"fmt"
	"slices"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/basis"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/loss"
	"github.com/rffgo/rff/internal/reweight"
	"github.com/rffgo/rff/internal/stream"
)

// problem is what every kind of fit starts from: a map, data and checked settings. As
// rows are read it keeps the reference and the counts of the targets, and it holds the
// report.
type problem struct {
	Settings
	schema    rff.Schema // of the data, which the model keeps
	m         *rff.Map
	base      *rff.Map      // the map whose features are summed; see package basis
	change    *basis.Change // turns these sums into those of m
	precision *stream.Precision
	data      rff.Source
	grid      []float64
	at        []int // index of every target's λ in grid; nil: to be chosen
	foldCount int
	classes   *classCounter // nil for regression
	targets   int
	shift     shift           // of the targets
	limits    *limits         // of the inputs
	loss      loss.Loss       // nil: squares
	rule      reweight.Rule   // nil: one solution
	by        inside.Grouping // the groups of intervals
	round     *reweight.Round // nil in the first round
	absent    int64           // rows of weight 0
	repeats   fold.Repeats
	units     units // of rows that share a fold, if there are few
	report    Report
}

// newProblem checks the settings, and the dimensions and classes of the data.
func newProblem(m *rff.Map, data rff.Source, s Settings) (*problem, error) {
	if s.Engine != (rff.Engine{}) {
		var err error
		if m, err = m.On(s.Engine); err != nil {
			return nil, err
		}
	}
	base, change := inside.Split(m)
	precision, err := s.Precision.on(m)
	if err != nil {
		return nil, err
	}
	if data, err = counted(data); err != nil {
		return nil, err
	}
	s.foldRows = data.Schema().FoldRows
	data = perLevel(data, s.Loss)
	f := &problem{Settings: s, precision: precision, schema: kept(data.Schema()), m: m, base: base, change: change, data: data, foldCount: 1}
	in, targets := data.Schema().Dims()
	d, features := m.Dims()
	if in != d {
		return nil, mismatch("inputs", fmt.Sprintf("%d of the map", d), fmt.Sprintf("%d of the data", in))
	}
	if targets < 1 {
		return nil, setting("targets", targets, "learning needs a target column")
	}
	f.targets, f.shift, f.limits = targets, newShift(targets, precision), newLimits(base, precision, s.Scaling)
	if f.schema.Target.Classes != nil {
		if f.classes, err = newClassCounter(f.schema.Target.Classes, targets); err != nil {
			return nil, err
		}
		f.shift.coded(targets)
	}
	if f.grid, err = s.lambdas(); err != nil {
		return nil, err
	}
	f.report = Report{features: features, Took: map[string]time.Duration{}}
	return f, f.checkSettings(in)
}

// checkSettings checks the settings for data of that many inputs.
func (f *problem) checkSettings(in int) (err error) {
	s := &f.Settings
	if s.Probabilities && f.classes == nil {
		return setting("probabilities", nil, "are for a classification, and these data have no classes")
	}
	if err := s.checkUncertainty(); err != nil {
		return err
	}
	if err := f.setLoss(); err != nil {
		return err
	}
	_, by := s.comparesRows()
	if f.by, err = inside.NewGrouping(by, f.schema); err != nil {
		return err
	}
	if !s.crossValidates() && s.Criterion != GCV && s.Criterion != LeaveOneOut {
		return inside.Unknown("criterion", s.Criterion, string(CrossValidation), string(GCV), string(LeaveOneOut))
	}
	if s.needsFolds() {
		if f.foldCount, err = s.folds(); err != nil {
			return err
		}
	}
	if err := inside.CheckScaling(s.Scaling, in); err != nil {
		return err
	}
	if err := inside.CheckSchema(f.data.Schema(), in); err != nil {
		return err
	}
	switch {
	case s.Passes != nil && !f.precision.Passes:
		return lacking(f.precision, "has sums alone, which conjugate gradients and losses other than squares do not use", passes)
	case s.Criterion == LeaveOneOut && !f.precision.LeaveOneOut:
		return lacking(f.precision, "does not leave out single rows", leavesOneOut)
	case f.rule != nil && f.precision.Weight == 1:
		return lacking(f.precision, "has no weights, and the loss weighs rows", weighs)
	}
	if s.Passes != nil && (s.keepsFactors() || !s.crossValidates() || s.Gram != nil) {
		return setting("passes", nil, "keep no sums: they give no Gram, no variance and no criterion other than a held-out fold")
	}
	return nil
}

// fix gives every target its λ.
func (f *problem) fix(lambda []float64) {
	f.grid = slices.Compact(slices.Sorted(slices.Values(lambda)))
	for _, l := range lambda {
		at, _ := slices.BinarySearch(f.grid, l)
		f.at = append(f.at, at)
	}
}

// fixed returns the index in grid of every target's λ, or nil if it is to be chosen.
func (f *problem) fixed() []int {
	if f.at == nil && len(f.grid) == 1 {
		return make([]int, f.targets)
	}
	return f.at
}

// lambdaAt returns the λ of every target by its index in grid.
func (f *problem) lambdaAt(at []int) []float64 {
	lambda := make([]float64, len(at))
	for t, i := range at {
		lambda[t] = f.grid[i]
	}
	return lambda
}

// admit checks rows, counts their classes and widens the range of the targets. The
// first row of positive weight gives the reference.
func (f *problem) admit(b rff.Batch) error {
	if f.classes != nil {
		if err := f.classes.add(b.First, b.Y, b.Weight); err != nil {
			return err
		}
	}
	if f.loss != nil && f.loss.Traits().Counts {
		if err := f.checkCounts(b); err != nil {
			return err
		}
	}
	at := f.shift.from(b.Y, b.Weight)
	if at != nil {
		if err := f.shift.check(f.precision, at, b.Y, b.Weight, b.First); err != nil {
			return err
		}
	}
	if f.shift.at == nil {
		f.shift.at = at
	}
	f.shift.add(b.Y, b.Weight)
	return f.limits.check(b.X, b.First, f.schema)
}

func (f *problem) progress(stage string, n, total int64, start time.Time) {
	if f.Progress != nil {
		f.Progress(Progress{Stage: stage, Rows: n, Total: total, Elapsed: time.Since(start)})
	}
}

// foldsOf returns the folds of the rows of b, nil if there is only one.
func (f *problem) foldsOf(b rff.Batch) []int {
	if f.foldCount == 1 {
		return nil
	}
	folds := make([]int, b.X.Rows)
	for i := range folds {
		folds[i] = f.fold(b, i)
	}
	return folds
}

// checkSums returns a *rff.ParameterError if rows of weight w with the targets of s
// cannot be solved with some λ of the grid.
func (f *problem) checkSums(w float64, s *shift) error {
	if err := s.resolved(f.precision, s.at); err != nil {
		return err
	}
	most := mostRidge
	if f.Passes != nil {
		most = mostSingle
	}
	return checkRidges(w, f.grid, most)
}

// best returns the index in grid of every target's best λ, and puts the path into the report.
// grid has one point for every λ. Errors of a target that differ by at most equal are equal.
func (f *problem) best(grid []PathPoint, equal func(t int) float64) []int {
	path, unresolved := resolved(grid)
	f.report.Path, f.report.unresolved = path, unresolved
	at := make([]int, f.targets)
	pick := func(equal float64, value func(*PathPoint) float64) int {
		i := best(path, equal, value)
		f.report.AtEdge = f.report.AtEdge || i == 0 || i == len(path)-1
		return slices.IndexFunc(grid, func(p PathPoint) bool { return p.Lambda == path[i].Lambda })
	}
	if f.PerTarget {
		for t := range at {
			at[t] = pick(equal(t), func(p *PathPoint) float64 { return p.Error[t] })
		}
		return at
	}
	var sum float64
	for t := range grid[0].Error {
		sum += equal(t)
	}
	i := pick(sum, totalOf)
	for t := range at {
		at[t] = i
	}
	return at
}

// model returns the model of coefficients of m for one λ per target.
func (f *problem) model(coef blas.General[float64], intercept, lambda []float64) *Model {
	return f.baseModel(f.change.Base(inside.Engine(f.m), coef), intercept, lambda)
}

// baseModel is model for coefficients of the base's features.
func (f *problem) baseModel(coef blas.General[float64], intercept, lambda []float64) *Model {
	m := newModel(f.base, f.precision, f.Scaling, coef, intercept)
	m.schema, m.lambda = f.schema, lambda
	if f.ClipPredictions && f.classes == nil {
		m.lo, m.hi = f.shift.lo, f.shift.hi
	}
	m.cal = f.odds()
	if f.loss == nil {
		return m
	}
	switch l := f.loss.Traits(); {
	case l.Counts:
		m.link = logLink
	case l.Levels != nil:
		m.link, m.levels = sorted, l.Levels
	}
	return m
}

// fold returns the fold of row i of b, for all solvers and the calibration: that of its
// group if b has groups, otherwise that of its run of consecutive rows or of its inputs.
func (f *problem) fold(b rff.Batch, i int) int {
	return fold.Of(f.Seed, f.unit(b, i), f.foldCount)
}

// place returns the fold of row i of b, and its cluster.
func (f *problem) place(b rff.Batch, i int) (of int, cluster int64) {
	return f.fold(b, i), f.cluster(b, i)
}

// checkMemory checks the memory before the first row. If the number of rows is not known, it
// assumes few where the dual problem may solve them; direct.take checks again if there are
// more.
func (f *problem) checkMemory() error {
	rows := f.knownRows()
	if rows < 0 && f.fewRows(f.precision) {
		rows = 1 // direct.take checks when more come
	}
	return f.extent(rows).check(f.Settings)
}

// knownRows returns the number of rows that the data say they have, or −1, less those of weight 0 as
// far as these were counted.
func (f *problem) knownRows() int64 {
	if n := stream.Count(f.data); n >= 0 {
		return n - f.weightless
	}
	return -1
}

// extent is the size of the fit for that many rows.
func (f *problem) extent(rows int64) extent {
	in, targets := f.data.Schema().Dims()
	return extent{inputs: in, features: f.report.features, targets: targets, rows: rows, changed: f.change != nil, drawn: true, precision: f.precision}
}
