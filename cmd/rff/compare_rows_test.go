package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// compared is what these tests read of rff compare --json.
type compared struct {
	Notes []string
	Cells []struct {
		Score, Guess float64
		Balanced     float64 `json:"balanced_accuracy"`
		AUC          float64 `json:"roc_auc"`
		RMSE, R2     float64
		Lambda       float64
	}
}

func compareJSON(t *testing.T, args string) (r compared) {
	t.Helper()
	if err := json.Unmarshal([]byte(ok(t, "compare --samplers rff --features 64 --reps 2 --json - "+args).out), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// Rows of a group are on one side of the division: what repeats within it is no success.
func TestCompareGroups(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(2, 9))
	b := []byte("g,a,b,kind\n")
	for g := range 60 {
		x, y, kind := rng.NormFloat64(), rng.NormFloat64(), rng.IntN(2) == 0
		for range 6 {
			b = fmt.Appendf(b, "g%d,%.6f,%.6f,%v\n", g, x+1e-3*rng.NormFloat64(), y+1e-3*rng.NormFloat64(), kind)
		}
	}
	save(t, ".", "t.csv", b)
	leaks := compareJSON(t, "--data t.csv --inputs a,b --sigma 0.2 --lambda 1e-6")
	apart := compareJSON(t, "--data t.csv --inputs a,b --sigma 0.2 --lambda 1e-6 --folds-by g")
	if leaks.Cells[0].Score < 90 || apart.Cells[0].Score > 80 {
		t.Errorf("accuracy %v, with rows of a group together %v", leaks.Cells[0].Score, apart.Cells[0].Score)
	}
}

// Rows of weight 0 count in neither the fits nor the scores, and every form of a
// comparison says what guessing has.
func TestCompareWeights(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(2, 10))
	b := []byte("a,b,w,kind\n")
	for i := range 400 {
		x, y := rng.NormFloat64(), rng.NormFloat64()
		kind, weight := x > 0.8, 1
		if i%4 == 0 {
			kind, weight = !kind, 0
		}
		b = fmt.Appendf(b, "%.6f,%.6f,%d,%v\n", x, y, weight, kind)
	}
	save(t, ".", "t.csv", b)
	all := compareJSON(t, "--data t.csv --inputs a,b")
	weighed := compareJSON(t, "--data t.csv --inputs a,b --weights w")
	c := weighed.Cells[0]
	if all.Cells[0].Score > 85 || c.Score < 93 {
		t.Errorf("accuracy %v, without the rows of weight 0 %v", all.Cells[0].Score, c.Score)
	}
	if c.Guess < 70 || c.Guess > 90 || c.Balanced < 85 || c.AUC < 0.95 || len(weighed.Notes) == 0 {
		t.Errorf("%+v", weighed)
	}
	// Of a regression the RMSE of the mean follows from R² and RMSE.
	save(t, ".", "r.csv", slope(300, 0, 2))
	r := compareJSON(t, "--data r.csv")
	var sum float64
	for _, c := range r.Cells {
		sum += c.RMSE / math.Sqrt(1-c.R2) / 2
	}
	if got := numberAfter(t, fmt.Sprint(r.Notes), "the mean always has RMSE"); math.Abs(got/sum-1) > 1e-4 {
		t.Errorf("the mean has %v, said in %q", sum, r.Notes)
	}
	// Another criterion chooses another λ, and what is of no use is refused.
	if gcv := compareJSON(t, "--data r.csv --criterion gcv --seed 3"); !(gcv.Cells[0].Lambda > 0) {
		t.Errorf("%+v", gcv)
	}
	refused(t, "compare --data r.csv --criterion gcv --lambda 1e-3", "--criterion is of no use")
	refused(t, "compare --data r.csv --criterion gcv --fold-rows 3", "--fold-rows is of no use")
	refused(t, "compare --data r.csv --folds-by a --fold-rows 3", "--fold-rows does not go with --folds-by")
}
