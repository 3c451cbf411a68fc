package krr

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/loss"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr/internal/holdout"
)

// Criterion is an estimate of the error on new rows, by which λ is chosen: of the squared error,
// or of the log loss where Settings.Probabilities says so. "": CrossValidation.
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
	// is taken as it is. Order and repeats do not matter. nil: 10⁻⁹, 10⁻⁸, …, 10⁻¹. For counts
	// these are multiplied by the power of ten below their mean, for quantiles by the power of
	// ten below one over the size of the targets.
	Lambdas []float64
	// Folds of the cross-validation that chooses λ. 0: 5. A hash of Seed and of the row's
	// inputs says which fold a row is in, so rows with equal inputs share one and no row is
	// predicted from its copy. Report.Repeats counts such rows. If the data have groups or
	// rff.Schema.FoldRows, these decide instead.
	Folds int
	// Passes, if set, makes the fit pass over the data again and again, by conjugate gradients,
	// and make no sums. It is for features whose s×s matrices do not fit in memory. nil: the
	// fit makes sums and solves them by a Cholesky factorisation. A Loss other than squares can
	// only be fitted by passes; nil then stands for the zero Passes.
	Passes *Passes
	// Criterion that chooses λ.
	Criterion Criterion
	// PerTarget chooses one λ per target instead of one for all. The scores of a loss of all
	// classes at once, such as softmax, count as one target. Several targets of counts or
	// quantiles need Lambdas, since the default ones are in the unit of a target.
	PerTarget bool
	// Seed of the assignment of rows to folds. If few rows, groups or runs are all in one fold, or too few
	// in the fold that is held out, the next seed that divides them takes its place, and the
	// provenance of the model names that.
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
	// Loss ℓ of a row: a fit minimises (1/Σw)Σwℓ(y, f) + λ‖β‖², with the intercept free. "":
	// squares, (y − f)²; Auto then chooses. If it is set, Auto compares features by squares,
	// and then fits this loss and chooses λ by it. Passes fit the losses other than squares,
	// and PathPoint.Error is then ℓ of the held-out fold. ModelInfo.Solved has the number of
	// passes. If the features of all rows in float32 take at most a quarter of Passes.Memory,
	// the fit keeps them and takes some 3 to 8 passes for each λ. Otherwise it takes some 5 to
	// 30 for two classes and some 10 to 150 for many, more for smaller λ. After 300 passes, or
	// 1,000 for quantiles, the fit ends with a SolveError, as it does without kept features for
	// many classes below λ = 10⁻⁷.
	//
	// For classes y = ±1: "logistic" is log(1 + e^(−yf)), and the log loss of softmax for
	// several classes. Its models have Model.Probabilities without Settings.Probabilities.
	// "squared-hinge" is max(0, 1 − yf)². "smoothed-hinge" is ½(1 − yf)² between yf = 0 and 1,
	// and a tangent below. With several classes both hinges set each class against the others.
	// "hard:5" solves squares again with hard rows counted 5 times. The first solution chooses
	// λ, and a row is hard if its margin in that solution is below ½. The margin is the score
	// times the target ±1; with several classes it is half the difference between the score of
	// the row's own class and the largest of the other scores. Counting hard rows more often
	// helps with rare kinds among very many rows and hurts with noisy labels: compare on
	// held-out rows.
	//
	// For numbers: "huber:1.5" is the square of errors up to 1.5 in the unit of the target, and
	// a tangent beyond. "expectile:0.9" is squares that weigh 1.8 where the target is above f
	// and 0.2 where it is below. "quantile:0.05,0.5,0.95" gives a column of predictions for
	// each level τ, with the pinball loss τ(y − f) for targets above f and (1 − τ)(f − y) for
	// those below. The model sorts the quantiles of a target, so that they do not cross; this
	// never increases the sum of their losses. "poisson" is half the deviance of counts whose
	// mean is e^f; the model predicts this mean.
	Loss string
	// Probabilities calibrates the scores of a classification on held-out rows, for
	// Model.Probabilities: on a sample of up to 131,072 rows in 128 MiB, each scored by a
	// model without its fold, or without itself where LeaveOneOut chooses λ. λ is then the
	// largest of those whose probabilities have about the least log loss on these rows, unless
	// Criterion is GCV or PerTarget or Passes are set, where the squared error chooses it.
	Probabilities bool
	// HeldOut measures the fit on the rows that its folds leave out, for Report.HeldOut,
	// even if λ is given. Fits with Probabilities always do this.
	HeldOut bool
	// Uncertainty says what the model keeps to estimate its own errors. "": nothing. "variance"
	// keeps what Model.Variance needs: s×s numbers per λ. "intervals" keeps that and what
	// Model.Interval and Model.LabelSets need: up to 2,000 of the rows of the fit, each turned
	// into s numbers per λ. With a Loss, Passes, rff.Schema.FoldRows, groups of rows or kernel
	// sections on all rows, the rows kept are not fitted: they are up to 2,000 rows of one of the
	// Folds, one row at random of each group or run. The model then has no variance, nor has one
	// of Auto with learned features or kernel sections on all rows, whose rows kept are those that
	// its search held out. "intervals:NAME", with the name of a column of words or of at most 100
	// different numbers, makes what Model.Interval and Model.LabelSets promise hold in each of its
	// groups, since a new row is compared with rows of its group alone.
	Uncertainty string
	// Gram, if set, becomes the sums of the rows that are fitted, to add rows to, to subtract
	// rows from and to solve again: Fit replaces *Gram where it returns no error, without a
	// second pass over the data. Hard rows of Loss weigh there as in the second solution. It
	// takes s×s numbers more; with folds, rounding errors differ from those of Gram.AddSource. A
	// fit of fewer rows than features makes sums for it. Passes make none.
	Gram *Gram
	// Provenance is recorded in the model, beside what the fit itself records.
	Provenance map[string]string
	// Progress, if set, is called a few times a second, by one goroutine at a time.
	Progress func(Progress)

	foldRows   int    // of the schema of the data
	unlike     bool   // intervals cannot compare new rows with those of the fit; see errUnlike
	weightless int64  // rows of weight 0, where their number decides; see weightlessError
	apart      *apart // the rows that are kept for intervals, nil if they are those of the fit
}

