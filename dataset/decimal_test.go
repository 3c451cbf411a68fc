package dataset

import (
	"slices"
	"strings"
	"testing"
)

// Decimal commas are those of the same numbers with points, or the cell that is in doubt is
// named.
func TestDecimalCommas(t *testing.T) {
	// Beside tabs two digits after a comma are no thousands, and three may be.
	f, err := Open(t.Context(), Options{}, write(t, "t.tsv", []byte("a\ty\n1,25\t3,125\n2,5\t7,5\n")))
	if err != nil || len(f.Notes()) != 1 || !strings.Contains(f.Notes()[0], "decimal commas, such as") {
		t.Errorf("%v %v", f, err)
	}
	for name, c := range map[string]struct {
		text string
		want string // of the error
	}{
		"write.csv2":            {"\"\";\"a\";\"w\";\"y\"\n\"1\";1,5;u;-0,25\n\"2\";2;v;1e3\n\"3\";3,125;u;7,5e-1\n", ""},
		"Excel":                 {"\xef\xbb\xbfa;w;y\r\n1,5;u;-0,25\r\n2;v;1000\r\n3,125;u;0,75\r\n", ""},
		"without names":         {"1,5;u;-0,25\n2;v;1000\n3,125;u;0,75\n", ""},
		"tabs":                  {"a\tw\ty\n1,5\tu\t-0,25\n2\tv\t1000\n3,125\tu\t0,75\n", ""},
		"quoted":                {"a;w;y\n\"1,5\";u;\"-0,25\"\n2;v;1000\n\"3,125\";u;0,75\n", ""},
		"in doubt beside tabs":  {"a\tw\ty\n1,500\tu\t1\n2\tv\t2\n", `"1,500" is not a number: write it with a decimal point`},
		"both":                  {"a;w;y\n1,5;u;1\n2.5;v;2\n", `"1,5" is not a number: write it with a decimal point`},
		"both, late":            {"a;w;y\n" + strings.Repeat("1,5;u;1\n", 20000) + "2.5;v;2\n", `row 20001 (line 20002), column 1 "a": "2.5" has a decimal point, and other numbers`},
		"a label, late":         {"a;w;y\n" + strings.Repeat("1,5;u;1\n", 20000) + "2;v;2.5\n", `column 3 "y": "2.5" has a decimal point`},
		"thousands in another":  {"a;w;y\n1.234;u;1\n-12.345.678;v;2,5\n", `"1.234" has a decimal point, and other numbers`},
		"both in another":       {"a;w;y\n1.234;u;1\n2.345;v;2.345,5\n", `"1.234" has a decimal point, and other numbers`},
		"a point in another":    {"a;w;y\n1.234;0.5;1\n2,5;7;2\n", `"2,5" is not a number`},
		"thousands and decimal": {"a;w;y\n1.234,5;u;1\n2,5;v;2\n", `"1.234,5" is not a number: write it with a decimal point, and thousands without separators`},
	} {
		f, err := Open(t.Context(), Options{Task: Regression}, write(t, "t.csv", []byte(c.text)))
		var x, y []float64
		if err == nil {
			for row, e := range f.Rows(t.Context()) {
				if err = e; err == nil {
					x, y = append(x, row.X[0]), append(y, row.label.Value)
				}
			}
		}
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", name, err, c.want)
			}
			continue
		}
		if err != nil || !slices.Equal(x, []float64{1.5, 2, 3.125}) || !slices.Equal(y, []float64{-0.25, 1000, 0.75}) || !strings.Contains(strings.Join(f.Notes(), " "), "decimal commas, such as") {
			t.Errorf("%s: %v %v %v, %q", name, x, y, err, f.Notes())
		}
	}
}
