package asm

import "math"

// The kernels of the instruction set "go" serve processors for which this package has no
// assembly. They have the bits of the reference kernels, and keep a block of accumulators in
// local variables (portable_chains.go). So a loaded operand serves several fused chains, and the
// processor can work on several chains at a time.
//
// In float64 a fused multiply-add is one instruction on arm64, riscv64, ppc64, s390x, loong64
// and, with GOAMD64=v3, on amd64. With other settings of amd64 each one has a branch, which costs
// about half of the speed. On other processors it is made of integer operations. In float32 it is
// an exact float64 product and a sum whose second rounding hardly ever matters (see doubtful).

// portable returns the kernels of the instruction set "go" on a multiplier.
func portable[T Float](multiply multiplier[T]) *Kernels[T] {
	k := reference[T]("go", goTuning)
	panel, width, mr := k.Panel, k.Width, k.MR
	k.evaluate(func(f Func, p *Projection[T], out *Output[T]) { featuresPortable(multiply, width, panel, f, p, out) })
	k.Gemm = func(m, n, kk int, alpha T, a []T, lda int, b []T, bStride int, c []T, ldc int, overwrite bool, _ []T) {
		checkTile(m, n, kk, mr, panel, a, lda, b, bStride, len(c), ldc)
		multiply.tile(panel, m, n, kk, a, lda, b, bStride, func(i, j, rows int, s chains[T]) {
			for r := range rows {
				to, from := c[(i+r)*ldc+j:][:min(blockCols, n-j)], s[r*blockCols:]
				for q := range to {
					if overwrite {
						to[q] = alpha * from[q]
					} else {
						to[q] = fma(alpha, from[q], to[q])
					}
				}
			}
		})
	}
	k.Accumulate = func(m, n, kk int, a []T, lda int, b []T, bStride int, c []float64, ldc int, _ []T) {
		checkTile(m, n, kk, mr, panel, a, lda, b, bStride, len(c), ldc)
		multiply.tile(panel, m, n, kk, a, lda, b, bStride, func(i, j, rows int, s chains[T]) {
			for r := range rows {
				to, from := c[(i+r)*ldc+j:][:min(blockCols, n-j)], s[r*blockCols:]
				for q := range to {
					to[q] += float64(from[q])
				}
			}
		})
	}
	recurrences(k)
	return k
}

// blockCols columns of a panel make a block; they divide every panel of goTuning.
const blockCols = 4

// chains holds the fused chains of a block of up to 4 rows, row by row.
type chains[T Float] [4 * blockCols]T

// A multiplier returns the chains that start at s and go on over k products of a[l·lda+i] and
// b[l·panel+j], for that many rows i of a and blockCols columns j of b. It is chains64 or
// chains32.
type multiplier[T Float] func(s chains[T], rows, k int, a []T, lda int, b []T, panel int) chains[T]

// rowsAt returns how many of the rows left a block takes.
func rowsAt(left int) int {
	if left >= 4 {
		return 4
	}
	return min(left, 2)
}

// tile calls each with the chains of every block of a tile, whose first row and column are i and j.
func (multiply multiplier[T]) tile(panel, m, n, k int, a []T, lda int, b []T, bStride int, each func(i, j, rows int, s chains[T])) {
	for j := 0; j < n; j += blockCols {
		at := j/panel*bStride + j%panel
		for i, rows := 0, 0; i < m; i += rows {
			rows = rowsAt(m - i)
			var s chains[T]
			if k > 0 {
				s = multiply(s, rows, k, a[i:], lda, b[at:], panel)
			}
			each(i, j, rows, s)
		}
	}
}

// project returns the projections of row x on blockCols frequencies from j on, or the
// distances. Only cols of these frequencies exist.
func (multiply multiplier[T]) project(p *Projection[T], x []T, j, cols, width int) (s chains[T]) {
	copy(s[:cols], p.Phase[j:])
	if len(x) == 0 {
		return s
	}
	w := p.W[j/width*p.D*width+j%width:]
	switch p.Terms {
	case Products:
		return multiply(s, 1, len(x), x, 1, w, width)
	case Differences:
		return differences(s, x, w, width)
	}
	return powers(s, x, w, width)
}

// differences returns the sums that start at s and go on over the absolute differences
// of one row x and blockCols columns of w, |x[l] − w[l·panel+j]|.
func differences[T Float](s chains[T], x, w []T, panel int) chains[T] {
	s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
	for l, v := range x {
		y := (*[blockCols]T)(w[l*panel:])
		s0 += T(math.Abs(float64(v - y[0])))
		s1 += T(math.Abs(float64(v - y[1])))
		s2 += T(math.Abs(float64(v - y[2])))
		s3 += T(math.Abs(float64(v - y[3])))
	}
	return chains[T]{s0, s1, s2, s3}
}

// powers is differences of the powers |x − w|^{3/2}.
func powers[T Float](s chains[T], x, w []T, panel int) chains[T] {
	for l, v := range x {
		y := (*[blockCols]T)(w[l*panel:])
		for j, c := range y {
			s[j] += power(v - c)
		}
	}
	return s
}

func featuresPortable[T Float](multiply multiplier[T], width, panel int, f Func, p *Projection[T], out *Output[T]) {
	if p.Cols == 0 {
		return // X may be of any length in this case
	}
	series := p.series(f)
	for r := 0; r < p.Rows; r++ {
		x := p.X[r*p.LDX:][:p.D]
		for j := 0; j < p.Cols; j += blockCols {
			cols := min(blockCols, p.Cols-j)
			s := multiply.project(p, x, j, cols, width)
			at := r*out.RowStride + j/panel*out.PanelStride + j%panel
			for q := range cols {
				v, v2 := p.value(f, &series, s[q], j+q)
				out.Z[at+q] = v
				if f == CosSin {
					out.Z2[at+q] = v2
				}
			}
		}
	}
}
