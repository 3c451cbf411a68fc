package portable

// Softmax replaces logits by what is proportional to their exponentials and sums to 1. The
// logarithm of the sum of exponentials is most + rest, with the largest logit most.
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
