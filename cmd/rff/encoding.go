package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
)

// How cells become inputs: what stands for missing values, and columns of words.
// A model keeps it in its schema, so that predict does the same.

// encodingFlags are the rules as the command line gives them.
type encodingFlags struct {
	missing    rff.Missing
	na         []string
	unseen     rff.Unseen
	categories columnList
}

var missingRules = []rff.Missing{"error", "mean", "drop"}

// declareCompare is declare for a command that makes no model.
func (e *encodingFlags) declareCompare(f *flag.FlagSet) {
	choose(f, &e.missing, "missing", "`rule` for empty cells and nulls: error, mean (of the column), or drop (the row)", missingRules...)
	e.declareNA(f)
	collect(f, (*[]string)(&e.categories), "categories", "`columns` of words, each of which becomes one input per word, 0 or 1", addColumns)
	choose(f, &e.unseen, "unseen", "`rule` for test rows with words that no training row has: error, or zero (none of the words)", rff.UnseenZero, "error")
}

// declareNA declares the words for a missing value.
func (e *encodingFlags) declareNA(f *flag.FlagSet) {
	collect(f, &e.na, "na", "`words` that stand for a missing value in a column of numbers and in the label\n(default: "+strings.Join(dataset.NA(), " ")+", in inputs alone)", addWords)
}

func (e *encodingFlags) declare(f *flag.FlagSet) {
	choose(f, &e.missing, "missing", "`rule` for empty cells and nulls: error, mean (of the column), or drop (the row); the model\nkeeps it, and drop makes empty predictions", missingRules...)
	e.declareNA(f)
	collect(f, (*[]string)(&e.categories), "categories", "`columns` of words, each of which becomes one input per word, 0 or 1; the model keeps the words", addColumns)
	choose(f, &e.unseen, "unseen", "`rule` for words that the fit has not seen: error, or zero (none of the words); the model keeps it", "error", "zero")
}

// encode tells options of the rules. at are the columns of --inputs, or nil.
func (d *dataFlags) encode(l *layout, at []int, options *dataset.Options) error {
	options.Missing, options.Unseen, options.NA = d.encoding.missing, d.encoding.unseen, d.encoding.na
	if d.encoding.missing == "" || d.encoding.missing == "error" {
		if err := (given{d.flags}).unused(true, "is of no use without --missing mean or --missing drop", "na"); err != nil && len(d.encoding.categories) == 0 {
			return err
		}
	}
	if len(d.encoding.categories) == 0 {
		return given{d.flags}.unused(true, "is of no use: without --categories there are no words", "unseen")
	}
	if at == nil {
		if at = l.all(); l.format == dataset.LIBSVM || l.format == dataset.IDX {
			at = nil
		}
		for _, name := range []string{options.Label, options.Weights, options.Groups} {
			if i, err := l.find("", name); err == nil && name != "" {
				at = slices.DeleteFunc(at, func(k int) bool { return k == i })
			}
		}
		if options.Label == "" && options.LabelFile == "" && len(at) > 0 {
			at = at[:len(at)-1]
		}
	}
	for _, name := range d.encoding.categories.names(l.names) {
		i, err := l.find("categories", name)
		if err != nil {
			return err
		}
		if !slices.Contains(at, i) {
			return usagef("--categories: %s: column %s is no input", l.file, l.title(i))
		}
		options.Categories = append(options.Categories, l.option(i))
	}
	return nil
}

// checkWords refuses columns of words that are all different, and says what may surprise
// in others.
func (d *dataFlags) checkWords(l dataset.Layout, s rff.Schema) error {
	const many = 100
	words := false
	for i, c := range s.Inputs {
		if c.Words == nil {
			continue
		}
		name := cmp.Or(c.Name, fmt.Sprint("column ", i+1))
		switch n := int64(len(c.Words)); {
		case n > many/10 && n == s.Rows:
			return fmt.Errorf("--categories: %s: each of the %d rows has another word in %q: it names the rows and says nothing about others: leave it out (--inputs)", l.Paths[0], s.Rows, name)
		case n > many:
			d.remark(fmt.Sprintf("%q has %d words, and makes as many inputs", name, n))
		}
		if !words && s.Unseen != rff.UnseenZero {
			d.remark("rows with other words than these will be refused: rff predict --unseen zero takes them for none")
		}
		words = true
	}
	return nil
}

// gapsNote says what became of the rows that lack a value, or "".
func gapsNote(sum *dataset.Summary) string {
	switch {
	case sum.Dropped > 0:
		return fmt.Sprintf("%d rows lack a value and are left out", sum.Dropped)
	case sum.Missing > 0:
		return fmt.Sprintf("%d of %d rows lack an input, and have the column's mean instead", sum.Missing, sum.Rows)
	}
	return ""
}
