package cells

import (
	"fmt"
	"strings"
	"testing"
)

// A column of CSV that has the words of pandas, R or Arrow for booleans takes the booleans of
// files of columns, which come as 0 and 1. Other words take no numbers for them.
func TestBooleansAreWords(t *testing.T) {
	for _, words := range [][]string{{"False", "True"}, {"TRUE", "FALSE"}, {"false", "true"}, {"true", "False"}} {
		k := Of(words, nil, false, nil)
		for v, word := range []string{"false", "true"} {
			got, want := make([]float64, 2), make([]float64, 2)
			if need := k.Number(got, float64(v)); need != "" {
				t.Fatalf("%q: %d %s", words, v, need)
			}
			for i, w := range words {
				if len(w) == len(word) {
					want[i] = 1
				}
			}
			if got[0] != want[0] || got[1] != want[1] {
				t.Errorf("%q: %d gives %v, want %v", words, v, got, want)
			}
		}
		if k.Number(make([]float64, 2), 2) == "" {
			t.Errorf("%q take 2", words)
		}
	}
	for _, words := range [][]string{{"True", "true"}, {"True", "perhaps"}, {"True", "False", "perhaps"}} {
		if Of(words, nil, false, nil).Number(make([]float64, 3), 1) == "" {
			t.Errorf("%q take 1", words)
		}
	}
}

// Cells of true and false alone are numbers, in a column that is said to be one of words the words
// False and True, and beside other words or numbers neither.
func TestColumnsOfBooleans(t *testing.T) {
	for text, want := range map[string]string{"True False": "{true}", "true FALSE True": "{true}", "TRUE": "{true}", "True NA": "{true}",
		"True False unknown": "{map[False:0 True:1 unknown:2] false}", "True 1 0": "{false}", "True 2.5": "{false}"} {
		c := NewCensus(NA())
		for _, cell := range strings.Fields(text) {
			c.Text(nil, []byte(cell))
		}
		if kind, _, need := c.Settle("x", "x"); fmt.Sprint(kind) != want || need != "" {
			t.Errorf("%s: %v (%s), want %s", text, kind, need, want)
		}
	}
	c := NewCensus(NA())
	c.Told = true
	c.Text(nil, []byte("TRUE"))
	c.Bool(nil, false)
	if kind, _, _ := c.Settle("x", "x"); fmt.Sprint(kind) != "{map[False:0 True:1] false}" {
		t.Errorf("words: %v", kind)
	}
	x := []float64{2}
	for _, c := range []struct {
		span []float64
		ok   bool
	}{{nil, false}, {[]float64{0, 1}, true}, {[]float64{1, 1}, true}, {[]float64{0, .5}, false}, {[]float64{-1, 1}, false}} {
		if need := Of(nil, nil, false, c.span).Text(x, []byte("tRUE")); (need == "") != c.ok || c.ok && x[0] != 1 {
			t.Errorf("true in a column of %v: %v, %s", c.span, x, need)
		}
	}
}
