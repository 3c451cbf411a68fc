package krr_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/boost"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// The table of docs/model-format.md bounds how far read_model.py's predictions are from
// Predict's, of every kind of map and at training rows, too, some of which are landmarks;
// go test -run HowNear -update writes four times the largest differences of this machine, since
// another NumPy adds in another order.
func TestHowNear(t *testing.T) {
	if testing.Short() {
		t.Skip("Python reads each of 24 models")
	}
	t.Parallel() // with other tests that wait for Python
	python := numpy(t)
	const page, begin, end = "../docs/model-format.md", "<!-- near -->\n", "<!-- /near -->\n"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	have, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no table", page)
	}
	update := flag.Lookup("update").Value.String() == "true"
	x, y := waves(300, 4, 1)
	more, _ := waves(50, 4, 2)
	var at mat.Dense
	at.Stack(more, x.Slice(0, 100, 0, 4))
	var lines []string
	for i := range 150 {
		lines = append(lines, line(at.RawRowView(i), 0, 1, 2, 3))
	}
	gaussian, sections := rff.NewGaussian(1.5), sampling.Nystrom{}
	type maps struct {
		sampler rff.Sampler
		kernel  rff.Kernel
	}
	dense := []maps{{sampling.MonteCarlo{}, gaussian}, {sampling.MonteCarlo{}, rff.NewLaplacian(2)}, {sampling.ORF{}, gaussian}, {sampling.SORF{}, gaussian},
		{sampling.Fastfood{}, gaussian}, {sampling.Compact{}, gaussian}, {sampling.Metric{Fast: true}, gaussian}, {sampling.Refined{Metric: sampling.Metric{Fast: true}}, gaussian}, {boost.Sampler{Depth: 3, Trees: 64}, gaussian}}
	want := "| map | largest difference |\n|---|---:|\n"
	for _, c := range []struct {
		name     string
		settings krr.Settings
		maps     []maps
	}{
		{"dense and structured, learned ones", krr.Settings{}, dense},
		{"`gaussian`, `l1`, `l3/2`, `matern 3/2` and `matern 5/2` sections", krr.Settings{}, []maps{{sections, gaussian}, {sections, rff.NewLaplacian(2)}, {sections, rff.NewExponentialPower(1.5, 1.5, 2)}, {sections, rff.NewMatern(1.5, 2)}, {sections, rff.NewMatern(2.5, 2)}}},
		{"`exponential` sections, where a row is a landmark or next to one", krr.Settings{}, []maps{{sections, rff.NewMatern(0.5, 2)}}},
		{"any, of `precision` float32", krr.Settings{Precision: krr.Float32}, dense},
	} {
		largest := 0.0
		var paths []string
		var ours []*mat.Dense
		for i, m := range c.maps {
			features, err := m.sampler.Sample(context.Background(), rff.Request{Kernel: m.kernel, Dim: 4, Features: 64, Data: rowsOf(t, x, y), Rand: rand.NewPCG(1, 1)})
			if err != nil {
				t.Fatal(c.name, i, err)
			}
			c.settings.Lambdas, c.settings.Engine = []float64{1e-6}, native()
			model, _, err := krr.Fit(context.Background(), features, rowsOf(t, x, y), c.settings)
			if err != nil {
				t.Fatal(c.name, i, err)
			}
			paths, ours = append(paths, filepath.Join(t.TempDir(), "model")), append(ours, &mat.Dense{})
			if err := model.Save(paths[i]); err != nil {
				t.Fatal(err)
			}
			if err := model.Predict(ours[i], &at); err != nil {
				t.Fatal(err)
			}
		}
		for i, records := range readModels(t, python, paths, lines) {
			for r, record := range records[1:] {
				for k, text := range record {
					v, err := strconv.ParseFloat(text, 64)
					if err != nil {
						t.Fatal(err)
					}
					largest = max(largest, math.Abs(v-ours[i].At(r, k))/max(1, math.Abs(ours[i].At(r, k))))
				}
			}
		}
		row := fmt.Sprintf("| %s | ", c.name)
		want += fmt.Sprintf("%s%.0e |\n", row, 4*largest)
		_, said, _ := strings.Cut(have, row)
		said, _, _ = strings.Cut(said, " ")
		if v, err := strconv.ParseFloat(said, 64); !update && (err != nil || largest > v || largest < v/100) {
			t.Errorf("%s: the page says %s, and it is %.2g: go test -update", c.name, said, largest)
		}
	}
	if update {
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
