package wording

import (
	"cmp"
	"regexp"
)

// flags has the flags for the fields that texts of the library name, in parentheses, as remedies.
var flags = map[string]string{
	"(Width)":           "(--width)",
	"(Width lifts it)":  "(--width lifts it)",
	"(Label)":           "(--label COLUMN)",
	"(Classes)":         "(--task classification)",
	"(no Classes)":      "(--task regression)",
	"(Inputs)":          "(--inputs COLUMNS)",
	"(Missing)":         "(--missing mean or drop)",
	"(Missing: drop)":   "(--missing drop)",
	"(NA with Missing)": "(--na TEXT --missing drop)",
	"(Categories)":      "(--categories COLUMNS)",
	"(Unseen: zero)":    "(--unseen zero, here or in the fit or plan)",
	"(IDs)":             "(--keep COLUMNS)",
	"(DateOrder)":       "(--date-order dmy or mdy)",
}

// remedy matches what may be a field. What stands in quotes is of the data, and matches as a whole.
var remedy = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\([A-Za-z: ]+\)`)

// Flags returns a text of the library with flags in place of the fields that it names.
func Flags(text string) string {
	return remedy.ReplaceAllStringFunc(text, func(s string) string { return cmp.Or(flags[s], s) })
}
