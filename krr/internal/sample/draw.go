package sample

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr/internal/holdout"
)

// Draw returns up to Count of the Rows rows of data, in random order. Rows that share
// a fold in the data are a group in the sample. It is for data in memory, whose rows
// have been counted; Reservoir draws from a stream.
func Draw(ctx context.Context, data rff.Source, s Settings) (*Rows, error) {
	in, targets := data.Schema().Dims()
	count := int(min(s.Rows, int64(s.Count)))
	r := newRows(count, in, targets)
	place := make(map[int64]int, count)
	for i, row := range rand.New(rand.NewPCG(s.Seed, 0x73706c6974)).Perm(int(s.Rows))[:count] {
		place[int64(row)] = i
	}
	found := 0
	for b, err := range data.Batches(ctx) {
		if err != nil {
			return nil, err
		}
		for i := range b.X.Rows {
			to, ok := place[b.First+int64(i)]
			if !ok {
				continue
			}
			found++
			copy(r.X.Row(to), b.X.Row(i))
			copy(r.Y.Row(to), b.Y.Row(i))
			r.Index[to] = b.First + int64(i)
			if b.Weight != nil {
				if r.Weight == nil {
					r.Weight = make([]float64, count)
				}
				r.Weight[to] = b.Weight[i]
			}
			if b.Group != nil || s.Run > 1 {
				if r.Group == nil {
					r.Group = make([]uint64, count)
				}
				r.Group[to] = uint64(holdout.Unit(b, i, s.Run))
			}
		}
	}
	if found != count {
		return nil, fmt.Errorf("krr: the rows changed while they were read: %d of %d are there", found, count)
	}
	return r, nil
}
