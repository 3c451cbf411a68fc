package main

import (
	"fmt"
	"strings"

	"github.com/rffgo/rff"
)

// noteHeld says which inputs a model does not look at, since they never varied.
func noteHeld(s *stdio, scaling rff.Scaling, names []string) {
	if text := heldText(scaling, names); text != "" {
		s.note("%s", text)
	}
}

// heldText says which inputs the scaling holds, or "" if there are none.
func heldText(scaling rff.Scaling, names []string) string {
	held := scaling.Held()
	if len(held) == 0 {
		return ""
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
	inputs := "inputs have"
	if len(held) == 1 {
		inputs = "input has"
	}
	return fmt.Sprintf("%d %s one value in all training rows, and no other one changes a prediction: %s%s", len(held), inputs, strings.Join(shown, ", "), more)
}
