package learn

import (
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/eigen"
	"github.com/rffgo/rff/internal/trial"
)

// Transform is a symmetric d×d matrix B of x ↦ B·x, or a scale per input.
type Transform struct {
	Full  blas.General[float64] // d×d, or zero
	Scale []float64             // d, or nil
}

// Diagonal reports whether b is a scale per input.
func (b Transform) Diagonal() bool { return b.Scale != nil }

// Dim returns d.
func (b Transform) Dim() int { return max(b.Full.Rows, len(b.Scale)) }

// Frequencies returns w0·B/h, with which the features of x are those of B·x at bandwidth h.
func (b Transform) Frequencies(e blas.Engine, w0 blas.General[float64], h float64) blas.General[float64] {
	w := blas.NewGeneral[float64](w0.Rows, w0.Cols)
	if !b.Diagonal() {
		blas.Gemm(e, false, false, 1/h, w0, b.Full, 0, w)
		return w
	}
	for i := range w.Rows {
		row := w.Row(i)
		for j, v := range w0.Row(i) {
			row[j] = v * (b.Scale[j] / h)
		}
	}
	return w
}

// times multiplies b by a number.
func (b Transform) times(c float64) {
	for i := range b.Scale {
		b.Scale[i] *= c
	}
	for i := range b.Full.Rows {
		row := b.Full.Row(i)
		for j := range row {
			row[j] *= c
		}
	}
}

// Root is the power of the average gradient outer product M that becomes B.
type Root uint8

const (
	// Half is B = M^½: then ‖Bx‖² = xᵀMx, so M measures squares of distances.
	Half Root = iota
	// Quarter is B = M^¼, which changes less.
	Quarter
)

func (r Root) String() string {
	if r == Quarter {
		return "¼"
	}
	return "½"
}

// least is the smallest eigenvalue of M that counts, as a share of their mean.
const least = 1e-3

// FromProduct returns the root of M, as a matrix or of the diagonal of M alone. No eigenvalue
// counts as less than 10⁻³ of their mean. ok is false if M is zero, not finite, or has no
// eigenvalues.
func FromProduct(e blas.Engine, m Product, root Root) (b Transform, ok bool) {
	var v blas.General[float64]
	values := append([]float64(nil), m.Diagonal...)
	if m.Full.Rows > 0 {
		if !dense.Finite(m.Full) {
			return b, false
		}
		var err error
		if v, values, err = eigen.Symmetric(e, m.Full); err != nil {
			return b, false
		}
	}
	var most, mean float64
	for _, x := range values {
		most = math.Max(most, x) // NaN stays
	}
	if !(most > 0) || math.IsInf(most, 0) {
		return b, false
	}
	for i, x := range values {
		values[i] = max(x, 0) / most
		mean += values[i] / float64(len(values))
	}
	for i, x := range values {
		x = math.Sqrt(max(x, float64(least*mean)))
		if root == Quarter {
			x = math.Sqrt(x)
		}
		values[i] = x
	}
	if v.Rows == 0 {
		return Transform{Scale: values}, true
	}
	d := v.Rows
	scaled := blas.NewGeneral[float64](d, d)
	for i := range d {
		for j, x := range v.Row(i) {
			scaled.Row(i)[j] = x * values[j]
		}
	}
	b.Full = blas.NewGeneral[float64](d, d)
	blas.Gemm(e, false, true, 1, scaled, v, 0, b.Full)
	symmetrise(b.Full)
	return b, true
}

// symmetrise makes a product that is symmetric up to rounding exactly symmetric.
func symmetrise(a blas.General[float64]) {
	for i := range a.Rows {
		for j := range i {
			x := (a.Row(i)[j] + a.Row(j)[i]) / 2
			a.Row(i)[j], a.Row(j)[i] = x, x
		}
	}
}

// spread returns B ↦ tr(B·S·B) for the covariance S of the rows' inputs, of which
// it takes the diagonal alone for scales.
func spread(r *trial.Rows, e blas.Engine, diagonal bool) func(b Transform) float64 {
	n, d := r.X.Rows, r.X.Cols
	mean, variance, sum := make([]float64, d), make([]float64, d), 0.0
	for i := range n {
		w := r.WeightOf(i)
		sum += w
		dense.AddTimes(mean, w, r.X.Row(i))
	}
	for j := range mean {
		mean[j] /= sum
	}
	for i := range n {
		w := r.WeightOf(i) / sum
		for j, v := range r.X.Row(i) {
			c := v - mean[j]
			variance[j] += float64(w * float64(c*c))
		}
	}
	var s blas.General[float64]
	if !diagonal {
		centred := blas.NewGeneral[float64](n, d)
		for i := range n {
			w := math.Sqrt(r.WeightOf(i) / sum)
			for j, v := range r.X.Row(i) {
				centred.Row(i)[j] = w * (v - mean[j])
			}
		}
		s = blas.NewGeneral[float64](d, d)
		blas.Gemm(e, true, false, 1, centred, centred, 0, s)
	}
	return func(b Transform) (t float64) {
		if b.Diagonal() {
			for j, v := range b.Scale {
				t += float64(float64(v*v) * variance[j])
			}
			return t
		}
		bs := blas.NewGeneral[float64](d, d)
		blas.Gemm(e, false, false, 1, b.Full, s, 0, bs)
		for i := range d {
			for j, v := range bs.Row(i) {
				t += float64(v * b.Full.Row(i)[j])
			}
		}
		return t
	}
}
