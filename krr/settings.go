package krr

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/loss"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr/internal/holdout"
)

// Criterion is an estimate of the squared error on new rows, by which λ is chosen. "":
// CrossValidation.
type Criterion string

const (
	// CrossValidation leaves one fold of the rows out at a time. The sums of the folds
	// are enough: it takes no second pass over the data.
	CrossValidation Criterion = "cross-validation"
	// GCV is generalised cross-validation, from the sums of all rows.
	GCV Criterion = "generalised cross-validation"
	// LeaveOneOut leaves one row out at a time, exactly, in a second pass.
	LeaveOneOut Criterion = "leave-one-out"
)

// Settings of a fit. The zero value is what an expert would start with for inputs of similar
// spread; for others set Scaling. The zero Scaling leaves rows as they are, since the
// bandwidth of the map is in their unit. Scaling often pays: with 512 features and the
// bandwidth of the median distance, held-out accuracies of raw and of robustly scaled
// inputs are 87.7 and 94.9 % on cod-rna, 83.2 and 86.6 % on magic04, and within .2 % of
// each other on letter, eeg and adult (rff fit --features 512 --lambda 1e-6 --folds 3
// --scale none or robust).
type Settings struct {
	// Lambdas are the values of the ridge parameter, per sample, to choose from: one value
	// is taken as it is. Order and repeats do not matter. nil: 10⁻⁹, 10⁻⁸, …, 10⁻¹; of
	// counts times the power of ten below their mean, of quantiles times that below one over
	// the size of the targets.
	Lambdas []float64
	// Folds of the cross-validation that chooses λ. 0: 5. A hash of Seed and of the row's
	// inputs says which fold a row is in, so rows with equal inputs share one and no row is
	// predicted from its copy. Report.Repeats counts such rows. rff.Schema.FoldRows of the
	// data, and groups, say otherwise.
	Folds int
	// Passes, if set, has the fit pass over the data again and again, by conjugate gradients,
	// and make no sums: for features whose s×s matrices do not fit in memory. nil: sums, which
	// a Cholesky factorisation solves; for a Loss other than squares, which only passes fit,
	// the zero value.
	Passes *Passes
	// Criterion that chooses λ.
	Criterion Criterion
	// PerTarget chooses one λ per target instead of one for all. The scores of a loss of
	// all classes at once, as softmax, are one target.
	PerTarget bool
	// Seed of the assignment of rows to folds.
	Seed uint64
	// Precision of features and their products. "": Float64.
	Precision Precision
	// Scaling is applied to every row before the map, and kept in the model, which
	// then predicts raw rows. The zero Scaling leaves rows as they are.
	Scaling rff.Scaling
	// Engine that computes the fit. The zero Engine: the map's.
	Engine rff.Engine
	// ClipPredictions confines the predictions of a regression to the range of
	// the training targets.
	ClipPredictions bool
	// Checkpoint makes a long pass over the data resumable. Fit leaves its file:
	// call Checkpoint.Remove once the model is safe.
	Checkpoint Checkpoint
	// Loss ℓ of a row: what a fit minimises is (1/Σw)Σwℓ(y, f) + λ‖β‖², with the intercept
	// free. "": squares, (y − f)², and in Auto what it chooses; a loss that Auto is given it
	// fits, with λ by it, on features that it compares by squares. Others are fitted by
	// Passes. PathPoint.Error is then ℓ of the held-out fold. The number of passes is in
	// ModelInfo.Solved: some 3 to 8 for each λ where the features of all rows in float32 take
	// at most a quarter of Passes.Memory, which then keeps them; otherwise for two classes some
	// 5 to 30, for many some 10 to 150, more for smaller λ. After 300, of a quantile 1,000, the fit ends with a
	// SolveError, as it does there for many classes below λ = 10⁻⁷.
	//
	// Of classes y = ±1: "logistic", log(1 + e^(−yf)), and the log loss of softmax for
	// several classes, whose models have Model.Probabilities without Settings.Probabilities;
	// "squared-hinge", max(0, 1 − yf)², and "smoothed-hinge", ½(1 − yf)² between yf = 0 and 1
	// and a tangent below, of several classes each against the others; "hard:5", squares
	// solved again with hard rows counted 5 times. Hard are the rows whose margin is below ½
	// in the first solution, which chooses λ: the score times the target ±1, or, of several
	// classes, half of what the score of the row's own class is above the largest of the
	// others. Labels of rare kinds among very many rows gain by it, noisy ones lose: compare
	// on rows held out.
	//
	// Of numbers: "huber:1.5", the square of errors up to 1.5 in the unit of the target, and
	// a tangent beyond; "expectile:0.9", squares that weigh 1.8 where the target is above f
	// and 0.2 where it is below; "quantile:0.05,0.5,0.95", for each level τ a column of
	// predictions of its own, with the pinball loss τ(y − f) above f and (1 − τ)(f − y) below:
	// the model sorts the predictions of a target, and their losses together are no larger for
	// it, so that quantiles do not cross; "poisson", half the deviance of counts whose mean is e^f,
	// which the model predicts.
	Loss string
	// Probabilities calibrates the scores of a classification on held-out rows, for
	// Model.Probabilities: on a sample of up to 131,072 rows in 128 MiB, each scored by a
	// model without its fold, or without itself where LeaveOneOut chooses λ.
	Probabilities bool
	// HeldOut measures the fit on the rows that its folds leave out, for Report.HeldOut,
	// even if λ is given. Fits with Probabilities always do this.
	HeldOut bool
	// Uncertainty is what the model is to know of its own errors. "": nothing. "variance"
	// keeps what Model.Variance needs: s×s numbers per λ. "intervals" keeps that and what
	// Model.Interval and Model.LabelSets need: up to 2,000 of the rows of the fit, each turned
	// into s numbers per λ. With a Loss, Passes, rff.Schema.FoldRows or groups of rows these
	// are rows that are not fitted: up to 2,000 of one fold of Folds, of a group or a run one
	// row at random; there is no variance then.
	// "intervals:NAME", with the name of a column of words or of at most 100 different
	// numbers, makes what Model.Interval and Model.LabelSets promise hold in each of its
	// groups, since a new row is compared with rows of its group alone.
	Uncertainty string
	// Provenance is recorded in the model, beside what the fit itself records.
	Provenance map[string]string
	// Progress, if set, is called a few times a second, by one goroutine at a time.
	Progress func(Progress)

	foldRows int    // of the schema of the data
	grouped  bool   // the rows have groups
	apart    *apart // the rows that are kept for intervals, nil if they are those of the fit
}

