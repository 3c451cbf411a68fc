package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rffgo/rff/bench/committed"
)

var rewriteResults = flag.Bool("rewrite-results", false, "rewrite the parts of bench/RESULTS-landmarks.md and of docs/choosing.md that come from the fits in bench/landmarks/results.jsonl")

// marked are the parts of a document between the marks <!-- landmarks: ARGUMENTS -->
// and <!-- end -->, in a list by so many spaces.
var marked = regexp.MustCompile(`(?ms)^( *)<!-- landmarks: ([^>]*?) -->\n.*?<!-- end -->\n`)

// The documents have the tables that the command writes of the fits that are committed:
// no number of theirs is of another origin.
func TestCommittedResults(t *testing.T) {
	for file, least := range map[string]int{"bench/RESULTS-landmarks.md": 4, "docs/choosing.md": 1} {
		path := filepath.Join("..", "..", filepath.FromSlash(file))
		committed.Document(t, path, marked, least, *rewriteResults, "make results", func(all string) string {
			m := marked.FindStringSubmatch(all)
			f := flag.NewFlagSet("landmarks", flag.ContinueOnError)
			parts := f.String("parts", "", "")
			without := f.String("without", "", "")
			if err := f.Parse(strings.Fields(m[2])); err != nil {
				t.Fatalf("%s: %s: %v", file, m[2], err)
			}
			var b bytes.Buffer
			if err := report(&b, "results.jsonl", strings.Split(*parts, ","), splitSets(*without)); err != nil {
				t.Fatal(err)
			}
			// A table stands between empty lines.
			lines := strings.Split("<!-- landmarks: "+m[2]+" -->\n\n"+b.String()+"\n<!-- end -->", "\n")
			for i, l := range lines {
				if l != "" {
					lines[i] = m[1] + l
				}
			}
			return strings.Join(lines, "\n") + "\n"
		})
	}
}

// Ratios are of the repetitions that both have, and sets that are left out count nowhere.
func TestReportCountsWhatBothHave(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fits.jsonl")
	fits := `{"set":"a","rep":0,"sampler":"nystrom","features":64,"train":9,"error":1,"cpu":3}
{"set":"a","rep":0,"sampler":"rff","features":64,"train":9,"error":2,"cpu":1}
{"set":"a","rep":1,"sampler":"rff","features":64,"train":9,"error":100,"cpu":1}
{"set":"b","rep":0,"sampler":"rff","features":64,"train":8,"error":1,"rmse":true}
{"set":"b","rep":0,"sampler":"nystrom","features":64,"train":8,"error":2,"rmse":true}
{"set":"c","rep":0,"sampler":"rff","features":64,"train":8,"error":1}
{"set":"c","rep":0,"sampler":"nystrom","features":64,"train":8,"error":9,"failure":"no"}
`
	if err := os.WriteFile(file, []byte(fits), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		parts, without []string
		want           string
	}{
		{[]string{"errors"}, []string{"c"}, "| data | rows | error | columns | rff | nystrom |\n|---|---|---|---|---|---|\n" +
			"| a | 9 | % | 64 | 51 ± 69 | 1 |\n| b | 8 | RMSE | 64 | 1 | 2 |\n"},
		{[]string{"ratios"}, nil, "| columns | nystrom |\n|---|---|\n| 64 | 1.000 (1 of 2) |\n"},
		{[]string{"ratios"}, []string{"b"}, "| columns | nystrom |\n|---|---|\n| 64 | 0.500 (1 of 1) |\n"},
		{[]string{"repetitions", "seconds"}, nil, "| columns | rff | nystrom |\n|---|---|---|\n| 64 | 1–2 | 0–1 |\n\n| columns | rff | nystrom |\n|---|---|---|\n| 64 | 1 | 3 |\n"},
	} {
		var b bytes.Buffer
		if err := report(&b, file, c.parts, c.without); err != nil || b.String() != c.want {
			t.Errorf("%v without %v: %v\n%s", c.parts, c.without, err, b.String())
		}
	}
	for _, bad := range []func() error{
		func() error { return report(&bytes.Buffer{}, file, []string{"haste"}, nil) },
		func() error { return report(&bytes.Buffer{}, file, []string{"speed"}, nil) }, // no record of it
		func() error { return report(&bytes.Buffer{}, file, parts, []string{"d"}) },
		func() error { return report(&bytes.Buffer{}, file, parts, []string{"a", "b", "c"}) },
	} {
		if bad() == nil {
			t.Error("a part, or a set, that there is not is refused")
		}
	}
}
