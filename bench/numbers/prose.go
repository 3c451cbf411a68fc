package numbers

import (
	"regexp"
	"strings"
)

// Paragraph is a paragraph of prose, or a point of a list.
type Paragraph struct {
	Plain   string // without code and comments
	Origins []Origin
}

// Origin is a comment that says where the numbers of a paragraph are from.
type Origin struct{ Kind, Text string }

// Measured are numbers as measurements have them: decimals and shares.
var Measured = regexp.MustCompile(`\d+\.\d+|\d[\d,]* %`)

var (
	// parts are held by tests of their own.
	parts = regexp.MustCompile(`(?s)<!-- (report|findings|ratios|landmarks|table)\b[^>]*-->.*?<!-- /?(end|table) -->`)
	// fences are code.
	fences = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	origin = regexp.MustCompile(`(?s)<!-- (numbers|from|given): (.*?) -->`)
)

// Paragraphs divides a page at empty lines and before points of a list. Code, and the parts
// that other tests hold, are left out.
func Paragraphs(text string) (all []Paragraph) {
	var now []string
	end := func() {
		whole := strings.Join(now, "\n")
		p := Paragraph{Plain: fences.ReplaceAllString(origin.ReplaceAllString(whole, ""), "")}
		for _, m := range origin.FindAllStringSubmatch(whole, -1) {
			p.Origins = append(p.Origins, Origin{m[1], m[2]})
		}
		all, now = append(all, p), nil
	}
	fenced := false
	for line := range strings.Lines(parts.ReplaceAllString(text, "\n")) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		switch {
		case fenced:
			continue
		case strings.HasPrefix(line, "    "):
			continue
		case line == "" || strings.HasPrefix(line, "- "):
			end()
		}
		now = append(now, line)
	}
	end()
	return all
}
