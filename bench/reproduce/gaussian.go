package reproduce

import (
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/portable"
)

// Gaussian sets dst, x.Rows × y.Rows, to exp(−‖xᵢ−yⱼ‖²/(2σ²)), by a product of the rows:
// inputs should have about the size of σ, since ‖xᵢ‖² + ‖yⱼ‖² − 2xᵢᵀyⱼ cancels.
func Gaussian(dst, x, y blas.General[float64], sigma float64) {
	blas.Gemm(blas.Engine{}, false, true, 1, x, y, 0, dst)
	nx, ny := norms(x), norms(y)
	scale := 1 / (2 * sigma * sigma)
	for i := range dst.Rows {
		row := dst.Row(i)
		for j, dot := range row {
			r := max(0, nx[i]+ny[j]-2*dot)
			row[j] = portable.Exp(-float64(r * scale))
		}
	}
}

// norms returns the squared norms of the rows.
func norms(x blas.General[float64]) []float64 {
	out := make([]float64, x.Rows)
	for i := range out {
		for _, v := range x.Row(i) {
			out[i] += float64(v * v)
		}
	}
	return out
}
