package dataset

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/numeral"
)

// Category is an input whose values are words. It becomes one input per level,
// called "name=level", which is 1 where the row has that level and else 0.
type Category struct {
	Name string // of the column, or its number from 1
	// Levels are the words, in the order of their inputs. nil: Open finds them, in
	// a pass over the files; Files.Levels returns them. Numbers are compared as
	// numbers: 1 and 1.0 are one level.
	Levels []string
}

// Unseen says what becomes of a row with a level that is not among Levels. "", or
// "error", is an error that names row and column.
type Unseen string

const (
	unseenError Unseen = "error"
	UnseenZero  Unseen = "zero" // all inputs of the column are 0
)

// mostLevels bounds the levels of a category: more are identifiers, not words.
const mostLevels = 4096

// Levels returns the levels of each of Options.Categories.
func (f *Files) Levels() [][]string {
	out := make([][]string, len(f.options.Categories))
	for i, c := range f.options.Categories {
		out[i] = slices.Clone(c.Levels)
	}
	return out
}

// category is a column of words on its way to inputs.
type category struct {
	at     int // its first input
	levels map[string]int
	most   int // while levels are collected; else 0
	unseen Unseen
}

// put writes the inputs of a word to x, and reports whether the word can be used.
func (c *category) put(x []float64, word []byte) bool {
	word = levelOf(word)
	k, known := c.levels[string(word)]
	switch {
	case c.most > 0:
		if !known {
			c.levels[string(word)] = len(c.levels)
		}
		return len(c.levels) <= c.most
	case !known && c.unseen != UnseenZero:
		return false
	}
	clear(x[c.at : c.at+len(c.levels)])
	if known {
		x[c.at+k] = 1
	}
	return true
}

// gap marks the inputs of a missing word.
func (c *category) gap(x []float64) {
	if c.most > 0 {
		return
	}
	for j := range len(c.levels) {
		x[c.at+j] = nan
	}
}

// refusal says why put refused a word.
func (c *category) refusal() string {
	if c.most > 0 {
		return fmt.Sprintf("makes more than %d levels: a column of identifiers is no category", c.most)
	}
	return "is a level that was not there before: take it for none of them (--unseen zero), or leave the row out"
}

// levelOf returns a word as a level: numbers in their shortest form.
func levelOf(word []byte) []byte {
	if v, ok := numeral.Parse(word); ok && finite(v) {
		return numeral.Append(nil, v)
	}
	return word
}

// encode gives the categories among the picked columns the place of their inputs,
// and the columns after them another one.
func (c *columns) encode(picked []int, o *Options) error {
	c.absence.missing, c.absence.words = o.Missing, o.NA
	if o.NA == nil {
		c.absence.words = NA()
	}
	if len(o.Categories) == 0 {
		return nil
	}
	c.category = make([]*category, len(c.role))
	for _, want := range o.Categories {
		i, err := c.find(want.Name)
		if err != nil {
			return err
		}
		if !slices.Contains(picked, i) {
			return &ParseError{File: c.file, Column: i + 1, Name: want.Name, Need: "is a category, and not among the inputs"}
		}
		if c.category[i] != nil {
			return &ParseError{File: c.file, Column: i + 1, Name: want.Name, Need: "is named twice among the categories"}
		}
		k := &category{levels: map[string]int{}, unseen: o.Unseen}
		for j, l := range want.Levels {
			k.levels[l] = j
		}
		if want.Levels == nil {
			k.most = mostLevels
		}
		c.category[i] = k
	}
	var inputs []string
	at := 0
	for n, i := range picked {
		k := c.category[i]
		if k == nil {
			c.role[i] = at
			if c.inputs != nil {
				inputs = append(inputs, c.inputs[n])
			}
			at++
			continue
		}
		c.role[i], k.at = roleCategory, at
		if c.inputs != nil {
			words := make([]string, len(k.levels))
			for l, j := range k.levels {
				words[j] = c.inputs[n] + "=" + l
			}
			inputs = append(inputs, words...)
		}
		at += len(k.levels)
	}
	if c.width = at; c.inputs != nil {
		c.inputs = inputs
	}
	if limit := o.columnLimit(); at > limit {
		return tooManyColumns(c.file, 0, int64(at), limit)
	}
	return nil
}

// categories returns the options with the levels of all categories, read from the
// files where they are not given.
func categories(ctx context.Context, st storage, o Options, paths []string) (Options, error) {
	if !slices.ContainsFunc(o.Categories, func(c Category) bool { return c.Levels == nil }) {
		return o, nil
	}
	if _, once := st.(*stream); once {
		return o, &rff.ParameterError{Name: "Categories", Value: o.Categories[0].Name, Need: "needs its levels: the rows can be read only once"}
	}
	look := Options{Format: o.Format, Header: o.Header, NoHeader: o.NoHeader, Comma: o.Comma, MaxColumns: o.MaxColumns, NoLabel: true}
	if o.Missing != "" && o.Missing != missingError {
		look.Missing = MissingNaN // a row that is dropped for another column counts, too
	}
	found := make([]map[string]int64, len(o.Categories))
	for i, c := range o.Categories {
		look.Inputs = append(look.Inputs, c.Name)
		look.Categories = append(look.Categories, Category{Name: c.Name})
		found[i] = map[string]int64{}
	}
	for _, p := range paths {
		if err := collect(ctx, st, p, &look, found); err != nil {
			return o, err
		}
	}
	o.Categories = slices.Clone(o.Categories)
	for i := range o.Categories {
		if o.Categories[i].Levels != nil {
			continue
		}
		levels := keys(found[i])
		if len(levels) == 0 {
			return o, &ParseError{File: paths[0], Name: o.Categories[i].Name, Column: 0, Need: fmt.Sprintf("the category %q has no values", o.Categories[i].Name)}
		}
		if len(levels) > mostLevels {
			return o, &ParseError{File: paths[0], Need: fmt.Sprintf("the category %q has more than %d levels: a column of identifiers is no category", o.Categories[i].Name, mostLevels)}
		}
		o.Categories[i].Levels = levels
	}
	return o, nil
}

// collect adds the levels of one file.
func collect(ctx context.Context, st storage, p string, look *Options, found []map[string]int64) error {
	r, once, err := openReader(ctx, st, p, look)
	if err != nil {
		return err
	}
	defer r.Close()
	c, ok := r.(interface{ categoriesIn([]Category) []*category })
	if once || !ok {
		return &rff.ParameterError{Name: "Categories", Value: look.Categories[0].Name, Need: "go with CSV, Parquet, Arrow and Avro files that can be read again"}
	}
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if _, err := r.next(nil); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
	}
	for i, k := range c.categoriesIn(look.Categories) {
		for l := range k.levels {
			found[i][l]++
		}
	}
	return nil
}

// categoriesIn returns the categories of those names, which encode has found.
func (c *columns) categoriesIn(of []Category) []*category {
	out := make([]*category, len(of))
	for n, k := range of {
		i, _ := c.find(k.Name)
		out[n] = c.category[i]
	}
	return out
}

// collects reports whether the levels of a category are being collected.
func (c *columns) collects() bool {
	return slices.ContainsFunc(c.category, func(k *category) bool { return k != nil && k.most > 0 })
}

// word returns the bytes of a cell of words.
func word(cell []byte) []byte { return utf8Text(bytes.TrimSpace(cell)) }

// noWords refuses categories for files of numbers alone.
func noWords(file string, o *Options) error {
	if len(o.Categories) == 0 {
		return nil
	}
	return &ParseError{File: file, Need: fmt.Sprintf("holds numbers alone: %q is no category", o.Categories[0].Name)}
}
