package blas

import (
	"math/rand/v2"
	"testing"
)

// symmetric returns a random symmetric matrix.
func symmetric[T Float](r *rand.Rand, n int) General[T] {
	a := randomGeneral[T](r, n, n, 3)
	for i := range n {
		for j := range i {
			a.Row(j)[i] = a.Row(i)[j]
		}
	}
	return a
}

func TestTrailingBits(t *testing.T) {
	t.Run("float64", testTrailingBits[float64])
	t.Run("float32", testTrailingBits[float32])
}

// The definition of Multiply in plain loops on a row-major matrix. Sizes: more
// blocks than workers and a ragged one, steps that end within a block, within a
// panel and on the border of a block, chains longer than BlockK.
func testTrailingBits[T Float](t *testing.T) {
	for _, size := range [][3]int{{1, 1, 1}, {7, 2, 4}, {70, 3, 24}, {150, 32, 5}, {BlockK + 60, 4, 2}, {130, 80, 2}} {
		n, b, steps := size[0], size[1], size[2]
		r := rand.New(rand.NewPCG(7, uint64(n)))
		a := symmetric[T](r, n)
		var vs, xs []General[T]
		for k := 0; k < steps*b; k += b {
			rows := n - min(n, k+b)
			vs, xs = append(vs, randomGeneral[T](r, rows, b, 1)), append(xs, randomGeneral[T](r, rows, b, 0))
		}
		heads, ys := refTrailing(a, b, vs, xs)
		onExact(t, func(t *testing.T, e Engine) {
			other := randomGeneral[T](r, n, n, 0)
			used := NewTrailing(e, nil, n, b, func(dst []T, i, j int) { copy(dst, other.Row(i)[j:]) }) // whose memory holds anything
			trail := NewTrailing(e, used, n, b, func(dst []T, i, j int) { copy(dst, a.Row(i)[j:]) })
			for step, v := range vs {
				head := trail.Head(min(b, trail.Rows()))
				for i := range head.Rows {
					sameBits(t, "Head", head.Row(i), heads[step].Row(i))
				}
				trail.Drop(head.Cols)
				if trail.Rows() != v.Rows {
					t.Fatalf("%d rows are left of %d after %d blocks of %d", trail.Rows(), n, step+1, b)
				}
				if v.Rows == 0 {
					break
				}
				y := NewGeneral[T](v.Rows, b)
				trail.Multiply(v, y)
				sameBits(t, "Multiply", y.Data, ys[step].Data)
				trail.Subtract(v, xs[step])
			}
		})
	}
}

// refTrailing returns what Head and Multiply give in every step.
func refTrailing[T Float](a General[T], b int, vs, xs []General[T]) (heads, ys []General[T]) {
	a = clone(a)
	n := a.Rows
	width := max(1, trailingWidth/b) * b
	// element is (i, j) after the update of step, whose first row is k.
	element := func(step, k, i, j int) T {
		v, x := vs[step], xs[step]
		var s T
		for l := range b {
			s = fma(v.Row(i - k)[l], x.Row(j - k)[l], s)
		}
		for l := range b {
			s = fma(x.Row(i - k)[l], v.Row(j - k)[l], s)
		}
		return fma(-1, s, a.Row(i)[j])
	}
	for step, v := range vs {
		k := step * b // the first row that is left
		head := NewGeneral[T](n-k, min(b, n-k))
		for i := k; i < n; i++ {
			for j := range head.Cols {
				head.Row(i - k)[j] = a.Row(i)[k+j]
				if step > 0 {
					head.Row(i - k)[j] = element(step-1, k, i, k+j)
				}
			}
		}
		heads = append(heads, head)
		from := k + b
		y := NewGeneral[T](v.Rows, b)
		next := clone(a)
		for j := from; j < n; j++ {
			square := max(from, j/width*width) // the first row of j's block
			for i := square; i < n && step > 0; i++ {
				next.Row(i)[j] = element(step-1, k, i, j)
			}
		}
		for j := from; j < n && step > 0; j++ {
			for i := from; i < max(from, j/width*width); i++ {
				next.Row(i)[j] = next.Row(j)[i]
			}
		}
		a = next
		for j := from; j < n; j++ {
			square := max(from, j/width*width)
			for c := range b {
				var sum T
				for part, ends := range [][2]int{{square, n}, {from, square}} {
					for i0 := ends[0]; i0 < ends[1]; i0 += BlockK {
						var s T
						for i := i0; i < min(ends[1], i0+BlockK); i++ {
							s = fma(a.Row(i)[j], v.Row(i - from)[c], s)
						}
						if part == 0 && i0 == square {
							sum = s
						} else {
							sum = fma(1, s, sum)
						}
					}
				}
				y.Row(j - from)[c] = sum
			}
		}
		ys = append(ys, y)
	}
	return heads, ys
}
