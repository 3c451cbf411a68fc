package main

import "github.com/rffgo/rff"

// noteJitter says so where landmarks are nearly alike.
func noteJitter(s *stdio, m *rff.Map) {
	if j := m.Jitter(); j > 1e-11 {
		s.note("landmarks are nearly alike at this bandwidth: %.2g was added to the diagonal of their kernel matrix", j)
	}
}
