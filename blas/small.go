package blas

import (
	"sync"

	"github.com/rffgo/rff/asm"
)

// small is room for a triangle of blockInv rows in float64 and for its inverse.
type small struct {
	u asm.Square
	v asm.Square // zero below the diagonal
}

var smalls = sync.Pool{New: func() any { return new(small) }}

func borrowSmall() *small { return smalls.Get().(*small) }

func (s *small) giveBack() { smalls.Put(s) }

// smallTriangle is a triangle on the diagonal of a triBlock: element (i, j) of U at
// u[i·triLD+j], or u[j·triLD+i] unless trans is set.
type smallTriangle[T Float] struct {
	n     int
	trans bool
	u     []T
}

// load copies the triangle to s.
func (t *smallTriangle[T]) load(s *small) {
	for i := range t.n {
		to := s.u[i][i:t.n]
		if !t.trans {
			for j := range to {
				to[j] = float64(t.u[(i+j)*triLD+i])
			}
			continue
		}
		round(to, t.u[i*triLD+i:i*triLD+t.n])
	}
}

// store copies the triangle from s and rounds it to T. trans must be set.
func (t *smallTriangle[T]) store(s *small) {
	for i := range t.n {
		from, to := s.u[i][i:t.n], t.u[i*triLD+i:i*triLD+t.n]
		round(to, from)
		round(from, to)
		// The product that brought the rows up to date has also written below the diagonal.
		clear(t.u[i*triLD : i*triLD+i])
	}
}

// storeInverse copies the inverse from s to inv, blockInv elements a row.
func (t *smallTriangle[T]) storeInverse(inv []T, s *small) {
	for i := range t.n {
		// trans: x_j = Σ_l V[l,j]·b_l; otherwise x_i = Σ_l V[i,l]·b_l.
		row := s.v[i][:t.n]
		if !t.trans {
			for j, v := range row {
				inv[j*blockInv+i] = T(v)
			}
			continue
		}
		round(inv[i*blockInv:i*blockInv+t.n], row)
	}
}
