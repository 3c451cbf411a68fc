package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/look"
)

func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(p, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return p
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

func npy(descr string, shape string, data any) []byte {
	var b bytes.Buffer
	h := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
	for (10+len(h)+1)%64 != 0 {
		h += " "
	}
	h += "\n"
	b.WriteString(npyMagic + "\x01\x00")
	binary.Write(&b, binary.LittleEndian, uint16(len(h)))
	b.WriteString(h)
	binary.Write(&b, binary.LittleEndian, data)
	return b.Bytes()
}

// One small table in every format reads as the same numbers.
func TestFormatsAgree(t *testing.T) {
	x := [][]float64{{1.5, -2, 0}, {0, 1e-3, 7}, {-0.25, 0, 4e5}}
	y := []float64{1, -1, 1}
	csv := "a,b,c,y\n1.5,-2,0,1\n0,1e-3,7,-1\n-0.25,0,4e5,1\n"
	files := map[string][]byte{
		"header.csv":    []byte(csv),
		"bare.csv":      []byte("1.5,-2,0,1\n0,1e-3,7,-1\n-0.25,0,4e5,+1.0"),
		"crlf.csv":      []byte("\xef\xbb\xbf" + strings.ReplaceAll(csv, "\n", "\r\n") + "\r\n\r\n"),
		"semicolon.csv": []byte(strings.ReplaceAll(csv, ",", ";")),
		"tab.tsv":       []byte(strings.ReplaceAll(csv, ",", "\t")),
		"quoted.csv":    []byte("\"a\",\"b, or \"\"B\"\"\",c,\"y\ny\"\n1.5,\"-2\", 0 ,1\n0,0.001,7,-1\n-.25,0,400000,\"1\"\n"),
		"t.csv.gz":      gzipped([]byte(csv)),
		"t.svm":         []byte("+1 1:1.5 2:-2\n-1 2:1e-3 3:7 # a comment\n\n1 1:-0.25 3:4e5\n"),
		"t.npy":         npy("<f8", "(3, 4)", []float64{1.5, -2, 0, 1, 0, 1e-3, 7, -1, -0.25, 0, 4e5, 1}),
	}
	for name, data := range files {
		got, err := Read(context.Background(), Options{}, write(t, name, data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(got.Coding.Classes, []string{"-1", "1"}) {
			t.Errorf("%s: classes %q", name, got.Coding.Classes)
			continue
		}
		for i := range x {
			if !reflect.DeepEqual(got.X.Row(i), x[i]) || got.Y[i] != (y[i]+1)/2 {
				t.Errorf("%s: row %d is %v → %v, want %v → %v", name, i, got.X.Row(i), got.Y[i], x[i], y[i])
			}
		}
	}
}

// Several shards are one set; the stream and the table agree, whatever falls on
// a batch's end.
func TestShardsStream(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	var paths []string
	row := 0
	for shard, n := range []int{1, batchRows, 300, batchRows - 1} {
		var b bytes.Buffer
		fmt.Fprintln(&b, "x,y")
		for range n {
			fmt.Fprintf(&b, "%d,%s\n", row, []string{"cat", "dog", "emu"}[row%3])
			row++
		}
		p := filepath.Join(dir, fmt.Sprint(shard, ".csv"))
		if err := os.WriteFile(p, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	f, err := Open(context.Background(), Options{}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Scan(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if int(s.Rows) != row || s.min[0] != 0 || s.max[0] != float64(row-1) || s.Coding.Task != Classification || len(s.Coding.Classes) != 3 {
		t.Fatalf("%+v", s)
	}
	// 0 … n−1 has mean (n−1)/2 and variance (n²−1)/12.
	n := float64(row)
	if math.Abs(s.mean[0]-(n-1)/2) > 1e-9*n || math.Abs(s.std[0]-math.Sqrt((n*n-1)/12)) > 1e-9*n {
		t.Errorf("mean %v, standard deviation %v", s.mean[0], s.std[0])
	}
	for range 2 { // a source is read more than once
		next := int64(0)
		for b, err := range f.Source(s.Coding, s.Rows).Batches(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			if b.First != next {
				t.Fatalf("batch starts at %d, want %d", b.First, next)
			}
			for i := range b.X.Rows {
				if b.X.Row(i)[0] != float64(next) || b.Y.Row(i)[int(next%3)] != 1 || b.Y.Row(i)[int((next+1)%3)] != -1 {
					t.Fatalf("row %d is %v → %v", next, b.X.Row(i), b.Y.Row(i))
				}
				next++
			}
		}
		if int(next) != row {
			t.Fatalf("%d rows, want %d", next, row)
		}
	}
	table, err := f.Table(ctx)
	if err != nil || table.Len() != row || table.Y[row-1] != float64((row-1)%3) {
		t.Fatalf("table of %d rows: %v", table.Len(), err)
	}
}

func TestTargets(t *testing.T) {
	for text, want := range map[string][]float64{"1,a\n2,b\n3,c\n4,b\n": {1, -1, -1, -1, 1, -1, -1, -1, 1, -1, 1, -1}, "1,2.5\n2,-7\n": {2.5, -7}} {
		table, err := Read(context.Background(), Options{}, write(t, "t.csv", []byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		for b, err := range table.Source().Batches(context.Background()) {
			if err != nil || !reflect.DeepEqual(b.Y.Data, want) {
				t.Errorf("%q: %v, %v", text, b.Y.Data, err)
			}
		}
	}
}

func TestTask(t *testing.T) {
	var many, fractions strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, "%d,%d\n", i, i%40)
		fmt.Fprintf(&fractions, "%d,%g\n", i, float64(i%3)/2)
	}
	for _, c := range []struct {
		csv  string
		task Task
		want Task
		n    int
	}{
		{"1,a\n2,b\n", "", Classification, 2},
		{"1,10\n2,9\n3,10\n", "", Classification, 2},
		{"1,10\n2,9\n3,10\n", Regression, Regression, 0},
		{many.String(), "", Regression, 0},
		{many.String(), Classification, Classification, 40},
		{fractions.String(), "", Regression, 0},
		{fractions.String(), Classification, Classification, 3},
	} {
		table, err := Read(context.Background(), Options{Header: "no", Task: c.task}, write(t, "t.csv", []byte(c.csv)))
		if err != nil {
			t.Error(err)
			continue
		}
		if table.Coding.Task != c.want || len(table.Coding.Classes) != c.n {
			t.Errorf("%.12q as %v: %v with classes %q", c.csv, c.task, table.Coding.Task, table.Coding.Classes)
		}
	}
	table, err := Read(context.Background(), Options{Header: "no"}, write(t, "t.csv", []byte("1,10\n2,9\n3,10\n")))
	if err != nil || !reflect.DeepEqual(table.Coding.Classes, []string{"9", "10"}) {
		t.Errorf("numeric classes are ordered %q, %v", table.Coding.Classes, err)
	}
}

// Every way a file can be bad names the file and the place in one line.
func TestBadFiles(t *testing.T) {
	good := "a,b,y\n1,2,u\n3,4,v\n"
	long := gzipped([]byte("a,y\n" + strings.Repeat("1.25,u\n", 50000)))
	idx := append([]byte{0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3}, 1, 2, 3, 4, 5)
	cases := []struct {
		name    string
		data    []byte
		options Options
		want    []string // what the message has beside the file's name
		as      any
	}{
		{"empty.csv", nil, Options{}, []string{"empty"}, new(*ParseError)},
		{"empty.csv.gz", gzipped(nil), Options{}, []string{"empty"}, new(*ParseError)},
		{"blank.csv", []byte("\n\n \n"), Options{}, []string{"empty"}, new(*ParseError)},
		{"headeronly.csv", []byte("a,b,y\n"), Options{}, []string{"no rows"}, new(*ParseError)},
		{"column.csv", []byte(good), Options{Label: "z"}, []string{`"z"`, `"a", "b", "y"`}, new(*ParseError)},
		{"number.csv", []byte(good), Options{Label: "4"}, []string{`"4"`}, new(*ParseError)},
		{"input.csv", []byte(good), Options{Inputs: []string{"a", "q"}}, []string{`"q"`}, new(*ParseError)},
		{"twice.csv", []byte("a,a,y\n1,2,3\n"), Options{Label: "a"}, []string{"two columns", `"a"`}, new(*ParseError)},
		{"ragged.csv", []byte(good + "5,6\n"), Options{}, []string{"row 3 (line 4)", "2 fields", "3"}, new(*ParseError)},
		{"ragged+.csv", []byte(good + "5,6,7,8\n"), Options{}, []string{"row 3 (line 4)", "4 fields", "3"}, new(*ParseError)},
		{"text.csv", []byte(good + "5,six,v\n"), Options{}, []string{"row 3 (line 4)", `column 2 "b"`, `"six"`, "not a number"}, new(*ParseError)},
		{"missing.csv", []byte(good + "5,,v\n"), Options{}, []string{"row 3", `column 2 "b"`, "missing"}, new(*ParseError)},
		{"nolabel.csv", []byte(good + "5,6,\n"), Options{}, []string{"row 3", `column 3 "y"`, "label is missing"}, new(*ParseError)},
		{"nan.csv", []byte(good + "NaN,6,u\n"), Options{}, []string{"row 3", `column 1 "a"`, "NaN", "missing value"}, new(*ParseError)},
		{"inf.csv", []byte(good + "5,-inf,u\n"), Options{}, []string{"row 3", `column 2 "b"`, "-inf", "finite"}, new(*ParseError)},
		{"huge.csv", []byte(good + "5,1e999,u\n"), Options{}, []string{"row 3", `column 2 "b"`, "1e999", "finite"}, new(*ParseError)},
		{"nantarget.csv", []byte("1,2.5\n2,nan\n"), Options{}, []string{"row 2", "column 2", "finite"}, new(*ParseError)},
		{"quote.csv", []byte(good + "\"5,6,u\n7,8,v\n"), Options{}, []string{"row 3", "quote"}, new(*ParseError)},
		{"junkquote.csv", []byte(good + "\"5\"x,6,u\n"), Options{}, []string{"row 3", "quote"}, new(*ParseError)},
		{"single.csv", []byte("y\n1\n2\n"), Options{}, []string{"single column"}, new(*ParseError)},
		{"one.csv", []byte("a,y\n1,u\n2,u\n"), Options{}, []string{"one class", `"u"`}, new(*ParseError)},
		{"cut.csv.gz", long[:len(long)/2], Options{}, []string{"truncated"}, new(*ReadError)},
		{"cuthead.csv.gz", long[:6], Options{}, []string{"truncated"}, new(*ReadError)},
		{"flip.csv.gz", append(append([]byte{}, long[:len(long)-8]...), 1, 2, 3, 4, 5, 6, 7, 8), Options{}, []string{"damaged"}, new(*ReadError)},
		{"junk.bin", []byte("\x7fELF\x02\x01\x01\x00\x00\x00\xff\xfe junk"), Options{}, []string{"neither text"}, new(*ParseError)},
		{"junklater.csv", []byte(good + "\x00\x01\x02\n"), Options{}, []string{"row 3", "not text"}, new(*ParseError)},
		{"t.svm", []byte("1 1:2 3:4\n0 2:x\n"), Options{}, []string{"row 2", "column 2", `"x"`}, new(*ParseError)},
		{"order.svm", []byte("1 1:2 3:4\n0 3:1 2:5\n"), Options{}, []string{"row 2", "rise"}, new(*ParseError)},
		{"zero.svm", []byte("1 1:2 3:4\n0 0:1\n"), Options{}, []string{"row 2", "counts from 1"}, new(*ParseError)},
		{"wide.svm", []byte("1 1:2 3:4\n0 9:1\n"), Options{Width: 8}, []string{"row 2", "above the width 8", "(Width)"}, new(*ParseError)},
		{"named.svm", []byte("1 1:2 3:4\n0 2:1\n"), Options{Inputs: []string{"1"}}, []string{`no column "1"`, "all of them are read, so name none"}, new(*ParseError)},
		{"label.svm", []byte("1 1:2 3:4\n1:3 2:4\n"), Options{}, []string{"row 2", "label"}, new(*ParseError)},
		{"label2.svm", []byte("1 1:2 3:4\n"), Options{Label: "y"}, []string{`"y"`}, new(*ParseError)},
		{"cut.idx", idx, Options{Task: Unlabelled}, []string{"row 1", "ends early", "2 rows"}, new(*ReadError)},
		{"long.idx", append(idx, 6, 7), Options{Task: Unlabelled}, []string{"goes on", "2 rows"}, new(*ParseError)},
		{"nolabels.idx", append(idx, 6), Options{}, []string{"labels", "another file"}, new(*ParseError)},
		{"labels.idx", []byte{0, 0, 8, 1, 0, 0, 0, 2, 7, 9}, Options{}, []string{"as of labels", "*images-idx3*"}, new(*ParseError)},
		{"cut.npy", npy("<f4", "(3, 2)", []float32{1, 2, 3, 4, 5}), Options{}, []string{"row 2", "ends early"}, new(*ReadError)},
		{"nan.npy", npy("<f4", "(2, 2)", []float32{1, 2, float32(math.NaN()), 4}), Options{}, []string{"row 2", "column 1", "missing (NaN)"}, new(*ParseError)},
		{"type.npy", npy("<c16", "(1, 2)", []float64{1, 2, 3, 4}), Options{}, []string{"<c16"}, new(*ParseError)},
		{"huge.npy", npy("<f8", "(2, 99999999999)", []float64{1}), Options{}, []string{"99999999999 columns", "1048576"}, new(*ParseError)},
		{"huge2.npy", npy("<f8", "(99999999999999999999999, 2)", []float64{1}), Options{}, []string{"shape"}, new(*ParseError)},
	}
	for _, c := range cases {
		p := write(t, c.name, c.data)
		_, err := Read(context.Background(), c.options, p)
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		msg := err.Error()
		if !errors.As(err, c.as) {
			t.Errorf("%s: a %T: %v", c.name, err, err)
		}
		if strings.Contains(msg, "\n") {
			t.Errorf("%s: more than one line: %q", c.name, msg)
		}
		for _, w := range append(c.want, c.name) {
			if !strings.Contains(msg, w) {
				t.Errorf("%s: %q is not in %q", c.name, w, msg)
			}
		}
	}
	if _, err := Open(context.Background(), Options{}, "no/such/file.csv"); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "no/such/file.csv") {
		t.Errorf("missing file: %v", err)
	}
}

// Labels in a file of their own must be as many as the rows.
func TestLabelFile(t *testing.T) {
	ctx := context.Background()
	images := append([]byte{0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2}, 1, 2, 3, 4, 5, 6)
	dir := t.TempDir()
	x := filepath.Join(dir, "t-images-idx3-ubyte")
	for p, data := range map[string][]byte{
		x: images,
		filepath.Join(dir, "t-labels-idx1-ubyte"): {0, 0, 8, 1, 0, 0, 0, 3, 7, 9, 7},
		filepath.Join(dir, "short"):               {0, 0, 8, 1, 0, 0, 0, 2, 7, 9},
		filepath.Join(dir, "long"):                {0, 0, 8, 1, 0, 0, 0, 4, 7, 9, 7, 7},
		filepath.Join(dir, "text.csv"):            []byte("kind\nu\nv\nw\n"),
	} {
		if err := os.WriteFile(p, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Read(ctx, Options{}, x)
	if err != nil || !reflect.DeepEqual(got.Y, []float64{0, 1, 0}) || !reflect.DeepEqual(got.Coding.Classes, []string{"7", "9"}) || !reflect.DeepEqual(got.X.Row(2), []float64{5, 6}) {
		t.Errorf("MNIST's naming: %+v, %v", got, err)
	}
	got, err = Read(ctx, Options{LabelFile: filepath.Join(dir, "text.csv")}, x)
	if err != nil || !reflect.DeepEqual(got.Coding.Classes, []string{"u", "v", "w"}) {
		t.Errorf("text labels: %+v, %v", got, err)
	}
	for _, name := range []string{"short", "long"} {
		_, err := Read(ctx, Options{LabelFile: filepath.Join(dir, name)}, x)
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "another set") {
			t.Errorf("%s labels: %v", name, err)
		}
	}
}

func TestCancel(t *testing.T) {
	p := write(t, "t.csv", []byte("1,a\n2,b\n"))
	f, err := Open(context.Background(), Options{}, p)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.Scan(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Scan: %v", err)
	}
}

func TestSplit(t *testing.T) {
	train, test, err := Split(101, 0.25, 7)
	if err != nil || len(test) != 25 || len(train) != 76 {
		t.Fatalf("%d and %d rows, %v", len(train), len(test), err)
	}
	seen := make([]bool, 101)
	for _, i := range append(append([]int{}, train...), test...) {
		if seen[i] {
			t.Fatalf("row %d twice", i)
		}
		seen[i] = true
	}
	again, _, _ := Split(101, 0.25, 7)
	other, _, _ := Split(101, 0.25, 8)
	if !reflect.DeepEqual(train, again) || reflect.DeepEqual(train, other) {
		t.Error("the seed does not decide the division")
	}
	for _, bad := range []float64{0, 1, -1, math.NaN()} {
		if _, _, err := Split(10, bad, 1); err == nil {
			t.Errorf("a share of %v is accepted", bad)
		}
	}
}

// A part of a data set may have one class; it is coded as all other classes are.
func TestPart(t *testing.T) {
	ctx := t.Context()
	for label, decided := range map[string]string{"u": "", "7": "one integer value: taken as a class"} {
		p := write(t, "t.csv", []byte("a,y\n1,"+label+"\n2,"+label+"\n"))
		if _, err := Read(ctx, Options{}, p); err == nil || !strings.Contains(err.Error(), "one class only") {
			t.Errorf("%s, whole: %v", label, err)
		}
		f, err := Open(ctx, Options{ours: ours{Part: true}}, p)
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.Scan(ctx, nil)
		if err != nil || s.Rows != 2 || !reflect.DeepEqual(s.Coding.Classes, []string{label}) || s.Coding.decided != decided {
			t.Fatalf("%s: %+v, %v", label, s, err)
		}
		for b, err := range f.Source(s.Coding, s.Rows).Batches(ctx) {
			if err != nil || b.Y.Data[0] != 1 || b.Y.Data[1] != 1 {
				t.Errorf("%s: targets %v, %v", label, b.Y, err)
			}
		}
	}
}

// A label that a coding does not know is named with file, row and line.
func TestUnknownLabel(t *testing.T) {
	f, err := Open(t.Context(), Options{}, write(t, "t.csv", []byte("a,kind\n1,u\n2,w\n")))
	if err != nil {
		t.Fatal(err)
	}
	var parse *ParseError
	for _, err = range f.Source(NewCoding([]string{"u", "v"}), 0).Batches(t.Context()) {
	}
	if !errors.As(err, &parse) || parse.Row != 2 || parse.Line != 3 || !strings.Contains(err.Error(), `kind "w" is not one of the classes "u", "v"`) {
		t.Error(err)
	}
}

// Words that no option has, and options that contradict each other.
// Classes such as zip codes keep their zeros, and a number alone finds them, as pandas has it. Beside
// the number that they are, they would be one class with it. In a regression they are numbers.
func TestZerosBeforeLabels(t *testing.T) {
	table := func(labels ...string) string {
		return write(t, "t.csv", []byte("x,y\n1,"+strings.Join(labels, "\n2,")+"\n"))
	}
	for want, labels := range map[string][]string{
		"007 08 10": {"007", "10", "007", "08", "08", "10"},
		"1 2":       {"1", "1.0", "2", "2"},
		"-01 0.5 1": {"0.5", "1", "-01", "1"},
		"0 00a":     {"0", "00a"},
	} {
		got, err := Read(t.Context(), Options{Task: Classification}, table(labels...))
		if err != nil || strings.Join(got.Coding.Classes, " ") != want {
			t.Errorf("%q: classes %q, want %s: %v", labels, got.Coding.Classes, want, err)
		}
	}
	if v, err := NewCoding([]string{"007", "08"}).value(look.Label{Value: 8, Number: true}); v != 1 || err != nil {
		t.Errorf("8 is class %v of 007 and 08: %v", v, err)
	}
	for _, labels := range [][]string{{"007", "7", "8"}, {"8", "7.0", "007"}, {"07", "8", "007"}} {
		path := table(labels...)
		var bad *ParseError
		if _, err := Read(t.Context(), Options{Task: Classification}, path); !errors.As(err, &bad) || !strings.Contains(bad.Error(), "with a letter before the digits") {
			t.Errorf("%q: %v", labels, err)
		}
		if _, err := Read(t.Context(), Options{Task: Regression}, path); err != nil {
			t.Errorf("numbers %q: %v", labels, err)
		}
	}
}

func TestOptions(t *testing.T) {
	p := write(t, "t.csv", []byte("a,y\n1,u\n2,v\n"))
	for want, o := range map[string]Options{
		"Format":     {Format: "CSV"},
		"Task":       {Task: "classes"},
		"Header":     {Header: "maybe"},
		"Comma":      {Comma: '"'},
		"Width":      {Width: -1},
		"Label":      {Label: "a", Task: Unlabelled},
		"Groups":     {Weights: "a", Groups: "a"},
		"MaxColumns": {ours: ours{MaxColumns: 1 << 30}},
	} {
		var wrong *rff.ParameterError
		if _, err := Open(t.Context(), o, p); !errors.As(err, &wrong) || wrong.Name != want {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// sound are files of every format that a search for bad ones begins with.
func sound() [][]byte {
	return [][]byte{
		[]byte("a,b,y\n1,2,u\n3,4,v\n"),
		[]byte("1 1:2 3:4\n-1 2:1\n"),
		npy("<f8", "(2, 2)", []float64{1, 2, 3, 4}),
		append([]byte{0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3}, 1, 2, 3, 4, 5, 6),
		gzipped([]byte("\"a\nb\",y\n1,2\n")),
		[]byte("\"\",\"a\",\"y\"\n\"1\",2,\"u\"\n"),
		[]byte("\"a\" \"y\"\n\"1\" 2 \"u v\"\n"),
		[]byte("\xef\xbb\xbfa;y;\r\n1;2;\r\n"),
		unhex(smallBzip2),
		numpyShape("<f8", "(2, 2, 2)"),
	}
}

// No bytes make the readers panic or allocate without bound.
func FuzzRead(f *testing.F) {
	for _, b := range sound() {
		f.Add(b)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) { readAny(t, dir, data) })
}

// TestMutatedFiles tries random changes of sound files, as the fuzzer does that takes
// longer to build than these to run.
func TestMutatedFiles(t *testing.T) {
	n := 12000
	if testing.Short() {
		n = 2000
	}
	// Every reader has large buffers: to collect them after a few takes longer than to read.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	r, dir, files := rand.New(rand.NewPCG(31, 8)), t.TempDir(), sound()
	const syntax = "\"\"\n\n\r,;\t: \x000123456789-+.eEnNaAiIfF#\xff\x7f()"
	nan, inf := "\x00\x00\x00\x00\x00\x00\xf8\x7f", "\x00\x00\x00\x00\x00\x00\xf0\x7f"
	words := []string{"nan", "-inf", "1e999", "1e-999", "99999999999999999999", "0x1p9", "NA", "\"\"", "\xef\xbb\xbf", nan, inf}
	for range n {
		b := bytes.Clone(files[r.IntN(len(files))])
		for range 1 + r.IntN(4) {
			at := r.IntN(len(b) + 1)
			end := min(at+1+r.IntN(8), len(b))
			switch r.IntN(7) {
			case 0:
				b = slices.Insert(b, at, syntax[r.IntN(len(syntax))])
			case 1:
				b = slices.Delete(b, at, end)
			case 2:
				b = slices.Insert(b, at, bytes.Clone(b[at:end])...)
			case 3:
				if at < len(b) {
					b[at] = syntax[r.IntN(len(syntax))]
				}
			case 4:
				if at < len(b) {
					b[at] ^= 1 << r.IntN(8)
				}
			case 5:
				b = slices.Insert(b, at, []byte(words[r.IntN(len(words))])...)
			case 6:
				copy(b[at:], words[r.IntN(len(words))])
			}
		}
		readAny(t, dir, b)
	}
}

// readAny reads any bytes as a table, if they are one, and as a stream.
func readAny(t *testing.T, dir string, data []byte) {
	ctx := context.Background()
	p := filepath.Join(dir, fmt.Sprint(rand.Uint64()))
	if err := os.WriteFile(p, data, 0o666); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(p)
	table, err := Read(ctx, Options{}, p)
	if err != nil {
		return
	}
	for i := range table.Len() {
		for _, v := range table.X.Row(i) {
			if !finite(v) {
				t.Fatalf("row %d holds %v", i, v)
			}
		}
	}
	if f, err := Open(ctx, Options{}, p); err != nil || f.options.kinds != nil || f.options.Inputs != nil {
		return // words, times and ids are not looked for in a stream
	}
	// A stream of the same bytes is the same table, and has the same scan.
	for _, scan := range []bool{false, true} {
		files, err := OpenReader(context.Background(), Options{Width: table.X.Cols}, p, bytes.NewReader(data))
		if err != nil {
			t.Fatalf("as a stream: %v", err)
		}
		if scan {
			s, err := files.Scan(ctx, nil)
			if err != nil || int(s.Rows) != table.Len() || !reflect.DeepEqual(s.Coding, table.Coding) {
				t.Fatalf("scan of %d rows, %v; table of %d", s.Rows, err, table.Len())
			}
			continue
		}
		again, err := files.Table(ctx)
		if err != nil || !reflect.DeepEqual(table, again) {
			t.Fatalf("as a stream %v, %v", again, err)
		}
	}
}
