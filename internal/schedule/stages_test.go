package schedule

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// A worker for which there is no processor is not waited for: with one processor, which
// the caller has, the caller does all tasks of all stages.
func TestStagesWaitForNobodyIdle(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const stages, tasks = 3, 4
	for range 20 { // the system may stop the caller for so long that another worker begins
		var alone, done int
		Stages(2, stages, func(int) int { return tasks }, func(worker, _, _ int) {
			if done++; worker == 0 {
				alone++
			}
		})
		if done != stages*tasks {
			t.Fatalf("%d of %d tasks", done, stages*tasks)
		}
		if alone == done {
			return
		}
	}
	t.Error("the caller never did all tasks")
}

// Every task runs once, after all of the stages before, whatever the numbers of tasks,
// and soon after the last one there are no more goroutines than before.
func TestStagesOrder(t *testing.T) {
	counts := []int{0, 3, 0, 0, 1, 17, 2, 0}
	before := runtime.NumGoroutine()
	for workers := 1; workers <= 5; workers++ {
		for range 300 {
			ran := make([]atomic.Int32, len(counts))
			Stages(workers, len(counts), func(s int) int { return counts[s] }, func(_, s, i int) {
				for b := range s {
					if got := int(ran[b].Load()); got != counts[b] {
						t.Errorf("stage %d begins when %d of %d tasks of stage %d are done", s, got, counts[b], b)
					}
				}
				runtime.Gosched()
				ran[s].Add(1)
			})
			for s := range counts {
				if got := int(ran[s].Load()); got != counts[s] {
					t.Fatalf("%d of %d tasks of stage %d", got, counts[s], s)
				}
			}
		}
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}
