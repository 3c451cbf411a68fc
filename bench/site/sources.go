package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// sourcesText returns the bibliography: what docs/explain/sources.csv lists (a name and a
// reference in a line), each with the pages that lead to it, of which there is one at least.
func (s *site) sourcesText() (string, error) {
	f, err := os.Open(filepath.Join(s.root, "docs", "explain", "sources.csv"))
	if err != nil {
		return "", err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, row := range rows {
		name, reference := row[0], row[1]
		target := "sources.md#" + strings.ReplaceAll(strings.ToLower(name), " ", "-") + ")"
		var from []string
		for _, p := range s.pages {
			if !strings.Contains(string(p.written), target) {
				continue
			}
			path, err := filepath.Rel("docs/explain", p.File)
			if err != nil {
				return "", err
			}
			title, _, _ := strings.Cut(strings.TrimPrefix(string(p.written), "# "), "\n")
			from = append(from, fmt.Sprintf("[%s](%s)", title, filepath.ToSlash(path)))
		}
		if from == nil {
			return "", fmt.Errorf("no page leads to the source %q", name)
		}
		fmt.Fprintf(&b, "### %s\n\n%s\n\nNamed on: %s.\n\n", name, reference, strings.Join(from, ", "))
	}
	return b.String(), nil
}
