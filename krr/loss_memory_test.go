package krr_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/rffgo/rff/krr"
)

// A process that fits another loss than squares stays within the budget however many rows there
// are: with features of all rows in memory, with their inputs alone, and with neither, when every
// pass reads them again.
func TestLossMemory(t *testing.T) {
	if child := os.Getenv("KRR_TEST_CHILD"); child != "" {
		var rows, memory int64
		fmt.Sscan(child, &rows, &memory)
		_, report, err := krr.Fit(context.Background(), gaussianMap(t, 1, 20, 256, 3), generated{rows, 20},
			krr.Settings{Loss: "huber:0.3", Passes: &krr.Passes{Memory: memory}, Lambdas: []float64{1e-4}})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(krr.InfoOf(report).Solved)
		printPeak(t)
		return
	}
	if testing.Short() {
		t.Skip("fits for seconds")
	}
	// A quarter of the budget holds 256 features of 28,000 rows, which has more than those of the
	// first fit and less than those of the second. The inputs of all rows of the third are as
	// much as the budget less its reserve.
	const budget = 112 << 20
	var peaks []int64
	for _, rows := range []int64{20_000, 80_000, 320_000} {
		peak := inChild(t, fmt.Sprint(rows, " ", budget))
		if peaks = append(peaks, peak>>20); peak > budget {
			t.Errorf("%d rows: %d MiB resident for a budget of %d", rows, peak>>20, budget>>20)
		}
	}
	if peaks[2] > peaks[1]+10 {
		t.Errorf("%d MiB resident for four times the rows of %d", peaks[2], peaks[1])
	}
	t.Logf("%d MiB resident", peaks)
}
