package liu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/bench/reproduce/reproducetest"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
)

// A cell of every kind is measured on made-up rows: plain features come near the exact
// kernel, and a tuned λ is no worse than 1/√n.
func TestTable1Cells(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	table := &dataset.Table{X: blas.NewGeneral[float64](1500, 2), Coding: dataset.Coding{Task: dataset.Regression}}
	for i := range table.X.Rows {
		row := table.X.Row(i)
		row[0], row[1] = rng.NormFloat64(), rng.NormFloat64()
		table.Y = append(table.Y, 7+2*math.Sin(2*row[0])+0.5*rng.NormFloat64())
	}
	var errors [2]float64
	for i, tuned := range []bool{false, true} {
		d := &dimensions{name: "made", table: table, tuned: tuned}
		got := map[string]reproduce.Cell{}
		for _, s := range table1Samplers {
			c := reproduce.Cell{Key: reproduce.Key{Data: "made", Sampler: s, Size: 500, Seed: 3}, Values: map[string]float64{}}
			if err := d.Measure(context.Background(), &c); err != nil {
				t.Fatal(s, err)
			}
			got[s] = c
		}
		exact := got[exactly].Values
		errors[i] = exact["error"]
		if !tuned && exact["lambda"] != 1/math.Sqrt(500) {
			t.Errorf("λ is %v", exact["lambda"])
		}
		if !(exact["d"] > 1 && exact["d"] < exact["D"] && exact["D"] < exact["theorem"] && exact["D"] >= 1/exact["lambda"]) {
			t.Errorf("%v", exact)
		}
		for _, s := range table1Samplers[1:] {
			// 512 frequencies in two inputs: a kernel error of about 3 %.
			if e := got[s].Values["error_512"] / exact["error"]; !(e > 0.9 && e < 1.1) {
				t.Errorf("%s: %.3f of the exact error", s, e)
			}
		}
	}
	if errors[1] > 1.05*errors[0] {
		t.Errorf("errors %v", errors)
	}
}

// Words and rows come from the cells: what is enough, what was not, and the exponents.
func TestTable1Document(t *testing.T) {
	o := reproduce.Options{Sets: []string{"eeg", "adult"}, Reps: 1, Sizes: []int{500, 1000, 2000}}
	text := reproducetest.Markdown(t, Table1(), reproduce.Published, o, func(k reproduce.Key) (values, seconds map[string]float64) {
		if k.Data == "adult" {
			return nil, nil
		}
		n := float64(k.Size)
		values = map[string]float64{"lambda": 1 / math.Sqrt(n)}
		if k.Sampler == exactly {
			values["d"], values["D"], values["theorem"], values["error"] = math.Pow(n, 0.25), math.Sqrt(n), 3200, 0.5
		}
		for _, f := range table1Frequencies {
			e := 0.5
			if f < 64 || k.Sampler == leverage { // never enough
				e = 0.6
			}
			values[fmt.Sprintf("error_%d", f)] = e
		}
		return values, nil
	})
	for _, want := range []string{"eeg 0.25 and 0.50", "eeg 3200, where 64 plain ones are enough", "Where enough were tried, that is 50 times as many", "| eeg | 500 | 1 | 0.045 | 4.7 | 22.36 | 3200 | 185 | 0.5000 | 64 | > 512 | 64 | 39 | 41 | 139 |", "| adult | 500 |  | no data |"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
