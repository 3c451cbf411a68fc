package ridge

import (
	"math"

	"github.com/rffgo/rff/blas"
)

// Impossible returns which of some sums no rows of positive weight have, "" if there may be such
// rows: "count", "gram", "z", "y", "yy" or "zy". Features are at most feature, one element each
// unless it is nil, and targets less their reference at most target. The sums of Contains are then
// bounded, not negative on their diagonal, and elsewhere at most the root of the product of the two
// that share their row and column. Rows that were subtracted leave rounding errors: what they leave
// of 1/√(64·eps) times as many rows, 10⁷ in float64, is allowed.
func Impossible(s *blas.Sums, feature, target []float64) string {
	if (s.Rows > 0) != (s.W > 0) {
		return "count"
	}
	share := math.Sqrt(64 * max(s.Eps, 0x1p-52))
	size := s.W
	for i := range s.Z {
		size += math.Abs(s.G.Row(i)[i])
	}
	slack := max(s.Noise, share*size)
	root, of := make([]float64, len(s.Z)), make([]float64, len(s.Y)) // of the diagonal
	for i := range root {
		v, most := s.G.Row(i)[i], math.Inf(1)
		if feature != nil { // those of integers may exceed it by half a unit
			most = float64(float64(1.1*s.W)*float64(feature[i]*feature[i])) + slack
		}
		if root[i] = math.Sqrt(v + slack); !(v >= -slack && v <= most) {
			return "gram"
		}
	}
	rows := math.Sqrt(s.W + slack)
	for t, v := range s.YY {
		most := float64(float64(s.W*target[t]) * target[t])
		slack := float64(share * most)
		if of[t] = math.Sqrt(v + slack); !(v >= -slack && v <= most+slack) {
			return "yy"
		}
		if !(math.Abs(s.Y[t]) <= float64(of[t]*rows)) {
			return "y"
		}
	}
	for i, r := range root {
		if !(math.Abs(s.Z[i]) <= float64(r*rows)) {
			return "z"
		}
		for j, v := range s.G.Row(i)[i:] {
			if !(math.Abs(v) <= float64(r*root[i+j])) {
				return "gram"
			}
		}
		for t, v := range s.ZY.Row(i) {
			if !(math.Abs(v) <= float64(r*of[t])) {
				return "zy"
			}
		}
	}
	return ""
}
