package krr

import (
	"math"
	"time"

	"github.com/rffgo/rff/internal/measure"
	"github.com/rffgo/rff/krr/internal/holdout"
)

// Report says what a fit did and chose.
type Report struct {
	Rows    int64
	Resumed int64 // of these, rows taken from a checkpoint
	// Repeats is the number of rows whose inputs an earlier row has, counted where they
	// share its fold: exactly up to 65,536 different inputs, by a sample beyond.
	Repeats  int64
	Weight   float64 // Σw
	Inputs   int
	Features int
	Targets  int
	Classes  []string
	Counts   []int64 // rows per class
	// Reweighted is the number of rows that Settings.Rule gives another weight in the last
	// solution.
	Reweighted int64
	Lambda     []float64   // per target
	Path       []PathPoint // cross-validation, ascending in λ; nil if λ was given
	// Unresolved are the λ of the grid that were not compared and are not in Path: the
	// ridge is below the rounding errors of the sums, as it may be in float32.
	Unresolved []float64
	AtEdge     bool // a chosen λ is an end of the grid: the best may lie beyond
	Solved     Solved
	R2, RMSE   []float64 // on the training rows, per target
	HeldOut    *HeldOut  // with Probabilities, Settings.HeldOut or LeaveOneOut
	Precision  Precision
	// CheckpointError says why the last checkpoint could not be written; nil if it could.
	CheckpointError error

	// Read and accumulate; choose λ; the final solve; probabilities.
	Read, Select, Solve, Calibrate time.Duration
}

// PathPoint is one λ of a path.
type PathPoint struct {
	Lambda  float64
	Error   []float64 // estimated squared error of new rows, per target
	Total   float64   // Error summed over the targets
	StdErr  float64   // standard error of Total over folds; 0 without folds
	Freedom float64   // effective degrees of freedom d_K^λ; 0 if not computed
	Solved  Solved    // the worst of the folds
}

// total sets the error summed over the targets.
func (p *PathPoint) total() {
	p.Total = 0
	for _, e := range p.Error {
		p.Total += e
	}
}

// totalOf returns the error summed over the targets.
func totalOf(p *PathPoint) float64 { return p.Total }

// pathOf returns a path as this package reports it.
func pathOf(points []holdout.Point) []PathPoint {
	path := make([]PathPoint, len(points))
	for i, p := range points {
		path[i] = PathPoint{Lambda: p.Lambda, Error: p.Error, StdErr: p.StdErr, Solved: solvedOf(p.Solved)}
		path[i].total()
	}
	return path
}

// resolved returns the points of an ascending path that can be compared, and the λ of the
// others. If none can be, all are.
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

// best returns the index of the least error on an ascending path: of errors that are
// equal to within 10⁻¹² of scale, the error of predicting the mean, the one of the
// largest λ.
func best(path []PathPoint, scale float64, value func(*PathPoint) float64) int {
	at := len(path) - 1
	for i := at - 1; i >= 0; i-- {
		if value(&path[i]) < value(&path[at])-float64(1e-12*scale) {
			at = i
		}
	}
	return at
}

// HeldOut measures a fit on rows that its folds left out, or, without folds, on all rows,
// each predicted from the others (LeaveOneOut). A regression has the fields of
// numbers, a classification those of classes. With Probabilities a model fitted without a
// fold scores its rows, and a calibration of the other folds makes probabilities of these
// scores: neither has seen the row.
type HeldOut struct {
	Rows int64 // rows used, all or a sample; RMSE, R2 and Spread are of all rows

	// Of classes.
	Accuracy float64   // share of rows whose label is right
	Common   int       // the most frequent class of these rows
	Guess    float64   // Accuracy of naming it always
	Recall   []float64 // Accuracy among the rows of each class, NaN for a class without rows
	Balanced float64   // mean of Recall over the classes with rows
	AUC      float64   // area under the ROC curve, of two classes that both have rows; or 0
	LogLoss  float64   // mean −log of the probability of the right class, with Probabilities

	// Of numbers, per target, in its unit. Spread is the RMSE of predicting the mean.
	RMSE, MAE, R2, Spread []float64
}

// heldOutOf returns the measures of a classification.
func heldOutOf(c measure.Classification) *HeldOut {
	known := func(v float64) float64 {
		if math.IsNaN(v) {
			return 0
		}
		return v
	}
	return &HeldOut{Rows: c.Rows, Accuracy: c.Accuracy, Common: c.Common, Guess: c.Guess, Recall: c.Recall, Balanced: c.Balanced, AUC: known(c.AUC), LogLoss: known(c.LogLoss)}
}
