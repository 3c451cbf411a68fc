package krr

import (
	"math"
	"slices"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// Precision is the arithmetic of features and their products.
type Precision uint8

const (
	// Float64 computes everything in float64.
	Float64 Precision = iota
	// Float32 computes features and their products in float32 and adds the sums
	// of row blocks in float64 (mixed precision): about twice as fast, with a
	// relative error of about 2e-7 in ZᵀZ. Solving stays in float64.
	Float32
)

func (p Precision) String() string {
	if p == Float32 {
		return "float32"
	}
	return "float64"
}

// Criterion is an estimate of the squared error on new rows.
type Criterion uint8

const (
	// CrossValidation leaves one fold of the rows out at a time. It needs no
	// second pass: the sums of the folds give it.
	CrossValidation Criterion = iota
	// GCV is generalised cross-validation, from the sums of all rows.
	GCV
	// LeaveOneOut leaves one row out at a time, exactly, in a second pass.
	LeaveOneOut
)

func (c Criterion) String() string {
	return [...]string{"cross-validation", "generalised cross-validation", "leave-one-out"}[c]
}

// Settings of a fit. The zero value is what an expert would start with.
type Settings struct {
	// Lambda is the ridge parameter per sample. 0: chosen among Lambdas.
	Lambda float64
	// Lambdas is the grid to choose from; order and repeats do not matter.
	// nil: 10⁻⁹, 10⁻⁸, …, 10⁻¹.
	Lambdas []float64
	// Folds of the cross-validation that chooses λ. 0: 5. Rows fall into folds
	// by a hash of Seed and their index, so the choice depends on nothing else.
	Folds int
	// Solver of the fit: Cholesky, or ConjugateGradients for s×s matrices beyond
	// memory. Conjugate gradients choose λ on one held-out fold and read the data
	// once per iteration unless the rows fit in Memory. "": Cholesky.
	Solver Solver
	// Memory that conjugate gradients may use, in bytes, of which 56 MiB are for
	// the runtime and the stream: the fit has its preconditioner and, if they fit,
	// the rows in it, and wakes no more workers than there is room for. On top comes
	// what the source allocates as it is read, and with more than four processors
	// some 3 MiB for each, until the garbage collector sees to it. 0: 1 GiB.
	Memory int64
	// Tolerance of conjugate gradients: a bound on what the predictions of the
	// training rows are yet to change by, relative to the standard deviation of
	// the targets, as root mean squares. A fit that does not reach it is a
	// *ConvergenceError. 0: 10⁻⁴.
	Tolerance float64
	// Criterion that chooses λ. The zero Criterion: CrossValidation.
	Criterion Criterion
	// PerTarget chooses one λ per target instead of one for all.
	PerTarget bool
	// Seed of the assignment of rows to folds.
	Seed uint64
	// FoldRows is the number of consecutive rows that share a fold: for rows whose
	// neighbours are alike, as those of a time series. 0: 1. Rows with a group
	// (rff.Batch) share the fold of their group instead.
	FoldRows int
	// Precision of features and their products.
	Precision Precision
	// Scaling is applied to every row before the map, and kept in the model, which
	// then predicts raw rows. The zero Scaling leaves rows as they are.
	Scaling rff.Scaling
	// Engine computes the fit. The zero Engine: the map's.
	Engine blas.Engine
	// Classes makes the fit a classification into these labels. The targets are
	// then coded as ClassTargets does: for two classes one column, −1 for
	// Classes[0] and +1 for Classes[1]; for more one column per class, +1 in the
	// row's own and −1 elsewhere. nil: the source's, if it is Labelled and has
	// some, otherwise regression.
	Classes []string
	// ClipPredictions confines the predictions of a regression to the range of
	// the training targets.
	ClipPredictions bool
	// Checkpoint makes a long pass over the data resumable. Fit leaves its file:
	// call Checkpoint.Remove once the model is safe.
	Checkpoint Checkpoint
	// Probabilities calibrates the scores of a classification on held-out rows,
	// for Model.Probabilities. It takes a second pass over the data.
	Probabilities bool
	// HeldOut measures the fit on the rows that its folds left out, for
	// Report.HeldOut. With λ given it takes folds for that. Probabilities measure
	// it, too.
	HeldOut bool
	// Variance keeps what Model.Variance needs: s×s numbers per λ.
	Variance bool
	// Inputs and Target name the columns of the data. The model keeps them, so
	// that new rows can be matched by name. nil and "": no names.
	Inputs []string
	Target string
	// Provenance is recorded in the model, beside what the fit itself records.
	Provenance map[string]string
	// Progress, if set, is called a few times a second, by one goroutine at a time.
	Progress func(Progress)
}

// Labelled is a Source whose targets code classes; see Settings.Classes.
type Labelled interface {
	rff.Source
	// Classes returns the labels, or nil for a regression.
	Classes() []string
}

// Progress is the state of a pass over the data, or of another long stage.
type Progress struct {
	// Stage is "rows": reading; "search": kernels and bandwidths (Auto), counted in
	// hundredths of the budget or of a fit; "select": choosing λ, and "solve", counted in hundredths of a fold or a
	// system; "iterations" of conjugate gradients; "calibrate": reading once more.
	Stage   string
	Rows    int64         // done so far
	Total   int64         // in all, or −1 if the source does not know
	Elapsed time.Duration // of this pass
}

// Rate returns rows per second.
func (p Progress) Rate() float64 { return float64(p.Rows) / max(p.Elapsed.Seconds(), 1e-9) }

// ETA returns the expected time to the end of the pass, or −1 if unknown.
func (p Progress) ETA() time.Duration {
	if p.Total < 0 || p.Rows == 0 {
		return -1
	}
	return time.Duration(float64(p.Total-p.Rows) / p.Rate() * float64(time.Second))
}

// DefaultLambdas returns the default grid of λ: 10⁻⁹, …, 10⁻¹.
func DefaultLambdas() []float64 {
	return []float64{1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1}
}

// lambdas returns the grid, sorted and without repeats.
func (s *Settings) lambdas() ([]float64, error) {
	if s.Lambda != 0 {
		return []float64{s.Lambda}, checkLambda(s.Lambda)
	}
	if len(s.Lambdas) == 0 {
		return DefaultLambdas(), nil
	}
	for _, l := range s.Lambdas {
		if err := checkLambda(l); err != nil {
			return nil, err
		}
	}
	grid := slices.Clone(s.Lambdas)
	slices.Sort(grid)
	return slices.Compact(grid), nil
}

func checkLambda(l float64) error {
	if !(l > 0) || math.IsInf(l, 1) {
		return &SettingError{"lambda", l, "must be positive and finite"}
	}
	return nil
}

// defaultFolds of a cross-validation.
const defaultFolds = 5

func (s *Settings) folds() (int, error) {
	switch {
	case s.Folds == 0:
		return defaultFolds, nil
	case s.Folds < 2:
		return 0, &SettingError{"folds", s.Folds, "cross-validation needs at least 2, or set lambda"}
	}
	return s.Folds, nil
}
