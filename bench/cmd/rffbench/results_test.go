package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/rffgo/rff/bench/committed"
	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/bench/writeup"
	"github.com/rffgo/rff/cmd/rff/report"
)

// root is the checkout of rff.
var root = filepath.Join("..", "..", "..")

var rewriteResults = flag.Bool("rewrite-results", false, "rewrite the parts of bench/RESULTS*.md and of the README that come from the cells in bench/reproduce/results")

// documentOf returns the document that a command writes of the cells that are committed
// in bench/reproduce/results, without the command's line.
func documentOf(t *testing.T, command string) *writeup.Document {
	t.Helper()
	r := new(reproduction)
	f := pflag.NewFlagSet("reproduce", pflag.ContinueOnError)
	r.declare(f)
	if err := f.Parse(strings.Fields(command)); err != nil || f.NArg() != 1 {
		t.Fatalf("%s: %v", command, err)
	}
	p, err := protocol(f.Arg(0), r.protocol)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := os.ReadFile(reproduce.RecordPath(filepath.Join(root, r.out), p))
	if err != nil {
		t.Fatal(err)
	}
	copied := reproduce.RecordPath(t.TempDir(), p)
	if err := os.WriteFile(copied, cells, 0o666); err != nil {
		t.Fatal(err)
	}
	record, err := reproduce.OpenRecord(copied)
	if err != nil {
		t.Fatal(err)
	}
	defer record.Close()
	r.options.Folder = t.TempDir()
	// A set without data is found missing; all else is in the record.
	result, err := reproduce.Run(context.Background(), p, r.options, record, "", nil)
	if err != nil || len(result.Cells) == 0 || len(result.Failures) > 0 {
		t.Fatalf("%s: %d cells, %d failures, %v", command, len(result.Cells), len(result.Failures), err)
	}
	for _, k := range result.Planned {
		if _, ok := record.Find(k); !ok && !strings.Contains(result.Missing[k.Data], "not among those that rff reads") {
			t.Errorf("%s: %v is not in the record", command, k)
		}
	}
	if r.noTimes {
		result = result.WithoutTimes()
	}
	d := p.Document(result)
	d.About = report.About{Command: "rffbench reproduce " + command}
	if !r.noTimes { // the machine that measured them
		d.About.Machine = result.Machines("")
	}
	return d
}

// marked are the parts of a document between the marks <!-- WORD: COMMAND --> and
// <!-- end -->.
var marked = regexp.MustCompile("(?s)<!-- (report|findings|ratios): rffbench reproduce ([^>]*?) -->\n(.*?)<!-- end -->\n")

// part returns what stands between the marks of a command.
func part(t *testing.T, what, command string) string {
	t.Helper()
	d := documentOf(t, command)
	var b bytes.Buffer
	switch what {
	case "report":
		if err := d.WriteMarkdown(&b); err != nil {
			t.Fatal(err)
		}
	case "findings":
		fmt.Fprintf(&b, "## %s\n\n", d.Title)
		for _, f := range d.Findings {
			fmt.Fprintf(&b, "%s\n\n", f)
		}
		fmt.Fprintf(&b, "`%s`\n\n", d.About.Command)
	case "ratios": // of each sampler over all sets and numbers of columns
		ratios := new(writeup.Table)
		for _, table := range d.Tables {
			if len(table.Head) < 10 || table.Head[1] != "columns" || table.Head[3] != "ratio of errors" {
				continue
			}
			ratios.Head = slices.Concat(table.Head[:1], table.Head[3:6], table.Head[7:10])
			for _, row := range table.Rows {
				if row[1].Text == "all" {
					ratios.Rows = append(ratios.Rows, slices.Concat(row[:1], row[3:6], row[7:10]))
				}
			}
		}
		if err := (&writeup.Document{Tables: []*writeup.Table{ratios}}).WriteMarkdown(&b); err != nil {
			t.Fatal(err)
		}
		_, table, _ := strings.Cut(b.String(), "\n|")
		b.Reset()
		fmt.Fprintf(&b, "\n|%s\n", strings.TrimRight(table, "\n"))
	}
	return b.String()
}

// The documents have, word for word, what their commands write of the cells that are
// committed: no number of theirs is of another origin.
func TestCommittedResults(t *testing.T) {
	for file, least := range map[string]int{"bench/RESULTS-reproduce.md": 5, "bench/RESULTS.md": 5, "docs/samplers.md": 1} {
		path := filepath.Join(root, filepath.FromSlash(file))
		committed.Document(t, path, marked, least, *rewriteResults, "make results", func(all string) string {
			m := marked.FindStringSubmatch(all)
			return fmt.Sprintf("<!-- %s: rffbench reproduce %s -->\n%s<!-- end -->\n", m[1], m[2], part(t, m[1], m[2]))
		})
	}
}
