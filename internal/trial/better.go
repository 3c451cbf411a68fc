package trial

import (
	"math"

	"github.com/rffgo/rff/internal/stream"
)

// Difference says how much lower the loss of one trial is than that of another, over the rows
// that both held out.
type Difference struct {
	Mean   float64
	StdErr float64 // of Mean
	// Ahead is how many more rows have a smaller loss than have a larger one, in standard
	// deviations of a fair coin.
	Ahead float64
}

// Compare returns the gain of after over before. Splits follow each other, so that the
// rows of fewer splits are the first ones.
func Compare(before, after *Result) Difference {
	rows := min(len(before.Loss), len(after.Loss))
	var d Difference
	var sum, ss, ahead, apart float64
	for i, v := range before.Loss[:rows] {
		w := stream.Weight(before.weights, i)
		sum += w
		d.Mean += float64(w * (v - after.Loss[i]))
		switch {
		case after.Loss[i] < v:
			ahead, apart = ahead+1, apart+1
		case after.Loss[i] > v:
			ahead, apart = ahead-1, apart+1
		}
	}
	if rows == 0 {
		return d
	}
	d.Mean /= sum
	for i, v := range before.Loss[:rows] {
		w, e := stream.Weight(before.weights, i)/sum, v-after.Loss[i]-d.Mean
		ss += float64(float64(w*w) * float64(e*e))
	}
	d.StdErr = math.Inf(1)
	if rows > 1 {
		d.StdErr = math.Sqrt(ss * float64(rows) / float64(rows-1))
	}
	if apart > 0 {
		d.Ahead = ahead / math.Sqrt(apart)
	}
	return d
}

// Better is the rule for "better": the mean loss is lower by more than that many of its
// standard errors, or it is lower and the loss is smaller on more rows than not, by more than
// three standard deviations of a fair coin. The second condition is for errors with heavy
// tails, where few rows decide the first.
func (d Difference) Better(errors float64) bool {
	return d.Mean > float64(errors*d.StdErr) || d.Mean > 0 && d.Ahead > 3
}
