// Package message words what several packages say to people.
package message

import (
	"fmt"
	"strconv"
	"strings"
)

// Count is a number of things that one calls by the words: 1 row, 2 rows. The word for many is
// that for one with an s, unless it is given.
func Count[N int | int64](n N, one string, many ...string) string {
	if n != 1 {
		one = append(many, one+"s")[0]
	}
	return fmt.Sprint(n, " ", one)
}

// Rows is how many of all rows do what the words say: 1 of 2 rows has, 2 of 2 rows have.
func Rows[N int | int64](n, all N, one, many string) string {
	if n != 1 {
		one = many
	}
	return fmt.Sprint(n, " of ", Count(all, "row"), " ", one)
}

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
