package sampling_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/sampling"
)

// The default sampler takes its kernel, and the kernels that rotations leave as
// they are get orthogonal frequencies.
func TestDefault(t *testing.T) {
	for spec, want := range map[string]rff.Sampler{"gaussian": sampling.ORF{}, "matern:nu=0.5": sampling.ORF{},
		"gaussian:sigma=1/2/3": sampling.ORF{}, "laplacian": sampling.MonteCarlo{}, "cauchy": sampling.MonteCarlo{}} {
		k, err := rff.ParseKernel(spec)
		if err != nil {
			t.Fatal(err)
		}
		got := sampling.Default(k.(rff.Stationary), 3)
		if fmt.Sprintf("%T", got) != fmt.Sprintf("%T", want) {
			t.Errorf("%s: %T", spec, got)
		}
		if _, err := got.Sample(t.Context(), rff.Request{Kernel: k, Dim: 3, Features: 8, Rand: rand.NewPCG(1, 2)}); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
	}
}
