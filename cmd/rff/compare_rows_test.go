package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/rffgo/rff/cmd/rff/fits"
)

// compared is what these tests read of rff compare --json.
type compared struct {
	Notes []string
	Cells []struct {
		Score, Lambda float64
		Measures      fits.Values
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

// Rows that repeat are on one side of the division, too: labels drawn by a coin are not
// known from a copy of the row.
func TestCompareRepeats(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(2, 11))
	b := []byte("a,b,kind\n")
	for range 60 {
		row := fmt.Sprintf("%.6f,%.6f,%v\n", rng.NormFloat64(), rng.NormFloat64(), rng.IntN(2) == 0)
		b = append(b, strings.Repeat(row, 6)...)
	}
	save(t, ".", "t.csv", b)
	r := compareJSON(t, "--data t.csv --sigma 0.2 --lambda 1e-6")
	if r.Cells[0].Score > 80 || !strings.Contains(fmt.Sprint(r.Notes), "300 rows have the inputs of an earlier row") {
		t.Errorf("accuracy %v of labels by a coin; notes %q", r.Cells[0].Score, r.Notes)
	}
}

// Consecutive rows that are alike stay on one side of the division, as those of a group do: labels
// of runs by a coin are then guessed, also where λ is given.
func TestCompareRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(5, 10))
	b := []byte("run,a,b,side\n")
	var x, y float64
	side := "left"
	for i := range 600 {
		if i%10 == 0 {
			x, y, side = rng.NormFloat64(), rng.NormFloat64(), []string{"left", "right"}[rng.IntN(2)]
		}
		b = fmt.Appendf(b, "%d,%.6f,%.6f,%s\n", i/10, x+1e-3*rng.NormFloat64(), y+1e-3*rng.NormFloat64(), side)
	}
	save(t, ".", "t.csv", b)
	for _, lambda := range []string{"", " --lambda 1e-6"} {
		score := func(args string) float64 {
			return compareJSON(t, "--data t.csv --inputs a,b --label side --sigma 0.2 "+args+lambda).Cells[0].Score
		}
		apart, runs, groups := score(""), score("--fold-rows 10"), score("--folds-by run")
		if apart < 90 || runs > 80 || groups > 80 { // 15 coins are above 80 % with a chance of 2 %, and these are not
			t.Errorf("%s: accuracy %v of rows by themselves, %v of runs, %v of groups", lambda, apart, runs, groups)
		}
	}
}

// A bandwidth by cross-validation holds out runs too: where neighbours are alike, that of single
// rows is so narrow that nothing of the slope is left once λ is chosen on runs.
func TestBandwidthOfRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(6, 10))
	b := []byte("a,b,y\n")
	var x, y, level float64
	for i := range 600 {
		if i%10 == 0 {
			x, y, level = rng.NormFloat64(), rng.NormFloat64(), 0.7*rng.NormFloat64()
		}
		b = fmt.Appendf(b, "%.6f,%.6f,%.4f\n", x+1e-3*rng.NormFloat64(), y+1e-3*rng.NormFloat64(), x+level)
	}
	save(t, ".", "t.csv", b)
	told := ok(t, "fit --data t.csv --label y --sigma cv --features 64 --fold-rows 10 --model m").out
	// A line explains 1/(1 + 0.7²) of the variance of a run's level.
	if r2 := numberAfter(t, told, "R²"); r2 < 0.4 {
		t.Errorf("R² %v on runs held out: %s", r2, told)
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
	if m := c.Measures; m[fits.Guess] < 0.7 || m[fits.Guess] > 0.9 || m[fits.Balanced] < 0.85 || m[fits.AUC] < 0.95 || len(weighed.Notes) == 0 {
		t.Errorf("%+v", weighed)
	}
	// Of a regression the RMSE of the mean follows from R² and RMSE.
	save(t, ".", "r.csv", slope(300, 0, 2))
	r := compareJSON(t, "--data r.csv")
	var sum float64
	for _, c := range r.Cells {
		sum += c.Measures[fits.RMSE] / math.Sqrt(1-c.Measures[fits.R2]) / 2
	}
	if got := numberAfter(t, fmt.Sprint(r.Notes), "the mean always has RMSE"); math.Abs(got/sum-1) > 1e-4 {
		t.Errorf("the mean has %v, said in %q", sum, r.Notes)
	}
	// Another criterion chooses another λ, and what is of no use is refused.
	if gcv := compareJSON(t, "--data r.csv --criterion gcv --seed 3"); !(gcv.Cells[0].Lambda > 0) {
		t.Errorf("%+v", gcv)
	}
	refused(t, "compare --data r.csv --criterion gcv --lambda 1e-3", "--criterion is of no use")
	refused(t, "compare --data r.csv --folds-by a --fold-rows 3", "--fold-rows does not go with --folds-by")
}

