package main

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// stages shows what a long command is doing. A stage that reports nothing, such as
// the choice of features, shows the time since it began.
type stages struct {
	line *progress
	stop chan struct{}
	// searches is set where rows are read for a search before the fit reads them.
	searches bool

	mu       sync.Mutex
	text     string
	began    time.Time
	reported time.Time
	fitted   bool // the fit has read its rows, so further passes are not its own
}

// startStages begins with a stage.
func startStages(s *stdio, stage string) *stages {
	w := &stages{line: newProgress(s), stop: make(chan struct{})}
	w.stage("%s", stage)
	if s.terminal {
		go w.tick()
	}
	return w
}

// tick shows the time since a stage began while it reports nothing.
func (w *stages) tick() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-w.stop:
			return
		case now := <-t.C:
			w.mu.Lock()
			if now.Sub(w.reported) > 900*time.Millisecond {
				w.line.show("%s, %s so far", w.text, now.Sub(w.began).Round(time.Second))
			}
			w.mu.Unlock()
		}
	}
}

// stage begins another stage.
func (w *stages) stage(format string, a ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text, w.began = fmt.Sprintf(format, a...), time.Now()
	w.line.show("%s", w.text)
}

// at reports progress within a stage: done units, of total if that is known.
func (w *stages) at(text string, done, total int64, unit string, elapsed time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.within(text)
	p := krr.Progress{Rows: done, Total: total, Elapsed: elapsed}
	line := fmt.Sprintf("%s: %d", text, done)
	if total > 0 {
		line += fmt.Sprintf(" of %d", total)
	}
	line += " " + unit
	if rate := float64(done) / max(elapsed.Seconds(), 1e-9); done > 0 && rate >= 1 {
		line += fmt.Sprintf(", %.0f per second", rate)
	}
	if eta := timeLeft(p); total > 0 && eta > 0 {
		line += fmt.Sprintf(", %s to go", eta.Round(time.Second))
	}
	w.line.show("%s", line)
}

// within notes that a stage has reported. The caller holds mu.
func (w *stages) within(text string) {
	if w.text != text {
		w.text, w.began = text, time.Now()
	}
	w.reported = time.Now()
}

// note prints a line of diagnostics.
func (w *stages) note(format string, a ...any) {
	w.line.clear()
	w.line.io.note(format, a...)
}

// rows returns a function that reports rows read.
func (w *stages) rows() func(int64) {
	start := time.Now()
	return func(n int64) { w.at("looking at the data", n, -1, "rows", time.Since(start)) }
}

// fitStages names the stages of krr.
var fitStages = map[string]string{
	"sample":     "drawing rows to choose on",
	"bandwidths": "choosing kernel and bandwidth",
	"search":     "choosing kernel and bandwidth",
	"select":     "choosing λ",
	"solve":      "solving",
}

// fit reports the progress of a fit.
func (w *stages) fit(p krr.Progress) {
	over := p.Total >= 0 && p.Rows == p.Total
	switch {
	case p.Stage == "rows":
		w.at("reading", p.Rows, p.Total, "rows", p.Elapsed)
		if over && !w.searches {
			w.further()
			w.stage("choosing λ and solving")
		}
		return
	case p.Stage == "iterations":
		w.at("conjugate gradients", p.Rows, p.Total, "iterations", p.Elapsed)
		return
	}
	name := p.Stage
	if n, ok := fitStages[name]; ok {
		name = n
	}
	w.share(name, p)
	if p.Stage == "select" {
		w.further()
		if over {
			w.stage("solving")
		}
	}
}

// further notes that the fit has read its rows, so further passes are not its own.
func (w *stages) further() {
	w.mu.Lock()
	w.fitted = true
	w.mu.Unlock()
}

// share reports how much of a stage is done.
func (w *stages) share(text string, p krr.Progress) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.within(text)
	if p.Total > 0 {
		text += fmt.Sprintf(": %d %%", 100*p.Rows/p.Total)
	}
	if eta := timeLeft(p).Round(time.Second); eta > 0 {
		text += fmt.Sprintf(", %s to go", eta)
	}
	w.line.show("%s", text)
}

// end removes the line.
func (w *stages) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.stop:
	default:
		close(w.stop)
	}
	w.line.clear()
}

// watchedRows are rows that report passes after the fit's own as the stage text.
type watchedRows struct {
	rff.Source
	w    *stages
	text string
}

func (r *watchedRows) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	r.w.mu.Lock()
	further := r.w.fitted
	r.w.mu.Unlock()
	if !further {
		return r.Source.Batches(ctx)
	}
	return func(yield func(rff.Batch, error) bool) {
		start, total := time.Now(), r.Schema().Rows
		for b, err := range r.Source.Batches(ctx) {
			if err == nil {
				r.w.at(r.text, b.First+int64(b.X.Rows), total, "rows", time.Since(start))
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// timeLeft returns the expected time to the end of a pass, or −1 if it is not known.
func timeLeft(p krr.Progress) time.Duration {
	if p.Total < 0 || p.Rows == 0 {
		return -1
	}
	return time.Duration(float64(p.Total-p.Rows) / float64(p.Rows) * float64(p.Elapsed))
}
