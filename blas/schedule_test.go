package blas

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

// TestProgressWakes: a worker that has waited long enough to park goes on once
// the count is there, whether it grew in one step or in several.
func TestProgressWakes(t *testing.T) {
	var p progress
	done := make(chan struct{})
	for range 3 {
		go func() {
			p.reach(2)
			done <- struct{}{}
		}()
	}
	deadline := time.Now().Add(10 * time.Second)
	for p.waiting.Load() < 3 {
		if time.Now().After(deadline) {
			t.Fatal("nobody parks")
		}
		time.Sleep(time.Millisecond)
	}
	p.set(1)
	select {
	case <-done:
		t.Fatal("woken for good at 1 of 2")
	case <-time.After(10 * time.Millisecond):
	}
	p.set(2)
	for range 3 {
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.Fatal("not woken")
		}
	}
}

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
