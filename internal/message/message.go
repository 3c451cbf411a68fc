// Package message words what several packages say to people.
package message

import (
	"fmt"
	"regexp"
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

// Count is a number of things that one calls by the word: 1 row, 2 rows.
func Count[N int | int64](n N, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprint(n, " ", word)
}

// longNumber matches numbers with more digits than a person reads.
var longNumber = regexp.MustCompile(`[0-9]+\.[0-9]{4,}`)

// ShortNumbers returns text, such as that of a kernel, with its long numbers
// rounded to four digits.
func ShortNumbers(text string) string {
	return longNumber.ReplaceAllStringFunc(text, func(n string) string {
		v, _ := strconv.ParseFloat(n, 64)
		return strconv.FormatFloat(v, 'g', 4, 64)
	})
}
