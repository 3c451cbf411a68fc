// Package files gives the programs of this module what package dataset has for them
// alone: settings of commands that bound memory and read parts, and what messages say.
package files

import (
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/inside/hook"
)

// Reading returns the settings of o that only programs of this module set.
func Reading(o *dataset.Options) *hook.Reading { return hook.ReadingOf(o) }

// Columns returns the columns of the file of an error that says it lacks one, or nil.
func Columns(e *dataset.ParseError) []string { return hook.ColumnsOf(e) }

// Decided says how labels were taken that are integers, which could be classes or
// numbers: "11 integer values: taken as classes". It is empty where there was nothing to
// decide.
func Decided(c dataset.Coding) string { return hook.Decided(c) }
