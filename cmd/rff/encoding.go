package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

// How cells become inputs: what stands for missing values, and columns of words.
// A model keeps it in its provenance, so that predict does the same.

// encodingFlags are the rules as the command line gives them.
type encodingFlags struct {
	missing    dataset.Missing
	na         []string
	unseen     dataset.Unseen
	categories columnList
}

var missingRules = []dataset.Missing{"error", "mean", "drop"}

// declareCompare is declare for a command that makes no model.
func (e *encodingFlags) declareCompare(f *flag.FlagSet) {
	choose(f, &e.missing, "missing", "`rule` for empty cells and nulls: error, mean (of the column), or drop (the row)", missingRules...)
	e.declareNA(f)
	collect(f, (*[]string)(&e.categories), "categories", "`columns` of words, each of which becomes one input per word, 0 or 1", addColumns)
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

// encodingKey is where a model keeps its encoding.
const encodingKey = "encoding"

// encoding is how the cells of a model's columns become its inputs.
type encoding struct {
	Missing    dataset.Missing `json:"missing,omitempty"`
	NA         []string        `json:"na,omitempty"` // none: those of dataset.NA
	Fill       []float64       `json:"fill,omitempty"`
	Unseen     dataset.Unseen  `json:"unseen,omitempty"`
	Inputs     []string        `json:"inputs,omitempty"` // names of the columns, if they have any
	Width      int             `json:"width"`            // columns
	Categories []wordsOfInput  `json:"categories,omitempty"`
}

// wordsOfInput are the words of one of the columns, counted from 0.
type wordsOfInput struct {
	Input  int      `json:"input"`
	Levels []string `json:"levels"`
}

// encode tells options of the rules, and returns what the model is to keep of
// them; nil if they are the usual ones. at are the columns of --inputs, or nil.
func (d *dataFlags) encode(l *layout, at []int, options *dataset.Options) (*encoding, error) {
	options.Missing, options.Unseen, options.NA = d.encoding.missing, d.encoding.unseen, d.encoding.na
	if (d.encoding.missing == "" || d.encoding.missing == "error") && len(d.encoding.categories) == 0 {
		return nil, firstOf(given{d.flags}.unused(true, "is of no use: without --categories there are no words", "unseen"),
			given{d.flags}.unused(true, "is of no use without --missing mean or --missing drop", "na"))
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
	e := &encoding{Missing: d.encoding.missing, NA: d.encoding.na, Width: len(at)}
	if l.names != nil {
		for _, i := range at {
			e.Inputs = append(e.Inputs, l.name(i))
		}
	}
	for _, name := range d.encoding.categories.names(l.names) {
		i, err := l.find("categories", name)
		if err != nil {
			return nil, err
		}
		k := slices.Index(at, i)
		if k < 0 {
			return nil, usagef("--categories: %s: column %s is no input", l.file, l.title(i))
		}
		options.Categories = append(options.Categories, dataset.Category{Name: l.option(i)})
		e.Categories, e.Unseen = append(e.Categories, wordsOfInput{Input: k}), d.encoding.unseen
	}
	return e, nil
}

// learn completes an encoding by what was found in the files.
func (e *encoding) learn(f *dataset.Files, sum *dataset.Summary) {
	e.Fill = sum.Fill
	for i, levels := range f.Levels() {
		e.Categories[i].Levels = levels
	}
}

// checkWords refuses columns of words that are all different, and says what may surprise
// in others.
func (d *dataFlags) checkWords(l dataset.Layout, rows int64) error {
	const many = 100
	for i, c := range d.encoded.Categories {
		name := fmt.Sprint("column ", c.Input+1)
		if c.Input < len(d.encoded.Inputs) {
			name = d.encoded.Inputs[c.Input]
		}
		switch n := int64(len(c.Levels)); {
		case n > many/10 && n == rows:
			return fmt.Errorf("--categories: %s: each of the %d rows has another word in %q: it names the rows and says nothing about others: leave it out (--inputs)", l.Paths[0], rows, name)
		case n > many:
			d.remark(fmt.Sprintf("%q has %d words, and makes as many inputs", name, n))
		}
		if i == 0 && d.encoding.unseen != dataset.UnseenZero {
			d.remark("rows with other words than these will be refused: rff predict --unseen zero takes them for none")
		}
	}
	return nil
}

// note says what became of the rows that lack a value, or "".
func (e *encoding) note(sum *dataset.Summary) string {
	switch {
	case e == nil:
	case sum.Dropped > 0:
		return fmt.Sprintf("%d rows lack a value and are left out", sum.Dropped)
	case sum.Missing > 0:
		return fmt.Sprintf("%d of %d rows lack an input, and have the column's mean instead", sum.Missing, sum.Rows)
	}
	return ""
}

func (e *encoding) record(provenance map[string]string) error {
	if e == nil {
		return nil
	}
	text, err := json.Marshal(e)
	provenance[encodingKey] = string(text)
	return err
}

// encodingOf returns the encoding that a model keeps, or nil.
func encodingOf(m *krr.Model) (*encoding, error) {
	text, ok := m.Info().Provenance[encodingKey]
	if !ok {
		return nil, nil
	}
	e := new(encoding)
	if err := json.Unmarshal([]byte(text), e); err != nil {
		return nil, fmt.Errorf("--model: its encoding of the inputs cannot be read: %w", err)
	}
	width, _ := m.Dims()
	expanded := e.Width
	for _, c := range e.Categories {
		if c.Input < 0 || c.Input >= e.Width || len(c.Levels) == 0 {
			return nil, fmt.Errorf("--model: its encoding of the inputs names column %d of %d", c.Input+1, e.Width)
		}
		expanded += len(c.Levels) - 1
	}
	if expanded != width || e.Inputs != nil && len(e.Inputs) != e.Width || e.Fill != nil && len(e.Fill) != width {
		return nil, fmt.Errorf("--model: its encoding has %d inputs, the model %d", expanded, width)
	}
	return e, nil
}

// wants are the columns that a model with this encoding reads.
func (e *encoding) wants(w wanted) wanted {
	if e != nil {
		w.inputs, w.dim = e.Inputs, e.Width
	}
	return w
}

// apply tells options of the encoding of a model whose inputs are the columns at.
func (e *encoding) apply(options *dataset.Options, l *layout, at []int) error {
	if e == nil {
		return nil
	}
	options.Missing, options.NA, options.Fill, options.Unseen = e.Missing, e.NA, e.Fill, e.Unseen
	if options.Missing == dataset.MissingDrop {
		options.Missing = dataset.MissingNaN // for an empty prediction
	}
	for _, c := range e.Categories {
		if at == nil {
			return fmt.Errorf("--data: %s is a file of format %s: it has no words", l.file, l.format)
		}
		options.Categories = append(options.Categories, dataset.Category{Name: l.option(at[c.Input]), Levels: c.Levels})
	}
	return nil
}
