package quality_test

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/quality"
)

func ExampleHoeffdingFeatures() {
	n, err := quality.HoeffdingFeatures(rff.CosSin, 0.1, 0.01)
	fmt.Println(n, err)
	// Output: 2120 <nil>
}

// How many directions of a kernel a ridge regression uses on a line of eight points, and
// what the theory asks for.
func ExampleMeasureRidge() {
	x, y := mat.NewDense(8, 1, nil), mat.NewDense(8, 1, nil)
	for i := range 8 {
		x.Set(i, 0, float64(i)/4)
		y.Set(i, 0, float64(2*(i%2)-1))
	}
	r, err := quality.MeasureRidge(rff.NewGaussian(1), x, y, 1e-2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("d = %.1f, D = %.0f: %.0f columns\n", r.Effective, r.Surrogate, 2*math.Ceil(r.Sufficient))
	// Output: d = 2.8, D = 101: 7316 columns
}
