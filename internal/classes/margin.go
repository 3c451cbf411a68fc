package classes

import "math"

// Margin returns how far the scores of a row are on the side of its class, which the coded
// targets y stand for: 1 where they equal y, 0 where two classes are level. Of two
// classes it is the score times y; of more, half of what the score of its own class is
// above the largest of the others.
func Margin(scores, y []float64) float64 {
	if len(y) == 1 {
		return y[0] * scores[0]
	}
	own, _ := Of(y)
	other := math.Inf(-1)
	for k, v := range scores {
		if k != own {
			other = max(other, v)
		}
	}
	return (scores[own] - other) / 2
}
