package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/cells"
)

// manyNumbers is rows of two inputs and a target that is different in every row; change
// may write something else.
func manyNumbers(n int, change func(row int, a, y string) (string, string)) []byte {
	b := []byte("a,b,y\n")
	for i := range n {
		a, y := fmt.Sprint(i%7), fmt.Sprintf("%.2f", 1.5*float64(i)+0.25)
		if change != nil {
			a, y = change(i, a, y)
		}
		b = fmt.Appendf(b, "%s,%d,%s\n", a, i%5, y)
	}
	return b
}

// One word in a target of numbers makes no classes of them: it is named, with its line.
func TestWordInNumericTarget(t *testing.T) {
	data := manyNumbers(300, func(i int, a, y string) (string, string) {
		if i == 122 {
			y = "NA"
		}
		return a, y
	})
	for _, task := range []Task{"", Classification, Regression} {
		for name, read := range map[string]func(path string) error{
			"scan": func(p string) error {
				f, _ := Open(context.Background(), Options{Task: task}, p)
				_, err := f.Scan(context.Background(), nil)
				return err
			},
			"table": func(p string) error { _, err := Read(context.Background(), Options{Task: task}, p); return err },
		} {
			var bad *ParseError
			if err := read(write(t, "t.csv", data)); !errors.As(err, &bad) || bad.Row != 123 || bad.Line != 124 || bad.Value != "NA" || !strings.Contains(bad.Need, "not a number") {
				t.Errorf("%s, task %q: %v", name, task, err)
			}
		}
	}
	text := manyNumbers(40, func(i int, a, y string) (string, string) { return a, fmt.Sprintf("w%d", i) })
	if _, err := Read(context.Background(), Options{}, write(t, "t.csv", text)); err == nil || !strings.Contains(err.Error(), "40 different values in 40 rows") {
		t.Errorf("a word in every row: %v", err)
	}
	// Half as many classes as rows, and a small table, are as before.
	half := manyNumbers(40, func(i int, a, y string) (string, string) { return a, fmt.Sprintf("w%d", i/2) })
	small := manyNumbers(6, func(i int, a, y string) (string, string) { return a, fmt.Sprintf("w%d", i) })
	for _, data := range [][]byte{half, small} {
		if _, err := Read(context.Background(), Options{}, write(t, "t.csv", data)); err != nil {
			t.Error(err)
		}
	}
}

// Words for a missing value go by the rule in columns of numbers, quoted or not, in the
// rows of every worker; they are not numbers without it.
func TestMissingWords(t *testing.T) {
	for _, word := range append(cells.NA(), `"NA"`, " NA ") {
		data := manyNumbers(3000, func(i int, a, y string) (string, string) {
			if i%2 == 1 {
				a = word
			}
			return a, y
		})
		path := write(t, "t.csv", data)
		var bad *ParseError
		if _, err := Read(context.Background(), Options{}, path); !errors.As(err, &bad) || bad.Row != 2 || bad.Name != "a" || !strings.HasPrefix(bad.Need, "stands for a missing value") {
			t.Fatalf("%s: %v", word, err)
		}
		mean, err := Read(context.Background(), Options{Missing: rff.MissingMean}, path)
		if err != nil {
			t.Fatalf("%s: %v", word, err)
		}
		var want float64
		for i := 0; i < 3000; i += 2 {
			want += float64(i % 7)
		}
		if got := mean.X.Row(2999)[0]; math.Abs(got-want/1500) > 1e-9 {
			t.Errorf("%s: mean %v, want %v", word, got, want/1500)
		}
		if drop, err := Read(context.Background(), Options{Missing: rff.MissingDrop}, path); err != nil || drop.X.Rows != 1500 {
			t.Errorf("%s: %v", word, err)
		}
	}
	// Another list replaces it, and holds for labels, too.
	data := manyNumbers(100, func(i int, a, y string) (string, string) {
		if i == 10 {
			a = "gone"
		}
		if i == 20 {
			y = "unknown"
		}
		return a, y
	})
	path := write(t, "t.csv", data)
	if drop, err := Read(context.Background(), Options{Missing: rff.MissingDrop, NA: []string{"gone", "unknown"}}, path); err != nil || drop.Len() != 98 || drop.Coding.Task != Regression {
		t.Errorf("%v", err)
	}
	if _, err := Open(context.Background(), Options{Missing: rff.MissingDrop, NA: []string{"-999"}}, path); err == nil || !strings.Contains(err.Error(), "is a number") {
		t.Errorf("a number for a missing value: %v", err)
	}
	if _, err := Read(context.Background(), Options{Missing: rff.MissingDrop}, path); err == nil {
		t.Error("unknown is no missing value unless it is named")
	}
}

// NaN in arrays goes by the rule.
func TestMissingInArrays(t *testing.T) {
	const n = 30
	values := make([]float64, 0, 3*n)
	for i := range n {
		values = append(values, float64(i), float64(i%4), float64(i)+0.5)
	}
	values[3*7+1] = math.NaN()
	path := write(t, "t.npy", npy("<f8", fmt.Sprintf("(%d, 3)", n), values))
	var bad *ParseError
	if _, err := Read(context.Background(), Options{}, path); !errors.As(err, &bad) || bad.Row != 8 || bad.Column != 2 {
		t.Errorf("%v", err)
	}
	drop, err := Read(context.Background(), Options{Missing: rff.MissingDrop}, path)
	if err != nil || drop.Len() != n-1 || drop.X.Row(7)[0] != 8 {
		t.Fatalf("%v", err)
	}
	mean, err := Read(context.Background(), Options{Missing: rff.MissingMean}, path)
	var want float64
	for i := range n {
		if i != 7 {
			want += float64(i%4) / (n - 1)
		}
	}
	if err != nil || math.Abs(mean.X.Row(7)[1]-want) > 1e-12 {
		t.Errorf("%v, %v", err, mean)
	}
}

