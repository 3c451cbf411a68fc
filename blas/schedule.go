package blas

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// This file is the scheduler of the package: inStages runs tasks on workers,
// parallel and pipeline are its two common forms, and progress lets a task wait
// for what another one has yet to do.

// inStages runs the tasks of n stages on that many workers, the caller among
// them: the tasks of a stage in any order, a stage after the one before is done.
// A worker takes the next task when it is free, so that one that loses its
// processor for a while does less instead of making the others wait. tasks is
// the number of tasks of a stage and may depend on what earlier stages did.
func inStages(workers, n int, tasks func(stage int) int, run func(worker, stage, task int)) {
	if workers <= 1 {
		for s := range n {
			for i := range tasks(s) {
				run(0, s, i)
			}
		}
		return
	}
	t := &team{workers: int32(workers)}
	work := func(w int) {
		for s := range n {
			count := tasks(s)
			for i := t.claim(s); i < count; i = t.claim(s) {
				run(w, s, i)
			}
			if s < n-1 {
				t.wait(s)
			}
		}
	}
	var wg sync.WaitGroup
	wg.Add(workers - 1)
	for w := 1; w < workers; w++ {
		go func() {
			defer wg.Done()
			work(w)
		}()
	}
	work(0)
	wg.Wait()
}

// parallel runs tasks 0 … n−1 in any order on at most that many workers.
func parallel(workers, n int, task func(worker, i int)) {
	inStages(min(workers, n), 1, func(int) int { return n }, func(w, _, i int) { task(w, i) })
}

// pipeline is a computation in stages of which each first prepares a buffer
// (generates features, packs operands) and then uses it.
type pipeline struct {
	stages int
	// prepares and uses return the numbers of tasks of a stage; prepare and use
	// run one of them.
	prepares, uses func(stage int) int
	prepare, use   func(worker, stage, task int)
}

// buffers returns the number of buffers that a pipeline needs to run on that
// many workers; stage i owns buffer i mod buffers.
func buffers(workers int) int { return min(workers, 2) }

// run runs p. The tasks that use stage i and those that prepare stage i+1 are
// taken together, uses first, so that one barrier per stage is enough and no
// worker waits for the last task of a use.
func (p *pipeline) run(workers int) {
	uses := func(stage int) int {
		if stage == 0 {
			return 0
		}
		return p.uses(stage - 1)
	}
	inStages(workers, p.stages+1, func(stage int) int {
		n := uses(stage)
		if stage < p.stages {
			n += p.prepares(stage)
		}
		return n
	}, func(w, stage, task int) {
		if n := uses(stage); task >= n {
			p.prepare(w, stage, task-n)
			return
		}
		p.use(w, stage-1, task)
	})
}

// team is the workers of inStages at their barriers.
type team struct {
	workers int32
	_       [60]byte
	claimed [2]struct {
		atomic.Int64
		_ [56]byte
	}
	arrived atomic.Int32
	_       [60]byte
	passed  progress // stages that all have finished
}

// claim returns the next task of stage.
func (t *team) claim(stage int) int { return int(t.claimed[stage&1].Add(1)) - 1 }

// wait returns when all workers have finished stage.
func (t *team) wait(stage int) {
	if t.arrived.Add(1) == t.workers {
		t.arrived.Store(0)
		t.claimed[stage&1].Store(0) // next used two stages on
		t.passed.set(stage + 1)
		return
	}
	t.passed.reach(stage + 1)
}

// progress counts what is done, for workers that wait for it.
type progress struct {
	count   atomic.Int64
	waiting atomic.Int32
	_       [52]byte
	mu      sync.Mutex
	grown   sync.Cond // its lock is mu as soon as a worker waits
}

// set makes the count n.
func (p *progress) set(n int) {
	p.count.Store(int64(n))
	if p.waiting.Load() > 0 {
		p.mu.Lock()
		p.grown.Broadcast()
		p.mu.Unlock()
	}
}

// reach waits until the count is at least n, which another worker is about to
// see to.
func (p *progress) reach(n int) {
	for i := range spins {
		if p.count.Load() >= int64(n) {
			return
		}
		if i&63 == 63 {
			runtime.Gosched()
		}
	}
	// A sleep would be a millisecond, however short it is asked to be.
	p.mu.Lock()
	defer p.mu.Unlock()
	p.grown.L = &p.mu
	p.waiting.Add(1)
	for p.count.Load() < int64(n) {
		p.grown.Wait()
	}
	p.waiting.Add(-1)
}
