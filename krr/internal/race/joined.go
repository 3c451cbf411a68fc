package race

import (
	"context"
	"errors"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
)

// joined proposes to join further trained frequencies, of another draw, with those of the
// best: the kernel of all is the mean of theirs, and the ridge regression on it varies less
// with the draw.
func joined(r *Race) []proposal {
	if r.Features > 0 || !r.measured(r.best) || !r.best.isTrained() || r.best.weights != nil {
		return nil
	}
	t := r.best
	n := t.draws + 1
	j := job{candidate: t.candidate, grid: r.around(t.Lambda, aroundFew)}
	j.draws++
	z := t.size
	z.features = t.features / n * (n + 1)
	z.splits = min(z.splits, r.folds)
	if r.seen[j.key(z)] || r.Check(z.features, r.n) != nil {
		return nil
	}
	p := proposal{name: "joined", gain: r.gainOf("joined"), work: r.workOf(j, z), more: r.finalWork(z.features) - r.finalWork(r.final())}
	j.beside = t.maps
	p.run = func(ctx context.Context) error { return r.challenge(ctx, "joined", []job{j}, z) }
	return []proposal{p}
}

// join returns the map of the frequencies of both, with equal weights.
func join(a, b *rff.Map) (*rff.Map, error) {
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
