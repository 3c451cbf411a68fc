package main

import (
	"fmt"
	"sync"
	"time"
	"unicode/utf8"
)

// progress is a line that is overwritten while work goes on. It is shown only if standard error
// is a terminal.
type progress struct {
	io    *stdio
	mu    sync.Mutex
	last  time.Time
	width int
}

func newProgress(s *stdio) *progress { return &progress{io: s} }

// show replaces the line, at most ten times a second.
func (p *progress) show(format string, a ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.io.terminal || time.Since(p.last) < 100*time.Millisecond {
		return
	}
	p.last = time.Now()
	text := printable(fmt.Sprintf(format, a...))
	if r := []rune(text); len(r) > 78 {
		text = string(r[:78])
	}
	n := utf8.RuneCountInString(text)
	fmt.Fprintf(p.io.err, "\r%s%*s", text, max(0, p.width-n), "")
	p.width = n
}

// clear removes the line.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.width > 0 {
		fmt.Fprintf(p.io.err, "\r%*s\r", p.width, "")
		p.width = 0
	}
}
