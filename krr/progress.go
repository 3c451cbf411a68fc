package krr

import (
	"sync"
	"time"
)

// Progress is the state of a pass over the data, or of another long stage.
type Progress struct {
	// Stage is "rows" while rows are read, and Rows counts them. It is "search" while Auto
	// searches, and Rows counts hundredths of the budget, or of the kernels of a quick search;
	// It is "select" while λ is chosen, and Rows counts hundredths of a fold, or of the whole
	// choice where it is not made by folds. It is "solve" while the system is solved, in
	// hundredths, and "iterations" during conjugate gradients, whose iterations Rows counts.
	Stage   string
	Rows    int64         // done so far
	Total   int64         // in all, or −1 if the source does not know
	Elapsed time.Duration // of this pass
}

// progressEvery is the time between two reports of a stage.
const progressEvery = 200 * time.Millisecond

// stage reports how far a long computation is, in hundredths of its parts. Several
// workers may advance it at once. A nil stage reports nothing.
type stage struct {
	call  func(Progress)
	name  string
	parts int
	start time.Time

	mu       sync.Mutex
	done     float64 // in parts
	reported time.Time
	panicked any // by call, on some worker
}

func newStage(call func(Progress), name string, parts int) *stage {
	if call == nil {
		return nil
	}
	now := time.Now()
	return &stage{call: call, name: name, parts: parts, start: now, reported: now}
}

// add advances the stage by a share of one part.
func (s *stage) add(share float64) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done += share
	if now := time.Now(); s.panicked == nil && now.Sub(s.reported) >= progressEvery {
		s.reported = now
		s.report(int64(100 * min(s.done, float64(s.parts))))
	}
}

// report keeps a panic of call for end. On a worker nobody could recover it.
func (s *stage) report(n int64) {
	defer func() { s.panicked = recover() }()
	s.call(Progress{Stage: s.name, Rows: n, Total: 100 * int64(s.parts), Elapsed: time.Since(s.start)})
}

// end reports the end of the stage, on the caller's goroutine.
func (s *stage) end() {
	if s == nil {
		return
	}
	if s.panicked == nil {
		s.report(100 * int64(s.parts))
	}
	if s.panicked != nil {
		panic(s.panicked)
	}
}
