package learn

import (
	"errors"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
)

// Join returns the map of the frequencies of both maps, with equal weights. Its kernel is the
// mean of theirs, weighted by their numbers of frequencies. The maps must have no Hadamard
// blocks.
func Join(a, b *rff.Map) (*rff.Map, error) {
	s, o := inside.Spec(a), inside.Spec(b)
	if len(s.Blocks) > 0 || len(o.Blocks) > 0 || s.Func != o.Func || s.Product.Rows > 0 || o.Product.Rows > 0 {
		return nil, errors.New("these features cannot be joined")
	}
	w := blas.NewGeneral[float64](s.W.Rows+o.W.Rows, s.Dim)
	for i := range w.Rows {
		if i < s.W.Rows {
			copy(w.Row(i), s.W.Row(i))
		} else {
			copy(w.Row(i), o.W.Row(i-s.W.Rows))
		}
	}
	return inside.New(&blas.Spec{Dim: s.Dim, W: w, Func: s.Func}, nil)
}
