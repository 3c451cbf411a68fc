package krr

import (
	"context"
	"fmt"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
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
	d, err := newDirect(f)
	if err != nil {
		return nil, nil, err
	}
	return d.run(ctx)
}

// fit is what every kind of fit has: direct, dual and iterative.
type fit struct {
	Settings
	m         *rff.Map
	data      rff.Source
	grid      []float64
	foldCount int
	classes   *classCounter // nil for regression
	targets   int
	shift     shift   // of the targets
	limits    *limits // of the inputs
	report    Report
}

// newFit checks the settings and what the data say of themselves.
func newFit(m *rff.Map, data rff.Source, s Settings) (*fit, error) {
	if s.Engine != (blas.Engine{}) {
		m = m.On(s.Engine)
	}
	f := &fit{Settings: s, m: m, data: data, foldCount: 1}
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
	f.report = Report{Inputs: in, Features: features, Targets: targets, Classes: f.Classes, Precision: s.Precision, Engine: m.Engine()}
	return f, f.checkSettings(in)
}

// checkSettings checks the settings for data of that many inputs.
func (f *fit) checkSettings(in int) (err error) {
	s := &f.Settings
	if s.Probabilities && f.classes == nil {
		return &SettingError{"probabilities", true, "only a classification has them"}
	}
	if s.FoldRows < 0 {
		return &SettingError{"fold rows", s.FoldRows, "the number of consecutive rows that share a fold; 0 for 1"}
	}
	if s.Criterion > LeaveOneOut {
		return &SettingError{"criterion", uint8(s.Criterion), "must be CrossValidation, GCV or LeaveOneOut"}
	}
	if (len(f.grid) > 1 && s.Criterion == CrossValidation) || s.Probabilities || s.HeldOut {
		if f.foldCount, err = s.folds(); err != nil {
			return err
		}
	}
	if err := s.Scaling.Check(in); err != nil {
		return err
	}
	if s.Inputs != nil && len(s.Inputs) != in {
		return &SettingError{"inputs", len(s.Inputs), fmt.Sprintf("one name for each of the %d inputs", in)}
	}
	switch s.Solver {
	case "", Cholesky:
	case ConjugateGradients:
		if s.Probabilities || s.HeldOut || s.Variance || s.PerTarget || s.Checkpoint.Path != "" || s.Criterion != CrossValidation {
			return &SettingError{"solver", s.Solver, "conjugate gradients give no probabilities, held-out measures, variance, checkpoints, λ per target or criterion other than a held-out fold"}
		}
	default:
		return &SettingError{"solver", s.Solver, "must be cholesky or cg"}
	}
	return nil
}

// admit checks rows and takes note of them: the reference of the targets is that of
// the first row.
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
	}
	f.shift.add(b.Y, b.Weight)
	return f.limits.check(b.X, b.First, f.Inputs)
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
