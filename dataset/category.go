package dataset

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/words"
)

// mostLevels bounds the levels of a category: more are identifiers, not words.
const mostLevels = 4096

// category is a column of words on its way to inputs.
type category struct {
	at     int // its first input
	levels words.Set
	most   int // while levels are collected; else 0
	unseen rff.Unseen
}

// put writes the inputs of a word to x, and reports whether the word can be used.
func (c *category) put(x []float64, cell []byte) bool {
	level := words.Of(cell)
	if c.most == 0 {
		return c.levels.Put(x[c.at:], level) || c.unseen == rff.UnseenZero
	}
	if w := string(level); !c.levels.Has(w) {
		c.levels.Add(w)
	}
	return len(c.levels) <= c.most
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

// encode gives the categories among the picked columns the place of their inputs,
// and the columns after them another one.
func (c *columns) encode(picked []int, o *Options) error {
	c.absence.missing, c.absence.words = o.Missing, o.NA
	if o.NA == nil {
		c.absence.words = NA()
	}
	c.described = make([]rff.Column, len(picked))
	for n, i := range picked {
		switch {
		case c.names != nil:
			c.described[n].Name = c.inputs[n]
		case len(o.Inputs) > 0:
			c.described[n].Number = i + 1
		}
	}
	if len(o.Categories) == 0 && o.Schema == nil {
		return nil
	}
	if err := c.findWords(picked, o); err != nil {
		return err
	}
	names := rff.Schema{Inputs: slices.Clone(c.described)}
	for n := range c.inputs {
		names.Inputs[n].Name = c.inputs[n]
	}
	at := 0
	for n, i := range picked {
		c.role[i] = at
		if k := c.category[i]; k != nil {
			c.role[i], k.at = roleCategory, at
			at += len(k.levels)
			continue
		}
		at += c.described[n].Width()
	}
	if c.width = at; c.inputs != nil {
		c.inputs = names.InputNames()
	}
	if limit := o.columnLimit(); at > limit {
		return tooManyColumns(c.file, 0, int64(at), limit)
	}
	return nil
}

// findWords says which of the picked columns are words, and what their words are.
func (c *columns) findWords(picked []int, o *Options) error {
	c.category = make([]*category, len(c.role))
	if s := o.Schema; s != nil {
		if len(s.Inputs) != len(picked) {
			return &ParseError{File: c.file, Need: fmt.Sprintf("has %d inputs, and %d columns are wanted", len(picked), len(s.Inputs))}
		}
		for n, i := range picked {
			if w := s.Inputs[n].Words; w != nil {
				c.category[i], c.described[n].Words = &category{levels: words.New(w), unseen: o.Unseen}, w
			}
		}
	}
	for n, name := range o.Categories {
		i, err := c.find(name)
		if err != nil {
			return err
		}
		at := slices.Index(picked, i)
		if at < 0 {
			return &ParseError{File: c.file, Column: i + 1, Name: name, Need: "is a category, and not among the inputs"}
		}
		if c.category[i] != nil {
			return &ParseError{File: c.file, Column: i + 1, Name: name, Need: "is named twice among the categories"}
		}
		c.category[i] = &category{levels: words.Set{}, most: mostLevels}
		if o.levels != nil {
			c.category[i], c.described[at].Words = &category{levels: words.New(o.levels[n]), unseen: o.Unseen}, o.levels[n]
		}
	}
	return nil
}

// categories returns the options with the levels of all categories, read from the
// files where they are not given.
func categories(ctx context.Context, st storage, o Options, paths []string) (Options, error) {
	if len(o.Categories) == 0 {
		return o, nil
	}
	if _, once := st.(*stream); once {
		return o, &rff.ParameterError{Name: "Categories", Value: o.Categories[0], Need: "needs its levels: the rows can be read only once"}
	}
	look := Options{Format: o.Format, Header: o.Header, NoHeader: o.NoHeader, Comma: o.Comma, MaxColumns: o.MaxColumns, NoLabel: true,
		Inputs: o.Categories, Categories: o.Categories}
	if o.Missing != "" {
		look.Missing = rff.MissingNaN // a row that is dropped for another column counts, too
	}
	found := make([]map[string]int64, len(o.Categories))
	for i := range found {
		found[i] = map[string]int64{}
	}
	for _, p := range paths {
		if err := collect(ctx, st, p, &look, found); err != nil {
			return o, err
		}
	}
	for i, name := range o.Categories {
		levels := keys(found[i])
		if len(levels) == 0 {
			return o, &ParseError{File: paths[0], Name: name, Need: fmt.Sprintf("the category %q has no values", name)}
		}
		if len(levels) > mostLevels {
			return o, &ParseError{File: paths[0], Need: fmt.Sprintf("the category %q has more than %d levels: a column of identifiers is no category", name, mostLevels)}
		}
		o.levels = append(o.levels, levels)
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
	c, ok := r.(interface{ categoriesIn([]string) []*category })
	if once || !ok {
		return &rff.ParameterError{Name: "Categories", Value: look.Categories[0], Need: "go with CSV, Parquet, Arrow and Avro files that can be read again"}
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
func (c *columns) categoriesIn(of []string) []*category {
	out := make([]*category, len(of))
	for n, name := range of {
		i, _ := c.find(name)
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
	if len(o.Categories) > 0 {
		return &ParseError{File: file, Need: fmt.Sprintf("holds numbers alone: %q is no category", o.Categories[0])}
	}
	if s := o.Schema; s != nil {
		for i, c := range s.Inputs {
			if c.Words != nil {
				return &ParseError{File: file, Need: fmt.Sprintf("holds numbers alone, and column %s has words", s.Title(i))}
			}
		}
	}
	return nil
}
