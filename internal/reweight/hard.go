package reweight

import (
	"errors"
	"strconv"

	"github.com/rffgo/rff/internal/classes"
)

// Hard counts hard rows, those near the border of their class, that many times in a second
// solution. The squared error of coded classes asks every row for a score of ±1, so that
// millions of rows of a plain kind outvote the few of a rare one; but the rows near the border
// decide on labels.
type Hard float64

const (
	// hardMargin is the margin below which a row is hard: half of that of a row whose
	// scores are its targets.
	hardMargin = 0.5
	// mostHard leaves the rows that are not hard a say.
	mostHard = 1e4
)

// ParseHard reads how often hard rows count.
func ParseHard(value string) (Rule, error) {
	weight, err := strconv.ParseFloat(value, 64)
	if err != nil || !(weight > 1 && weight <= mostHard) {
		return nil, errors.New(`must be hard: and how often hard rows count, above 1 and at most 10000, such as "hard:5"`)
	}
	return Hard(weight), nil
}

func (h Hard) String() string { return "hard:" + strconv.FormatFloat(float64(h), 'g', -1, 64) }

// Row returns h for a hard row.
func (h Hard) Row(score, y []float64) float64 {
	if classes.Margin(score, y) < hardMargin {
		return float64(h)
	}
	return 1
}
