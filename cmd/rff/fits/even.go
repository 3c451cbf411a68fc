package fits

// EvenWeights returns the weight of a row of each class. With it, classes with these sums of weights
// get equal sums, and the total stays. It is 0 for a class without rows.
func EvenWeights(sums []float64) []float64 {
	var all float64
	for _, w := range sums {
		all += w
	}
	weight := make([]float64, len(sums))
	for c, w := range sums {
		if w > 0 {
			weight[c] = all / (float64(len(sums)) * w)
		}
	}
	return weight
}
