package sampling

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rffgo/rff"
)

// Targets whose squares float64 does not hold are refused by their number, and rescaling them is a
// remedy. Constant targets of any size have no signal.
func TestTargetsOutOfRange(t *testing.T) {
	sample := func(spec string, scale, variation float64) error {
		s, err := ByName(spec)
		if err != nil {
			t.Fatal(err)
		}
		data := waves(300, 3, 2)
		for i := range data.y.Rows {
			y := data.y.Row(i)
			y[1] = scale * (3 + variation*(y[1]-3))
		}
		_, err = s.Sample(t.Context(), rff.Request{Kernel: rff.NewGaussian(0.8), Dim: 3, Features: 12, Data: data, Rand: rand.NewPCG(1, 2)})
		return err
	}
	for _, spec := range []string{"surrogate", "surrogate:labels=raw", "eerf", "lkrf", "lkrf:labels=raw"} {
		for _, scale := range []float64{1e-320, 1e-300, 1e-160, 1e160, 1e300, 4e307} {
			var e *rff.DegenerateDataError
			if err := sample(spec, scale, 1); !errors.As(err, &e) || !strings.Contains(e.Why, "target 2") || !strings.HasSuffix(e.Why, "rescale the targets") {
				t.Errorf("%s with targets of %g: %v", spec, scale, err)
			}
		}
		for _, scale := range []float64{1e-140, 1, 1e140} {
			if err := sample(spec, scale, 1); err != nil {
				t.Errorf("%s with targets of %g: %v", spec, scale, err)
			}
		}
		if err := sample(spec, 1e300, 0); err != nil && !strings.HasSuffix(spec, "raw") {
			t.Errorf("%s with a constant target beside another: %v", spec, err)
		}
	}
}
