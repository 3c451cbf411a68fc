package krr_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// Drawing landmarks and conjugate gradients on them stay within the memory of the fit,
// of which their factor is a part: with the whole preconditioner and with a sample.
func TestNystromConjugateMemory(t *testing.T) {
	const m = 3000 // the factor is 69 MiB
	if child := os.Getenv("KRR_TEST_CHILD"); child != "" {
		var budget int64
		fmt.Sscan(child, &budget)
		data := generated{8000, 8}
		features, err := sampling.Nystrom{}.Sample(context.Background(), rff.Request{Kernel: rff.NewMatern(1.5, 1), Dim: 8, Features: m, Data: data, Rand: rand.NewPCG(1, 1)})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := krr.Fit(context.Background(), features, data, krr.Settings{Passes: &krr.Passes{Memory: budget, Tolerance: 0.1}, Lambdas: []float64{1e-4}}); err != nil {
			t.Fatal(err)
		}
		printPeak(t)
		return
	}
	if testing.Short() {
		t.Skip("fits for seconds")
	}
	for _, budget := range []int64{200 << 20, 240 << 20} {
		if peak := inChild(t, fmt.Sprint(budget)); peak > budget {
			t.Errorf("%d MiB resident for a budget of %d", peak>>20, budget>>20)
		} else {
			t.Logf("%d MiB resident for a budget of %d", peak>>20, budget>>20)
		}
	}
}
