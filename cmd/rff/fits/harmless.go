package fits

import (
	"strconv"
	"strings"
)

// Harmless puts an apostrophe before labels that a spreadsheet would take for formulas. It
// returns all labels, and the labels that it changed. Labels that begin with apostrophes before
// a sign of a formula get one more apostrophe. So a reader gets the labels back if it removes
// one apostrophe from each that has some before such a sign. Numbers, such as -1, are no
// formulas.
func Harmless(labels []string) (out, changed []string) {
	for _, l := range labels {
		bare := strings.TrimLeft(l, "'")
		_, err := strconv.ParseFloat(l, 64)
		if bare != "" && strings.IndexByte("=+-@\t\r", bare[0]) >= 0 && err != nil {
			changed = append(changed, l)
			l = "'" + l
		}
		out = append(out, l)
	}
	return out, changed
}
