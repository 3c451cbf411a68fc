package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/columnar"
)

// A regression of a constant has nothing to learn, unless it is a part of the data.
func TestConstantTarget(t *testing.T) {
	scan := func(o Options) error {
		o.FS = fstest.MapFS{"a": {Data: []byte("x,y\n1,3\n2,3\n3,3.0\n")}}
		f, err := Open(t.Context(), o, "a")
		if err == nil {
			_, err = f.Scan(t.Context(), nil)
		}
		return err
	}
	var bad *ParseError
	if err := scan(Options{Task: Regression}); !errors.As(err, &bad) || !strings.Contains(bad.Need, "3 in every row") {
		t.Errorf("%v", err)
	}
	if err := scan(Options{Task: Regression, ours: ours{Part: true}}); err != nil {
		t.Errorf("of a part: %v", err)
	}
}

// The rows of a sample keep their weights, groups and labels.
func TestSampleKeepsRows(t *testing.T) {
	const n = 25000
	b := []byte("x,w,g,y\n")
	for i := range n {
		b = fmt.Appendf(b, "%d,%d,%d,%d\n", i, i+1, i+2, i+3)
	}
	f, err := Open(t.Context(), Options{FS: fstest.MapFS{"a": {Data: b}}, Weights: "w", Groups: "g"}, "a")
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Scan(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	late := 0
	for i := range s.Sample.Len() {
		x := s.Sample.X.Row(i)[0]
		if x >= 10000 {
			late++
		}
		if s.Sample.Weights[i] != x+1 || s.Sample.Groups[i] != groupOf(fmt.Append(nil, x+2)) || s.Sample.Y[i] != x+3 || s.Sample.place(i).Row != int64(x)+1 {
			t.Fatalf("row %g has weight %v, label %v, place %v", x, s.Sample.Weights[i], s.Sample.Y[i], s.Sample.place(i))
		}
	}
	if late < 5000 || late > 7000 { // six of ten rows come after the sample is full
		t.Errorf("%d of the rows of the sample come late", late)
	}
}

// What is kept stays within the memory that is given: of the inputs and of what goes
// beside them.
func TestKeptBound(t *testing.T) {
	kept := func(width int, keep int64) bool {
		var b []byte
		for i := range 3000 {
			b = fmt.Appendf(b, "%s%d\n", strings.Repeat("1,", width), i%2)
		}
		f, err := Open(t.Context(), Options{FS: fstest.MapFS{"a": {Data: b}}, ours: ours{Keep: keep}}, "a")
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.Scan(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return s.kept != nil
	}
	const labels, part = 8 * 3000, 8 * keptWords
	for _, c := range []struct {
		width int
		keep  int64
		want  bool
	}{{1, part + labels, true}, {1, part + labels - 8, false}, {1, part - 1, false}, {60, 2*part + labels, true}, {60, 2*part - 1, false}} {
		if got := kept(c.width, c.keep); got != c.want {
			t.Errorf("%d inputs with %d bytes: kept %v", c.width, c.keep, got)
		}
	}
	// Rows of one number each take a word per 64 inputs, and not the room of whole rows.
	const rows, width = 300, 60_000
	text := strings.Repeat(fmt.Sprintf("1 %d:1\n2 1:1\n", width), rows/2)
	f, err := Open(t.Context(), Options{FS: fstest.MapFS{"a": {Data: []byte(text)}}, ours: ours{Keep: 3*part + 8*rows}}, "a")
	if err != nil {
		t.Fatal(err)
	}
	if s, err := f.Scan(t.Context(), nil); err != nil || s.kept == nil {
		t.Error("sparse rows are not kept:", err)
	}
}

// The words of a row count where another word of it is missing.
func TestWordsBesideGaps(t *testing.T) {
	text := "job,town,y\ncook,,1.5\n,Ulm,2\nnurse,Jena,0.5\n"
	for _, rule := range []rff.Missing{rff.MissingMean, rff.MissingDrop} {
		f, err := Open(t.Context(), Options{FS: fstest.MapFS{"a": {Data: []byte(text)}}, Categories: []string{"job", "town"}, Missing: rule}, "a")
		if err != nil {
			t.Fatal(rule, err)
		}
		if got := strings.Join(f.Schema().InputNames(), " "); got != "job=cook job=nurse town=Jena town=Ulm" {
			t.Errorf("%s: %s", rule, got)
		}
	}
}

// A line of separators is refused before its fields are made.
func TestManyFieldsTakeNoMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, append(bytes.Repeat([]byte{','}, 4<<20), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Open(context.Background(), Options{Header: "no"}, path)
	runtime.ReadMemStats(&after)
	// The line itself is read into memory that doubles; fields would take 64 MiB beside it.
	if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 48<<20 {
		t.Errorf("%v after %d MiB", err, took>>20)
	}
}

// fakeColumns is a file of columns with the numbers that its text has.
type fakeColumns struct {
	values [][]float64 // per row group: x, w and y of its rows, one after the other
	want   []int
	at     int
}

func (f *fakeColumns) Columns() []columnar.Column {
	return []columnar.Column{{Name: "x"}, {Name: "w"}, {Name: "y"}}
}
func (f *fakeColumns) Rows(_ context.Context, columns []int) { f.want = columns }
func (f *fakeColumns) Close() error                          { return nil }
func (f *fakeColumns) Groups() (rows []int64) {
	for _, g := range f.values {
		rows = append(rows, int64(len(g)/3))
	}
	return rows
}
func (f *fakeColumns) Only(from, to int) { f.at, f.values = from, f.values[:to] }
func (f *fakeColumns) Next() (*columnar.Batch, error) {
	if f.at == len(f.values) {
		return nil, io.EOF
	}
	g := f.values[f.at]
	f.at++
	b := &columnar.Batch{Rows: len(g) / 3}
	for _, c := range f.want {
		v := columnar.Values{}
		for i := c; i < len(g); i += 3 {
			v.Numbers = append(v.Numbers, g[i])
		}
		b.Columns = append(b.Columns, v)
	}
	return b, nil
}

// partOf is a file of which some row groups are read.
type partOf struct {
	*os.File
	from, to int
}

func (p partOf) Part() (from, to int) { return p.from, p.to }

// Columns have the rules of text: no negative weights, no infinite numbers; and rows of
// later row groups have their numbers in the file.
func TestRulesOfColumns(t *testing.T) {
	var values [][]float64
	columnar.Register(columnar.Format{Name: "fake", Magic: []byte("FAKE"), Open: func(io.ReaderAt, int64) (columnar.File, error) { return &fakeColumns{values: values}, nil }})
	path := filepath.Join(t.TempDir(), "a.fake")
	if err := os.WriteFile(path, []byte("FAKE"), 0o600); err != nil {
		t.Fatal(err)
	}
	good := []float64{1, 1, 0.5, 2, 1, 1.5}
	for _, c := range []struct {
		bad  []float64
		want string
	}{
		{[]float64{1, -1, 0.5}, `row 3, column 2 "w": "-1" ` + negativeWeight},
		{[]float64{math.Inf(1), 1, 0.5}, `row 3, column 1 "x": "+Inf" ` + notFinite},
		{[]float64{1, math.Inf(-1), 0.5}, `row 3, column 2 "w": "-Inf" ` + notFinite},
		{[]float64{1, 1, math.Inf(1)}, `row 3, column 3 "y": "+Inf" ` + notFinite},
		{[]float64{1, 1, math.NaN()}, "row 3, column 3 \"y\": the label is missing (NaN)"},
	} {
		values = [][]float64{good, c.bad}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for from := range 2 { // all, and the second row group alone
			file.Seek(0, io.SeekStart)
			in, err := newInput(t.Context(), path, partOf{file, from, 2})
			if err != nil {
				t.Fatal(err)
			}
			r, err := newColumnar(in, "fake", &Options{Weights: "w"})
			if err != nil {
				t.Fatal(err)
			}
			for err == nil {
				_, err = r.next(make([]float64, 1))
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("from row group %d, %v: %v, want %s", from+1, c.bad, err, c.want)
			}
			r.Close()
		}
		file.Close()
	}
}
