package scaling

// Hold adds points to from and to (see Bent) that take every value of column j of d to v. A column
// with the value v in all rows says nothing, and another value there would put a row far from all
// others.
func Hold(from, to [][]float64, d, j int, v float64) (_, _ [][]float64) {
	if from == nil {
		from, to = make([][]float64, d), make([][]float64, d)
	}
	from[j], to[j] = []float64{v}, []float64{v}
	return from, to
}
