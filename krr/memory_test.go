package krr_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/require"
	"github.com/rffgo/rff/krr"
)

// generated is a stream of rows that are never all in memory.
type generated struct {
	n int64
	d int
}

func (g generated) Schema() rff.Schema { return numbers(g.d, 1) }

func (g generated) Batches(context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		const rows = 1008
		x, y := blas.NewGeneral[float64](rows, g.d), blas.NewGeneral[float64](rows, 1)
		state := uint64(1)
		for first := int64(0); first < g.n; first += rows {
			for i := range rows {
				var s float64
				for j := range g.d {
					state = state*6364136223846793005 + 1442695040888963407
					v := float64(state>>33)/(1<<31) - 0.5
					x.Row(i)[j] = v
					s += v
				}
				y.Data[i] = math.Sin(3 * s)
			}
			k := int(min(rows, g.n-first))
			if !yield(rff.Batch{First: first, X: x.RowRange(0, k), Y: y.RowRange(0, k)}, nil) {
				return
			}
		}
	}
}

// inChild runs the test itself in a process of its own, which prints its peak
// resident memory at the end, and returns that in bytes.
func inChild(t *testing.T, argument string) int64 {
	t.Helper()
	if runtime.GOOS != "linux" || require.Race {
		t.Skip("peak resident memory is read from /proc, and without the race detector's")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "KRR_TEST_CHILD="+argument)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, after, found := bytes.Cut(out, []byte("peak "))
	var kib int64
	if _, err := fmt.Sscan(string(after), &kib); !found || err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return kib << 10
}

// printPeak is the end of what inChild runs.
func printPeak(t *testing.T) {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := bytes.Cut(b, []byte("VmHWM:"))
	var kib int64
	fmt.Sscan(string(after), &kib)
	fmt.Printf("peak %d\n", kib)
}

// The memory of a streamed fit does not depend on the number of rows: the
// process needs the s×s sums, the chunks in flight and the block at work.
func TestStreamMemory(t *testing.T) {
	if child := os.Getenv("KRR_TEST_CHILD"); child != "" {
		var n int64
		fmt.Sscan(child, &n)
		_, _, err := krr.Fit(context.Background(), gaussianMap(t, 1, 118, 128, 5), generated{n, 118}, krr.Settings{Lambdas: []float64{1e-6}})
		if err != nil {
			t.Fatal(err)
		}
		printPeak(t)
		return
	}
	if testing.Short() {
		t.Skip("fits for seconds")
	}
	few, many := inChild(t, "25000"), inChild(t, "400000")
	// 16 times the rows would be 365 MiB more if they were kept.
	if many > few+24<<20 || many > 96<<20 {
		t.Errorf("%d MiB resident for 25,000 rows, %d for 400,000", few>>20, many>>20)
	} else {
		t.Logf("%d MiB resident for 25,000 rows, %d for 400,000", few>>20, many>>20)
	}
}
