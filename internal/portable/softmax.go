package portable

// Softmax replaces logits by their exponentials, divided by the sum of these. most is the largest
// logit, and most + rest is the logarithm of that sum.
func Softmax(p []float64) (most, rest float64) {
	most = p[0]
	for _, v := range p {
		most = max(most, v)
	}
	var sum float64
	for k, v := range p {
		p[k] = Exp(v - most)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return most, Log(sum)
}
