package rffbeam

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/rffgo/rff/krr"
)

func init() {
	beam.RegisterFunction(scaledText)
	beam.RegisterFunction(scoredText)
	beam.RegisterFunction(kernelText)
}

// Beam knows functions by names, which those of type parameters share.
func scaledText(v Scaled) ([]byte, error) { return json.Marshal(v) }
func scoredText(v Scored) ([]byte, error) { return json.Marshal(v) }
func kernelText(v string) ([]byte, error) { return json.Marshal(v) }

// The parts of a plan are what the plan has: scaling, kernel, and the features that the
// scores pick.
func TestPartsOfAPlan(t *testing.T) {
	t.Parallel()
	all := filepath.Join(parts(t, 3, 400), "*.csv")
	for _, sampler := range []string{"surrogate", "leverage", "eerf"} {
		p := Planning{Features: 32, Sampler: sampler, Seed: 5}
		g, err := krr.ReadGram(bytes.NewReader(plan(t, all, p)))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		read := func(name string, v any) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(data, v); err != nil {
				t.Fatal(err)
			}
		}
		if err := run(t, func(s beam.Scope) {
			WriteBytes(s, filepath.Join(dir, "scaling"), beam.ParDo(s, scaledText, Scaling(s, all, Reading{}, p)))
			WriteBytes(s, filepath.Join(dir, "kernel"), beam.ParDo(s, kernelText, Bandwidth(s, all, Reading{}, p)))
			WriteBytes(s, filepath.Join(dir, "scores"), beam.ParDo(s, scoredText, Scores(s, all, Reading{}, p)))
		}); err != nil {
			t.Fatal(err)
		}
		var scaled Scaled
		var kernel string
		var scored Scored
		read("scaling", &scaled)
		read("kernel", &kernel)
		read("scores", &scored)
		want := g.Settings().Scaling
		if !slices.Equal(scaled.Shift, want.Shift) || !slices.Equal(scaled.Scale, want.Scale) || strings.Join(scaled.Inputs, "") != "abc" {
			t.Errorf("%s: scaling %+v, that of the plan %+v", sampler, scaled, want)
		}
		if !strings.HasPrefix(kernel, "gaussian") {
			t.Errorf("%s: kernel %s", sampler, kernel)
		}
		if len(scored.Scores) != 64 || len(scored.Picked) != 16 || scored.Rows == 0 { // 4 × 32 columns, in pairs
			t.Errorf("%s: %d scores, %d picked, %d rows", sampler, len(scored.Scores), len(scored.Picked), scored.Rows)
		}
		if sampler == "eerf" { // the best ones
			for k, v := range scored.Scores {
				if !slices.Contains(scored.Picked, k) && v > scored.Scores[scored.Picked[0]] && v > slices.Max(pick(scored.Scores, scored.Picked)) {
					t.Errorf("candidate %d of score %g was left out", k, v)
				}
			}
		}
	}
	if err := run(t, func(s beam.Scope) {
		beam.ParDo(s, scoredText, Scores(s, all, Reading{}, Planning{Features: 32, Sampler: "orf"}))
	}); err == nil || !strings.Contains(err.Error(), "score") {
		t.Errorf("scores of a sampler that has none: %v", err)
	}
}

func pick(v []float64, at []int) []float64 {
	var out []float64
	for _, i := range at {
		out = append(out, v[i])
	}
	return out
}
