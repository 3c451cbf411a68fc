package dataset

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rffgo/rff"
)

// digestOf is all that a source yields, as text.
func digestOf(t *testing.T, s rff.Source) string {
	t.Helper()
	var out strings.Builder
	in, targets := s.Schema().Dims()
	fmt.Fprintln(&out, in, targets)
	for b, err := range s.Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&out, b.First, b.X.Rows, b.Y.Rows, b.Weight, b.Group)
		for i := range b.X.Rows {
			for _, v := range slices.Concat(b.X.Row(i), b.Y.Row(i)) {
				fmt.Fprintf(&out, "%x ", math.Float64bits(v))
			}
		}
	}
	return out.String()
}

// Rows that were kept are those of the files, whatever they hold.
func TestKeptRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rows := func(n, width int, cell func(i, j int) string, label func(i int) string) []byte {
		var b strings.Builder
		for i := range n {
			for j := range width {
				b.WriteString(cell(i, j) + ",")
			}
			b.WriteString(label(i) + "\n")
		}
		return []byte(b.String())
	}
	sparse := func(i, j int) string { return []string{"0", "-0", "0.00", "1", "2.5"}[min(rng.IntN(40), 4)] }
	dense := func(i, j int) string { return fmt.Sprint(rng.NormFloat64()) }
	gaps := func(i, j int) string { return []string{"", "3"}[min(1, rng.IntN(9))] }
	word := func(i int) string { return []string{"u", "v", "w"}[rng.IntN(3)] }
	for name, c := range map[string]struct {
		text    []byte
		options Options
	}{
		"sparse":             {rows(3000, 130, sparse, word), Options{}},
		"sparse, 64 inputs":  {rows(3000, 64, sparse, word), Options{}},
		"dense":              {rows(3000, 70, dense, word), Options{}},
		"one input":          {rows(3000, 1, dense, word), Options{}},
		"equal numbers":      {rows(3000, 2, dense, func(i int) string { return []string{"1", "1.0", "+1", "2", "2e0"}[i%5] }), Options{}},
		"few numbers":        {rows(3000, 2, dense, func(i int) string { return fmt.Sprint(i%100) + ".5" }), Options{}},
		"many numbers":       {rows(9000, 2, dense, func(i int) string { return fmt.Sprint(2*i + 5) }), Options{}},
		"regression":         {rows(3000, 2, dense, func(i int) string { return fmt.Sprint(5 - i%3) }), Options{Task: Regression}},
		"gaps, mean":         {rows(3000, 3, gaps, word), Options{Missing: rff.MissingMean}},
		"gaps, dropped":      {rows(3000, 3, gaps, word), Options{Missing: rff.MissingDrop}},
		"no label":           {rows(3000, 3, dense, word), Options{Task: Unlabelled, Inputs: []string{"1", "2"}}},
		"weights and groups": {rows(3000, 3, func(i, j int) string { return fmt.Sprint((i * j) % 7) }, word), Options{Weights: "2", Groups: "3"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := c.options
			o.FS = fstest.MapFS{"a": {Data: c.text}, "b": {Data: c.text}}
			scan := func(keep int64) *Summary {
				o.ours.Keep = keep
				f, err := Open(context.Background(), o, "a", "b")
				if err != nil {
					t.Fatal(err)
				}
				s, err := f.Scan(context.Background(), nil)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			again, kept := scan(0), scan(64<<20)
			if again.kept != nil || kept.kept == nil {
				t.Fatal("kept:", again.kept != nil, kept.kept != nil)
			}
			want := digestOf(t, again.Source())
			if got := digestOf(t, kept.Source()); got != want {
				t.Error("the rows kept are others than those of the files")
			}
			if few := scan(1 << 20); few.kept != nil && few.kept.size > 1<<20 {
				t.Errorf("%d bytes kept where 1 MiB is allowed", few.kept.size)
			} else if got := digestOf(t, few.Source()); got != want {
				t.Error("with little room the rows are others")
			}
			if kept.Rows != again.Rows || !slices.Equal(kept.Coding.Classes, again.Coding.Classes) {
				t.Error(kept.Rows, again.Rows, kept.Coding, again.Coding)
			}
		})
	}
}
