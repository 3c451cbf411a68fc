package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(b)) }

// By hand: five rows of a, one of b, two of c, which no row is named.
func TestLabels(t *testing.T) {
	l := NewLabels(4)
	for _, r := range [][2]int{{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}} {
		l.Add(r[0], r[1], math.NaN(), 1)
	}
	l.AddProbabilities(1, []float64{.1, .25, .6, .05}, 8)
	c := l.Result()
	if c.Rows != 8 || !near(c.Accuracy, 5./8) || c.Common != 0 || !near(c.Guess, 5./8) || !near(c.Balanced, (0.8+1+0)/3) || !near(c.LogLoss, math.Log(4)) || !math.IsNaN(c.AUC) {
		t.Errorf("%+v", c)
	}
	if !near(c.Recall[0], 0.8) || c.Recall[1] != 1 || c.Recall[2] != 0 || !math.IsNaN(c.Recall[3]) {
		t.Errorf("recall %v", c.Recall)
	}
}

// The area under the ROC curve is the share of pairs in the right order, equal scores
// counting one half: by all pairs, with weights.
func TestArea(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	l := NewLabels(2)
	var rows []score
	for range 300 {
		s := score{math.Round(8 * rng.NormFloat64()), 0.5 + rng.Float64(), false}
		if s.second = rng.IntN(3) == 0; s.second {
			s.value += 4
		}
		rows = append(rows, s)
		own := 0
		if s.second {
			own = 1
		}
		l.Add(own, own, s.value, s.weight)
	}
	var right, pairs float64
	for _, a := range rows {
		for _, b := range rows {
			if a.second && !b.second {
				w := a.weight * b.weight
				pairs += w
				if a.value > b.value {
					right += w
				} else if a.value == b.value {
					right += w / 2
				}
			}
		}
	}
	got := l.Result()
	if !near(got.AUC, right/pairs) || got.AUC < 0.55 || got.AUC > 0.95 {
		t.Errorf("area %v, by pairs %v", got.AUC, right/pairs)
	}
	// The curve falls from (1, 1) to (0, 0), and every point of it is that of a limit.
	if n := len(got.ROC); n < 10 || got.ROC[0] != [2]float64{1, 1} || math.Abs(got.ROC[n-1][0])+math.Abs(got.ROC[n-1][1]) > 1e-12 {
		t.Fatalf("curve %v", got.ROC)
	}
	for _, p := range got.ROC {
		found := false
		for limit := -30.; limit <= 40 && !found; limit++ {
			var above, all [2]float64
			for _, r := range rows {
				all[btoi(r.second)] += r.weight
				if r.value > limit {
					above[btoi(r.second)] += r.weight
				}
			}
			found = math.Abs(p[0]-above[0]/all[0])+math.Abs(p[1]-above[1]/all[1]) < 1e-12
		}
		if !found {
			t.Errorf("the point %v is that of no limit", p)
		}
	}
}

