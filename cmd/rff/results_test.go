package main

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rffgo/rff/bench/report"
	"github.com/rffgo/rff/bench/reproduce"
)

// bench/RESULTS-reproduce.md has, word for word, what its commands write of the cells
// that are committed in bench/reproduce/results.
func TestCommittedResults(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "bench", "RESULTS-reproduce.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile("- Command: `rff reproduce ([^`]*)`\n").FindAllStringSubmatch(string(text), -1)
	if len(commands) < 5 {
		t.Fatalf("%d commands are named", len(commands))
	}
	for _, c := range commands {
		r := &reproduction{sizes: counts{most: 1 << 20}}
		f := flag.NewFlagSet("reproduce", flag.ContinueOnError)
		f.SetOutput(io.Discard)
		r.declare(f)
		if err := f.Parse(strings.Fields(c[1])); err != nil || !r.noTimes {
			t.Fatalf("%s: %v; times are this machine's", c[1], err)
		}
		e, err := reproduce.Find(experiments(), r.experiment)
		if err != nil {
			t.Fatal(err)
		}
		p, err := e.Protocol(r.protocol)
		if err != nil {
			t.Fatal(err)
		}
		cells, err := os.ReadFile(reproduce.RecordPath(filepath.Join("..", "..", r.out), p))
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
		r.options.Sets, r.options.Sizes, r.options.Folder = r.sets, r.sizes.items, t.TempDir()
		// A set without data is found missing; all else is in the record.
		result, err := reproduce.Run(context.Background(), p, r.options, record, "", nil)
		if err != nil || len(result.Cells) == 0 || len(result.Failures) > 0 {
			t.Fatalf("%s: %d cells, %d failures, %v", c[1], len(result.Cells), len(result.Failures), err)
		}
		for _, k := range result.Planned {
			if _, ok := record.Find(k); !ok && !strings.Contains(result.Missing[k.Data], "not among those that rff reads") {
				t.Errorf("%s: %v is not in the record", c[1], k)
			}
		}
		d := p.Document(result.WithoutTimes())
		d.About = report.About{Command: "rff reproduce " + c[1]}
		var b bytes.Buffer
		if err := d.WriteMarkdown(&b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), b.String()) {
			t.Errorf("%s: the document does not have what the cells give:\n%s", c[1], b.String())
		}
	}
}
