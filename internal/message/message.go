// Package message words what several packages say to people.
package message

import (
	"fmt"
	"strconv"
	"strings"
)

// Names lists the first few of names, each in quotation marks.
func Names(names []string) string {
	const most = 12
	if len(names) == 0 {
		return "none"
	}
	q := make([]string, 0, most)
	for _, n := range names[:min(len(names), most)] {
		q = append(q, strconv.Quote(n))
	}
	s := strings.Join(q, ", ")
	if len(names) > most {
		s += fmt.Sprintf(", … (%d in all)", len(names))
	}
	return s
}