// A comparison says of a rare class what fit and predict say: its recall, which balanced
// classes raise, and with probabilities the log loss.
func TestCompareClasses(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "t.csv", rare(600, 2, 1))
	plain := compareJSON(t, "--data t.csv").Cells[0].Measures
	even := compareJSON(t, "--data t.csv --class-weight balanced").Cells[0].Measures
	if plain["recall of yes"] != plain[fits.LeastRecall] || plain["recall of no"] < 0.9 || math.Abs(plain[fits.Balanced]-(plain["recall of yes"]+plain["recall of no"])/2) > 1e-12 {
		t.Errorf("%v", plain)
	}
	if even["recall of yes"] < plain["recall of yes"]+0.15 || math.Abs(even[fits.Accuracy]-even[fits.Balanced]) > 0.02 {
		t.Errorf("%v, with balanced classes %v", plain, even)
	}
	if _, known := plain[fits.LogLoss]; known {
		t.Errorf("a log loss without probabilities: %v", plain)
	}
	// A guess by the base rate, one in ten, has a log loss of .325.
	if v := compareJSON(t, "--data t.csv --probabilities").Cells[0].Measures[fits.LogLoss]; !(v > 0.05 && v < 0.325) {
		t.Errorf("log loss %v", v)
	}
	out := ok(t, "compare --data t.csv --samplers rff --features 64 --probabilities --html r.html").out
	for _, name := range []string{"balanced %", "least recall %", "ROC AUC", "log loss"} {
		if !strings.Contains(out, name) || !strings.Contains(read(t, "r.html"), name+"</th>") {
			t.Errorf("no %s in\n%s", name, out)
		}
	}
	if out := ok(t, "compare --data t.csv --samplers rff --features 64 --class-weight balanced").out; !strings.Contains(out, "accuracy %: share of the weight of the test rows") {
		t.Errorf("the accuracy of weighed rows is not called so:\n%s", out)
	}
	save(t, ".", "r.csv", slope(100, 0, 2))
	refused(t, "compare --data r.csv --class-weight balanced", "--class-weight", "a regression has none")
	refused(t, "compare --data r.csv --probabilities", "--probabilities", "a regression has none")
}

// A word that no training row has is refused, or is none of the words: then the test row
// is predicted as one without it, whatever the scaling.
func TestCompareUnseen(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(4, 4))
	b := []byte("job,a,y\n")
	for i := range 60 {
		job := []string{"cook", "nurse"}[i%2]
		if i == 7 {
			job = "baker"
		}
		b = fmt.Appendf(b, "%s,%.5f,%.5f\n", job, rng.NormFloat64(), float64(i%2)+0.1*rng.NormFloat64())
	}
	save(t, ".", "t.csv", b)
	args := "compare --samplers rff --features 64 --reps 8 --categories job --sigma 2 --scale none --json - --data "
	refused(t, args+"t.csv --unseen error", `"baker"`, `"job"`, "row 8")
	zero := ok(t, args+"t.csv --unseen zero").out
	if byDefault := ok(t, args+"t.csv").out; withoutTimes(zero) != withoutTimes(byDefault) {
		t.Error("another default")
	}
}

// withoutTimes removes what differs from run to run from the JSON of a comparison.
func withoutTimes(text string) string {
	return regexp.MustCompile(`"\w+_(seconds|bytes)": [^,\n]*`).ReplaceAllString(text, "")
}

// A run is of consecutive rows of the data, wherever files end, and a row of weight 0 is none.
func TestRunsAreOfTheData(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(5, 7))
	var rows, weighed []string
	var x float64
	for i := range 400 {
		if i%10 == 0 {
			x = rng.NormFloat64()
		}
		row := fmt.Sprintf("%.6f,%.6f,%.6f", x+1e-3*rng.NormFloat64(), rng.NormFloat64(), x+rng.NormFloat64())
		rows, weighed = append(rows, row+",1\n"), append(weighed, row+",1\n")
		if i%6 == 0 {
			weighed = append(weighed, row+",0\n")
		}
	}
	write := func(name string, rows []string) { save(t, ".", name, []byte("a,b,y,w\n"+strings.Join(rows, ""))) }
	write("all.csv", rows)
	write("z.csv", rows[:133])
	write("a.csv", rows[133:])
	write("w.csv", weighed)
	for _, command := range []string{"fit --model m --json", "compare --samplers rff --reps 1 --json -"} {
		said := func(data string) string {
			var r map[string]json.RawMessage
			out := ok(t, command+" --label y --inputs a,b --features 64 --sigma cv --fold-rows 10 "+data).out
			if err := json.Unmarshal([]byte(out), &r); err != nil {
				t.Fatal(err)
			}
			return string(r["kernel"]) + string(r["held_out"]) + withoutTimes(string(r["cells"]))
		}
		want := said("--data all.csv")
		for _, data := range []string{"--data z.csv,a.csv", "--data w.csv --weights w"} {
			if got := said(data); got != want {
				t.Errorf("%s of %s: %s, want %s", command, data, got, want)
			}
		}
	}
}
