package dataset

import (
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/rffgo/rff"
)

// Under a schema columns are found by name, or in their order, and what cannot be meant is
// refused with the column.
func TestMatch(t *testing.T) {
	named := &rff.Schema{Inputs: []rff.Column{{Name: "a"}, {Name: "b"}}, Target: rff.Target{Name: "y", Columns: 1}}
	twice := &rff.Schema{Inputs: []rff.Column{{Name: "a"}, {Name: "a"}}, Target: rff.Target{Name: "y", Columns: 1}}
	plain := &rff.Schema{Inputs: make([]rff.Column, 2), Target: rff.Target{Columns: 1}}
	numbered := &rff.Schema{Inputs: []rff.Column{{Number: 2}, {Number: 3}}, Target: rff.Target{Columns: 1}}
	const header = "y,b,w,a\n5,2,1,1\n"
	for name, c := range map[string]struct {
		text string
		o    Options
		want string // of the error, or "" for the inputs 1, 2 and the label 5
		note string
	}{
		"names in another order":    {header, Options{Schema: named}, "", `1 of the 4 columns is not used: "w"`},
		"weights":                   {header, Options{Schema: named, Weights: "w"}, "", ""},
		"another label":             {header, Options{Schema: named, Label: "w"}, `the fit's label, "y", is there, and "w" is another column: name the former, or none (Label)`, ""},
		"a label of another name":   {"z,b,a\n5,2,1\n", Options{Schema: named, Label: "z"}, "", `"z" is taken for the label, which the fit calls "y"`},
		"the label as weights":      {header, Options{Schema: named, Weights: "y"}, `: "y" is the label, and cannot be the weights`, ""},
		"an input as weights":       {header, Options{Schema: named, Weights: "a"}, `: "a" is an input of the fit, and cannot be the weights`, ""},
		"an input as label":         {header, Options{Schema: named, Label: "a"}, `: "a" is an input of the fit: name another as label`, ""},
		"an input as the last":      {"5,1,2\n", Options{Schema: numbered}, ": column 3 is an input of the fit: name another as label", ""},
		"by number, the label":      {"5,1,2\n", Options{Schema: numbered, Label: "1"}, "", ""},
		"no such input":             {"y,b,c\n5,2,1\n", Options{Schema: named}, `of the 2 inputs of the fit "a" is missing`, ""},
		"one name of two inputs":    {"a,y\n1,5\n", Options{Schema: twice}, `the fit has two inputs that are called "a"`, ""},
		"no label":                  {"b,a\n2,1\n", Options{Schema: named}, `the label of the fit, "y", is missing`, ""},
		"other names in order":      {"y,p,q\n5,1,2\n", Options{Schema: named, Inputs: []string{"p", "q"}}, "", "taken in this order for the inputs of the fit"},
		"some other names":          {"y,p,b\n5,1,2\n", Options{Schema: named, Inputs: []string{"p", "b"}}, "the fit has the inputs", ""},
		"without a header":          {"1,2,5\n", Options{Schema: named, Header: "no"}, "", "it has no header: its columns are taken in order"},
		"one column too many":       {"1,2,3,5\n", Options{Schema: named, Header: "no"}, "has 4 columns, the fit had 2 inputs and a label", ""},
		"one column too few":        {"1,2\n", Options{Schema: named, Header: "no"}, ": 1 too few", ""},
		"a fit without names":       {"p,q,y\n1,2,5\n", Options{Schema: plain}, "", "the fit does not name its inputs"},
		"without names, the label":  {"y,p,q\n5,1,2\n", Options{Schema: plain, Label: "y"}, "", ""},
		"without names, one is two": {"p,q,y\n1,2,5\n", Options{Schema: plain, Inputs: []string{"p"}}, "1 column is named, and the fit had 2 inputs", ""},
	} {
		c.o.Task = Regression
		f, err := Open(t.Context(), c.o, write(t, "t.csv", []byte(c.text)))
		if c.want != "" || err != nil {
			if err == nil || c.want == "" || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", name, err, c.want)
			}
			continue
		}
		for row, err := range f.Rows(t.Context()) {
			if err != nil || row.X[0] != 1 || row.X[1] != 2 || row.label.Value != 5 {
				t.Errorf("%s: %v %+v", name, err, row)
			}
		}
		if notes := strings.Join(f.Notes(), "\n"); !strings.Contains(notes, c.note) {
			t.Errorf("%s: notes %q, want %q", name, notes, c.note)
		}
	}
}

// A schema's words for missing values are those of the files, in the place of the usual ones.
func TestMatchTakesWordsForGaps(t *testing.T) {
	s := &rff.Schema{Inputs: []rff.Column{{Name: "a", Fill: []float64{7}}}, Target: rff.Target{Name: "y", Columns: 1}, Missing: rff.MissingMean, NA: []string{"gone"}}
	f, err := Open(t.Context(), Options{Schema: s, Task: Regression}, write(t, "t.csv", []byte("a,y\n1,2\ngone,3\n")))
	if err != nil {
		t.Fatal(err)
	}
	var got []float64
	for row, err := range f.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row.X[0])
	}
	if len(got) != 2 || got[1] != 7 {
		t.Errorf("%v, want 1 and 7", got)
	}
}

// A file that has other columns in a pass than when it was opened is refused.
func TestChangedColumns(t *testing.T) {
	for name, text := range map[string]string{"more": "a,b,c,y\n1,2,3,4\n", "others": "a,c,y\n1,2,3\n"} {
		path := write(t, "t.csv", []byte("a,b,y\n1,2,3\n"))
		f, err := Open(t.Context(), Options{Task: Regression, Label: "y"}, path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, err := range f.Rows(t.Context()) {
			if err == nil || !strings.Contains(err.Error(), "has changed since it was opened") {
				t.Errorf("%s columns: %v", name, err)
			}
			break
		}
	}
}

// A file whose rows are all left out has rows: the error says why there are none.
func TestAllRowsDropped(t *testing.T) {
	_, err := Read(t.Context(), Options{Label: "y", Task: Regression, Missing: rff.MissingDrop}, write(t, "t.csv", []byte("a,b,y\n1,,2\n2,,3\n")))
	if err == nil || !strings.Contains(err.Error(), "all its 2 rows lack a value") {
		t.Error(err)
	}
}

// The line by which Excel is told the separator is no header.
func TestSeparatorLine(t *testing.T) {
	got, err := Read(t.Context(), Options{Label: "y", Task: Regression}, write(t, "t.csv", []byte("sep=;\r\na;y\r\n1;2,5\r\n2;3,5\r\n3;4,75\r\n")))
	if err != nil || got.Len() != 3 || got.Inputs[0] != "a" || got.Y[2] != 4.75 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := Read(t.Context(), Options{Label: "y"}, write(t, "t.csv", []byte("sep=;\n"))); err == nil || !strings.Contains(err.Error(), "names its separator only") {
		t.Error(err)
	}
	for row, err := range openText(t, "sep=|\na|y\n1|2\n3|x\n") {
		if row.Place.Row == 2 && (err != nil || row.Place.Line != 4) {
			t.Errorf("row 2 stands on line %d, %v", row.Place.Line, err)
		}
	}
}

// openText yields the rows of a text with inputs and a label y.
func openText(t *testing.T, text string) iter.Seq2[Row, error] {
	t.Helper()
	f, err := Open(t.Context(), Options{Label: "y", Task: Classification}, write(t, "t.csv", []byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	return f.Rows(t.Context())
}
