package numeral

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestNumbersAgreeWithStrconv(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	check := func(s string) {
		t.Helper()
		want, werr := strconv.ParseFloat(s, 64)
		got, ok := Parse([]byte(s))
		if ok != (werr == nil) || (ok && !math.IsNaN(want) && math.Float64bits(got) != math.Float64bits(want)) {
			t.Errorf("%q: %v %v, strconv has %v %v", s, got, ok, want, werr)
		}
	}
	for range 200000 {
		v := math.Float64frombits(rng.Uint64())
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		check(strconv.FormatFloat(v, 'g', -1, 64))
		w := rng.NormFloat64() * math.Pow10(rng.IntN(12)-6)
		check(strconv.FormatFloat(w, 'f', rng.IntN(17), 64))
	}
	for _, s := range []string{"", ".", "-", "+", "-.", "1.", ".5", "+.5", "-0", "00012", "1e5", "1E+5", "12a", "inf", "-Infinity", "+INF", "nan", "--1", "1..2", "999999999999999", "9999999999999999", "0.000000000000001"} {
		check(s)
	}
}
