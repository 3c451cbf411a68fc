package blas

// PackedElements returns how many elements a product packs of an operand of n
// rows at a time, for callers that bound their memory; see maxBlockM.
func PackedElements(n int64) int64 { return BlockK * min(n, maxBlockM) }
