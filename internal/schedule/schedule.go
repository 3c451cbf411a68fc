// Package schedule runs tasks on workers: Stages in general, Tasks and Pipeline are
// its two common forms, and Progress lets a task wait for what another one has yet
// to do.
package schedule

import (
	"runtime"
	"sync"
	"sync/atomic"
)

const (
	// grain is the number of multiply-adds that repays waking one more worker:
	// some 10 µs of work against a wake-up of a few.
	grain = 1 << 20
	// spins bounds the wait for other workers before one parks: some 50 µs,
	// longer than the last task of a stage should take.
	spins = 1 << 14
)

// Workers returns the number of workers of which at most that many are asked for, 0
// for one per processor.
func Workers(asked int) int {
	if asked > 0 {
		return asked
	}
	return runtime.GOMAXPROCS(0)
}

// Worthwhile returns how many of the workers asked for repay their waking for that
// many multiply-adds in tasks indivisible pieces.
func Worthwhile(asked int, work float64, tasks int) int {
	return max(1, min(Workers(asked), tasks, int(work/grain)))
}

// Stages runs the tasks of n stages on that many workers, the caller among
// them: the tasks of a stage in any order, a stage after the one before is done.
// A worker takes the next task when it is free, so that one that loses its
// processor for a while does less instead of making the others wait. tasks is
// the number of tasks of a stage and may depend on what earlier stages did.
func Stages(workers, n int, tasks func(stage int) int, run func(worker, stage, task int)) {
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

// Tasks runs tasks 0 … n−1 in any order on at most that many workers.
func Tasks(workers, n int, task func(worker, i int)) {
	Stages(min(workers, n), 1, func(int) int { return n }, func(w, _, i int) { task(w, i) })
}

// Pipeline is a computation in stages of which each first prepares a buffer
// (generates features, packs operands) and then uses it.
type Pipeline struct {
	Stages int
	// Prepares and Uses return the numbers of tasks of a stage; Prepare and Use
	// run one of them.
	Prepares, Uses func(stage int) int
	Prepare, Use   func(worker, stage, task int)
}

// Buffers returns the number of buffers that a pipeline needs to run on that
// many workers; stage i owns buffer i mod Buffers.
func Buffers(workers int) int { return min(workers, 2) }

// Run runs p. The tasks that use stage i and those that prepare stage i+1 are
// taken together, uses first, so that one barrier per stage is enough and no
// worker waits for the last task of a use.
func (p *Pipeline) Run(workers int) {
	uses := func(stage int) int {
		if stage == 0 {
			return 0
		}
		return p.Uses(stage - 1)
	}
	Stages(workers, p.Stages+1, func(stage int) int {
		n := uses(stage)
		if stage < p.Stages {
			n += p.Prepares(stage)
		}
		return n
	}, func(w, stage, task int) {
		if n := uses(stage); task >= n {
			p.Prepare(w, stage, task-n)
			return
		}
		p.Use(w, stage-1, task)
	})
}

// team is the workers of Stages at their barriers.
type team struct {
	workers int32
	_       [60]byte
	claimed [2]struct {
		atomic.Int64
		_ [56]byte
	}
	arrived atomic.Int32
	_       [60]byte
	passed  Progress // stages that all have finished
}

// claim returns the next task of stage.
func (t *team) claim(stage int) int { return int(t.claimed[stage&1].Add(1)) - 1 }

// wait returns when all workers have finished stage.
func (t *team) wait(stage int) {
	if t.arrived.Add(1) == t.workers {
		t.arrived.Store(0)
		t.claimed[stage&1].Store(0) // next used two stages on
		t.passed.Set(stage + 1)
		return
	}
	t.passed.Reach(stage + 1)
}

// Progress counts what is done, for workers that wait for it.
type Progress struct {
	count   atomic.Int64
	waiting atomic.Int32
	_       [52]byte
	mu      sync.Mutex
	grown   sync.Cond // its lock is mu as soon as a worker waits
}

// Set makes the count n.
func (p *Progress) Set(n int) {
	p.count.Store(int64(n))
	if p.waiting.Load() > 0 {
		p.mu.Lock()
		p.grown.Broadcast()
		p.mu.Unlock()
	}
}

// Reach waits until the count is at least n, which another worker is about to
// see to.
func (p *Progress) Reach(n int) {
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
