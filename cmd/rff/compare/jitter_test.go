package compare

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff/dataset"
)

// A comparison says of which sampler a diagonal needed jitter, and how its bandwidth was
// searched; of random features it says neither.
func TestJitterIsSaid(t *testing.T) {
	var text strings.Builder
	text.WriteString("x,y\n")
	for i := range 120 {
		text.WriteString([]string{"0,1\n", "1,2\n", "2,1.5\n"}[i%3]) // three distinct rows
	}
	path := filepath.Join(t.TempDir(), "few.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := dataset.Read(context.Background(), dataset.Options{Label: "y"}, path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), table, Settings{Samplers: []string{"rff", "nystrom"}, Features: []int{16}, Reps: 2, Kernel: "gaussian", Bandwidth: CrossValidated, Untimed: true, Test: 0.25, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	has := func(sampler, what string) bool {
		return slices.ContainsFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, sampler+":") && strings.Contains(n, what) })
	}
	if !has("nystrom", "2 of 2 fits") || !has("nystrom", "searched with random features") || has("rff", "") {
		t.Errorf("notes %q", r.Notes)
	}
	for _, c := range r.Cells {
		if (c.Sampler == "nystrom") != (c.Jitter > needed) {
			t.Errorf("%s: jitter %v", c.Sampler, c.Jitter)
		}
	}
}
