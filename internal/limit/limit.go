// Package limit bounds sizes before memory is taken for them: beyond these a
// request is a slip, and Go's answer to it would be a stack trace.
package limit

import "math"

const (
	// Dim is the largest number of inputs: a row of them has 128 MiB.
	Dim = 1 << 24
	// Elements is the largest number of elements of one matrix: 16 GiB of float64.
	Elements = math.MaxInt32

	// LeastBandwidth and MostBandwidth bound a kernel's bandwidth: its frequencies are multiples
	// of the reciprocal, up to 10¹⁶ of the Laplacian kernel.
	LeastBandwidth, MostBandwidth = 1e-280, 1e280

	// Columns of a file without being asked for, and at all; ColumnBytes is the
	// part of a line of text that one of them may take.
	Columns, MostColumns = 1 << 16, 1 << 20
	ColumnBytes          = 64
)

// Fits reports whether a rows×cols matrix has at most Elements elements.
func Fits(rows, cols int) bool {
	return rows >= 0 && cols >= 0 && (cols == 0 || rows <= Elements/cols)
}