// Passes say how a fit by passes over the data goes. It chooses λ, measures and calibrates on
// one held-out fold, whose rows take an eighth of Memory. It reads the data once per pass
// unless the rows fit in Memory.
type Passes struct {
	// Memory is the bytes that the fit may use. 56 MiB of it are for the runtime and the
	// stream; the rest holds the preconditioner and, if they fit, the rows and, of a loss
	// other than squares, in a quarter of Memory their features, and bounds the number of
	// workers. The memory of the source is not counted, nor some 3 MiB of garbage
	// for each processor beyond four. 0: 1 GiB.
	Memory int64
	// Tolerance ends conjugate gradients when the predictions of the training rows are
	// estimated to change by less than it: the root mean square, in standard deviations of
	// the targets. 0: 10⁻⁴. With losses other than squares it bounds the root of how far the
	// objective is above its least value, over the loss of the best constant, or, of quantiles,
	// over the objective. 0: 10⁻³. A fit
	// that does not reach it is a *SolveError.
	Tolerance float64
}

// passes returns how the fit passes over the data, nil if it makes sums.
func (s *Settings) passes() *Passes {
	if s.Passes == nil && s.ownLoss() {
		return new(Passes)
	}
	return s.Passes
}

// ownLoss reports whether the loss is another than squares.
func (s *Settings) ownLoss() bool {
	l, _, _ := loss.Parse(s.Loss, 1)
	return l != nil
}

// defaultLambdas returns the default grid of λ: 10⁻⁹, …, 10⁻¹.
func defaultLambdas() []float64 {
	return []float64{1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1}
}

// gridOf returns the values of λ to compute: the default grid if there are none.
func gridOf(lambdas []float64) []float64 {
	if len(lambdas) == 0 {
		return defaultLambdas()
	}
	return lambdas
}

// lambdas returns the grid, sorted and without repeats. The error is a
// *rff.ParameterError.
func (s *Settings) lambdas() ([]float64, error) {
	if len(s.Lambdas) == 0 {
		return defaultLambdas(), nil
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
		return setting("lambda", l, "must be positive and finite")
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
		return 0, setting("folds", s.Folds, "cross-validation needs at least 2, or set lambda")
	}
	return s.Folds, nil
}

