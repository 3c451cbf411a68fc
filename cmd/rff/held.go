package main

import (
	"fmt"
	"strings"

	"github.com/rffgo/rff"
)

// noteHeld says which inputs a model does not look at, since they never varied.
func noteHeld(s *stdio, scaling rff.Scaling, names []string) {
	held := scaling.Held()
	if len(held) == 0 {
		return
	}
	const most = 5
	var shown []string
	for _, j := range held[:min(most, len(held))] {
		name := fmt.Sprintf("column %d", j+1)
		if j < len(names) {
			name = fmt.Sprintf("%q", names[j])
		}
		shown = append(shown, name)
	}
	more := ""
	if n := len(held) - most; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	inputs, have := "inputs", "have"
	if len(held) == 1 {
		inputs, have = "input", "has"
	}
	s.note("%d %s %s one value in all these rows, and no other one will change a prediction: %s%s", len(held), inputs, have, strings.Join(shown, ", "), more)
}
