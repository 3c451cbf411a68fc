package main

import "github.com/rffgo/rff/dataset"

// decided says how the label's integers were taken, when nobody said what they
// are, and how to have it otherwise; or "".
func decided(c dataset.Coding, target string) string {
	if c.Decided == "" {
		return ""
	}
	if target == "" {
		target = "the label"
	}
	text := target + " has " + c.Decided
	if c.Task == dataset.Classification {
		return text + "; --task regression for numbers"
	}
	return text + "; --task classification for classes"
}
