package rff

// Scaling is a map of each input column, x → (bent(x) − Shift)/Scale. Package
// dataset fits it to training rows, and a model applies it to the rows it predicts.
// Its slices must not be modified. The zero Scaling changes nothing.
type Scaling struct {
	// From and To bend columns: column j goes through the points (From[j][k],
	// To[j][k]), straight between them and constant beyond, for heavy tails that are
	// clipped (two points), replaced by ranks (many), or held at the one value that they
	// had in training (one). From[j] ascends. nil, or nil for a column: nothing is bent.
	From, To [][]float64
	Shift    []float64 // one per column, nil for zeros
	Scale    []float64 // one per column, nil for ones; a constant column has 1, which maps it to 0
}
