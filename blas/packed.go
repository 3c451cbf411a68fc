package blas

// PackedElements returns how many elements of an operand of n rows a product packs at a time.
// Callers that bound their memory need it; see maxBlockM.
func PackedElements(n int64) int64 { return BlockK * min(n, maxBlockM) }
