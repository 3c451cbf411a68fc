package main

import (
	"strings"

	"github.com/rffgo/rff/cmd/rff/files"
	"github.com/rffgo/rff/cmd/rff/wording"
	"github.com/rffgo/rff/dataset"
)

// decided says how labels that may be classes or numbers were taken if the user did not say what
// they are, and how to change that. Otherwise it returns "".
func decided(c dataset.Coding, target string) string {
	if files.Decided(c) == "" {
		return ""
	}
	if target == "" {
		target = "the label"
	}
	text := target + " has " + files.Decided(c)
	if strings.Contains(text, ";") { // it says so
		return wording.Flags(text)
	}
	if c.Task == dataset.Classification {
		return text + "; --task regression for numbers"
	}
	return text + "; --task classification for classes"
}
