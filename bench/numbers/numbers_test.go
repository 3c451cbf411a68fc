package numbers

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// documents are those whose prose is held to results. The other pages of bench are
// written by the command that they name, as a whole.
var documents = []string{"README.md", "docs/*.md", "docs/*/*.md", "beam/README.md", "bench/RESULTS.md", "bench/RESULTS-landmarks.md"}

// results compute numbers, by the first word of an expression.
var results = map[string]func(words []string) (float64, error){}

var (
	measured = Measured
	number   = regexp.MustCompile(`^[-+]?[\d,]+(\.\d+)?$`)
)

// Every measured number in the prose of the documents is what the committed results give,
// or has its command beside it.
func TestNumbers(t *testing.T) {
	var files []string
	for _, d := range documents {
		some, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(d)))
		if err != nil || some == nil {
			t.Fatalf("%s: %v", d, err)
		}
		files = append(files, some...)
	}
	for _, document := range files {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, wrong := range check(string(text)) {
			t.Errorf("%s: %s", document, wrong)
		}
	}
}

// check returns what is wrong with the numbers of a document. Where commands of a page
// print, the build of the site (bench/site) looks for the numbers of paragraphs without a
// comment in what they printed.
func check(text string) (wrong []string) {
	printing := strings.Contains(text, "```console") || strings.Contains(text, "```go run")
	for _, p := range Paragraphs(text) {
		if len(p.Origins) == 0 && !printing {
			if m := measured.FindString(p.Plain); m != "" {
				wrong = append(wrong, fmt.Sprintf("nothing says where %q is from: %s", m, beginning(p.Plain)))
			}
			continue
		}
		for _, o := range p.Origins {
			if o.Kind == "numbers" {
				wrong = append(wrong, compare(p.Plain, o.Text)...)
			}
		}
	}
	return wrong
}

// compare holds a paragraph to the expressions of its comment: each number is that of its
// expression, in the order of the paragraph, and none that looks measured is left over.
func compare(plain, comment string) (wrong []string) {
	rest := plain
	for _, claim := range strings.Split(comment, ";") {
		said, expression, ok := strings.Cut(strings.TrimSpace(claim), " = ")
		if !ok || !number.MatchString(said) {
			wrong = append(wrong, fmt.Sprintf("%q is not NUMBER = EXPRESSION", claim))
			continue
		}
		i := index(rest, said)
		if i < 0 {
			wrong = append(wrong, fmt.Sprintf("no %s after the numbers before it: %s", said, beginning(plain)))
			continue
		}
		if m := measured.FindString(rest[:i]); m != "" {
			wrong = append(wrong, fmt.Sprintf("nothing says where %q is from: %s", m, beginning(plain)))
		}
		rest = rest[i+len(said):]
		words := strings.Fields(expression)
		compute, ok := results[words[0]]
		if !ok {
			wrong = append(wrong, fmt.Sprintf("%q begins with no results that there are", expression))
			continue
		}
		v, err := compute(words[1:])
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v", expression, err))
		} else if got := as(said, v); got != said {
			wrong = append(wrong, fmt.Sprintf("%s is %s: %s", said, got, expression))
		}
	}
	if m := measured.FindString(strings.TrimLeft(rest, " %")); m != "" {
		wrong = append(wrong, fmt.Sprintf("nothing says where %q is from: %s", m, beginning(plain)))
	}
	return wrong
}

// index returns where a number stands in a text as a whole, −1 if nowhere.
func index(text, said string) int {
	at := regexp.MustCompile(`(^|[^\d.,])` + regexp.QuoteMeta(said) + `($|[^\d.,]|[.,]($|\D))`).FindStringIndex(text)
	if at == nil {
		return -1
	}
	return at[0] + strings.Index(text[at[0]:], said)
}

// as writes a number with the digits and the sign of another.
func as(said string, v float64) string {
	_, decimals, _ := strings.Cut(said, ".")
	s := strconv.FormatFloat(v, 'f', len(decimals), 64)
	if strings.HasPrefix(said, "+") && v >= 0 {
		s = "+" + s
	}
	if strings.Contains(said, ",") && len(s) > 3 {
		s = s[:len(s)-3] + "," + s[len(s)-3:]
	}
	return s
}

func beginning(paragraph string) string {
	words := strings.Fields(paragraph)
	return strings.Join(words[:min(12, len(words))], " ") + " …"
}

// The check finds a number that is wrong, one that no comment has, and one that is
// claimed and not there.
func TestCheck(t *testing.T) {
	results["two"] = func(words []string) (float64, error) { return 2, nil }
	defer delete(results, "two")
	for text, want := range map[string]string{
		"Plain text of 12 rows.\n":                                          "",
		"It takes 2.5 seconds.\n":                                           `nothing says where "2.5" is from`,
		"It takes 2.0 s, or 2.\n<!-- numbers: 2.0 = two; 2 = two -->\n":     "",
		"It takes 2.1 s.\n<!-- numbers: 2.1 = two -->\n":                    "2.1 is 2.0: two",
		"It takes 2.0 s of 5 %.\n<!-- numbers: 2.0 = two -->\n":             `nothing says where "5 %" is from`,
		"It takes 7 %, of which 2 are.\n<!-- numbers: 2 = two -->\n":        `nothing says where "7 %" is from`,
		"It takes 12.0 s.\n<!-- numbers: 2.0 = two -->\n":                   "no 2.0 after",
		"It takes 2.0 s.\n<!-- numbers: 2.0 = three -->\n":                  "begins with no results",
		"It takes 2.0 s.\n<!-- numbers: two -->\n":                          "is not NUMBER",
		"It takes 7.5 s.\n<!-- from: make bench, at 0123456 -->\n":          "",
		"It needs Go 1.24.\n<!-- given: a version -->\n":                    "",
		"- 2.0\n  <!-- numbers: 2.0 = two -->\n- 3.5\n":                     `nothing says where "3.5" is from`,
		"<!-- report: x -->\n9.9 %\n<!-- end -->\n\n    sleep 1.5\n`1.5`\n": "",
	} {
		got := strings.Join(check(text), "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
