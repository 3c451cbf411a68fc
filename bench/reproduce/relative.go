package reproduce

import (
	"math"

	"github.com/rffgo/rff/blas"
)

// Relative is ‖y − f‖/‖y‖, as the papers measure regressions.
func Relative(y []float64, f blas.General[float64]) float64 {
	var e, norm float64
	for i, v := range y {
		d := v - f.Row(i)[0]
		e, norm = e+float64(d*d), norm+float64(v*v)
	}
	return math.Sqrt(e / norm)
}
