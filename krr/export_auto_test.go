package krr

import (
	"context"
	"testing"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr/internal/search"
)

// SetAutoPatience sets how long beyond its budget the clock lets Auto search.
func SetAutoPatience(t *testing.T, d time.Duration) {
	before := leastPatience
	leastPatience = d
	t.Cleanup(func() { leastPatience = before })
}

// AutoSplits returns the rows of data, by index, that each split of Auto's search
// fits to and holds out.
func AutoSplits(ctx context.Context, data rff.Source, s AutoSettings) (train, valid [][]int64, err error) {
	rows, _, err := learner{data, s.Settings}.Sample(ctx, 1000)
	if err != nil {
		return nil, nil, err
	}
	for _, sp := range search.Splits(rows, s.Seed) {
		train, valid = append(train, sp.Train.Index), append(valid, sp.Valid.Index)
	}
	return train, valid, nil
}
