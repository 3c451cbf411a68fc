package message

import (
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	for n, want := range []string{"0 rows", "1 row", "2 rows"} {
		if got, had := Count(int64(n), "row"), Count(n, "row has", "rows have"); got != want || had != want+" ha"+map[bool]string{true: "s", false: "ve"}[n == 1] {
			t.Errorf("%q, %q", got, had)
		}
	}
}

func TestRows(t *testing.T) {
	for want, n := range map[string][2]int{"1 of 1 row has": {1, 1}, "1 of 2 rows has": {1, 2}, "2 of 2 rows have": {2, 2}, "0 of 2 rows have": {0, 2}} {
		if got := Rows(n[0], n[1], "has", "have"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for want, names := range map[string][]string{"none": nil, `"a", "b c"`: {"a", "b c"}} {
		if got := Names(names); got != want {
			t.Errorf("%q: %s, want %s", names, got, want)
		}
	}
	if got := Names(strings.Split("abcdefghijklm", "")); !strings.HasSuffix(got, `"l", … (13 in all)`) {
		t.Error(got)
	}
}
