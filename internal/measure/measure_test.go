package measure

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(b)) }

// By hand: five rows of a, one of b, two of c, which no row is named.
func TestLabels(t *testing.T) {
	l := NewLabels(4)
	for _, r := range [][2]int{{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}} {
		l.Add(r[0], r[1], math.NaN(), 1)
	}
	l.AddProbability(0.25, 8)
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
	if got := l.Result().AUC; !near(got, right/pairs) || got < 0.55 || got > 0.95 {
		t.Errorf("area %v, by pairs %v", got, right/pairs)
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
	var same Numbers
	same.Add(3, 2, 1)
	same.Add(3, 4, 1)
	if r := same.Result(); !math.IsNaN(r.R2) || r.Spread != 0 || r.RMSE != 1 {
		t.Errorf("%+v", r)
	}
}
