package liu

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff/bench/report"
	"github.com/rffgo/rff/bench/reproduce"
)

// bench/RESULTS-reproduce.md has, word for word, what rff reproduce writes of the
// cells that are committed beside it, and those are what the command above each part
// has measured.
func TestCommittedResults(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "RESULTS-reproduce.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile("- Command: `([^`]*)`").FindAllStringSubmatch(string(text), -1)
	if len(commands) == 0 {
		t.Fatal("no command is named")
	}
	for _, c := range commands {
		words := strings.Fields(c[1])
		value := func(flag string) string {
			if i := slices.Index(words, flag); i > 0 {
				return words[i+1]
			}
			return ""
		}
		e, err := reproduce.Find([]*reproduce.Experiment{Table3(), Figure1()}, value("--experiment"))
		if err != nil {
			continue // of another package
		}
		name := value("--protocol")
		if name == "" {
			name = reproduce.Published
		}
		p, err := e.Protocol(name)
		if err != nil {
			t.Fatal(err)
		}
		record, err := reproduce.OpenRecord(copied(t, reproduce.RecordPath(filepath.Join("..", "results"), p)))
		if err != nil {
			t.Fatal(err)
		}
		defer record.Close()
		o := reproduce.Options{Seed: 1}
		if sets := value("--data"); sets != "" {
			o.Sets = strings.Split(sets, ",")
		}
		if n := value("--reps"); n != "" {
			o.Reps = number(t, n)
		}
		if sizes := value("--sizes"); sizes != "" {
			for _, s := range strings.Split(sizes, ",") {
				o.Sizes = append(o.Sizes, number(t, s))
			}
		}
		// Nothing is measured: what is not in the record is "not done yet".
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		r, err := reproduce.Run(ctx, p, o, record, "", nil)
		if !errors.Is(err, context.Canceled) || len(r.Cells) == 0 {
			t.Fatalf("%d cells, %v", len(r.Cells), err)
		}
		d := p.Document(r.WithoutTimes())
		d.About = report.About{Command: c[1]}
		var b bytes.Buffer
		if err := d.WriteMarkdown(&b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), b.String()) {
			t.Errorf("%s: the document does not have what the cells give:\n%s", c[1], b.String())
		}
	}
}

// copied returns the path of a copy, whose reading locks and changes nothing.
func copied(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), filepath.Base(path))
	if err := os.WriteFile(to, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return to
}

func number(t *testing.T, text string) (n int) {
	t.Helper()
	for _, c := range text {
		if c < '0' || c > '9' {
			t.Fatalf("%q is no number", text)
		}
		n = 10*n + int(c-'0')
	}
	return n
}
