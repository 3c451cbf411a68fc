package rff

// Scaling maps each input column to x → (bent(x) − Shift)/Scale. Package
// dataset fits it to training rows, and a model applies it to the rows it predicts.
// Its slices must not be modified. The zero Scaling changes nothing.
type Scaling struct {
	// From and To bend columns: column j goes through the points (From[j][k],
	// To[j][k]), straight between them and constant beyond. Two points clip heavy tails, many
	// points replace values by ranks, and one point holds a column at the one value that it had
	// in training. From[j] ascends. nil, or nil for a column: nothing is bent.
	From, To [][]float64
	Shift    []float64 // one per column, nil for zeros
	Scale    []float64 // one per column, nil for ones; a constant column has 1, which maps it to 0
}
