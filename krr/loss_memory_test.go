package krr_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// A process that fits another loss than squares stays within the budget however many rows there
// are: with features of all rows in memory, with their inputs alone, and with neither, when every
// pass reads them again.
func TestLossMemory(t *testing.T) {
	if child := os.Getenv("KRR_TEST_CHILD"); child != "" {
		var rows, memory int64
		var says bool
		fmt.Sscan(child, &rows, &says, &memory)
		var data rff.Source = generated{rows, 20}
		if says {
			data = counted{generated{rows, 20}}
		}
		_, report, err := krr.Fit(context.Background(), gaussianMap(t, 1, 20, 256, 3), data,
			krr.Settings{Loss: "huber:0.3", Passes: &krr.Passes{Memory: memory, Tolerance: 0.1}, Lambdas: []float64{1e-4}})
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
	peak := func(rows int64, says bool) int64 {
		peak := inChild(t, fmt.Sprint(rows, " ", says, " ", budget))
		t.Logf("%d rows, their number known %t: %d MiB resident", rows, says, peak>>20)
		if peak > budget {
			t.Errorf("%d rows, their number known %t: %d MiB resident for a budget of %d", rows, says, peak>>20, budget>>20)
		}
		return peak
	}
	peak(20_000, false)
	few := peak(80_000, false)
	// Rows of an unknown number are kept until they are too many, and it is up to the collector
	// when they go. Of a known number none is kept.
	peak(320_000, false)
	if many := peak(320_000, true); many > few {
		t.Errorf("%d MiB resident for four times the rows of %d", many>>20, few>>20)
	}
}

// counted is generated, and says how many rows it has.
type counted struct{ generated }

func (c counted) Schema() rff.Schema {
	s := c.generated.Schema()
	s.Rows = c.n
	return s
}
