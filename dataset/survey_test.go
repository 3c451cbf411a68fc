package dataset

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rffgo/rff"
)

// table returns a CSV file of rows with a column of cells, a number and a target.
func tableOf(name string, n int, cell func(i int) string) []byte {
	b := []byte(name + ",x,y\n")
	for i := range n {
		b = fmt.Appendf(b, "%s,%d.5,%v\n", cell(i), i%7, math.Sin(float64(i)))
	}
	return b
}

// What becomes of a column by what its cells are, and what is said of it.
func TestKindsOfColumns(t *testing.T) {
	day := func(i int) (y, m, d int) { return 2020 + i/300, i/25%12 + 1, i%25 + 1 }
	date := func(format string, order ...int) func(int) string {
		return func(i int) string {
			y, m, d := day(i)
			v := []int{y, m, d}
			return fmt.Sprintf(format, v[order[0]], v[order[1]], v[order[2]])
		}
	}
	for name, c := range map[string]struct {
		column string
		cell   func(i int) string
		o      Options
		inputs string // the names, or part of the error
		note   string
	}{
		"an id":                  {"id", func(i int) string { return fmt.Sprint(1000 + 3*i) }, Options{}, "x", "it is left out, unless it is to be kept (IDs)"},
		"an id that is kept":     {"id", func(i int) string { return fmt.Sprint(1000 + 3*i) }, Options{IDs: []string{"id"}}, "id x", ""},
		"an id among the inputs": {"id", func(i int) string { return fmt.Sprint(1000 + 3*i) }, Options{Inputs: []string{"id", "x"}}, "id x", ""},
		"PassengerId":            {"PassengerId", func(i int) string { return fmt.Sprint(i + 1) }, Options{}, "x", "left out"},
		"pandas' index":          {"Unnamed: 0", func(i int) string { return fmt.Sprint(i) }, Options{}, "x", "left out"},
		"an id that repeats":     {"store_id", func(i int) string { return fmt.Sprint(i % 30) }, Options{}, "store_id x", ""},
		"an id that is no whole": {"id", func(i int) string { return fmt.Sprint(float64(i) + 0.5) }, Options{}, "id x", ""},
		"a count without a name": {"t", func(i int) string { return fmt.Sprint(i) }, Options{}, "t x", ""},
		"not an id":              {"paid", func(i int) string { return fmt.Sprint(i) }, Options{}, "paid x", ""},
		"continuous":             {"area", func(i int) string { return fmt.Sprint(math.Sqrt(float64(i + 2))) }, Options{}, "area x", ""},
		"words":                  {"job", func(i int) string { return []string{"cook", "nurse"}[i%2] }, Options{}, "job=cook job=nurse x", "has words"},
		"words with a number":    {"job", func(i int) string { return []string{"cook", "7"}[i%2] }, Options{}, `"cook" is not a number`, ""},
		"names of rows":          {"name", func(i int) string { return fmt.Sprint("n", i) }, Options{}, "x", "400 different words in 400 rows"},
		"dollars":                {"price", func(i int) string { return fmt.Sprintf(`"$%d,%03d.50"`, i, i) }, Options{}, `"$0,000.50" is not a number: write it without currencies`, ""},
		"percents":               {"share", func(i int) string { return fmt.Sprint(i%90, "%") }, Options{}, `"0%" is not a number: write it without currencies`, ""},
		"ISO dates":              {"when", date("%d-%02d-%02d", 0, 1, 2), Options{}, "when when:weekday x", "days since 1970-01-01, weekday"},
		"day first":              {"when", date("%[1]d/%[2]d/%[3]d", 2, 1, 0), Options{}, "when when:weekday x", "the day is taken to come first"},
		"month first":            {"when", date("%[1]d/%[2]d/%[3]d", 1, 2, 0), Options{}, "when when:weekday x", "the month is taken to come first"},
		"dots":                   {"when", date("%[1]d.%[2]d.%[3]d", 2, 1, 0), Options{}, "when when:weekday x", "days since"},
		"either order":           {"when", func(i int) string { return fmt.Sprintf("%d/%d/2024", i%12+1, i%7+1) }, Options{}, `none of them says whether the day or the month comes first`, ""},
		"either, told":           {"when", func(i int) string { return fmt.Sprintf("%d/%d/2024", i%12+1, i%7+1) }, Options{DateOrder: "mdy"}, "when when:weekday x", "the month is taken to come first"},
		"both orders":            {"when", func(i int) string { return []string{"13/1/2024", "1/13/2024"}[i%2] }, Options{}, `such as "13/1/2024", and others with the month first, such as "1/13/2024"`, ""},
		"a wrong date":           {"when", func(i int) string { return map[bool]string{true: "2024-02-30", false: "2024-02-03"}[i == 300] }, Options{}, `row 301 (line 302), column 1 "when": "2024-02-30" is no date or time`, ""},
		"zones in some":          {"when", func(i int) string { return "2024-02-03T10:00:00" + map[bool]string{true: "Z"}[i == 300] }, Options{}, `has a time zone, and the other times of the column do not`, ""},
		"a log":                  {"when", func(i int) string { return fmt.Sprintf("10/Oct/2000:13:%02d:36 -0700", i%60) }, Options{}, "when x", "in UTC"},
		"times of day":           {"when", func(i int) string { return fmt.Sprintf("%d:%02d", i%24, i%60) }, Options{}, "when x", "times of day"},
		"dates as words":         {"when", func(i int) string { return fmt.Sprintf("2024-01-%02d", i%2+1) }, Options{Categories: []string{"when"}}, "when=2024-01-01 when=2024-01-02 x", ""},
		"one order, both ways":   {"when", func(i int) string { return fmt.Sprintf("%[1]d/%[1]d/2024", i%12+1) }, Options{}, `none of them says whether the day or the month comes first`, ""},
		"both ways, told":        {"when", func(i int) string { return fmt.Sprintf("%[1]d/%[1]d/2024", i%12+1) }, Options{DateOrder: "dmy"}, "when when:weekday x", "the day is taken to come first"},
		"a zone and an order":    {"when", func(i int) string { return fmt.Sprintf("%d/5/2024 10:00:%02d +0200", i%28+1, i%60) }, Options{}, "when when:hour when:weekday x", "in UTC; the day is taken to come first"},
		"an order for ISO dates": {"when", date("%d-%02d-%02d", 0, 1, 2), Options{DateOrder: "dmy"}, "when when:weekday x", "(DateOrder) is of no use"},
		"an order for numbers":   {"a", func(i int) string { return fmt.Sprint(i) }, Options{DateOrder: "dmy"}, "a x", "(DateOrder) is of no use"},
		"kept for nothing":       {"a", func(i int) string { return fmt.Sprint(i) }, Options{IDs: []string{"x,a"}}, "a x", `"a" looks like no id and is an input without being named (IDs)`},
		"kept among the needed":  {"id", func(i int) string { return fmt.Sprint(i) }, Options{IDs: []string{"id", "x"}}, "id x", `"x" looks like no id`},
		"no date order":          {"x2", func(i int) string { return fmt.Sprint(i) }, Options{DateOrder: "ymd"}, "must be dmy or mdy", ""},
	} {
		path := write(t, "t.csv", tableOf(c.column, 400, c.cell))
		f, err := Open(t.Context(), c.o, path)
		if err == nil {
			_, err = f.Scan(t.Context(), nil)
		}
		if err != nil {
			if !strings.Contains(err.Error(), c.inputs) {
				t.Errorf("%s: %v, want %s", name, err, c.inputs)
			}
			continue
		}
		notes := strings.Join(f.Notes(), "\n")
		if got := strings.Join(f.Schema().InputNames(), " "); got != c.inputs || c.note == "" && notes != "" || !strings.Contains(notes, c.note) {
			t.Errorf("%s: inputs %s, want %s; notes %q, want %q", name, got, c.inputs, notes, c.note)
		}
	}
}

