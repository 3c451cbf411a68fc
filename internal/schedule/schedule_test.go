package schedule

import (
	"testing"
	"time"
)

// TestProgressWakes: a worker that has waited long enough to park goes on once
// the count is there, whether it grew in one step or in several.
func TestProgressWakes(t *testing.T) {
	var p Progress
	done := make(chan struct{})
	for range 3 {
		go func() {
			p.Reach(2)
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
	p.Set(1)
	select {
	case <-done:
		t.Fatal("woken for good at 1 of 2")
	case <-time.After(10 * time.Millisecond):
	}
	p.Set(2)
	for range 3 {
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.Fatal("not woken")
		}
	}
}
