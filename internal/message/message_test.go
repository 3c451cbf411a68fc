package message

import (
	"strings"
	"testing"
)

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
