package numbers

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

func init() { results["paths"] = paths }

// paths computes the least or the most of rows of bench/RESULTS-paths.md, the page that
// bench/paths writes:
//
//	least|most OPERATION A B        of the operations that begin so, the seconds on path A
//	                                over those on B, in all tables that have both
//	least|most exponent|over SAMPLER here|paper  the last columns of the timing claims
func paths(words []string) (float64, error) {
	text, err := os.ReadFile("../RESULTS-paths.md")
	if err != nil {
		return 0, err
	}
	if len(words) != 4 || words[0] != "least" && words[0] != "most" {
		return 0, fmt.Errorf("unknown words")
	}
	var all []float64
	var head []string
	for line := range strings.Lines(string(text)) {
		row := cellsOf(line)
		switch {
		case len(row) == 0:
			head = nil
		case head == nil:
			head = row
		case words[1] == "exponent" || words[1] == "over":
			column := map[string]int{"exponent": len(row) - 2, "over": len(row) - 1}[words[1]]
			if head[0] == "path" && row[1] == words[2] && (row[0] == "the paper") == (words[3] == "paper") {
				all = appendNumber(all, row[column], "1")
			}
		case head[0] == "operation" && strings.HasPrefix(row[0], words[1]):
			if a, b := slices.Index(head, words[2]), slices.Index(head, words[3]); a > 0 && b > 0 {
				all = appendNumber(all, row[a], row[b])
			}
		}
	}
	if len(all) == 0 {
		return 0, fmt.Errorf("no rows")
	}
	if words[0] == "least" {
		return slices.Min(all), nil
	}
	return slices.Max(all), nil
}

// appendNumber appends a/b if both are numbers.
func appendNumber(all []float64, a, b string) []float64 {
	x, bad := strconv.ParseFloat(a, 64)
	y, worse := strconv.ParseFloat(b, 64)
	if bad != nil || worse != nil {
		return all
	}
	return append(all, x/y)
}

// cellsOf returns the cells of a line of a table, without bold type.
func cellsOf(line string) []string {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "|") {
		return nil
	}
	cells := strings.Split(strings.Trim(line, "|"), "|")
	for i, c := range cells {
		cells[i] = strings.Trim(strings.TrimSpace(c), "*")
	}
	return cells
}
