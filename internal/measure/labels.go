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
	rows, right []float64          // the weight of the rows of each class, and of those named right
	wrong       map[[2]int]float64 // the weight of the rows of a class that were named another
	logLoss     float64
	bins        [calibrationBins]bin // of probabilities, which were given if one of them has rows
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

const (
	calibrationBins = 10
	// mostPairs bounds the pairs of classes that are told apart among the rows named wrong.
	mostPairs = 1 << 14
)

// bin is the sums of rows with probabilities in one range.
type bin struct{ rows, weight, squares, given, right float64 }

// mostScores is Labels.Most unless it is set: with so many rows the standard error of the
// area is below 0.001.
const mostScores = 1 << 20

// NewLabels returns the measures of no rows yet.
func NewLabels(classes int) *Labels {
	return &Labels{rows: make([]float64, classes), right: make([]float64, classes), wrong: map[[2]int]float64{}, Most: mostScores, draw: rand.New(rand.NewPCG(1, 1))}
}

// Add adds a row of class own that was named so. value is its score for the second of
// two classes, and is not read if there are more.
func (l *Labels) Add(own, named int, value, weight float64) {
	l.n++
	l.rows[own] += weight
	if own == named {
		l.right[own] += weight
	} else if _, ok := l.wrong[[2]int{own, named}]; weight > 0 && (ok || len(l.wrong) < mostPairs) {
		l.wrong[[2]int{own, named}] += weight
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

// AddProbabilities adds the probabilities of the classes that were given to the last row.
func (l *Labels) AddProbabilities(own int, p []float64, weight float64) {
	l.logLoss -= float64(weight * portable.Log(max(p[own], math.SmallestNonzeroFloat64)))
	of := 1
	if len(p) != 2 {
		of = slices.Index(p, slices.Max(p))
	}
	b := &l.bins[min(int(calibrationBins*p[of]), calibrationBins-1)]
	b.rows++
	b.weight += weight
	b.squares += float64(weight * weight)
	b.given += float64(weight * p[of])
	if own == of {
		b.right += weight
	}
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

	// What figures draw.
	Weights  []float64    // of the rows of each class
	Confused []Confusion  // the most frequent first
	ROC      [][2]float64 // shares of the first and the second of two classes with scores above a limit
	// Calibration has the probabilities that were given to the second of two classes, or to
	// the likeliest of more.
	Calibration []Probability
}

// Confusion is the weight of the rows of a class that were named another.
type Confusion struct {
	Own, Named int
	Weight     float64
}

// Probability is rows whose event was given about the same probability.
type Probability struct {
	Rows                int64
	Given, True, StdErr float64 // means; the standard error is that of True
}

// Result returns the measures of the rows so far.
func (l *Labels) Result() Classification {
	c := Classification{Rows: l.n, AUC: math.NaN(), LogLoss: math.NaN(), Weights: slices.Clone(l.rows)}
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
	for _, b := range l.bins {
		if b.weight > 0 {
			c.LogLoss = l.logLoss / sum
			share := b.right / b.weight
			c.Calibration = append(c.Calibration, Probability{int64(b.rows), b.given / b.weight, share, math.Sqrt(share*(1-share)*b.squares) / b.weight})
		}
	}
	if len(l.rows) == 2 && occur == 2 {
		c.AUC, c.ROC = area(l.scores)
	}
	for pair, w := range l.wrong {
		c.Confused = append(c.Confused, Confusion{pair[0], pair[1], w})
	}
	slices.SortFunc(c.Confused, func(a, b Confusion) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), a.Own-b.Own, a.Named-b.Named)
	})
	return c
}

// area returns the probability that a row of the second class has a higher score than
// one of the first: the area under the ROC curve. Equal scores count one half. It also
// returns points of the curve, about a hundred, from (1, 1) to (0, 0).
func area(scores []score) (float64, [][2]float64) {
	slices.SortFunc(scores, func(a, b score) int { return cmp.Compare(a.value, b.value) })
	var all [2]float64
	for _, s := range scores {
		all[btoi(s.second)] += s.weight
	}
	var above, first, second float64
	curve := [][2]float64{{1, 1}}
	for at := 0; at < len(scores); {
		var tied [2]float64
		for value := scores[at].value; at < len(scores) && scores[at].value == value; at++ {
			tied[btoi(scores[at].second)] += scores[at].weight
		}
		above += float64(tied[1] * (first + float64(tied[0]/2)))
		first += tied[0]
		second += tied[1]
		p, last := [2]float64{1 - first/all[0], 1 - second/all[1]}, curve[len(curve)-1]
		if last[0]-p[0]+last[1]-p[1] >= .02 || at == len(scores) {
			curve = append(curve, p)
		}
	}
	return above / (first * second), curve
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
