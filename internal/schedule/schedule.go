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
// processor for a while does less instead of making the others wait; one that has
// not begun a task, because no processor was free for it, is not waited for. tasks is
// the number of tasks of a stage and may depend on what earlier stages did; it is
// called once for each.
func Stages(workers, n int, tasks func(stage int) int, run func(worker, stage, task int)) {
	if workers <= 1 {
		for s := range n {
			for i := range tasks(s) {
				run(0, s, i)
			}
		}
		return
	}
	t := &team{stages: n, tasks: tasks, run: run}
	t.begin(0)
	for w := 1; w < workers; w++ {
		go t.work(w)
	}
	t.work(0)
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

// team is the workers of Stages. A worker that comes late, even after Stages has
// returned, finds out from now and touches nothing else.
type team struct {
	stages int
	tasks  func(stage int) int
	run    func(worker, stage, task int)
	now    atomic.Pointer[stage] // nil when all are done
	_      [32]byte
	begun  Progress // stages, and one more when all are done
}

// stage is one that has tasks.
type stage struct {
	index, count int
	_            [48]byte
	claimed      atomic.Int64
	_            [56]byte
	done         atomic.Int64
	_            [56]byte
}

// begin makes the first stage from s on that has tasks the one to work at.
func (t *team) begin(s int) {
	var next *stage
	for ; s < t.stages && next == nil; s++ {
		if n := t.tasks(s); n > 0 {
			next = &stage{index: s, count: n}
		}
	}
	if next == nil {
		s = t.stages + 1
	}
	t.now.Store(next)
	t.begun.Set(s)
}

// work takes tasks until there are none left to begin, or for worker 0, the caller,
// until all are done.
func (t *team) work(worker int) {
	for s := t.now.Load(); s != nil; s = t.now.Load() {
		last := false // whether this worker did the last task
		for i := s.claim(); i < s.count; i = s.claim() {
			t.run(worker, s.index, i)
			if last = int(s.done.Add(1)) == s.count; last {
				t.begin(s.index + 1)
			}
		}
		switch {
		case last:
		case worker > 0 && s.index == t.stages-1:
			return
		default:
			t.begun.Reach(s.index + 2)
		}
	}
}

// claim returns the next task.
func (s *stage) claim() int {
	if int(s.claimed.Load()) >= s.count {
		return s.count
	}
	return int(s.claimed.Add(1)) - 1
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

// Reach waits until the count is at least n. Another worker must be about to make it
// so.
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
