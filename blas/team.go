package blas

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// grain is the number of multiply-adds that repays waking one more worker
// (some 10 µs of work against a wake-up of a few).
const grain = 1 << 20

// spins bounds the wait for other workers before one parks: some 50 µs, longer
// than the last task of a stage should take.
const spins = 1 << 14

// workersFor returns the number of workers for that many multiply-adds in
// tasks indivisible pieces.
func (e Engine) workersFor(work float64, tasks int) int {
	if e.eager {
		return max(1, e.workers())
	}
	return max(1, min(e.workers(), tasks, int(work/grain)))
}

// team is a set of workers that pass through stages together. Tasks of a stage
// are claimed from a counter, so that a worker that loses its processor for a
// while does less instead of making the others wait.
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

// run calls body once per worker, on this goroutine for worker 0, and returns
// when all are done.
func run(workers int, body func(t *team, worker int)) {
	t := &team{workers: int32(workers)}
	var wg sync.WaitGroup
	wg.Add(workers - 1)
	for w := 1; w < workers; w++ {
		go func() {
			defer wg.Done()
			body(t, w)
		}()
	}
	body(t, 0)
	wg.Wait()
}

// parallel runs tasks 0 … n−1 in any order on that many workers.
func parallel(workers, n int, task func(worker, i int)) {
	if workers = min(workers, n); workers <= 1 {
		for i := range n {
			task(0, i)
		}
		return
	}
	run(workers, func(t *team, w int) {
		for i := t.claim(0); i < n; i = t.claim(0) {
			task(w, i)
		}
	})
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

// buffers returns the number of buffers that p needs to run on that many
// workers; stage i owns buffer i mod buffers.
func buffers(workers int) int { return min(workers, 2) }

// run runs p. With more than one worker the tasks that use stage i and those
// that prepare stage i+1 are claimed together, so one barrier per stage is
// enough and nobody waits for the last task of a use.
func (p *pipeline) run(workers int) {
	if workers <= 1 {
		for s := range p.stages {
			for i := range p.prepares(s) {
				p.prepare(0, s, i)
			}
			for i := range p.uses(s) {
				p.use(0, s, i)
			}
		}
		return
	}
	run(workers, func(t *team, w int) {
		for s := range p.stages + 1 {
			uses, prepares := 0, 0
			if s > 0 {
				uses = p.uses(s - 1)
			}
			if s < p.stages {
				prepares = p.prepares(s)
			}
			for i := t.claim(s); i < uses+prepares; i = t.claim(s) {
				if i < uses {
					p.use(w, s-1, i)
				} else {
					p.prepare(w, s, i-uses)
				}
			}
			t.wait(s)
		}
	})
}

// progress counts what is done, for workers that wait for it.
type progress struct {
	count   atomic.Int64
	waiting atomic.Int32
	_       [52]byte
	mu      sync.Mutex
	grown   sync.Cond // its lock is mu as soon as somebody waits
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