// Passes say how a fit by passes over the data goes. It chooses λ, measures and calibrates on
// one held-out fold, whose rows take an eighth of Memory. It reads the data once per pass
// unless the rows fit in Memory.
type Passes struct {
	// Memory is the bytes that the fit may use. 56 MiB of it are for the runtime and the
	// stream; the rest holds the preconditioner and bounds the number of workers. If they fit,
	// it also holds the rows and, for a loss other than squares, their features in a quarter of
	// Memory. It does not count the memory of the source, nor some 3 MiB of garbage for each
	// processor beyond four. 0: 1 GiB.
	Memory int64
	// Tolerance ends conjugate gradients when the predictions of the training rows are
	// estimated to change by less than Tolerance (root mean square, in standard deviations of
	// the targets). 0: 10⁻⁴. With losses other than squares, take how far the objective is
	// above its least value, over the loss of the best constant or, for quantiles, over the
	// objective: Tolerance bounds the root of this ratio. 0: 10⁻³. A fit that does not reach it
	// is a *SolveError.
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
		if err := inside.CheckPositive("lambda", l); err != nil {
			return nil, err
		}
	}
	grid := slices.Clone(s.Lambdas)
	slices.Sort(grid)
	return slices.Compact(grid), nil
}

// defaultFolds of a cross-validation.
const defaultFolds = 5

func (s *Settings) folds() (int, error) {
	n := cmp.Or(s.Folds, defaultFolds)
	if n < 2 {
		return 0, setting("folds", s.Folds, "cross-validation needs at least 2, or set lambda")
	}
	return n, nil
}

// keepsFactors reports whether the model keeps a factor of the inverse system.
func (s *Settings) keepsFactors() bool { return s.Uncertainty != "" && s.apart == nil }

// comparesRows reports whether the model keeps rows to compare new ones with. by is the column
// whose groups are compared each by itself, or "".
func (s *Settings) comparesRows() (keeps bool, by string) {
	name, by, _ := strings.Cut(s.Uncertainty, ":")
	return name == byIntervals, by
}

// The values of Settings.Uncertainty; a column may follow the second after a colon.
const (
	byVariance  = "variance"
	byIntervals = "intervals"
)

