// Package reproducetest helps the tests of experiments.
package reproducetest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/cmd/rff/report"
)

// Markdown returns what a protocol writes of made-up cells: make returns the values of a
// planned cell and its seconds, or nil for one without data.
func Markdown(t *testing.T, e *reproduce.Experiment, protocol string, o reproduce.Options, make func(reproduce.Key) (values, seconds map[string]float64)) string {
	t.Helper()
	p, err := e.Protocol(protocol)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	record, err := reproduce.OpenRecord(reproduce.RecordPath(dir, p))
	if err != nil {
		t.Fatal(err)
	}
	defer record.Close()
	o.Folder = t.TempDir()
	keys, err := p.Plan(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if values, seconds := make(k); values != nil {
			if err := record.Add(reproduce.Cell{Key: k, Values: values, Seconds: seconds}); err != nil {
				t.Fatal(err)
			}
		}
	}
	r, err := reproduce.Run(context.Background(), p, o, record, "m", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Write(dir, report.About{}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, p.Experiment+"-"+p.Name+".md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
