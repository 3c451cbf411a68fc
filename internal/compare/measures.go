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
	right := 0
	for i, y := range t.Y {
		if classes.Decode(f.Row(i)) == int(y) {
			right++
		}
	}
	return 100 * float64(right) / float64(t.Len())
}

// ErrorsOf compares the predictions f for the rows of t with their targets.
func ErrorsOf(t *dataset.Table, f blas.General[float64]) Errors {
	n := float64(t.Len())
	var mean, ss, rss, abs float64
	for _, y := range t.Y {
		mean += y / n
	}
	for i, y := range t.Y {
		d, e := y-mean, y-f.Row(i)[0]
		ss += float64(d * d)
		rss += float64(e * e)
		abs += math.Abs(e)
	}
	out := Errors{RMSE: math.Sqrt(rss / n), MAE: abs / n}
	if ss > 0 {
		out.R2 = 1 - rss/ss
	}
	return out
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
