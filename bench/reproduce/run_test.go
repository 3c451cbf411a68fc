package reproduce

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rffgo/rff/bench/writeup"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/report"
	"github.com/rffgo/rff/cmd/rff/sets"
)

// drawn measures a number that the key decides. It ends the context after some cells.
type drawn struct {
	measured []Key
	after    int
	cancel   context.CancelFunc
}

func (d *drawn) Measure(ctx context.Context, c *Cell) error {
	if c.Data == "lost" {
		return &sets.FolderError{Set: "lost"}
	}
	if c.Sampler == "b" && c.Size == 2 {
		return errors.New("too many")
	}
	if d.cancel != nil && len(d.measured) == d.after {
		d.cancel()
		return ctx.Err()
	}
	d.measured = append(d.measured, c.Key)
	c.Values["score"] = float64(Stream(c.Seed, "score", c.Data, c.Sampler, c.Size, c.Rep)>>11) * 0x1p-53
	c.Seconds["time"] = float64(len(d.measured))
	return nil
}

// protocol has two sets, one of them missing, two samplers, three numbers of
// frequencies and two repetitions.
func protocol(b Bench) *Protocol {
	return &Protocol{
		Experiment: "e", Name: Published, Version: 1, Sets: []string{"here", "lost"}, Samplers: []string{"a", "b"}, Reps: 2, QuickReps: 1,
		Sizes: func(string, bool) []int { return []int{1, 2, 4} },
		Cost:  func(k Key) float64 { return float64(k.Size) },
		New:   func(Options) Bench { return b },
		Document: func(r *Result) *writeup.Document {
			t := &writeup.Table{Caption: "scores", Head: []string{"cell", "score"}}
			for _, c := range r.Cells {
				t.Rows = append(t.Rows, []writeup.Entry{writeup.Word(c.String()), writeup.Number("%.3f", c.Values["score"])})
			}
			return &writeup.Document{Title: "e", Tables: []*writeup.Table{t}}
		},
	}
}

