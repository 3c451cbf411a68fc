package wording

import (
	"fmt"
	"strings"
)

// Held says which columns are held at the one value that they have in the training
// rows. It is "" if there are none. Columns without a name have their number.
func Held(columns []int, names []string) string {
	if len(columns) == 0 {
		return ""
	}
	const most = 5
	var shown []string
	for _, j := range columns[:min(most, len(columns))] {
		name := fmt.Sprintf("column %d", j+1)
		if j < len(names) {
			name = fmt.Sprintf("%q", names[j])
		}
		shown = append(shown, name)
	}
	more := ""
	if n := len(columns) - most; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	inputs := "inputs have"
	if len(columns) == 1 {
		inputs = "input has"
	}
	return fmt.Sprintf("%d %s one value in all training rows, and no other one changes a prediction: %s%s", len(columns), inputs, strings.Join(shown, ", "), more)
}
