package compare

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/measure"
)

// Errors are what a regression does on rows that it was not trained on: the root
// mean square and the mean absolute error, in the unit of the target, and R²,
// the share of the targets' variance among these rows that is explained (0 if
// they have none).
type Errors struct {
	R2   float64 `json:"r2"`
	RMSE float64 `json:"rmse"`
	MAE  float64 `json:"mae"`
}

// Accuracy returns the share, in per cent, of the rows of t whose class the
// predictions f name.
func Accuracy(t *dataset.Table, f blas.General[float64]) float64 {
	return 100 * labelsOf(t, f).Accuracy
}

// Labels are what a classification does on rows that it was not trained on, in per cent
// but for AUC, the area under the ROC curve of two classes.
type Labels struct {
	Guess    float64 `json:"guess"` // the accuracy of always naming the most frequent class of these rows
	Balanced float64 `json:"balanced_accuracy"`
	AUC      float64 `json:"roc_auc,omitempty"`
}

// labelsOf compares the classes that the predictions f name with those of the rows of t.
func labelsOf(t *dataset.Table, f blas.General[float64]) measure.Classification {
	l := measure.NewLabels(len(t.Coding.Classes))
	for i, y := range t.Y {
		l.Add(int(y), classes.Decode(f.Row(i)), f.Row(i)[0], weightOf(t, i))
	}
	return l.Result()
}

// ErrorsOf compares the predictions f for the rows of t with their targets.
func ErrorsOf(t *dataset.Table, f blas.General[float64]) Errors {
	e, _ := errorsOf(t, f)
	return e
}

// errorsOf is ErrorsOf, with the root mean square error of predicting the mean.
func errorsOf(t *dataset.Table, f blas.General[float64]) (e Errors, spread float64) {
	var n measure.Numbers
	for i, y := range t.Y {
		n.Add(y, f.Row(i)[0], weightOf(t, i))
	}
	r := n.Result()
	if math.IsNaN(r.R2) {
		r.R2 = 0
	}
	return Errors{R2: r.R2, RMSE: r.RMSE, MAE: r.MAE}, r.Spread
}

func weightOf(t *dataset.Table, row int) float64 {
	if t.Weights == nil {
		return 1
	}
	return t.Weights[row]
}

// losses returns what every row adds to the score: 100 for a right class and 0
// for a wrong one, or the squared error.
func losses(t *dataset.Table, f blas.General[float64]) []float64 {
	out := make([]float64, t.Len())
	for i, y := range t.Y {
		if t.Coding.Task != dataset.Classification {
			e := y - f.Row(i)[0]
			out[i] = e * e
		} else if classes.Decode(f.Row(i)) == int(y) {
			out[i] = 100
		}
	}
	return out
}

// Digest identifies the rows, the labels and the names of a table, whatever
// kind of file they come from: a SHA-256, in hexadecimal.
func Digest(t *dataset.Table) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %q %q %q\n", t.Len(), t.X.Cols, t.Inputs, t.Target, t.Coding.Classes)
	for i := range t.Len() {
		writeNumbers(h, t.X.Row(i))
	}
	writeNumbers(h, t.Y)
	return hex.EncodeToString(h.Sum(nil))
}

func writeNumbers(h hash.Hash, values []float64) {
	b := make([]byte, 0, 4096)
	for len(values) > 0 {
		n := min(len(values), cap(b)/8)
		b = b[:0]
		for _, v := range values[:n] {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		h.Write(b)
		values = values[n:]
	}
}
