package reweight

import "github.com/rffgo/rff/internal/classes"

// Hard counts the rows near the border of their class that many times in a second
// solution. The squared error of coded classes asks every row for a score of ±1, so that
// millions of rows of a plain kind outvote the few of a rare one; what decides on labels
// are the rows near the border.
type Hard float64

// MostHard leaves the rows that are not hard a say.
const MostHard Hard = 1e4

// Row returns h for a hard row.
func (h Hard) Row(score, y, _ []float64) float64 {
	if classes.Margin(score, y) < classes.HardMargin {
		return float64(h)
	}
	return 1
}

// Done is true of the second solution.
func (h Hard) Done(rounds int) bool { return rounds == 2 }
