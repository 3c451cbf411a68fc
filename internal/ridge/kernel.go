package ridge

import (
	"math"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// kernelRows is the number of rows of a kernel matrix that a worker centres at a time.
const kernelRows = 64

// OfKernel returns the dual problem of some rows of the kernel matrix k = ZZᵀ. It has one
// unknown per row: A = √w(z−z̄)ᵀ(z−z̄)√w and R = √w(y−ȳ). y, with ref subtracted, and weight
// have all rows of k. A takes the memory of a, which may be k if all rows are chosen in their
// order. Z has the weighted mean of each chosen row of k, and at its end the mean of these
// means.
func OfKernel(e blas.Engine, k blas.General[float64], rows []int, y blas.General[float64], weight, ref []float64, a blas.General[float64]) *System {
	n, t := len(rows), y.Cols
	s := &System{Rows: int64(n), Y: make([]float64, t), YY: make([]float64, t), Z: make([]float64, n+1),
		A: a, Diag: make([]float64, n), R: blas.NewGeneral[float64](n, t), Ref: ref}
	w, roots := make([]float64, n), make([]float64, n)
	for i, r := range rows {
		w[i] = weight[r]
		roots[i] = math.Sqrt(w[i])
		s.W += w[i]
		dense.AddTimes(s.Y, w[i], y.Row(r))
	}
	for u := range s.Y {
		s.Y[u] /= s.W
	}
	copy(s.Z, KernelMeans(e, k, rows, rows, w, s.W))
	for i := range rows {
		s.Z[n] += float64(w[i]*s.Z[i]) / s.W
	}
	e.Each((n+kernelRows-1)/kernelRows, func(_ blas.Engine, c int) {
		for i := c * kernelRows; i < min(n, (c+1)*kernelRows); i++ {
			from, to, zi, wi := k.Row(rows[i]), a.Row(i), s.Z[i], roots[i]
			for j, c := range rows[:i+1] {
				to[j] = float64(wi * roots[j] * (from[c] - (zi + s.Z[j]) + s.Z[n]))
			}
			s.Diag[i] = max(to[i], 0)
			to[i] = s.Diag[i]
		}
	})
	dense.MirrorUp(a)
	// Centred rows are dependent. If the ridge is lost in rounding errors, it is luck whether a
	// factor exists.
	for _, v := range s.Diag {
		s.Noise += float64(0x1p-52 * v)
	}
	for i, r := range rows {
		for u, v := range y.Row(r) {
			c := v - s.Y[u]
			s.R.Row(i)[u] = roots[i] * c
			s.YY[u] += float64(w[i] * c * c)
		}
	}
	return s
}

// KernelMeans returns the means of some rows of the kernel matrix k over some of its columns
// of weight w, whose sum is given.
func KernelMeans(e blas.Engine, k blas.General[float64], rows, columns []int, w []float64, sum float64) []float64 {
	out := make([]float64, len(rows))
	dot := asm.Native[float64]().Dot
	e.Each((len(rows)+kernelRows-1)/kernelRows, func(_ blas.Engine, c int) {
		row := make([]float64, len(columns))
		for i := c * kernelRows; i < min(len(rows), (c+1)*kernelRows); i++ {
			from := k.Row(rows[i])
			for j, c := range columns {
				row[j] = from[c]
			}
			out[i] = dot(row, w) / sum
		}
	})
	return out
}

// Uncentre turns coefficients α of centred rows of weight w, whose sum is given, into those of
// the rows themselves: Σαᵢ(zᵢ − z̄) = Σ(αᵢ − wᵢΣα/Σw)zᵢ.
func Uncentre(alpha blas.General[float64], w []float64, sum float64) {
	all := make([]float64, alpha.Cols)
	for i := range alpha.Rows {
		dense.Add(all, alpha.Row(i))
	}
	for i := range alpha.Rows {
		to := alpha.Row(i)
		for t := range to {
			to[t] -= float64(all[t] * w[i] / sum)
		}
	}
}
