package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The site of this tree has no link that leads nowhere, no command that fails and no
// number that nothing stands behind. In short mode no command runs.
func TestSite(t *testing.T) {
	only := ""
	if testing.Short() {
		only = "no page"
	}
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	s, err := build(context.Background(), root, only)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	for _, w := range s.wrong {
		t.Error(w)
	}
	dir := t.TempDir()
	if err := s.write(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil || !strings.Contains(string(text), `<h1 id="rff">`) {
		t.Error(err, string(text[:min(len(text), 400)]))
	}
}

// Faults of a page are found.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	s := &site{root: t.TempDir(), temp: t.TempDir(), bin: t.TempDir()}
	if err := os.Mkdir(filepath.Join(s.root, "docs"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(s.root, "docs", "explain"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.root, "docs", "explain", "sources.csv"), []byte("X 2001,a\nY 2002,b\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"# A\n\n## B c\n\n[x](#b-c)\n": "",
		"# A\n\n[x](#b)\n":             "leads to no heading",
		"# A\n\n[x](b.md)\n":           "leads to no page",
		"text\n":                       "has no title",
		"# A\n\n```console\n$ echo 2.345\n```\n\nIt is 2.35, or 2.3.\n":                                     "",
		"# A\n\n```console\n$ echo 2.345\n```\n\nIt is 2.4.\n":                                              `no command of the page printed "2.4"`,
		"# A\n\n```console\n$ echo 1\n```\n\nIt is 7.\n\nIt is 7 %.\n":                                      `printed "7 %"`,
		"# A\n\n```console\n$ echo 1\n```\n\n7 %\n<!-- given: a level -->\n":                                "",
		"# A\n\n```console\n$ false\n```\n":                                                                 "exit status 1",
		"# A\n\n```console exit=1\n$ true\n$ false\n```\n":                                                  "",
		"# A\n\n```console exit=1\n$ true\n```\n":                                                           "exit status 0",
		"# A\n\n```console\n$ echo a b c\na … c\n$ echo \\\n>   d\nd\n```\n":                                "",
		"# A\n\n```console\n$ echo a b c\na … d\n```\n":                                                     "does not print what the page says",
		"# A\n\n```console\necho a\n```\n":                                                                  "not with a command",
		"# A\n\n```console\n$ cat <<END\n> a\n> END\na\n```\n":                                              "",
		"# A\n\n```go\nx  := 1\n```\n":                                                                      "gofmt would change",
		"# A\n\n```chart\ncsv: none.csv\nx: a\n```\n":                                                       "a chart",
		"# A\n\n```console\n$ printf 'a,b\\n1,2\\n' >t.csv\n```\n\n```chart\ncsv: t.csv\nx: a\ny: b\n```\n": "",
		"# A\n\n```console\n$ printf 'a,b\\n1,2\\n' >t.csv\n```\n\n```chart\ncsv: t.csv\nx: a\ny: c\n```\n": `no column "c"`,
		"# A\n\n![a](b.svg)\n":                                                                              "there is no image",
		"# A\n\n```console\n$ echo >b.svg\n```\n\n![a](b.svg)\n":                                            "",
		"# A\n\n<!-- generated: nothing -->\n":                                                              "nothing of that name",
		"# A\n\n[x](sources.md#x-2001)\n\n<!-- generated: sources -->\n":                                    `no page leads to the source "Y 2002"`,
	} {
		p := &page{File: "docs/explain/a.md", Path: "explain/a.html", Section: "explain", written: []byte(text)}
		s.pages, s.wrong = []*page{p}, nil
		p.read(s)
		p.run(context.Background(), s)
		p.render(s)
		s.check(true)
		got := strings.Join(s.wrong, "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		os.RemoveAll(p.scratch)
	}
}

// Help is taken apart: values, defaults in parentheses of their own, lines that go on.
func TestParseHelp(t *testing.T) {
	c := parseHelp("Usage: rff x [--flag value …]\n\nDoes x.\nThen y.\n\nMore.\n\nData\n  --data FILE\n        file (of rows),\n        or two (default: the (first) one); - for none\n  --quiet\n        say nothing\n\nFit\n  --folds NUMBER\n        number (default 5)\n\nExample:\n\n  rff x --data a\n")
	if c.Usage != "rff x [--flag value …]" || c.Long != "Does x.\nThen y.\n\nMore." || len(c.Groups) != 2 || strings.Join(c.Example, "|") != "rff x --data a" {
		t.Fatalf("%+v", c)
	}
	data, quiet, folds := c.Groups[0].Flags[0], c.Groups[0].Flags[1], c.Groups[1].Flags[0]
	if data.Name != "data" || data.Value != "FILE" || data.Text != "file (of rows), or two; - for none" || data.Default != "the (first) one" {
		t.Errorf("%+v", data)
	}
	if quiet.Name != "quiet" || quiet.Value != "" || quiet.Text != "say nothing" || folds.Default != "5" || folds.Text != "number" {
		t.Errorf("%+v %+v", quiet, folds)
	}
}

// The page of platforms has every environment variable that the library and the command read.
func TestEnvironment(t *testing.T) {
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "reference", "platforms.md"))
	if err != nil {
		t.Fatal(err)
	}
	read := regexp.MustCompile(`Getenv\("(\w+)"\)`)
	found := 0
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "bench" || d.Name() == "beam" || d.Name() == "_gen" || d.Name() == "require") {
			return filepath.SkipDir
		}
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		for _, m := range read.FindAllSubmatch(text, -1) {
			found++
			if !strings.Contains(string(page), "`"+string(m[1])) {
				t.Errorf("%s reads %s, which docs/reference/platforms.md does not have", name, m[1])
			}
		}
		return err
	})
	if err != nil || found < 2 {
		t.Error(found, err)
	}
}