// checkUncertainty returns a *rff.ParameterError for an unknown value.
func (s *Settings) checkUncertainty() error {
	switch name, by, grouped := strings.Cut(s.Uncertainty, ":"); {
	case s.Uncertainty == "", s.Uncertainty == byVariance, name == byIntervals && (by != "") == grouped:
		return nil
	}
	return inside.Unknown("uncertainty", s.Uncertainty, byVariance, byIntervals, byIntervals+":COLUMN")
}

// needsFolds reports whether rows are left out by folds: to choose λ, or to be measured.
func (s *Settings) needsFolds() bool {
	return !s.oneLambda() && s.crossValidates() || s.HeldOut || s.Probabilities && !s.leftOut()
}

// leftOut reports whether λ is chosen by leaving out rows one by one, so that these rows can
// also be measured.
func (s *Settings) leftOut() bool {
	return s.Criterion == LeaveOneOut && !s.HeldOut && !s.oneLambda() && s.foldRows == 0
}

// foldCount returns the number of folds of a fit, 1 if it needs none.
func (s *Settings) foldCount() float64 {
	if s.needsFolds() {
		return float64(cmp.Or(s.Folds, defaultFolds))
	}
	return 1
}

// fewRows reports whether the dual problem may solve few rows. Other settings need the sums. So
// do held-out measures where λ is given, and a precision without products of rows.
func (s *Settings) fewRows(p *stream.Precision) bool {
	return p.Few != nil && s.Checkpoint.Path == "" && s.Gram == nil && !s.keepsFactors() && !s.Probabilities && s.crossValidates() &&
		!(s.HeldOut && s.oneLambda())
}

// fewerThan returns the number of rows from which on a fit makes sums instead of solving the
// dual problem. The dual problem makes all features twice, and keeps some of them in memory.
// For a single λ it takes (features − rows)·features² fewer multiply-adds than sums do, so it
// saves neither time nor memory if there are hardly fewer rows than features.
func (s *Settings) fewerThan(p *stream.Precision, inputs, features int) int {
	if !s.oneLambda() {
		return features
	}
	return features - max(features/p.Few.Hardly, min(features/8, (inputs+featureWork)/2))
}

// featureWork is what a feature costs, in multiply-adds, beside those of its projection.
const featureWork = 18

// addsRows reports whether a rule's second solution adds rows to the sums of the first,
// which has its own copy of them. It cannot where λ is chosen, since that takes the folds' sums
// apart.
func (s *Settings) addsRows() bool {
	_, rule, err := loss.Parse(s.Loss, 1)
	return err == nil && rule != nil && s.oneLambda() && s.passes() == nil
}

// crossValidates reports whether cross-validation is the criterion.
func (s *Settings) crossValidates() bool { return s.Criterion == "" || s.Criterion == CrossValidation }

// oneLambda reports whether there is no λ to choose.
func (s *Settings) oneLambda() bool {
	grid, err := s.lambdas()
	return err == nil && len(grid) == 1
}

// unit returns a number that is the same for all rows that must share the fold of row i of b.
func (s *Settings) unit(b rff.Batch, i int) int64 { return holdout.Unit(b, i, int64(s.foldRows)) }

// cluster returns a number that is the same for all rows that may err as row i of b does: those of its
// group or run. Rows without these are independent draws, also of equal inputs, which share a fold
// since a fit to one of them knows the others.
func (s *Settings) cluster(b rff.Batch, i int) int64 {
	if b.Group == nil && s.foldRows == 0 {
		return b.First + int64(i)
	}
	return s.unit(b, i)
}

// mostRidge bounds Σw·λ, so that its square is finite, and mostSingle where passes are
// preconditioned in float32.
const (
	mostRidge  = 0x1p500
	mostSingle = 0x1p120
)

// checkRidges returns a *rff.ParameterError if a λ for rows of weight w makes a ridge above most.
func checkRidges(w float64, lambdas []float64, most float64) error {
	for _, l := range lambdas {
		if !(float64(w*l) <= most) {
			return setting("lambda", l, fmt.Sprintf("times Σw = %g it must be at most %.2g", w, most))
		}
	}
	return nil
}