// Names of rows that are to be kept make an input each.
func TestKeptNames(t *testing.T) {
	path := write(t, "t.csv", tableOf("name", 400, func(i int) string { return fmt.Sprint("n", i) }))
	f, err := Open(t.Context(), Options{IDs: []string{"name"}}, path)
	if err != nil || len(f.Schema().InputNames()) != 401 {
		t.Fatal(err)
	}
	for what, o := range map[string]Options{"IDs": {Schema: new(rff.Schema), IDs: []string{"name"}}, "DateOrder": {Schema: new(rff.Schema), DateOrder: "dmy"}} {
		var wrong *rff.ParameterError
		if _, err := Open(t.Context(), o, path); !errors.As(err, &wrong) || wrong.Name != what {
			t.Errorf("%s beside a schema: %v", what, err)
		}
	}
	if _, err := OpenReader(t.Context(), Options{IDs: []string{"x"}}, "-", strings.NewReader("a,x,y\n1,2,3\n")); err == nil {
		t.Error("a stream takes IDs")
	}
	if _, err := Open(t.Context(), Options{IDs: []string{"1"}}, write(t, "t.svm", []byte("1 1:2\n2 1:3\n"))); err == nil {
		t.Error("LIBSVM takes IDs")
	}
}

// All files of a set have one survey: a word or an order that only the last one shows.
func TestSurveyOfAllFiles(t *testing.T) {
	a := write(t, "a.csv", []byte("when,job,y\n1/2/2024,cook,1\n2/2/2024,nurse,2\n"))
	b := write(t, "b.csv", []byte("y,job,when\n3,pilot,13/2/2024\n"))
	files, err := Open(t.Context(), Options{Label: "y", Inputs: []string{"when", "job"}}, a, b)
	if err != nil {
		t.Fatal(err)
	}
	var got [][]float64
	for row, err := range files.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, append([]float64(nil), row.X...))
	}
	first := 19754.0 // 1 February 2024
	if want := [][]float64{{first, 1, 0, 0}, {first + 1, 0, 1, 0}, {first + 12, 0, 0, 1}}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	// Under the schema each file has its own order of columns, and none needs what is not an input.
	s := files.Schema()
	again, err := Open(t.Context(), Options{Schema: &s, Task: Unlabelled}, b)
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range again.Rows(t.Context()) {
		if err != nil || fmt.Sprint(row.X) != fmt.Sprint(got[2]) {
			t.Errorf("%v %v", row.X, err)
		}
	}
	if notes := strings.Join(again.Notes(), " "); !strings.Contains(notes, `1 of the 3 columns is not used: "y"`) {
		t.Errorf("%q", notes)
	}
}

// A gap in a column of times goes by the rule: its inputs are the means.
func TestGapsOfTimes(t *testing.T) {
	path := write(t, "t.csv", []byte("when,y\n2024-01-01,1\nNA,2\n,4\n2024-01-03,3\n"))
	f, err := Open(t.Context(), Options{Missing: rff.MissingMean}, path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Scan(t.Context(), nil)
	if err != nil || s.Missing != 2 || s.fill[0] != 19724 {
		t.Errorf("%+v, %v", s, err)
	}
	if f, err = Open(t.Context(), Options{}, path); err == nil {
		_, err = f.Scan(t.Context(), nil)
	}
	if err == nil || !strings.Contains(err.Error(), "missing") || !strings.Contains(err.Error(), "row 2") {
		t.Errorf("without a rule: %v", err)
	}
}
