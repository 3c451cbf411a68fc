package cg

import "github.com/rffgo/rff/internal/portable"

// pace says when a step should make its preconditioner anew: when, as fast as it has come nearer
// since the last time, it would take more than worth further evaluations. It looks after least
// of them, at first in every step.
type pace struct {
	least, worth int
	seen         int
	from         float64 // what was left at first
}

// slow takes what is left after an evaluation, as a multiple of what may be left.
func (p *pace) slow(left float64) bool {
	if p.seen++; p.seen == 1 {
		p.from = left
	}
	steps := p.seen - 1
	if steps < p.least || float64(steps)*portable.Log(left) <= float64(p.worth)*portable.Log(p.from/left) {
		return false
	}
	p.seen = 0
	return true
}
