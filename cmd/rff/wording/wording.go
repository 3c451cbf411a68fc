// Package wording words what the programs of this module say to people.
package wording

import (
	"regexp"
	"strconv"
)

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
