package wording

import (
	"fmt"
	"strings"

	"github.com/rffgo/rff/internal/message"
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
	return fmt.Sprintf("%s one value in all training rows, and no other one changes a prediction: %s%s", message.Count(len(columns), "input has", "inputs have"), strings.Join(shown, ", "), more)
}
