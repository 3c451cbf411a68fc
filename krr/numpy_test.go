package krr_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/require"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// numpy returns a Python with NumPy, or skips.
func numpy(t *testing.T) string {
	for _, p := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(p, "-c", "import numpy").Run() == nil {
			return p
		}
	}
	require.Absent(t, require.Python, "no Python here has NumPy (Debian: python3-numpy)")
	return ""
}

// The reader in docs reproduces the predictions of every kind of model.
func TestNumPyReader(t *testing.T) {
	python := numpy(t)
	const d = 5
	scaling := rff.Scaling{Shift: []float64{1, 2, 3, 4, 5}, Scale: []float64{1, 2, 0.5, 3, 4}}
	for name, s := range map[string]rff.Sampler{
		"mc":       sampling.MonteCarlo{},
		"bias":     sampling.MonteCarlo{Form: rff.CosBias},
		"sorf":     sampling.SORF{},
		"fastfood": sampling.Fastfood{},
		"compact":  sampling.Compact{},
		"arccos":   sampling.ArcCosine{Order: 1},
	} {
		var k rff.Kernel = rff.NewGaussian(2)
		if name == "arccos" {
			k = rff.ArcCosine{Order: 1}
		}
		m, err := s.Sample(context.Background(), k, d, 32, nil, rand.NewPCG(1, 2))
		if err != nil {
			t.Fatal(name, err)
		}
		for _, train := range []*rows{synthetic(1, 200, d, 2, 0.1), classes(2, 200, d, "a", "b", "c")} {
			model, _, err := krr.Fit(context.Background(), m, train, krr.Settings{Lambda: 1e-3, Scaling: scaling, ClipPredictions: true})
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "model.rff")
			if err := model.Save(path); err != nil {
				t.Fatal(err)
			}
			test := synthetic(3, 40, d, 1, 0)
			var in bytes.Buffer
			for i := range 40 {
				for j, v := range test.x.Row(i) {
					if j > 0 {
						in.WriteByte(',')
					}
					in.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
				}
				in.WriteByte('\n')
			}
			cmd := exec.Command(python, filepath.Join("..", "docs", "read_model.py"), path)
			cmd.Stdin = &in
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(name, err)
			}
			var want mat.Dense
			if err := model.Predict(&want, dense(test.x)); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			if len(lines) != 40 {
				t.Fatalf("%s: %d lines", name, len(lines))
			}
			for i, line := range lines {
				for k, f := range strings.Split(line, ",") {
					v, err := strconv.ParseFloat(f, 64)
					if err != nil {
						t.Fatal(err)
					}
					if w := want.At(i, k); math.Abs(v-w) > 1e-12*max(1, math.Abs(w)) {
						t.Errorf("%s row %d: NumPy %v, ours %v (%s)", name, i, v, w, fmt.Sprint(v-w))
					}
				}
			}
		}
	}
}
