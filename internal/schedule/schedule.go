// Package schedule runs tasks on workers. Stages is the general form; Tasks and Pipeline are
// its two common cases. Progress lets a task wait for work that another one has yet to do.
package schedule

import (
	"runtime"
	"sync"
	"sync/atomic"
)

const (
	// grain is the number of multiply-adds that repays waking one more worker. It is some 10 µs
	// of work, where waking takes a few.
	grain = 1 << 20
	// spins bounds how long a worker waits for others before it parks. It is some 50 µs, which
	// is longer than the last task of a stage should take.
	spins = 1 << 14
)

// Workers returns the number of workers to use where at most that many are asked for. 0 asks
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

// Stages runs the tasks of n stages on that many workers, the caller among them. The tasks of
// a stage run in any order, and a stage begins when the one before is done. A worker takes
// the next task when it is free, so a worker that loses its processor for a while does less
// and does not make the others wait. Stages does not wait for a worker that has not begun a
// task because no processor was free for it. tasks returns the number of tasks of a stage,
// which may depend on what earlier stages did. It is called once for each stage.
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

// Pipeline is a computation in stages. Each stage first prepares a buffer (it generates
// features or packs operands) and then uses it.
type Pipeline struct {
	Stages int
	// Prepares and Uses return the numbers of tasks of a stage. Prepare and Use run one of
	// them.
	Prepares, Uses func(stage int) int
	Prepare, Use   func(worker, stage, task int)
}

// Buffers returns the number of buffers that a pipeline needs on that many workers. Stage i
// owns buffer i mod Buffers.
func Buffers(workers int) int { return min(workers, 2) }

// Run runs p. Workers take the tasks that use stage i together with those that prepare stage
// i+1, uses first. So one barrier per stage is enough, and no worker waits for the last task
// of a use.
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

// team has the workers of Stages. A worker that comes late, perhaps after Stages has returned,
// learns that from now, and touches nothing else.
type team struct {
	stages int
	tasks  func(stage int) int
	run    func(worker, stage, task int)
	now    atomic.Pointer[stage] // nil if all stages are done
	_      [32]byte
	begun  Progress // the number of stages that have begun, and one more when all are done
}

// stage is a stage that has tasks.
type stage struct {
	index, count int
	_            [48]byte
	claimed      atomic.Int64
	_            [56]byte
	done         atomic.Int64
	_            [56]byte
}

// begin makes the next stage that has tasks, s or one after it, the stage to work at.
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

// work takes tasks until none is left to begin. Worker 0, the caller, waits until all tasks
// are done.
func (t *team) work(worker int) {
	for s := t.now.Load(); s != nil; s = t.now.Load() {
		last := false // whether this worker finished the last task of the stage
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

// claim returns the next task of the stage.
func (s *stage) claim() int {
	if int(s.claimed.Load()) >= s.count {
		return s.count
	}
	return int(s.claimed.Add(1)) - 1
}

// Progress counts the work that is done, for workers that wait for it.
type Progress struct {
	count   atomic.Int64
	waiting atomic.Int32
	_       [52]byte
	mu      sync.Mutex
	grown   sync.Cond // its lock is mu once a worker waits
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

// Reach waits until the count is at least n. Another worker must be on its way to that count.
func (p *Progress) Reach(n int) {
	for i := range spins {
		if p.count.Load() >= int64(n) {
			return
		}
		if i&63 == 63 {
			runtime.Gosched()
		}
	}
	// A sleep takes a millisecond, however short it is asked to be.
	p.mu.Lock()
	defer p.mu.Unlock()
	p.grown.L = &p.mu
	p.waiting.Add(1)
	for p.count.Load() < int64(n) {
		p.grown.Wait()
	}
	p.waiting.Add(-1)
}
