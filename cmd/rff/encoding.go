package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/files"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/cells"
	"github.com/rffgo/rff/internal/message"
)

// These flags say how cells become inputs: they are the rules for missing values, words, dates
// and ids. A model keeps the rules in its schema, so that predict does the same.

// cellFlags are the names of these flags.
var cellFlags = []string{"missing", "na", "categories", "unseen", "date-order", "keep"}

// declareCells declares the rules for cells. The first of unseen is the default.
func (d *dataFlags) declareCells(f *flag.FlagSet, unseen ...string) {
	o := &d.options
	choose(f, &o.Missing, "missing", "`rule` for empty cells and nulls: error, mean (of the column), or drop (the row); kept in the\nmodel: with drop, predict leaves such rows' predictions empty, and words that only such rows have\nare inputs", "error", rff.MissingMean, rff.MissingDrop)
	collect(f, &o.NA, "na", "`words` that stand for a missing value in columns of numbers or dates and in the label\n(default: "+strings.Join(cells.NA(), " ")+", in inputs only)", addWords)
	collect(f, &o.Categories, "categories", "`columns` to read as words, although they may have numbers; each word becomes an input, 0 or 1\n(columns that have no numbers are read as words without this flag)", addColumns)
	choose(f, &o.Unseen, "unseen", "`rule` for words that the fit has not seen: error, or zero (none of the words); kept in the model", unseen...)
	choose(f, &o.DateOrder, "date-order", "`order` of day and month in dates such as 3/4/2025: auto (as the dates\nshow that can be read in one way only, such as 30/4/2025), dmy or mdy", "auto", "dmy", "mdy")
	collect(f, &o.IDs, "keep", "`columns` to use although they look like ids or names of rows, which are left out unless\n--inputs names them", addColumns)
}

// checkCells refuses rules that are of no use for rows of this schema.
func (d *dataFlags) checkCells(s rff.Schema) error {
	given := given{d.flags}
	return cmp.Or(
		given.unused((s.Missing == "" || s.Missing == "error") && !hasWords(s), "is of no use without --missing mean or --missing drop", "na"),
		given.unused(!hasWords(s), "is of no use: there are no columns of words", "unseen"),
	)
}

func hasWords(s rff.Schema) bool {
	return slices.ContainsFunc(s.Inputs, func(c rff.Column) bool { return c.Words != nil })
}

// remarkWords notes columns with very many words, which may surprise.
func (d *dataFlags) remarkWords(s rff.Schema) {
	const many = 100
	for i, c := range s.Inputs {
		if n := len(c.Words); n > many {
			d.remark(fmt.Sprintf("%q has %d words, and makes as many inputs", cmp.Or(c.Name, fmt.Sprint("column ", i+1)), n))
		}
	}
	switch {
	case !hasWords(s) || s.Unseen == "zero" || d.options.Schema != nil:
	case d.reading().Part:
		d.remark("a part with other words than these will be refused, unless --unseen zero takes them for none of these; rff look --columns finds the words of all parts")
	default:
		d.remark("rff predict will refuse rows with other words than these, unless --unseen zero takes them for none of these")
	}
}

// gapsNote says what became of the rows that lack a value, or "".
func gapsNote(sum *dataset.Summary) string {
	switch {
	case sum.Dropped > 0:
		return message.Count(sum.Dropped, "row lacks a value and is", "rows lack a value and are") + " left out"
	case sum.Missing > 0:
		return message.Rows(sum.Missing, sum.Rows, "lacks an input, and has", "lack an input, and have") + " the column's mean instead"
	}
	return ""
}

// tellUnseen notes rows with words that the fit has not seen.
func tellUnseen(u *fits.Unseen, at *stages) {
	if text := u.Note(); text != "" {
		at.note("%s", text)
	}
}

// emptyNote names the inputs without any value, which have no mean, or returns "".
func emptyNote(sum *dataset.Summary, names []string) string {
	if sum.Missing == 0 {
		return ""
	}
	var empty []string
	for j, input := range files.Look(sum).Inputs {
		switch {
		case input.N > 0:
		case names != nil:
			empty = append(empty, names[j])
		default:
			empty = append(empty, strconv.Itoa(j+1))
		}
	}
	if empty == nil {
		return ""
	}
	return fmt.Sprintf("%s no value in any row, and 0 in place of a mean: %s; name the inputs without such columns (--inputs)", message.Count(len(empty), "input has", "inputs have"), message.Names(empty))
}