// A first line with numbers names the columns if numbers stand below its words.
func TestHeaderWithNumbers(t *testing.T) {
	for text, names := range map[string][]string{
		"2019,2020,y\n1.5,2.5,3\n4,5,6.5\n": {"2019", "2020"},
		"id,1,2,kind\n7,1.5,2,u\n8,2,3,v\n": {"id", "1", "2"},
		"1,2,u\n3,4,v\n5,6,u\n":             nil, // classes
		"NA,2,3\n1,2,4\n2,2,5\n":            nil, // a missing value
		"\\N,2,3\n1,2,4\n2,2,5\n":           nil, // of MySQL and PostgreSQL
		"u,2,3\nv,2,4\nu,3,5\n":             nil, // a column of words
		"x,y\n1,2\n2,3\n":                   {"x"},
		"true,inf,y\nu,v,w\nv,v,x\n":        {"true=u", "true=v", "inf=v"},
		"NaN,x,y\nu,1,w\nv,2,x\n":           {"NaN=u", "NaN=v", "x"},
		"true,v,y\nNA,v,w\nfalse,u,x\n":     nil, // booleans
		"7,v,y\nb2,v,w\nc3,u,x\n":           nil, // codes, one of digits alone
	} {
		f, err := Open(context.Background(), Options{}, write(t, "t.csv", []byte(text)))
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := f.layout.inputs; !slices.Equal(got, names) {
			t.Errorf("%q has the inputs %q, want %q", text, got, names)
		}
	}
	f, err := Open(context.Background(), Options{}, write(t, "t.csv", []byte("2019,2020,2021\n1.5,2.5,3\n4,5,6.5\n")))
	if err != nil || len(f.layout.notes) != 1 || !strings.Contains(f.layout.notes[0], "say that there is a header") {
		t.Errorf("%v, %v", f.layout.notes, err)
	}
}

// Compressed data whose checksum is wrong are said to be damaged, not the column, the row or
// the word that they seem to have; a file of control characters is no text.
func TestDamageIsNamed(t *testing.T) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(z, "a,kind,y\n")
	for i := range 3000 {
		fmt.Fprintf(z, "%d,u,%d.5\n", i, i)
	}
	z.Close()
	for name, at := range map[string]int{"a column": bytes.Index(b.Bytes(), []byte("y\n")), "a number": bytes.Index(b.Bytes(), []byte("7,u,7.5")), "a target": bytes.Index(b.Bytes(), []byte("1717.5"))} {
		changed := bytes.Clone(b.Bytes())
		changed[at] = 'q'
		f, err := Open(t.Context(), Options{Label: "y"}, write(t, "t.csv.gz", changed))
		if err == nil {
			_, err = f.Scan(t.Context(), nil)
		}
		if err == nil || !strings.Contains(err.Error(), "damaged: fetch the file again") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(t.Context(), Options{Label: "y"}, write(t, "t.idx3-ubyte", bytes.Repeat([]byte{1, 2, 3, 4}, 100))); err == nil || !strings.Contains(err.Error(), "neither text nor") {
		t.Errorf("control characters: %v", err)
	}
	// Amounts of money are no classes: the first is named.
	text := "a,y\n"
	for i := range 40 {
		text += fmt.Sprintf("%d,\"$1,%03d.50\"\n", i, i)
	}
	_, err = Read(t.Context(), Options{Label: "y"}, write(t, "t.csv", []byte(text)))
	if err == nil || !strings.Contains(err.Error(), `row 1 (line 2)`) || !strings.Contains(err.Error(), `$1,000.50`) || !strings.Contains(err.Error(), "right column") {
		t.Errorf("money: %v", err)
	}
}

// Labels of which some are numbers, or look like numbers, are classes with a note that says why.
func TestClassesAmongNumbers(t *testing.T) {
	for labels, note := range map[string]string{
		"$5 $7 $5 $7": `"$5" in row 1`,
		"1 2 1,000 2": `"1,000" in row 3`,
		"1 2 x 2":     `"x" in row 3`,
		"u v u v":     "",
		"1 2 1 2":     "integer values",
	} {
		var b strings.Builder
		b.WriteString("a,y\n")
		for i, label := range strings.Fields(labels) {
			fmt.Fprintf(&b, "%d.5,%q\n", i, label)
		}
		f, err := Open(context.Background(), Options{}, write(t, "t.csv", []byte(b.String())))
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.Scan(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Coding.decided; s.Coding.Task != Classification || !strings.Contains(got, note) || (got == "") != (note == "") {
			t.Errorf("%s: %s, %q", labels, s.Coding.Task, got)
		}
	}
}

// A class that a program or Python has named in another form than files have is found.
func TestClassesInOtherForms(t *testing.T) {
	c := NewCoding([]string{"1.0", "2", "2.0", "2024-01-31 00:00:00"})
	for text, want := range map[string]int{"1": 0, "1.0": 0, "2": 1, "2.0": 2, "2024-01-31": 3, "2024-01-31T00:00:00": 3, "3": -1} {
		if got := c.class(textLabel([]byte(text))); got != want {
			t.Errorf("%q is class %d, want %d", text, got, want)
		}
	}
}