// runIn runs the protocol in a folder, and returns the JSON without times.
func runIn(t *testing.T, ctx context.Context, folder string, b *drawn) (string, *Result, error) {
	t.Helper()
	p := protocol(b)
	record, err := OpenRecord(RecordPath(folder, p))
	if err != nil {
		t.Fatal(err)
	}
	defer record.Close()
	r, runErr := Run(ctx, p, Options{Seed: 7}, record, "machine", nil)
	if _, err := r.WithoutTimes().Write(folder, report.About{Command: "c"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "e-published.json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text), r, runErr
}

// A run that is stopped between cells, again and again, ends with the same bits as one
// that is not, and computes no cell twice; what is missing or fails does not stop it.
func TestResume(t *testing.T) {
	whole := &drawn{}
	want, r, err := runIn(t, context.Background(), t.TempDir(), whole)
	if err != nil {
		t.Fatal(err)
	}
	// Twelve cells of the set that is there, less the two that cannot be done.
	if len(whole.measured) != 10 || len(r.Cells) != 10 || len(r.Failures) != 2 || r.Missing["lost"] == "" || r.Complete() {
		t.Errorf("%d cells measured, %d kept, %d failures, missing %v", len(whole.measured), len(r.Cells), len(r.Failures), r.Missing)
	}
	folder := t.TempDir()
	var measured []Key
	for range 4 {
		ctx, cancel := context.WithCancel(context.Background())
		b := &drawn{after: 3, cancel: cancel}
		_, _, err := runIn(t, ctx, folder, b)
		measured = append(measured, b.measured...)
		if len(measured) < 10 && !errors.Is(err, context.Canceled) {
			t.Fatalf("a cancelled run: %v", err)
		}
	}
	got, _, err := runIn(t, context.Background(), folder, &drawn{})
	if err != nil || got != want {
		t.Errorf("resumed (%v):\n%s\nwant\n%s", err, got, want)
	}
	if !reflect.DeepEqual(measured, whole.measured) {
		t.Errorf("measured %v, uninterrupted %v", measured, whole.measured)
	}
	// Other settings have other cells.
	p := protocol(&drawn{})
	p.Version = 2
	record, err := OpenRecord(RecordPath(folder, p))
	if err != nil {
		t.Fatal(err)
	}
	defer record.Close()
	for _, k := range whole.measured {
		if _, ok := record.Find(k); !ok {
			t.Errorf("%v is not recorded", k)
		}
		if k.Version = 2; true {
			if _, ok := record.Find(k); ok {
				t.Errorf("%v stands for another version", k)
			}
		}
	}
}

// What a killed process has left of a line is cut off and said, at whatever byte, and
// its cell is computed again; a line that is no cell otherwise is an error.
func TestTornLine(t *testing.T) {
	folder := t.TempDir()
	want, _, _ := runIn(t, context.Background(), folder, &drawn{})
	path := RecordPath(folder, protocol(nil))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
	for _, cut := range []int{last + 1, (last + len(text)) / 2, len(text) - 1} {
		if err := os.WriteFile(path, text[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		record, err := OpenRecord(path)
		if err != nil {
			t.Fatal(err)
		}
		if record.Torn() != cut-last || record.Len() != 9 {
			t.Errorf("cut at %d: %d bytes torn, %d cells", cut-last, record.Torn(), record.Len())
		}
		if err := record.Close(); err != nil {
			t.Error(err)
		}
		b := &drawn{}
		if got, _, err := runIn(t, context.Background(), folder, b); err != nil || got != want || len(b.measured) != 1 {
			t.Errorf("cut at %d: %v, %d cells measured", cut-last, err, len(b.measured))
		}
		if again, _ := os.ReadFile(path); bytes.Count(again, []byte("\n")) != 10 || !bytes.HasPrefix(again, text[:last]) {
			t.Errorf("cut at %d: the record is\n%s", cut-last, again)
		}
	}
	for _, bad := range []string{"{}\n", "no\n" + string(text), strings.Replace(string(text), "\n", "\n\n", 1)} {
		if err := os.WriteFile(path, []byte(bad), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := OpenRecord(path)
		var line *LineError
		if !errors.As(err, &line) || line.Line < 1 || line.Line > 2 {
			t.Errorf("%q…: %v", bad[:3], err)
		}
		if kept, _ := os.ReadFile(path); string(kept) != bad {
			t.Error("a record that cannot be read was changed")
		}
	}
}

// Only one run has a record open.
func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "r.jsonl")
	first, err := OpenRecord(path)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := OpenRecord(path); err == nil {
		second.Close()
		t.Error("two have it open")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := OpenRecord(path)
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
}

// Plans take what there is, and say what there is otherwise.
func TestPlan(t *testing.T) {
	p := protocol(nil)
	for _, o := range []Options{{Sets: []string{"else"}}, {Sizes: []int{3}}} {
		_, err := p.Plan(o)
		var choice *ChoiceError
		if !errors.As(err, &choice) || len(choice.Known) < 2 {
			t.Errorf("%+v: %v", o, err)
		}
	}
	quick, err := p.Plan(Options{Quick: true, Seed: 3})
	if err != nil || len(quick) != 12 {
		t.Fatalf("%d cells, %v", len(quick), err)
	}
	full, _ := p.Plan(Options{Seed: 3})
	seen := map[Key]bool{}
	for _, k := range full {
		seen[k] = true
	}
	if len(seen) != 24 || len(full) != 24 {
		t.Errorf("%d cells, %d different", len(full), len(seen))
	}
	for _, k := range quick {
		if !seen[k] {
			t.Errorf("%v of the quick run is not in the full one", k)
		}
	}
	one, err := p.Plan(Options{Sets: []string{"here"}, Sizes: []int{4}, Reps: 1})
	if err != nil || len(one) != 2 || one[0].Size != 4 || one[0].Data != "here" {
		t.Errorf("%v, %v", one, err)
	}
}

// A loss has cells of its own, in as many repetitions as it asks for unless the options say
// how many; a quick run has none, and no cell of squares is another one for it.
func TestPlanOfLosses(t *testing.T) {
	plain, err := protocol(nil).Plan(Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	p := protocol(nil)
	p.Losses = func(k Key) []Loss {
		if k.Data == "here" && k.Size == 4 {
			return []Loss{{"logistic", 1}, {"squared-hinge", 0}}
		}
		return nil
	}
	for _, c := range []struct {
		o      Options
		losses int // cells of losses: two samplers, so many losses and repetitions
	}{{Options{Seed: 3}, 2}, {Options{Seed: 3, Reps: 2}, 8}, {Options{Seed: 3, Quick: true}, 0}} {
		keys, err := p.Plan(c.o)
		if err != nil {
			t.Fatal(err)
		}
		var squares []Key
		n := 0
		for _, k := range keys {
			if k.Loss == "" {
				squares = append(squares, k)
			} else if n++; k.Data != "here" || k.Size != 4 {
				t.Errorf("%v", k)
			}
		}
		if n != c.losses || !c.o.Quick && !reflect.DeepEqual(squares, plain) {
			t.Errorf("%+v: %d cells of losses, %d of squares", c.o, n, len(squares))
		}
	}
	r := &Result{Protocol: p, Planned: []Key{{Data: "here", Sampler: "a"}, {Data: "here", Sampler: "a", Loss: "l"}}}
	r.Cells = []Cell{{Key: r.Planned[1]}}
	r.Failures = map[Key]string{r.Planned[0]: "why"}
	if len(r.Of("here", "a", 0, "")) != 0 || len(r.Of("here", "a", 0, "l")) != 1 || len(r.Rows()) != 2 || r.Absent("here", "a", 0, "l") != "not done yet" || r.Absent("here", "a", 0, "") != "cannot be done" {
		t.Error("losses are mixed up")
	}
}

// Streams are of all of their parts.
func TestStream(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(20) {
		for _, purpose := range []string{"a", "b"} {
			for i := range 20 {
				for j := range 20 {
					seen[Stream(seed, purpose, i, j)] = true
				}
			}
		}
	}
	if len(seen) != 20*2*20*20 {
		t.Errorf("%d different streams of %d", len(seen), 20*2*20*20)
	}
	if Stream(1, "a", "b", "c") == Stream(1, "a", "bc") {
		t.Error("parts run together")
	}
}

// Cells come back from their lines as they were.
func TestCellJSON(t *testing.T) {
	c := Cell{Key: Key{"e", "p", 1, "d", "s", 4, "l", 2, 1 << 63}, Values: map[string]float64{"x": 0.1 + 0.2}, Seconds: map[string]float64{"t": 1e-9}, Machine: "m"}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var got Cell
	if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, c) {
		t.Errorf("%+v, %v", got, err)
	}
}

// The relative error is that of norms, never of the standard deviation.
func TestRelative(t *testing.T) {
	f := blas.General[float64]{Rows: 2, Cols: 1, Stride: 1, Data: []float64{3, 0}}
	if got := Relative([]float64{3, 4}, f); got != 0.8 {
		t.Errorf("%v, want 4/5", got)
	}
}
