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

func TestShortNumbers(t *testing.T) {
	const text, want = "matern:nu=2.5,sigma=1.23456789012", "matern:nu=2.5,sigma=1.235"
	if got := ShortNumbers(text); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
