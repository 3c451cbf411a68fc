package blas

import (
	"fmt"
	"sync/atomic"
	"testing"
)

// TestEachSharesWorkers: every index once, and no more workers in all than there are. The last calls
// share those that would have none.
func TestEachSharesWorkers(t *testing.T) {
	for _, c := range []struct{ workers, n, share, last int }{{1, 3, 1, 1}, {4, 2, 2, 2}, {4, 3, 1, 1}, {3, 5, 1, 1}, {5, 1, 5, 5}, {2, 0, 0, 0}, {2, 3, 1, 2}, {4, 8, 1, 1}, {4, 9, 1, 4}, {4, 10, 1, 2}} {
		t.Run(fmt.Sprintf("%d workers, %d tasks", c.workers, c.n), func(t *testing.T) {
			seen := make([]atomic.Int32, c.n)
			Engine{Workers: c.workers}.Each(c.n, func(e Engine, i int) {
				seen[i].Add(1)
				want := c.share
				if i >= c.n-c.n%c.workers {
					want = c.last
				}
				if e.Workers != want {
					t.Errorf("task %d has %d workers, want %d", i, e.Workers, want)
				}
			})
			for i := range seen {
				if n := seen[i].Load(); n != 1 {
					t.Errorf("task %d ran %d times", i, n)
				}
			}
		})
	}
}
