package krr

import (
	"context"
	"testing"
	"time"

	"github.com/rffgo/rff"
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
	if err := s.check(); err != nil {
		return nil, nil, err
	}
	found, err := newSearch(ctx, data, s)
	if err != nil {
		return nil, nil, err
	}
	for _, sp := range found.split() {
		train, valid = append(train, sp.train.index), append(valid, sp.valid.index)
	}
	return train, valid, nil
}
