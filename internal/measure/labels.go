// Package measure says how well predictions do on rows whose truth is known: what fits,
// predictions, comparisons and reports print is computed here.
package measure

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rffgo/rff/internal/portable"
)

// Labels adds up what a classifier does, row by row.
type Labels struct {
	n           int64
	rows, right []float64 // the weight of the rows of each class, and of those named right
	logLoss     float64
	scored      bool // probabilities were given
	// Most bounds the rows that the area under the ROC curve is computed of.
	Most   int
	scores []score
	draw   *rand.Rand
}

// score is the score of a row of two classes for the second one.
type score struct {
	value, weight float64
	second        bool
}

// mostScores is Labels.Most unless it is set: with so many rows the standard error of the
// area is below 0.001.
const mostScores = 1 << 20

// NewLabels returns the measures of no rows yet.
func NewLabels(classes int) *Labels {
	return &Labels{rows: make([]float64, classes), right: make([]float64, classes), Most: mostScores, draw: rand.New(rand.NewPCG(1, 1))}
}

// Add adds a row of class own that was named so. value is its score for the second of
// two classes, and is not read if there are more.
func (l *Labels) Add(own, named int, value, weight float64) {
	l.n++
	l.rows[own] += weight
	if own == named {
		l.right[own] += weight
	}
	if len(l.rows) != 2 {
		return
	}
	s := score{value, weight, own == 1}
	if len(l.scores) < l.Most {
		l.scores = append(l.scores, s)
	} else if k := l.draw.Int64N(l.n); k < int64(l.Most) {
		l.scores[k] = s
	}
}

// AddProbability adds the probability that was given to the class of the row.
func (l *Labels) AddProbability(p, weight float64) {
	l.scored = true
	l.logLoss -= float64(weight * portable.Log(max(p, math.SmallestNonzeroFloat64)))
}

// Classification is how well a classifier does. What cannot be computed is NaN.
type Classification struct {
	Rows     int64
	Accuracy float64 // share of the rows that were named right
	// Common is the most frequent class of these rows, and Guess the accuracy of naming
	// it always.
	Common int
	Guess  float64
	// Balanced is the mean of the recall of the classes that occur: naming one class
	// always gives 1/k.
	Balanced float64
	Recall   []float64 // share of the rows of each class that were named right
	AUC      float64   // area under the ROC curve, of two classes
	LogLoss  float64   // mean −log of the probability of the right class
}

// Result returns the measures of the rows so far.
func (l *Labels) Result() Classification {
	c := Classification{Rows: l.n, AUC: math.NaN(), LogLoss: math.NaN()}
	var sum, right, recall, occur float64
	for k, w := range l.rows {
		share := math.NaN()
		if w > 0 {
			share = l.right[k] / w
			recall += share
			occur++
		}
		c.Recall = append(c.Recall, share)
		sum += w
		right += l.right[k]
		if w > l.rows[c.Common] {
			c.Common = k
		}
	}
	c.Accuracy, c.Guess, c.Balanced = right/sum, l.rows[c.Common]/sum, recall/occur
	if l.scored {
		c.LogLoss = l.logLoss / sum
	}
	if len(l.rows) == 2 && occur == 2 {
		c.AUC = area(l.scores)
	}
	return c
}

// area returns the probability that a row of the second class has a higher score than
// one of the first: the area under the ROC curve. Equal scores count one half.
func area(scores []score) float64 {
	slices.SortFunc(scores, func(a, b score) int { return cmp.Compare(a.value, b.value) })
	var above, first, second float64
	for at := 0; at < len(scores); {
		var tied [2]float64
		for value := scores[at].value; at < len(scores) && scores[at].value == value; at++ {
			if scores[at].second {
				tied[1] += scores[at].weight
			} else {
				tied[0] += scores[at].weight
			}
		}
		above += float64(tied[1] * (first + float64(tied[0]/2)))
		first += tied[0]
		second += tied[1]
	}
	return above / (first * second)
}
