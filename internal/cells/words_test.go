package cells

import "testing"

// What pandas, polars, R and SQL write for one value is one word, and different values are different
// ones: also ids that float64 takes for one, and days that only look like a date.
func TestOneWordForAValue(t *testing.T) {
	for word, texts := range map[string][]string{
		"1":                          {"1", "1.0", " +1 ", "1e0"},
		"9007199254740993":           {"9007199254740993", "+009007199254740993"},
		"9007199254740992":           {"9007199254740992"},
		"-1152921504606846977":       {"-1152921504606846977"},
		"9.007199254740992e+15":      {"9007199254740992.0", "9.007199254740992e15", "9007199254740992."},
		"9.007199254740993e+15":      {"9007199254740993.0", "+9007199254740.993E3", "90071992547409930000e-4", "009007199254740993.00"},
		"-1.000000000000000005e+17":  {"-100000000000000000.5"},
		"1e+17":                      {"1e17", "100000000000000000.0", "0.000001e+0023"},
		"2024-01-31":                 {"2024-01-31", "2024-01-31 00:00:00", "2024-01-31T00:00:00.000000"},
		"2024-01-31 12:00:00.5":      {"2024-01-31 12:00:00.500", "2024-01-31T12:00:00.500000000"},
		"2024-01-31 00:00:00Z":       {"2024-01-31 00:00:00+00:00", "2024-01-31T00:00:00.000000+0000", "2024-01-31 01:00:00+01:00", "2024-01-31T00:00:00Z"},
		"0999-12-31 23:59:59.999999": {"0999-12-31 23:59:59.9999999"},
		"08:30:00":                   {"08:30:00", "08:30:00.000000000"},
		"2024-02-30 00:00:00":        {"2024-02-30 00:00:00"},
		"24:00:00":                   {"24:00:00"},
		"31/01/2024":                 {"31/01/2024"},
		"1:30":                       {"1:30"},
		"inf":                        {"inf", " inf"},
		"2024-01":                    {"2024-01"},
	} {
		for _, text := range texts {
			if got := Level(text); got != word || Level(got) != got {
				t.Errorf("%q is %q, want %q", text, got, word)
			}
		}
	}
	for text, at := range map[string]Stamp{
		"2024-01-31":                  StampAt(19753, 1, false, false),
		"2024-01-31 12:00:00":         StampAt((19753*86400+43200)*1e3, 86400e3, false, false),
		"1969-12-31 23:59:59.999999Z": StampAt(-1, 86400e6, true, false),
		"08:30:00":                    StampAt(30600e6, 86400e6, false, true),
	} {
		if at.Word() != text {
			t.Errorf("%+v is %q, want %q", at, at.Word(), text)
		}
	}
}

// Models from before dates had one form have the words of their cells.
func TestSetsOfOtherForms(t *testing.T) {
	const old = "2024-01-31T00:00:00"
	s, x := NewSet([]string{"b", old}), make([]float64, 2)
	for _, cell := range []string{old, "2024-01-31", "2024-01-31 00:00:00"} {
		if need := (Words{Set: s}).Text(x, []byte(cell)); need != "" || x[1] != 1 {
			t.Errorf("%q: %v, %q", cell, x, need)
		}
	}
	for w, want := range map[string]bool{old: true, " " + old: false, "2024-02-30 00:00:00": false, "1.0": false} {
		if Moment(w) != want {
			t.Errorf("%q is a date or a time: %v", w, !want)
		}
	}
}
