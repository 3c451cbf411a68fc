package compare

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/loss"
	"github.com/rffgo/rff/internal/measure"
	"github.com/rffgo/rff/krr"
)

// Accuracy returns the share, in per cent, of the rows of t whose class the
// predictions f name.
func Accuracy(t *dataset.Table, f blas.General[float64]) float64 {
	return 100 * Measures(t, f, nil)[fits.Accuracy]
}

// Measures compares the predictions f for the rows of t with their labels. m is the model
// that made them, for its probabilities, or nil.
func Measures(t *dataset.Table, f blas.General[float64], m *krr.Model) fits.Values {
	if t.Coding.Task != dataset.Classification {
		var n measure.Numbers
		middle := 0
		if m != nil {
			middle = fits.Middle(m.Info().Schema.Target.Quantiles)
		}
		for i, y := range t.Y {
			n.Add(y, f.Row(i)[middle], weightOf(t, i))
		}
		return fits.NumberValues(n.Result())
	}
	l, p := measure.NewLabels(len(t.Coding.Classes)), make([]float64, len(t.Coding.Classes))
	for i, y := range t.Y {
		l.Add(int(y), classOf(m, f.Row(i)), f.Row(i)[0], weightOf(t, i))
		if m != nil && m.Info().Probabilities {
			m.ProbabilitiesOf(p, f.Row(i))
			l.AddProbabilities(int(y), p, weightOf(t, i))
		}
	}
	return fits.ClassValues(l.Result(), t.Coding.Classes)
}

// classOf returns the class that the scores of a row name.
func classOf(m *krr.Model, scores []float64) int {
	if m == nil {
		return classes.Decode(scores)
	}
	return m.ClassOf(scores)
}

func weightOf(t *dataset.Table, row int) float64 {
	if t.Weights == nil {
		return 1
	}
	return t.Weights[row]
}

// ownLoss returns the loss of the settings, nil for squares.
func (s *Settings) ownLoss() loss.Loss {
	l, _, _ := loss.Parse(s.Loss, 1)
	return l
}

// losses returns the contribution of every row to the score, by its share of the weight. It is
// 100 for a right class and 0 for a wrong one, or the squared error or another loss.
func losses(t *dataset.Table, f blas.General[float64], m *krr.Model, by loss.Loss) []float64 {
	out, mean := make([]float64, t.Len()), 0.0
	for i := range t.Y {
		mean += weightOf(t, i) / float64(len(t.Y))
	}
	for i, y := range t.Y {
		if t.Coding.Task != dataset.Classification {
			out[i] = lossOf(by, y, f.Row(i))
		} else if classOf(m, f.Row(i)) == int(y) {
			out[i] = 100
		}
		out[i] *= weightOf(t, i) / mean
	}
	return out
}

// lossOf returns the loss of a prediction for a target, summed over its quantiles. by is nil for
// squares.
func lossOf(by loss.Loss, y float64, f []float64) (sum float64) {
	if by == nil {
		return float64((y - f[0]) * (y - f[0]))
	}
	for k, v := range f {
		if by.Traits().Counts {
			v = math.Log(v)
		}
		var value, slope [1]float64
		loss.Column(by, k).Row([]float64{v}, []float64{y}, value[:], slope[:])
		sum += value[0]
	}
	return sum
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
