package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff"
)

// A row of booleans is no line of names, unless numbers stand below it; and neither is a label.
func TestBooleansAreNoNames(t *testing.T) {
	for text, want := range map[string]int64{"True,False,u\nFalse,True,v\nTrue,True,u\n": 3, "False,True,y\n0.3,0.7,u\n.4,.6,v\n": 2} {
		f, err := Open(context.Background(), Options{}, write(t, "t.csv", []byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		if table, err := f.Table(context.Background()); err != nil || int64(table.X.Rows) != want {
			t.Errorf("%q: %v, %v", text, table, err)
		}
	}
}

// Tables as pandas, R and others write them read as one and the same.
func TestTablesOfOthers(t *testing.T) {
	for name, c := range map[string]struct{ csv, note string }{
		"plain":                        {"a,b,y\n1,2,u\n3,4,v\n", ""},
		"pandas to_csv":                {",a,b,y\n0,1,2,u\n1,3,4,v\n", "column 1 has no name"},
		"R write.csv":                  {"\"\",\"a\",\"b\",\"y\"\n\"1\",1,2,\"u\"\n\"2\",3,4,\"v\"\n", "column 1 has no name"},
		"R write.csv, names":           {"\"\",\"a\",\"b\",\"y\"\n\"Mazda RX4\",1,2,\"u\"\n\"Fiat 128\",3,4,\"v\"\n", "column 1 has no name"},
		"R write.table":                {"\"a\" \"b\" \"y\"\n\"1\" 1 2 \"u\"\n\"2\" 3 4 \"v\"\n", "column 1 has no name"},
		"R write.table, names":         {"\"a\" \"b\" \"y\"\n\"Mazda RX4\" 1 2 \"u\"\n\"Fiat \"\"128\"\"\" 3 4 \"v\"\n", "column 1 has no name"},
		"R write.table, sep tab":       {"a\tb\ty\nMazda RX4\t1\t2\tu\nFiat 128\t3\t4\tv\n", "column 1 has no name"},
		"comma at the end":             {"a,b,y,\n1,2,u,\n3,4,v,\n", ""},
		"comma at the end of rows":     {"a,b,y\n1,2,u,\n3,4,v,\n", ""},
		"quoted nothing at the end":    {"a,b,y,\n1,2,u,\"\"\n3,4,v,\n", ""},
		"spaces":                       {"a b   y\n  1   2 u  \n3 \t4  v\n", ""},
		"quotes within":                {"a,b,y\n1,2,u\n\"3\",\"4\",v\n", ""},
		"blanks around quotes":         {"\"a\", \"b\" , \"y\"\n \"1\" , \"2\",u\n3,  4, \"v\" \n", ""},
		"semicolons, decimal comma no": {"a;b;y\n1;2;u\n3;4;v\n", ""},
		"blank lines":                  {"\n\na,b,y\n\n1,2,u\n\n3,4,v\n\n", ""},
		"the end of DOS":               {"a,b,y\r\n1,2,u\r\n3,4,v\r\n\x1a", ""},
		"the end of DOS, not a line":   {"a,b,y\r\n1,2,u\r\n3,4,v\x1a", ""},
		"pandas to_parquet, as CSV":    {"a,b,y,__index_level_0__\n1,2,u,0\n3,4,v,7\n", `"__index_level_0__" is an index that pandas wrote: it is left out`},
		"byte order mark":              {"\xef\xbb\xbfa,b,y\r\n1,2,u\r\n3,4,v\r\n", ""},
	} {
		f, err := Open(context.Background(), Options{}, write(t, "t.csv", []byte(c.csv)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		table, err := f.Table(context.Background())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(table.Inputs, []string{"a", "b"}) || table.Target != "y" || !reflect.DeepEqual(table.X.Data, []float64{1, 2, 3, 4}) || !reflect.DeepEqual(table.Coding.Classes, []string{"u", "v"}) {
			t.Errorf("%s: inputs %q, target %q, %v, classes %q", name, table.Inputs, table.Target, table.X.Data, table.Coding.Classes)
		}
		if notes := strings.Join(f.Notes(), "\n"); (c.note == "") != (notes == "") || !strings.Contains(notes, c.note) {
			t.Errorf("%s: notes %q, want %q", name, notes, c.note)
		}
	}
}

// A quote behind a blank holds a field together, with separators, line ends and quotes in it.
func TestQuotesBehindBlanks(t *testing.T) {
	table, err := Read(context.Background(), Options{}, write(t, "t.csv", []byte("a, \"y\"\n1,\t\"u, v\"\n2,  \"u\n\"\", v\" \n")))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"u\n\", v", "u, v"}; table.Target != "y" || !reflect.DeepEqual(table.Coding.Classes, want) {
		t.Errorf("target %q, classes %q, want %q", table.Target, table.Coding.Classes, want)
	}
}

// What is no table as it was meant says so.
func TestTablesRefused(t *testing.T) {
	for name, c := range map[string]struct {
		data string
		o    Options
		want string
	}{
		"last column without a name": {"a,b,\n1,2,3\n", Options{}, "has no name in the header"},
		"more after the end":         {"a,b,y,\n1,2,u,\n3,4,v,5\n", Options{}, "stands after the last column"},
		"first label missing":        {"1,2,\n3,4,5\n", Options{}, "stands after the last column"},
		"separators":                 {",,,\n,,,\n", Options{}, "the value is missing"},
		"one separator":              {",\n", Options{}, "t.txt: has a single column"},
		"one field":                  {"a,y\n1,2\n3\n", Options{}, "row 2 (line 3): has 1 field where the header has 2"},
		"blanks and a quote within":  {"a,k,y\n1,u,u\n2, \"u\" v,w\n", Options{}, "row 2 (line 3), column 2 \"k\": has text after a closing quote"},
		"a label of MySQL":           {"a,y\n1,u\n2,\\N\n", Options{}, "row 2 (line 3), column 2 \"y\": \"\\\\N\" the label is missing"},
		"a group of MySQL":           {"a,g,y\n1,u,u\n2,\\N,v\n", Options{Groups: "g"}, "row 2 (line 3), column 2 \"g\": \"\\\\N\" the group is missing"},
		"a word of MySQL":            {"a,k,y\n1,u,u\n2,\\N,v\n3,w,v\n", Options{}, "row 2 (line 3), column 2 \"k\": \"\\\\N\" the value is missing"},
		"a weight of MySQL":          {"a,w,y\n1,2,u\n2,\\N,v\n", Options{Weights: "w", Missing: rff.MissingMean}, "let a fit leave such rows out (Missing: drop)"},
		"thousands":                  {"a,y\n\"1,234\",u\n", Options{}, "thousands without separators"},
		"underscore":                 {"a,y\n1_000,u\n", Options{}, "without underscores; in a column of words, take these as inputs (Categories)"},
		"a boolean":                  {"a,y\n1,u\nTrue,v\n", Options{}, "write true as 1"},
		"hexadecimal":                {"a,y\n1,v\n0x1p4,u\n", Options{}, "not a number"},
		"text":                       {"a,y\n1,v\nx_y,u\n", Options{}, "is not a number"},
		"carriage returns":           {"a,y\r1,2\r3,4\r", Options{}, `\r alone`},
		"several labels":             {"1,2 3:4\n1 2:3\n", Options{}, "several labels"},
		"several labels later":       {"1 3:4\n1,2 2:3\n", Options{}, "several labels"},
		"underscore in LIBSVM":       {"1 3:4_0\n", Options{Format: "libsvm"}, "without underscores"},
		"sign of an index":           {"1 1:1 +3:4\n", Options{}, "not index:value"},
		"Label and LabelFile":        {"a,y\n1,2\n", Options{Label: "y", LabelFile: "z"}, "not both"},
		"Unlabelled and LabelFile":   {"a,y\n1,2\n", Options{Task: Unlabelled, LabelFile: "z"}, "there are no labels"},
		"Unlabelled and Label":       {"a,y\n1,2\n", Options{Task: Unlabelled, Label: "y"}, "there are no labels"},
		"Weights are Groups":         {"a,y\n1,2\n", Options{Weights: "a", Groups: "a"}, "another"},
		"label is an input":          {"a,y\n1,2\n", Options{Inputs: []string{"a", "y"}}, "already"},
		"inputs twice":               {"a,b,y\n1,2,3\n", Options{Inputs: []string{"a", "1"}}, "named twice"},
		"a weight is an input":       {"a,b,y\n1,2,3\n", Options{Inputs: []string{"a"}, Weights: "a"}, "already"},
		"the group is the label":     {"a,b,y\n1,2,3\n", Options{Label: "b", Groups: "b"}, "already"},
		"no such weights":            {"a,b,y\n1,2,3\n", Options{Weights: "w"}, `no column "w"`},
		"two columns":                {"a,a,y\n1,2,3\n", Options{Inputs: []string{"a"}}, "t.txt: two columns"},
		"three are missing":          {"a,b,y\n1,2,3\n", Options{Inputs: []string{"p", "a", "q", "r"}}, `no columns "p", "q", "r": it has "a", "b", "y"`},
		"column 0":                   {"a,y\n1,2\n", Options{Label: "0"}, `no column "0"`},
		"column 3":                   {"a,y\n1,2\n", Options{Label: "3"}, `no column "3"`},
		"the empty last column":      {"a,y,\n1,2,\n", Options{Label: "3"}, `no column "3"`},
		"only inputs by name":        {"y\n1\n", Options{}, "t.txt: has a single column"},
		"a quote at the end":         {"a,y\n1,2\n3,\"", Options{}, "row 2 (line 3): has a quote"},
		"LIBSVM weights":             {"1 1:2\n", Options{Weights: "w"}, "LIBSVM"},
		"LIBSVM groups":              {"1 1:2\n", Options{Groups: "2"}, "LIBSVM"},
		"LIBSVM inputs":              {"1 1:2\n", Options{Inputs: []string{"a"}}, "LIBSVM"},
		"Comma":                      {"a,y\n1,2\n", Options{Comma: '"'}, "ASCII"},
		"MaxColumns":                 {"a,y\n1,2\n", Options{ours: ours{MaxColumns: 1<<20 + 1}}, "0 … 1048576"},
		"too few columns allowed":    {"a,b,c,y\n1,2,3,4\n", Options{ours: ours{MaxColumns: 3}}, "has 4 columns, the limit is 3"},
		"too few in LIBSVM":          {"1 4:2\n", Options{ours: ours{MaxColumns: 3}}, "has 4 columns, the limit is 3"},
		"a long label":               {"1," + strings.Repeat("u", 1025) + "\n", Options{}, "1025 bytes: neither a class"},
		"a long label in LIBSVM":     {strings.Repeat("u", 1025) + " 1:2\n", Options{Format: "libsvm"}, "1025 bytes: not a label"},
		"too few by number":          {"1,2,3,4\n", Options{ours: ours{MaxColumns: 3}}, "has 4 columns, the limit is 3"},
	} {
		p := write(t, "t.txt", []byte(c.data))
		_, err := Read(context.Background(), c.o, p)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q is not in %q", name, c.want, fmt.Sprint(err))
		}
	}
	// At the limit all is well.
	for _, data := range []string{"a,b,c,y\n1,2,3,4\n5,6,7,8\n", "a,b,c,y,\n1,2,3,4,\n5,6,7,8,\n", "1 4:2\n2 1:2\n"} {
		if _, err := Read(context.Background(), Options{ours: ours{MaxColumns: 4}}, write(t, "t.txt", []byte(data))); err != nil {
			t.Error(err)
		}
	}
	if f, err := Open(context.Background(), Options{Width: 70000}, write(t, "t.svm", []byte("1 70000:2\n"))); err != nil || f.layout.width != 70000 {
		t.Errorf("a width that lifts the limit: %v", err)
	}
}

// Other files are named as what they are.
func TestForeignFormats(t *testing.T) {
	tar := make([]byte, 512)
	copy(tar[257:], "ustar\x0000")
	for want, head := range map[string]string{
		"PNG image":     "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
		"JPEG image":    "\xff\xd8\xff\xe0\x00\x10JFIF",
		"GIF image":     "GIF89a\x01\x00",
		"web page":      "\n<!DOCTYPE html>\n<html>",
		"web page ":     "<HTML><head>",
		"XML":           "<?xml version=\"1.0\"?>",
		"Parquet":       "PAR1\x15\x04\x15",
		"zip archive":   "PK\x03\x04\x14\x00\x00\x00\x08\x00data.csv",
		"Excel":         "PK\x03\x04\x14\x00\x06\x00\x08\x00[Content_Types].xml",
		"NPZ":           "PK\x03\x04\x14\x00\x00\x00\x00\x00arr_0.npy",
		"Stata":         "r\x02\x01\x00\x04\x00",
		"Stata ":        "<stata_dta><header><release>118",
		"SPSS":          "$FL2@(#) SPSS DATA FILE\x00",
		"old Excel":     "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
		"HDF5":          "\x89HDF\r\n\x1a\n\x00",
		"Arrow":         "ARROW1\x00\x00",
		"Feather":       "FEA1\x00\x00",
		"JSON":          "[{\"a\": 1, \"y\": 2}]",
		"JSON ":         "{\n  \"a\": [1, 2]}",
		"JSON  ":        "[[1, 2], [3, 4]]",
		"PDF":           "%PDF-1.7\n",
		"pickle":        "\x80\x04\x95\x10\x00",
		"xz":            "\xfd7zXZ\x00\x00\x04",
		"zstd":          "\x28\xb5\x2f\xfd\x24\x00",
		"LZ4":           "\x04\x22\x4d\x18\x64",
		"tar archive":   string(tar),
		"7-Zip":         "7z\xbc\xaf\x27\x1c",
		"SQLite":        "SQLite format 3\x00",
		"R data":        "RDX3\nX\n\x00\x00\x00\x03",
		"R data ":       "X\n\x00\x00\x00\x03",
		"UTF-16":        "\xff\xfea\x00,\x00",
		"UTF-16 ":       "\xfe\xff\x00a\x00,",
		"UTF-16  ":      "\x00a\x00,\x00y\x00\n\x001\x00,\x002",
		"safetensors":   "\x40\x00\x00\x00\x00\x00\x00\x00{\"__metadata__\"",
		"ARFF":          "@RELATION iris\n",
		"MATLAB":        "MATLAB 5.0 MAT-file",
		"NetCDF":        "CDF\x01\x00",
		"neither text ": "ab\x00\x01\x02\x03\x00\x00\x00",
	} {
		for _, data := range [][]byte{[]byte(head), gzipped([]byte(head))} {
			_, err := Open(context.Background(), Options{}, write(t, "file", data))
			var parse *ParseError
			switch {
			case !errors.As(err, &parse) || !strings.Contains(err.Error(), strings.TrimRight(want, " ")):
				if !(strings.Contains(fmt.Sprint(err), "compressed twice") && (want == "xz" || want == "zstd" || want == "LZ4")) {
					t.Errorf("%q: %v", want, err)
				}
			case !strings.Contains(err.Error(), ": "):
				t.Errorf("%q does not say what to do: %v", want, err)
			}
		}
	}
	// Text that only begins alike is text.
	for _, data := range []string{"ORC,y\n1,2\n3,4\n", "RDX,y\n1,2\n3,4\n", "GIF8,y\n1,2\n3,4\n", "BZh,y\n1,2\n3,4\n", "BZh9,y\n1,2\n3,4\n", "BZhx1AY,y\n1,2\n3,4\n", "PAR1,y\n1,2\n3,4\n", "[a],y\n1,2\n3,4\n", "{a},y\n1,2\n3,4\n"} {
		if _, err := Read(context.Background(), Options{}, write(t, "t.csv", []byte(data))); err != nil {
			t.Errorf("%q: %v", data, err)
		}
	}
}

// Names and labels that are not UTF-8 are Latin-1.
func TestLatin1(t *testing.T) {
	f, err := Open(context.Background(), Options{}, write(t, "t.csv", []byte("gr\xf6\xdfe,y\n1,\xe4\n2,b\n")))
	if err != nil {
		t.Fatal(err)
	}
	table, err := f.Table(context.Background())
	if err != nil || table.Inputs[0] != "größe" || !reflect.DeepEqual(table.Coding.Classes, []string{"b", "ä"}) {
		t.Errorf("%v, %v", table, err)
	}
	if n := f.layout.notes; len(n) != 1 || !strings.Contains(n[0], "Latin-1") || !strings.Contains(n[0], "größe") {
		t.Errorf("notes %q", n)
	}
}

// The columns of a file that is to be predicted are found by name.
func TestColumnsOfAModel(t *testing.T) {
	schema := rff.Schema{Inputs: rff.Columns("a", "b"), Target: rff.Target{Name: "y"}}
	nameless := rff.Schema{Inputs: make([]rff.Column, 2)}
	with, without := Options{Schema: &schema}, Options{Schema: &schema, Task: Unlabelled}
	want := []float64{1, 2, 3, 4}
	for name, c := range map[string]struct {
		data     []byte
		o        Options
		labelled bool
	}{
		"as it was":            {[]byte("a,b,y\n1,2,5\n3,4,6\n"), with, true},
		"another order":        {[]byte("y,b,a\n5,2,1\n6,4,3\n"), with, true},
		"more columns":         {[]byte("id,y,b,z,a\nr1,5,2,,1\nr2,6,4,,3\n"), with, true},
		"another label":        {[]byte("u,b,a\n5,2,1\n6,4,3\n"), Options{Schema: &schema, Label: "u"}, true},
		"other names":          {[]byte("q,y,p\n2,5,1\n4,6,3\n"), Options{Schema: &schema, Inputs: []string{"p", "q"}}, true},
		"a list of names":      {[]byte("q,y,p\n2,5,1\n4,6,3\n"), Options{Schema: &schema, Inputs: []string{"p,q"}}, true},
		"without the label":    {[]byte("b,z,a\n2,,1\n4,,3\n"), without, false},
		"with the index":       {[]byte(",b,a\n0,2,1\n1,4,3\n"), without, false},
		"without names":        {[]byte("1,2\n3,4\n"), without, false},
		"without names, label": {[]byte("1,2,5\n3,4,6\n"), with, true},
		"array":                {npy("<f8", "(2, 2)", want), without, false},
		"array with label":     {npy("<f8", "(2, 3)", []float64{1, 2, 5, 3, 4, 6}), with, true},
		"names of the file":    {[]byte("p,q\n1,2\n3,4\n"), Options{Schema: &nameless, Task: Unlabelled}, false},
		"LIBSVM":               {[]byte("5 1:1 2:2\n6 1:3 2:4\n"), with, true},
		"label by number":      {[]byte("5,1,2\n6,3,4\n"), Options{Schema: &nameless, Label: "1"}, true},
		"inputs by number":     {[]byte("0,1,2\n0,3,4\n"), Options{Schema: &schema, Inputs: []string{"2", "3"}, Task: Unlabelled}, false},
		"like the file it had": {[]byte("0,1,2\n0,3,4\n"), Options{Schema: &rff.Schema{Inputs: []rff.Column{{Number: 2}, {Number: 3}}}, Task: Unlabelled}, false},
	} {
		f, err := Open(context.Background(), c.o, write(t, "t", c.data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if f.layout.noLabel == c.labelled || f.layout.width != 2 {
			t.Errorf("%s: without label %v, %d inputs", name, f.layout.noLabel, f.layout.width)
			continue
		}
		for range 2 {
			var got []float64
			labels := 0.0
			for row, err := range f.Rows(context.Background()) {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if got = append(got, row.X...); c.labelled && row.label.Value != 5+labels {
					t.Errorf("%s: row %g has the label %v", name, labels, row.label)
				}
				labels++
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
	var column *ParseError
	if _, err := Open(context.Background(), with, write(t, "t.csv", []byte("b,c,y\n1,2,3\n"))); !errors.As(err, &column) || !slices.Equal(column.columns, []string{"b", "c", "y"}) || column.Name != "a" {
		t.Errorf("an input is missing: %v", err)
	}
	for _, data := range []string{"1,2,3,4\n", "1\n"} {
		if _, err := Open(context.Background(), with, write(t, "t.csv", []byte(data))); err == nil {
			t.Errorf("%q has not two inputs", data)
		}
	}
	if _, err := Open(context.Background(), with, write(t, "t.csv", []byte("a,b\n1,2\n"))); !errors.As(err, &column) || column.Name != "y" {
		t.Errorf("the label is missing: %v", err)
	}
	a, b := write(t, "a.csv", []byte("a,b,y\n1,2,3\n")), write(t, "b.csv", []byte("a,b\n1,2\n"))
	for _, paths := range [][]string{{a, b}, {b, a}} {
		if _, err := Open(context.Background(), with, paths...); err == nil || !strings.Contains(err.Error(), "label") {
			t.Errorf("a label in one of two files: %v", err)
		}
	}
}

// Weights and groups are neither inputs nor labels, and come along everywhere.
func TestWeightsAndGroups(t *testing.T) {
	ctx := context.Background()
	csv := []byte("w,a,who,b,y\n1,1,p,2,0\n0.5,3,7,4,1\n0,5,p,6,1\n2,7,7.0,8,0\n")
	array := npy("<f8", "(4, 5)", []float64{1, 1, -1, 2, 0, 0.5, 3, 7, 4, 1, 0, 5, -1, 6, 1, 2, 7, 7, 8, 0})
	weights := []float64{1, 0.5, 0, 2}
	for name, c := range map[string]struct {
		data []byte
		o    Options
		p    string // the group of rows 1 and 3
	}{
		"names":   {csv, Options{Weights: "w", Groups: "who"}, "p"},
		"numbers": {csv, Options{Weights: "1", Groups: "3"}, "p"},
		"array":   {array, Options{Weights: "1", Groups: "3"}, "-1"},
		"label":   {csv, Options{Weights: "w", Groups: "who", Label: "y", Inputs: []string{"a", "b"}}, "p"},
	} {
		f, err := Open(context.Background(), c.o, write(t, "t", c.data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		groups := []uint64{groupOf([]byte(c.p)), groupOf([]byte("7")), groupOf([]byte(c.p)), groupOf([]byte("7"))}
		if f.layout.width != 2 || len(f.layout.inputs) > 0 && !slices.Equal(f.layout.inputs, []string{"a", "b"}) {
			t.Errorf("%s: inputs %q", name, f.layout.inputs)
		}
		table, err := f.Table(ctx)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s, err := f.Scan(ctx, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		check := func(what string, from rff.Source, order ...int) {
			t.Helper()
			at := 0
			for b, err := range from.Batches(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				for i := range b.X.Rows {
					k := order[at]
					if b.Weight[i] != weights[k] || b.Group[i] != groups[k] || b.X.Row(i)[1] != float64(2*k+2) || b.Y.Row(i)[0] != []float64{-1, 1, 1, -1}[k] {
						t.Errorf("%s, %s, row %d: weight %v, group %x, %v → %v", name, what, i, b.Weight[i], b.Group[i], b.X.Row(i), b.Y.Row(i))
					}
					at++
				}
			}
			if at != len(order) {
				t.Errorf("%s, %s: %d rows", name, what, at)
			}
		}
		check("files", f.Source(table.Coding, 0), 0, 1, 3)
		check("table", table.Source(), 0, 1, 3)
		var drawn []int
		for i := range s.Sample.Len() {
			drawn = append(drawn, int(s.Sample.place(i).Row-1))
		}
		check("sample", s.Sample.Source(), drawn...)
		check("head", table.Head(2).Source(), 0, 1)
		check("tail", table.Tail(1).Source(), 1, 3)
		check("select", table.Select([]int{2, 0}).Source(), 3, 0)
		check("scaled", table.Scaled(FitScaling(Unscaled, table.X)).Source(), 0, 1, 3)
		check("scaled source", Scaled(table.Source(), rff.Scaling{Scale: []float64{1, 1}}), 0, 1, 3)
		if table.place(2).Row != 4 || s.Rows != 3 || s.Scaling(MinMax).Scale[0] != 6 {
			t.Errorf("%s: row 3 of the table is %d, rows %d, scaling %v", name, table.place(2).Row, s.Rows, s.Scaling(MinMax))
		}
		k := 0
		for row, err := range f.Rows(ctx) {
			if err != nil || row.Weight != weights[k] || row.group != groups[k] {
				t.Errorf("%s: row %+v, %v", name, row, err)
			}
			k++
		}
	}
	for data, want := range map[string]string{
		"a,w,y\n1,1,2\n2,-1,3\n":  `row 2 (line 3), column 2 "w": "-1" is a negative weight`,
		"a,w,y\n1,1,2\n2,x,3\n":   `row 2 (line 3), column 2 "w": "x" is not a number`,
		"a,w,y\n1,1,2\n2,,3\n":    `column 2 "w": the value is missing`,
		"a,w,y\n1,1,2\n2,inf,3\n": `column 2 "w": "inf" is not a finite number`,
	} {
		if _, err := Read(ctx, Options{Weights: "w"}, write(t, "t.csv", []byte(data))); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Categories") {
			t.Errorf("%q: %v", data, err)
		}
	}
	if _, err := Read(ctx, Options{Groups: "w"}, write(t, "t.csv", []byte("a,w,y\n1,1,2\n2,,3\n"))); err == nil || !strings.Contains(err.Error(), "group is missing") {
		t.Errorf("no group: %v", err)
	}
	for _, bad := range []float64{-1, math.Inf(1)} {
		if _, err := Read(ctx, Options{Weights: "1"}, write(t, "t.npy", npy("<f8", "(2, 3)", []float64{1, 2, 3, bad, 5, 6}))); err == nil || !strings.Contains(err.Error(), "row 2, column 1") {
			t.Errorf("weight %v: %v", bad, err)
		}
	}
	// A file without them has none.
	table, err := Read(ctx, Options{}, write(t, "t.csv", []byte("a,y\n1,2\n2,3\n")))
	if err != nil || table.Weights != nil || table.Groups != nil {
		t.Errorf("%+v, %v", table, err)
	}
	for row := range table.Rows(ctx) {
		if row.Weight != 1 || row.group != 0 {
			t.Errorf("%+v", row)
		}
	}
}

// The key of a group is the same everywhere: FNV-1a by its definition, mixed.
func TestGroupKey(t *testing.T) {
	h := uint64(14695981039346656037)
	h = (h ^ '7') * 1099511628211
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	h ^= h >> 33
	for _, s := range []string{"7", "7.0", "+7", "7e0", "0.7e1"} {
		if got := groupOf([]byte(s)); got != h {
			t.Errorf("%q: %x, want %x", s, got, h)
		}
	}
	for _, s := range []string{"8", "seven", "7a", "-7", ""} {
		if groupOf([]byte(s)) == h {
			t.Errorf("%q has the key of 7", s)
		}
	}
	if groupOf([]byte("0")) != groupOf([]byte("-0")) {
		t.Error("0 and -0 differ")
	}
}

// Integers are classes or numbers, and that is said.
func TestDecided(t *testing.T) {
	column := func(values ...int) string {
		var b strings.Builder
		b.WriteString("a,y\n")
		for i := range 3 * len(values) {
			fmt.Fprintf(&b, "%d,%d\n", i, values[i%len(values)])
		}
		return b.String()
	}
	rangeOf := func(from, to, step int) (v []int) {
		for i := from; i <= to; i += step {
			v = append(v, i)
		}
		return v
	}
	for _, c := range []struct {
		csv  string
		task Task
		want Task
		says string
	}{
		{column(3, 4, 5, 6, 7, 8, 9), "", Classification, "7 integer values: taken as classes"},
		{column(-1, 1), "", Classification, "2 integer values: taken as classes"},
		{column(rangeOf(10, 120, 10)...), "", Classification, "12 integer values: taken as classes"},
		{column(rangeOf(10, 130, 10)...), "", Regression, "13 integer values: taken as numbers"},
		{column(rangeOf(0, 12, 1)...), "", Classification, "13 integer values: taken as classes"},
		{column(rangeOf(1, 26, 1)...), "", Classification, "26 integer values: taken as classes"},
		{column(rangeOf(2, 27, 1)...), "", Regression, "26 integer values: taken as numbers"},
		{column(append(rangeOf(0, 11, 1), 13)...), "", Regression, "13 integer values: taken as numbers"},
		{column(rangeOf(0, 31, 1)...), "", Classification, "32 integer values: taken as classes"},
		{column(rangeOf(0, 32, 1)...), "", Regression, "33 integer values: taken as numbers"},
		{column(rangeOf(0, 5000, 1)...), "", Regression, "more than 4096 integer values: taken as numbers"},
		{"a,y\n1,3\n2,4\n3,5\n4,6\n5,7\n6,8\n7,9\n8,9\n9,9\n", "", Regression, "7 integer values in 9 rows: taken as numbers"},
		{"a,y\n1,1\n2,2\n3,3\n4,4\n5,5\n6,6\n7,7\n", "", Regression, "7 integer values in 7 rows: taken as numbers"},
		{"a,y\n1,3\n2,4\n3,5\n4,6\n5,7\n6,8\n", "", Classification, "6 integer values: taken as classes"},
		{column(3, 4, 5), Classification, Classification, ""},
		{column(3, 4, 5), Regression, Regression, ""},
		{"a,y\n1,u\n2,v\n", "", Classification, ""},
		{"a,y\n1,u\n2,NA\n3,v\n", "", Classification, `the class "NA"; if it stands for a missing label, leave such rows out (NA with Missing)`},
		{"a,y\n1,+\n2,-\n", "", Classification, ""},
		{"a,y\n1,0.5\n2,1\n", "", Regression, ""},
	} {
		f, err := Open(context.Background(), Options{Task: c.task}, write(t, "t.csv", []byte(c.csv)))
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.Scan(context.Background(), nil)
		if err != nil || s.Coding.Task != c.want || s.Coding.decided != c.says {
			t.Errorf("%.20q as %v: %v, %q, %v; want %v, %q", c.csv, c.task, s.Coding.Task, s.Coding.decided, err, c.want, c.says)
		}
		table, err := f.Table(context.Background())
		if err != nil || table.Coding.decided != c.says {
			t.Errorf("%.20q: table %q, %v", c.csv, table.Coding.decided, err)
		}
	}
}

// 0 and −0 are one class, in text and in arrays.
func TestZeroClasses(t *testing.T) {
	for name, data := range map[string][]byte{
		"csv":   []byte("1,0\n2,-0\n3,1\n4,+0.0\n5,-0e5\n"),
		"array": npy("<f8", "(5, 2)", []float64{1, 0, 2, math.Copysign(0, -1), 3, 1, 4, 0, 5, math.Copysign(0, -1)}),
	} {
		table, err := Read(context.Background(), Options{}, write(t, "t", data))
		if err != nil || !slices.Equal(table.Coding.Classes, []string{"0", "1"}) || !slices.Equal(table.Y, []float64{0, 0, 1, 0, 0}) {
			t.Errorf("%s: %+v, %v", name, table, err)
		}
	}
}

// pandas numbers the columns of an array, from 0: behind the empty name of the
// row names that is a header, alone it may be a row.
func TestNumberedHeader(t *testing.T) {
	for _, c := range []struct {
		text string
		rows int
		note string
	}{
		{",0,1,2\n0,5,6,7\n1,8,9,10\n", 2, "column 1 has no name"},
		{"0,1,2\n5,6,7\n8,9,10\n", 3, "the first line, 0 to 2, is taken as a row"},
		{"1,2,3\n5,6,7\n", 2, ""},
		{"\"\",\"1940\",\"1945.5\",\"1950\"\n\"food\",1,2,3\n\"rent\",4,5,6\n", 2, "though they are numbers: they rise"},
	} {
		f, err := OpenReader(context.Background(), Options{}, "t", strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		rows := 0
		for _, err := range f.Rows(context.Background()) {
			if err != nil {
				t.Errorf("%q: %v", c.text, err)
			}
			rows++
		}
		notes := strings.Join(f.layout.notes, "\n")
		if rows != c.rows || !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
			t.Errorf("%q: %d rows, %q; want %d, %q", c.text, rows, notes, c.rows, c.note)
		}
		if named := c.rows == 2 && c.note != ""; named != (f.Schema().Names() != nil) {
			t.Errorf("%q: columns %q", c.text, f.Schema().Names())
		}
	}
	// What may be numbers of a row is a row, whose first value is missing.
	for _, text := range []string{",7,9,8\n1,5,6,7\n", ",7,9\n1,5,6\n", ",7,8,9\n,5,6,7\n"} {
		var bad *ParseError
		if _, err := Read(t.Context(), Options{}, write(t, "t.csv", []byte(text))); !errors.As(err, &bad) || bad.Row != 1 || bad.Column != 1 {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Accounts that a writer has rounded, as pandas does beside a gap, may be several in one group.
func TestRoundedGroupsAreRefused(t *testing.T) {
	file := write(t, "r.csv", []byte("x,g,y\n1,9007199254740991.0,2\n2,9007199254740993,3\n3,9007199254740992.0,4\n"))
	_, err := Read(context.Background(), Options{Groups: "g"}, file)
	if bad := new(ParseError); !errors.As(err, &bad) || bad.Row != 3 || bad.Name != "g" || !strings.Contains(bad.Need, "as integers or texts") {
		t.Errorf("%v", err)
	}
}

// Rows of LIBSVM may name a query, which no fold goes by: that is said, once.
func TestQueriesAreSaid(t *testing.T) {
	for text, want := range map[string]int{"1 qid:1 1:2\n0 qid:2 1:3\n": 1, "1 1:2\n0 1:3\n": 0} {
		f, err := Open(t.Context(), Options{}, write(t, "t.svm", []byte(text)))
		if err != nil || len(f.Notes()) != want || want > 0 && !strings.Contains(f.Notes()[0], "(qid) are not used") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
