package krr

import (
	"math"
	"time"

	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/measure"
	"github.com/rffgo/rff/krr/internal/holdout"
)

// Report says what a fit did and chose.
type Report struct {
	// Train measures the fit on its own rows. Rows is the number of those of positive weight. A fit from sums also sets
	// R2 and RMSE of the targets; those of a classification are its codes.
	Train   Measures
	Resumed int64 // rows, also of weight 0, that were taken from a checkpoint
	// Repeats is the number of rows that have the inputs of an earlier row and share its
	// fold: it is exact up to 65,536 different inputs, and estimated from a sample beyond.
	Repeats int64
	Counts  []int64 // rows per class
	// Path is the error at every λ, ascending; nil if λ was given. It leaves out a λ whose
	// ridge is below the rounding errors of the sums, which happens in float32: such λ cannot
	// be compared.
	Path    []PathPoint
	AtEdge  bool      // a chosen λ is an end of the grid, and the best may lie beyond it
	HeldOut *Measures // with Probabilities, Settings.HeldOut or LeaveOneOut
	// Took is the time of each stage, as Progress names them: rows (read and added), select
	// (λ), solve, calibrate (probabilities), and, in Auto, search.
	Took map[string]time.Duration

	// Auto sets the fields below.
	//
	// Steps of the search, in order. The last one that was kept is the choice. Its Error, on
	// held-out rows, is the least of several and so a little low.
	Steps []AutoStep
	// Stopped says why the search ended. After a Deadline the same data give the same result
	// again with AutoSettings.Steps set to the number of steps.
	Stopped string
	// Importance of each input, a share of 1: how much the function varies with it,
	// as learned (sampling.Learned, or what the splits of trees took off the squared error); of
	// a mean, of its first part alone. nil if that was not learned. Learned features have not
	// seen the labels of the rows that the errors of steps and HeldOut are measured on; only with
	// Settings.Loss is HeldOut that of Fit's folds, whose labels they have seen.
	Importance []float64

	search     *hook.Search // nil without a search
	info       ModelInfo    // that of the model
	unresolved []float64    // λ that Path leaves out
	features   int
	weight     float64 // Σw
	hard       int64   // rows that Settings.Loss counts more often
	reweighted []hook.Reweight
	gram       *Gram // for Settings.Gram
}

// PathPoint is one λ of a path.
type PathPoint struct {
	Lambda float64
	// Error is the estimated squared error, or Settings.Loss, of new rows, per target. Where
	// Settings.Probabilities chose λ, it is one number, their log loss.
	Error  []float64
	StdErr float64 // standard error over folds of Error summed over the targets; 0 without folds, and of log losses
	Solved Solved  // the worst of the folds

	// Gram.Analyze sets the fields below, in closed form, with A = Zᵀ(I − 11ᵀ/n)Z for
	// weights of 1.
	//
	// Freedom is the number of effective degrees of freedom beside the intercept, d_K^λ =
	// tr A(A + nλI)⁻¹ = s − nλ·tr(A + nλI)⁻¹. LeaveOneOut sets it, too.
	Freedom float64
	// Noise is the variance σ² of the Bayesian view per target, y ~ N(b + zᵀβ, σ²) with
	// β ~ N(0, σ²/(nλ)·I), at its most likely value: (RSS + nλ‖β‖²)/(n−1) with the residual sum of squares RSS.
	// n−1 counts rows, whatever their weights: see ModelInfo.Noise.
	Noise []float64
	// LogEvidence is the log marginal likelihood per target at that σ², with a flat prior
	// on the intercept (the restricted likelihood):
	// −½[(n−1)(log 2πσ² + 1) + log det(I + A/(nλ))].
	LogEvidence []float64
}

// totalOf returns the error summed over the targets.
func totalOf(p *PathPoint) float64 { return dense.Sum(p.Error) }

// pathOf returns a path as this package reports it.
func pathOf(points []holdout.Point) []PathPoint {
	path := make([]PathPoint, len(points))
	for i, p := range points {
		path[i] = PathPoint{Lambda: p.Lambda, Error: p.Error, StdErr: p.StdErr, Solved: solvedOf(p.Solved)}
	}
	return path
}

// resolved returns the points of an ascending path that can be compared, and the λ of the
// others. If none can be compared, it returns all points.
func resolved(path []PathPoint) (points []PathPoint, unresolved []float64) {
	for _, p := range path {
		if p.Solved.Unresolved {
			unresolved = append(unresolved, p.Lambda)
		} else {
			points = append(points, p)
		}
	}
	if points == nil {
		return path, nil
	}
	return points, unresolved
}

// equalShare of the variance of a target, the error of predicting the mean, is a difference of
// squared errors that says nothing.
const equalShare = 1e-12

// best returns the index of the largest λ of an ascending path whose error is at most equal above
// the least.
func best(path []PathPoint, equal float64, value func(*PathPoint) float64) int {
	least := math.Inf(1)
	for i := range path {
		if v := value(&path[i]); v < least {
			least = v
		}
	}
	at := len(path) - 1
	for at > 0 && !(value(&path[at]) <= least+equal) {
		at--
	}
	return at
}

// Measures are those of a fit on rows. In Report.HeldOut these are the rows that its folds
// left out or, with LeaveOneOut, all rows, each predicted from the others. A regression sets
// the fields of numbers, a classification those of classes. With Probabilities a model that
// was fitted without a fold scores its rows, and a calibration on the other folds turns these
// scores into probabilities: neither has seen the row. The rows of one held-out fold are divided
// for that as folds are: copies, rows of a group and of a run stay together.
type Measures struct {
	Rows int64 // rows used, all or a sample; RMSE and R2 are of all rows, but those of a mean of fits or of learned features (Auto)

	// Of classes.
	Accuracy float64   // share of rows whose label is right
	Recall   []float64 // Accuracy among the rows of each class, NaN for a class without rows
	AUC      float64   // area under the ROC curve, of two classes that both have rows; or 0

	// Of numbers, per column of the predictions, in its unit.
	RMSE, MAE, R2 []float64

	// Loss is the mean loss. For numbers it is that of Settings.Loss, per column of the
	// predictions, and nil for squares. For classes with Probabilities it is one number, the
	// mean −log of the probability of the right class.
	Loss []float64

	classes measure.Classification // what the programs of this module print and draw
	numbers []measure.Regression   // per target
}

// measuresOf returns the measures of a classification.
func measuresOf(c measure.Classification, rows int64) *Measures {
	m := &Measures{Rows: rows, Accuracy: c.Accuracy, Recall: c.Recall, classes: c}
	if !math.IsNaN(c.AUC) {
		m.AUC = c.AUC
	}
	if !math.IsNaN(c.LogLoss) {
		m.Loss = []float64{c.LogLoss}
	}
	return m
}
