package cells

import "testing"

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
