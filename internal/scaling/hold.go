package scaling

// Hold returns points that bend what from and to do (see Bent) and, besides, take
// column j of d to v whatever it holds: one that had the value v in all rows tells
// nothing, and another value there would put a row far from all others.
func Hold(from, to [][]float64, d, j int, v float64) (_, _ [][]float64) {
	if from == nil {
		from, to = make([][]float64, d), make([][]float64, d)
	}
	from[j], to[j] = []float64{v}, []float64{v}
	return from, to
}
