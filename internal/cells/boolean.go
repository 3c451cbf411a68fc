package cells

import (
	"bytes"
	"iter"
)

// False and True are the booleans as words, as Python and pandas write them. R writes TRUE, and
// Arrow, polars and SQL write true.
const (
	False = "False"
	True  = "True"
)

// Boolean returns True and 1, or False and 0, for a text that is true or false in any capitals. For
// another text the word is "".
func Boolean(text []byte) (word string, v float64) {
	switch {
	case bytes.EqualFold(text, []byte(True)):
		return True, 1
	case bytes.EqualFold(text, []byte(False)):
		return False, 0
	}
	return "", 0
}

// WordOf returns True or False.
func WordOf(v bool) string {
	if v {
		return True
	}
	return False
}

// SameBoolean returns the one of words that stands for the same boolean as text, if all of words are
// booleans, also in the form 0 and 1. Otherwise it returns "".
func SameBoolean(words iter.Seq[string], text []byte) (found string) {
	boolean := func(text []byte) (word string) {
		switch word, _ = Boolean(text); {
		case string(text) == "0":
			return False
		case string(text) == "1":
			return True
		}
		return word
	}
	want := boolean(text)
	if want == "" {
		return ""
	}
	for w := range words {
		switch is := boolean([]byte(w)); {
		case is == "" || is == want && found != "": // other words, or one boolean in two forms
			return ""
		case is == want:
			found = w
		}
	}
	return found
}
