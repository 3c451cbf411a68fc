package fits

import (
	"math"

	"github.com/rffgo/rff/internal/measure"
)

// Values are measures by their names in tables and files. What cannot be computed is not
// there.
type Values map[string]float64

// The names of measures. Those of classes are shares of 1, but for the area under the ROC
// curve and the log loss; those of numbers are in the unit of the target, but for R².
const (
	Accuracy    = "accuracy"
	Guess       = "accuracy_of_guess" // naming the most frequent class always
	Balanced    = "balanced_accuracy"
	LeastRecall = "least_recall" // of the class that is named right least often
	AUC         = "roc_auc"
	LogLoss     = "log_loss"

	RMSE   = "rmse"
	MAE    = "mae"
	R2     = "r2"
	Spread = "rmse_of_mean" // predicting the mean always
	Loss   = "mean_loss"    // of a loss other than squares
)

// Recall names the recall of a class.
func Recall(class string) string { return "recall of " + class }

func (v Values) set(name string, value float64) {
	if !math.IsNaN(value) {
		v[name] = value
	}
}

// ClassValues returns the measures by name, with the recall of each of the classes.
func ClassValues(c measure.Classification, classes []string) Values {
	v := Values{Accuracy: c.Accuracy, Guess: c.Guess, Balanced: c.Balanced}
	least := math.NaN()
	for k, share := range c.Recall {
		v.set(Recall(classes[k]), share)
		if !(share >= least) && !math.IsNaN(share) {
			least = share
		}
	}
	v.set(LeastRecall, least)
	v.set(AUC, c.AUC)
	v.set(LogLoss, c.LogLoss)
	return v
}

// NumberValues returns the measures by name.
func NumberValues(r measure.Regression) Values {
	v := Values{RMSE: r.RMSE, MAE: r.MAE, Spread: r.Spread}
	v.set(R2, r.R2)
	return v
}

// Middle returns the index of the level next to ½. Its column stands for the prediction of a
// target that has these quantiles. Without levels the index is 0.
func Middle(levels []float64) (at int) {
	for k, level := range levels {
		if math.Abs(level-0.5) < math.Abs(levels[at]-0.5) {
			at = k
		}
	}
	return at
}
