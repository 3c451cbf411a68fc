package trial

import (
	"sync"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
)

// Kept keeps scaled rows for the trials that follow, up to a bound of memory. Bending the values of
// hundreds of inputs takes longer than a fit of few features to them.
type Kept struct {
	mu   sync.Mutex
	left int // bytes
	of   map[scalingOf]blas.General[float64]
}

// NewKept returns a Kept of at most that many bytes.
func NewKept(bytes int) *Kept { return &Kept{left: bytes, of: map[scalingOf]blas.General[float64]{}} }

// scalingOf tells rows and scalings apart by their memory, which nobody modifies.
type scalingOf struct {
	rows, shift, scale *float64
	from               *[]float64
}

func first[T any](v []T) *T {
	if len(v) == 0 {
		return nil
	}
	return &v[0]
}

// scaledBy returns the rows scaled by s, which must not be modified, or false if they are not kept.
func (r *Rows) scaledBy(s rff.Scaling) (x blas.General[float64], ok bool) {
	if inside.IsIdentity(s) {
		return r.X, true
	}
	if r.Kept == nil || r.X.Rows == 0 {
		return x, false
	}
	k, key := r.Kept, scalingOf{first(r.X.Data), first(s.Shift), first(s.Scale), first(s.From)}
	k.mu.Lock()
	defer k.mu.Unlock()
	have, in := k.of[key], r.X.Cols
	if have.Rows < r.X.Rows { // the rows of a longer head begin with those of a shorter one
		bytes := 8 * in * r.X.Rows
		if bytes > k.left {
			return x, false
		}
		k.left -= bytes - 8*in*have.Rows
		more := blas.NewGeneral[float64](r.X.Rows, in)
		copy(more.Data, have.Data)
		scaleTo(more.RowRange(have.Rows, r.X.Rows), r.X.RowRange(have.Rows, r.X.Rows), s)
		have, k.of[key] = more, more
	}
	return have.RowRange(0, r.X.Rows), true
}

// scaled returns the rows scaled by s, which must not be modified.
func (r *Rows) scaled(s rff.Scaling) blas.General[float64] {
	if x, ok := r.scaledBy(s); ok {
		return x
	}
	x := blas.NewGeneral[float64](r.X.Rows, r.X.Cols)
	scaleTo(x, r.X, s)
	return x
}
