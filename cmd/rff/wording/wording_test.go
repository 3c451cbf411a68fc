package wording

import "testing"

func TestHeld(t *testing.T) {
	for _, c := range []struct {
		columns []int
		names   []string
		want    string
	}{
		{nil, []string{"a"}, ""},
		{[]int{1}, []string{"a", "b c"}, `1 input has one value in all training rows, and no other one changes a prediction: "b c"`},
		{[]int{0, 2, 3, 4, 5, 6, 7}, []string{"a"}, `7 inputs have one value in all training rows, and no other one changes a prediction: "a", column 3, column 4, column 5, column 6 and 2 more`},
	} {
		if got := Held(c.columns, c.names); got != c.want {
			t.Errorf("%v: %s, want %s", c.columns, got, c.want)
		}
	}
}

func TestShortNumbers(t *testing.T) {
	const text, want = "matern:nu=2.5,sigma=1.23456789012", "matern:nu=2.5,sigma=1.235"
	if got := ShortNumbers(text); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Fields become flags, but not in what is quoted from the data.
func TestFlags(t *testing.T) {
	const text, want = `column 3 "say \"(Inputs)\" (Label)": name it (Label), or (none of it) (Unseen: zero)`,
		`column 3 "say \"(Inputs)\" (Label)": name it (--label COLUMN), or (none of it) (--unseen zero, here or in the fit or plan)`
	if got := Flags(text); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
