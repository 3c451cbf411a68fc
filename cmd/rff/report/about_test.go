package report

import "testing"

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{"a.csv": "a.csv", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$x": "'$x'", "rff,orf:a=b": "rff,orf:a=b"} {
		if got := ShellWord(word); got != want {
			t.Errorf("%q is written %s, want %s", word, got, want)
		}
	}
}
