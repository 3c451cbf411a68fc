package blas

// Operation says how one operation runs: with which kernel and in which blocks.
type Operation struct {
	Name   string // "features", "gram", …
	Kernel string // instruction set and tile, or the backend's name
	Blocks string // block sizes; it says which of them define the bits of a result
}
