package classes

import "math"

// Margin returns how far the scores of a row are on the side of its class, the most probable one
// by the coded targets y: 1 where they are the targets of that class, 0 where two classes are
// level. Of two classes it is the score or its negative; of more, half of what the score of its
// own class is above the largest of the others.
func Margin(scores, y []float64) float64 {
	own, _ := Of(y)
	if len(y) == 1 {
		return float64(2*own-1) * scores[0]
	}
	other := math.Inf(-1)
	for k, v := range scores {
		if k != own {
			other = max(other, v)
		}
	}
	return (scores[own] - other) / 2
}
