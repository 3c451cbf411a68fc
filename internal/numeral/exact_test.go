package numeral

import (
	"math/big"
	"testing"
)

// Exact has the value of the text, to the last digit, and one form for each value.
func TestExact(t *testing.T) {
	for text, want := range map[string]string{
		"9007199254740993.0":   "9.007199254740993e+15",
		"09007199254740993":    "9.007199254740993e+15",
		"9007199254740993.25":  "9.00719925474099325e+15",
		"-900719925474099300":  "-9.007199254740993e+17",
		"9.007199254740993e15": "9.007199254740993e+15",
		"+0.001e30":            "1e+27",
		"1E+20":                "1e+20",
	} {
		got := string(Exact([]byte(text)))
		v, _ := new(big.Rat).SetString(text)
		w, ok := new(big.Rat).SetString(got)
		if got != want || !ok || v.Cmp(w) != 0 {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
