// Package wording words what the programs of this module say to people.
package wording

import (
	"fmt"
	"regexp"
	"strconv"
)

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
