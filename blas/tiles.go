package blas

import "github.com/rffgo/rff/asm"

// tiles multiplies strips of a left operand with a group of panels b. The inner dimension is k,
// and the results are columns j0 … j1−1 of c.
type tiles[T Float] struct {
	kern      *asm.Kernels[T]
	tri       triangle
	alpha     T
	overwrite bool
	k         int
	b         []T
	j0, j1    int
	c         General[T]
	square    []T // scratch of MR × Width for tiles on the diagonal
}

// strip computes rows i0 … i1−1 of the group. Element (i0+r, l) of the left operand is
// a[l·lda+r]; next is the left operand of the next strip, or nil. For triangles i0 and
// j0 count from the same origin, in multiples of MR and Panel.
func (t *tiles[T]) strip(a []T, lda, i0, i1 int, next []T) {
	j0, j1 := t.j0, t.j1
	panel, width := t.kern.Panel, t.kern.Width
	switch t.tri {
	case upperTriangle:
		if j1 <= i0 {
			return
		}
		if j0 < i1 { // the tile that holds the diagonal begins at column i0
			j0 = max(j0, i0)
			end := i0/width*width + width
			if i0%panel != 0 {
				end = i0/panel*panel + panel
			}
			end = min(t.j1, end)
			t.diagonal(a, lda, i0, i1, j0, end)
			j0 = end
		}
	case lowerTriangle:
		if j0 >= i1 {
			return
		}
		if j1 > i0 {
			j1 = min(j1, i1)
			start := max(t.j0, i0/panel*panel)
			t.diagonal(a, lda, i0, i1, start, j1)
			j1 = start
		}
	}
	if j0 < j1 {
		t.kern.Gemm(i1-i0, j1-j0, t.k, t.alpha, a, lda, t.at(j0), t.k*panel, t.c.Data[i0*t.c.Stride+j0:], t.c.Stride, t.overwrite, next)
	}
}

// at returns the packed panels from column j on; j is a multiple of Panel
// unless no further panel is read.
func (t *tiles[T]) at(j int) []T {
	panel := t.kern.Panel
	j -= t.j0
	return t.b[j/panel*t.k*panel+j%panel:]
}

// diagonal computes the part of a tile that lies in the triangle, through a scratch square.
// Columns j0 … j1−1 lie in one tile and, unless j0 begins a panel, in one panel.
func (t *tiles[T]) diagonal(a []T, lda, i0, i1, j0, j1 int) {
	m, n := i1-i0, j1-j0
	inside := func(r int) (from, to int) {
		if t.tri == upperTriangle {
			return min(max(i0+r-j0, 0), n), n
		}
		return 0, max(0, min(i0+r+1-j0, n))
	}
	if !t.overwrite {
		for r := range m {
			from, to := inside(r)
			row := t.square[r*n : r*n+n]
			clear(row)
			copy(row[from:to], t.c.Data[(i0+r)*t.c.Stride+j0+from:])
		}
	}
	t.kern.Gemm(m, n, t.k, t.alpha, a, lda, t.at(j0), t.k*t.kern.Panel, t.square, n, t.overwrite, nil)
	for r := range m {
		from, to := inside(r)
		copy(t.c.Data[(i0+r)*t.c.Stride+j0+from:], t.square[r*n+from:r*n+to])
	}
}

// squares holds one tile of MR × Width per worker.
type squares[T any] struct {
	data []T
	size int
}

func newSquares[E Float](kern *asm.Kernels[E], workers int) squares[E] {
	size := roundUp(kern.MR*kern.Width, 64) // so that workers share no cache line
	return squares[E]{make([]E, workers*size), size}
}

// of returns the tile of a worker, or nil if there are no tiles.
func (s squares[T]) of(worker int) []T {
	if s.data == nil {
		return nil
	}
	return s.data[worker*s.size:][:s.size]
}
