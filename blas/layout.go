package blas

import "github.com/rffgo/rff/asm"

// layout says where features go. Column j of row r of a half is
// z[r·rowStride + j/Panel·panelStride + j%Panel].
type layout[T Float] struct {
	z, z2                  []T // z2: the sines of CosSin without Product
	rowStride, panelStride int
	stream                 bool // z and z2 will not be read soon
	streamSines            bool // z2 will not be read soon
}

// rowScratch is the memory that one worker needs to generate rows.
type rowScratch[T Float] struct {
	projection asm.Projection[T]
	output     asm.Output[T]
	z          []T      // rows × columns before Product, or the features of Predict
	zp         []T      // rows × columns after Product
	a, b       []T      // Hadamard buffers
	t          []T      // structured projections of the rows that are made together
	row        []T      // features of one of them
	strip      []T      // packed rows for Product
	x          []T      // prepared rows of sections
	words      []uint64 // of trees
}

// grow makes b at least n long. If it was shorter, its contents are lost.
func grow[T any](b *[]T, n int) {
	if len(*b) < n {
		*b = make([]T, n)
	}
}
