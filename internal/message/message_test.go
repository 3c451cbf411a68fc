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
