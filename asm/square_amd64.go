//go:build gc && !purego && !noasm

package asm

// squareBlock rows and columns of a Square make a block.
const squareBlock = 8

// factorAVX512 is Factor of whole blocks; p is u[row][row].
//
//go:noescape
func factorAVX512(u *Square, blocks int) (row int)

// invertAVX512 is Invert of whole blocks.
//
//go:noescape
func invertAVX512(v, u *Square, blocks int)

// squaresAVX512 binds Factor and Invert.
func squaresAVX512[T Float](k *Kernels[T]) {
	k.Factor = func(u *Square, n int) (int, float64) {
		checkSquare(n)
		if n == 0 {
			return -1, 0
		}
		if row := factorAVX512(u, u.fill(n)); row >= 0 {
			return row, u[row][row]
		}
		return -1, 0
	}
	k.Invert = func(v, u *Square, n int) {
		checkSquare(n)
		if n > 0 {
			invertAVX512(v, u, u.fill(n))
		}
	}
}

// fill sets the rows and columns from n on, up to the end of the block, to those of the identity.
// It returns the number of blocks.
func (u *Square) fill(n int) int {
	blocks := (n + squareBlock - 1) / squareBlock
	end := blocks * squareBlock
	if n < end {
		for i := range n {
			clear(u[i][n:end])
		}
	}
	for i := n; i < end; i++ {
		clear(u[i][:end])
		u[i][i] = 1
	}
	return blocks
}
