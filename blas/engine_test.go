package blas

import (
	"fmt"
	"sync/atomic"
	"testing"
)

// TestEachSharesWorkers: every index once, and no more workers in all than there are.
func TestEachSharesWorkers(t *testing.T) {
	for _, c := range []struct{ workers, n, share int }{{1, 3, 1}, {4, 2, 2}, {4, 3, 1}, {3, 5, 1}, {5, 1, 5}, {2, 0, 0}} {
		t.Run(fmt.Sprintf("%d workers, %d tasks", c.workers, c.n), func(t *testing.T) {
			seen := make([]atomic.Int32, c.n)
			Engine{Workers: c.workers}.Each(c.n, func(e Engine, i int) {
				seen[i].Add(1)
				if e.Workers != c.share {
					t.Errorf("task %d has %d workers, want %d", i, e.Workers, c.share)
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