// keepsFactors reports whether the model keeps a factor of the inverse system.
func (s *Settings) keepsFactors() bool { return s.Uncertainty != "" && s.apart == nil }

// comparesRows reports whether the model keeps rows, to compare new ones with, and the
// column of whose groups.
func (s *Settings) comparesRows() (keeps bool, by string) {
	name, by, _ := strings.Cut(s.Uncertainty, ":")
	return name == byIntervals, by
}

// The values of Settings.Uncertainty; a column may follow the second after a colon.
const (
	byVariance  = "variance"
	byIntervals = "intervals"
)

// checkUncertainty returns a *rff.ParameterError for another value.
func (s *Settings) checkUncertainty() error {
	switch name, by, grouped := strings.Cut(s.Uncertainty, ":"); {
	case s.Uncertainty == "", s.Uncertainty == byVariance, name == byIntervals && (by != "") == grouped:
		return nil
	}
	return &rff.ParameterError{Name: "uncertainty", Value: s.Uncertainty, Need: "must be known", Known: []string{byVariance, byIntervals, byIntervals + ":COLUMN"}}
}

// needsFolds reports whether rows are left out by folds: to choose λ, or to be measured.
func (s *Settings) needsFolds() bool {
	return !s.oneLambda() && s.crossValidates() || s.HeldOut || s.Probabilities && !s.leftOut()
}

// leftOut reports whether rows that are left out one by one, to choose λ, are measured.
func (s *Settings) leftOut() bool {
	return s.Criterion == LeaveOneOut && !s.HeldOut && !s.oneLambda() && s.foldRows == 0
}

// foldCount returns the number of folds of a fit, 1 if it needs none.
func (s *Settings) foldCount() float64 {
	if s.needsFolds() {
		if s.Folds == 0 {
			return defaultFolds
		}
		return float64(s.Folds)
	}
	return 1
}

// fewRows reports whether the dual problem may solve few rows. The other settings need
// the sums, and so do measuring held-out rows where no λ is chosen on them, and a precision
// without products of rows.
func (s *Settings) fewRows(p *stream.Precision) bool {
	return p.Few != nil && s.Checkpoint.Path == "" && !s.keepsFactors() && !s.Probabilities && s.crossValidates() &&
		!(s.HeldOut && s.oneLambda())
}

// fewerThan returns the number of rows from which on a fit sums features and does not solve
// the dual problem. The dual problem makes all features twice, and keeps some of them in
// memory. For a single λ it takes (features − rows)·features² multiply-adds less, so it
// saves neither time nor memory if there are hardly fewer rows than features.
func (s *Settings) fewerThan(p *stream.Precision, inputs, features int) int {
	if !s.oneLambda() {
		return features
	}
	return features - max(features/p.Few.Hardly, min(features/8, (inputs+featureWork)/2))
}

// featureWork is what a feature costs beside the multiply-adds of its projection.
const featureWork = 18

// addsRows reports whether a rule's second solution adds rows to the sums of the first,
// which has its own copy of them. Choosing λ takes the folds' sums apart.
func (s *Settings) addsRows() bool {
	_, rule, err := loss.Parse(s.Loss, 1)
	return err == nil && rule != nil && s.oneLambda() && s.passes() == nil
}

// crossValidates reports whether folds are the criterion.
func (s *Settings) crossValidates() bool { return s.Criterion == "" || s.Criterion == CrossValidation }

// oneLambda reports whether there is no λ to choose.
func (s *Settings) oneLambda() bool {
	grid, err := s.lambdas()
	return err == nil && len(grid) == 1
}

// unit returns the number of the rows that row i of b shares a fold with.
func (s *Settings) unit(b rff.Batch, i int) int64 { return holdout.Unit(b, i, int64(s.foldRows)) }

// mostRidge bounds Σw·λ, so that its square is finite.
const mostRidge = 0x1p500

// checkRidge returns a *rff.ParameterError if λ for rows of weight w makes too large a
// ridge.
func checkRidge(w, lambda float64) error {
	if !(float64(w*lambda) <= mostRidge) {
		return setting("lambda", lambda, fmt.Sprintf("times Σw = %g it must be at most %.2g", w, mostRidge))
	}
	return nil
}
