package krr

// FoldOf lets tests split rows as fits do.
func FoldOf(seed uint64, row int64, folds int) int { return foldOf(seed, row, folds) }

// Extremes returns the extreme eigenvalues of the tridiagonal matrix that steps
// of conjugate gradients give, as solve estimates them.
func Extremes(step, beta []float64) (lo, hi float64) {
	var l lanczos
	for i := range step {
		l.add(step[i], beta[i])
	}
	return l.extremes()
}
