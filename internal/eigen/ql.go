package eigen

import (
	"math"

	"github.com/rffgo/rff/blas"
)

// steps is the most QL steps per eigenvalue; 1.7 are usual.
const steps = 60

// ql replaces d by the eigenvalues, in any order, of the tridiagonal matrix with
// diagonal d and the elements off beside it, which it destroys. Its rotations go
// to r, which may be nil.
//
// An element beside the diagonal counts as 0 if it is below the rounding error of the largest
// element. A test against its neighbours only, as for graded matrices, may never hold if many
// eigenvalues are 0, because every step brings rounding errors of the large ones.
func ql(d, off []float64, r *rotations) error {
	n := len(d)
	var most float64
	for i := range d {
		most = max(most, math.Abs(d[i]), math.Abs(off[i]))
	}
	if most-most != 0 {
		return ErrNoConvergence
	}
	tiny := 0x1p-53 * most
	for l := range n {
		for step := 0; ; step++ {
			m := l
			for m+1 < n && math.Abs(off[m]) > tiny {
				m++
			}
			if m == l {
				break
			}
			if step == steps {
				return ErrNoConvergence
			}
			// Wilkinson's shift: the eigenvalue of the leading 2×2 matrix nearer d[l].
			g := (d[l+1] - d[l]) / (2 * off[l])
			g = d[m] - d[l] + off[l]/(g+math.Copysign(hypot(g, 1), g))
			s, c, p := 1.0, 1.0, 0.0
			i := m - 1
			for ; i >= l; i-- {
				f, b := float64(s*off[i]), float64(c*off[i])
				h := hypot(f, g)
				off[i+1] = h
				if h == 0 { // the matrix falls apart here
					d[i+1] -= p
					break
				}
				s, c = f/h, g/h
				g = d[i+1] - p
				h = float64((d[i]-g)*s) + float64(2*c*b)
				p = float64(s * h)
				d[i+1] = g + p
				g = float64(c*h) - b
				if r != nil {
					r.add(i, c, s)
				}
			}
			if i < l {
				d[l] -= p
				off[l] = g
			}
			off[m] = 0
		}
	}
	return nil
}

// hypot returns √(x²+y²) without overflow; math.Hypot's bits depend on the platform.
func hypot(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	if x < y {
		x, y = y, x
	}
	if y == 0 {
		return x
	}
	q := y / x
	return x * math.Sqrt(1+float64(q*q))
}

// rotations gathers the rotations of some QL steps and applies them together to the rows of a
// matrix. It takes a few columns at a time, which stay in cache meanwhile.
type rotations struct {
	e   blas.Engine
	v   blas.General[float64]
	all []rotation
}

// rotation turns rows i and i+1: (x, y) becomes (c·x − s·y, s·x + c·y).
type rotation struct {
	i    int
	c, s float64
}

const (
	rotatedColumns = 64 // with 2000 rows, 1 MB
	rotationSteps  = 32 // of QL at a time
)

func (r *rotations) add(i int, c, s float64) {
	if len(r.all) == cap(r.all) {
		r.flush()
	}
	r.all = append(r.all, rotation{i, c, s})
}

func (r *rotations) flush() {
	r.e.Each((r.v.Cols+rotatedColumns-1)/rotatedColumns, func(_ blas.Engine, chunk int) {
		j0, j1 := chunk*rotatedColumns, min(r.v.Cols, (chunk+1)*rotatedColumns)
		for _, q := range r.all {
			x, y := r.v.Row(q.i)[j0:j1], r.v.Row(q.i + 1)[j0:j1]
			y = y[:len(x)]
			c, s := q.c, q.s
			for j, a := range x {
				b := y[j]
				x[j] = float64(c*a) - float64(s*b)
				y[j] = float64(s*a) + float64(c*b)
			}
		}
	})
	r.all = r.all[:0]
}