// Confusions are the most frequent first, and rows named right are none. Probabilities are
// those of the likeliest class, in tenths; a weight counts as so many rows, but one.
func TestConfusionsAndCalibration(t *testing.T) {
	l := NewLabels(3)
	for _, r := range []struct {
		own, named int
		p          []float64
		weight     float64
	}{{0, 0, []float64{.5, .3, .2}, 2}, {0, 2, []float64{.3, .14, .56}, 1}, {0, 1, []float64{0, 1, 0}, 3}, {2, 1, []float64{.02, .96, .02}, .5}, {1, 1, []float64{.1, .9, 0}, 1.5}, {0, 2, []float64{.3, .14, .56}, 0}, {0, 2, []float64{.25, .25, .5}, 3}} {
		l.Add(r.own, r.named, 0, r.weight)
		l.AddProbabilities(r.own, r.p, r.weight)
	}
	c := l.Result()
	if want := []Confusion{{0, 2, 4}, {0, 1, 3}, {2, 1, .5}}; !slices.Equal(c.Confused, want) || !slices.Equal(c.Weights, []float64{9, 1.5, .5}) {
		t.Errorf("confused %v, weights %v", c.Confused, c.Weights)
	}
	// In the sixth tenth weights 2, 1, 0 and 3, of which 2 are right.
	share := 2. / 6
	want := []Probability{{4, (2*.5 + .56 + 3*.5) / 6, share, math.Sqrt(share*(1-share)*14) / 6}, {3, (3 + .5*.96 + 1.5*.9) / 5, .3, math.Sqrt(.3*.7*(9+.25+2.25)) / 5}}
	for i, w := range want {
		if i >= len(c.Calibration) || c.Calibration[i].Rows != w.Rows || !near(c.Calibration[i].Given, w.Given) || !near(c.Calibration[i].True, w.True) || !near(c.Calibration[i].StdErr, w.StdErr) {
			t.Fatalf("calibration %+v, want %+v", c.Calibration, want)
		}
	}
	many := NewLabels(200) // pairs beyond those that are told apart are not kept
	for i := range 200 * 200 {
		many.Add(i/200, i%200, 0, 1)
	}
	if n := len(many.Result().Confused); n != mostPairs {
		t.Errorf("%d pairs", n)
	}
}

// More rows than are kept: a classifier that tells nothing has area ½, to within the
// standard error that the number of kept rows allows.
func TestAreaOfManyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	l := NewLabels(2)
	for i := range 3 * mostScores / 2 {
		own := i % 2
		value := rng.Float64()
		if i >= mostScores { // these must take part, too
			value += float64(own)
		}
		l.Add(own, 0, value, 1)
	}
	// Two thirds of the rows of the second class are like those of the first, the others
	// above them all.
	want := 2./3*0.5 + 1./3
	if got := l.Result().AUC; math.Abs(got-want) > 5*0.5/math.Sqrt(mostScores) || len(l.scores) != mostScores {
		t.Errorf("area %v of %d scores, want %v", got, len(l.scores), want)
	}
}

func TestNumbers(t *testing.T) {
	var s Numbers
	truth, f, w := []float64{1e9 + 1, 1e9 + 2, 1e9 + 4, 1e9 + 9}, []float64{1e9, 1e9 + 2, 1e9 + 6, 1e9 + 8}, []float64{1, 2, 1, 0}
	for i := range truth {
		s.Add(truth[i], f[i], w[i])
	}
	// Mean 2.25 + 1e9, squared deviations 1.5625 + 2·0.0625 + 3.0625 = 4.75.
	r := s.Result()
	if r.Rows != 4 || !near(r.RMSE, math.Sqrt(5./4)) || !near(r.MAE, 3./4) || math.Abs(r.Spread-math.Sqrt(4.75/4)) > 1e-6 || math.Abs(r.R2-(1-5/4.75)) > 1e-6 {
		t.Errorf("%+v", r)
	}
	if want := [][2]float64{{1e9, 1e9 + 1}, {1e9 + 2, 1e9 + 2}, {1e9 + 6, 1e9 + 4}}; !slices.Equal(r.Points, want) {
		t.Errorf("points %v", r.Points)
	}
	// Of many rows those kept are a sample: the mean of their numbers is that of all, to
	// within five standard errors.
	var all Numbers
	for i := range 20000 {
		all.Add(float64(i), 0, 1)
	}
	mean := 0.0
	for _, p := range all.Result().Points {
		mean += p[1] / mostPoints
	}
	if n := len(all.Result().Points); n != mostPoints || math.Abs(mean-10000) > 5*20000/math.Sqrt(12*mostPoints) {
		t.Errorf("%d points of mean %v", n, mean)
	}
	var same Numbers
	same.Add(3, 2, 1)
	same.Add(3, 4, 1)
	if r := same.Result(); !math.IsNaN(r.R2) || r.Spread != 0 || r.RMSE != 1 {
		t.Errorf("%+v", r)
	}
}
