package rff

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"sync/atomic"
	"unicode/utf8"

	"github.com/rffgo/rff/internal/cells"
)

// Schema says what the columns of rows are, and how they become the inputs of a map. It is a
// value: assigning it makes a copy. Its slices must not be modified.
type Schema struct {
	Inputs []Column // at least one
	Target Target
	Rows   int64 // how many there are, or 0 if that is not known
	// FoldRows is the number of consecutive rows that are alike, as in a time series: fits
	// and samplers hold them out together, whatever their inputs. Run k has the rows from
	// k·FoldRows on of the stream, whatever their weights. With 1 every row is held
	// out by itself. 0: rows with equal inputs are held out together, unless so few inputs
	// differ that none could be. Rows with a group (Batch) share the fold of their group
	// instead. Models do not keep it.
	FoldRows int `json:",omitempty"`
	// Missing is the rule for rows that lack a value.
	Missing Missing
	// Unseen is the rule for rows with a word that is not among Column.Words. "", or "error":
	// they are an error that names row and column. "zero": all inputs of the column are 0.
	Unseen string
	// NA are the texts that stand for a missing value in a column of numbers, beside "".
	// nil: those that R, pandas, SQL and spreadsheets write, such as NA, NaN, null and ?.
	NA []string
	// Weighted says that all rows come with weights, so that sums of rows (krr.Gram) that were
	// read with their weights and without do not add up. Batches may have weights, or none, all
	// the same. Models do not keep it.
	Weighted bool `json:",omitempty"`
}

// Column is one column of inputs. The zero Column is one of numbers, without a name.
type Column struct {
	Name   string // "": it has none
	Number int    // in a file without names, from 1; 0 if it is the column's place among the inputs
	// Words makes it a column of words, each of which is an input of its own: 1 where a
	// row has the word, else 0. Numbers are compared as numbers: 1 and 1.0 are one word.
	Words []string
	// Time makes it a column of dates and times. nil, without Words: one of numbers, which
	// is one input.
	Time *Time
	// Fill is what stands for a missing value with the rule MissingMean, one number for
	// each input of the column.
	Fill []float64
	// Range has the least and the largest number that a model was fitted on, or is nil.
	Range []float64
}

// Time says how the dates and times of a column are read, and which inputs they become: the
// time in days since 1970-01-01 00:00, and those that the fields below ask for. A cell is a
// text in the form of ISO 8601 or as pandas, R, spreadsheets and logs write it, a time.Time, or
// the number of days.
type Time struct {
	// Order is that of dates in text that end in the year, such as 3/4/2025: "dmy" or
	// "mdy". "" refuses them.
	Order string
	// Zone says that all times have a time zone, and are taken in UTC. Otherwise none has
	// one, and a time.Time counts as its own clock shows it.
	Zone bool
	// Clock says that they are times of day without a date: the hour is the only input.
	Clock bool
	// The hour of the day, the weekday (0 is Monday) and the day of the year (from 1) are
	// further inputs, in this order.
	Hour, Weekday, YearDay bool
}

// width returns the number of inputs that the column becomes.
func (c Column) width() int {
	if c.Time != nil {
		return cells.Time(*c.Time).Width()
	}
	return max(1, len(c.Words))
}

// kind returns what its cells are. unseen is the rule for words.
func (c Column) kind(unseen string) cells.Kind {
	return cells.Of(c.Words, (*cells.Time)(c.Time), unseen == "zero", c.Range)
}

// Missing says what becomes of a row that lacks a value. "", or "error", is an error
// that names row and column.
type Missing string

// The rules. Only inputs can be replaced or kept: a row that lacks its label, weight or
// group is an error, or dropped.
const (
	MissingMean Missing = "mean" // the mean of the column's other rows: Column.Fill
	MissingDrop Missing = "drop" // the row is left out, or has no prediction
	MissingNaN  Missing = "nan"  // the input is NaN, for callers who do something else
)

// Target is what a model learns to predict.
type Target struct {
	Name    string // of its column, or ""
	Columns int    // of Batch.Y; 0: the rows have no targets
	// Classes are the labels of a classification, whose targets are codes: two classes
	// have one column, −1 for Classes[0] and +1 for Classes[1]; more have one column
	// each, +1 for the rows of the class and −1 for the others. A row may have a probability
	// p of each class in place of a label: then these are 2p − 1. nil: a regression.
	Classes []string
	// Weights has the weight of each class, which the rows of the class got beside their own in
	// a fit or in sums that weigh classes. nil: rows of all classes count alike.
	Weights []float64
	// Range has the least and the largest prediction of each column, if a model confines its
	// predictions to the range of the targets that it was fitted on. Otherwise it is nil.
	Range [][]float64 `json:",omitempty"`
	// Quantiles are the levels of the quantiles that a model predicts of each target,
	// ascending, or nil. Every quantile has a column of predictions.
	Quantiles []float64 `json:",omitempty"`
}

// Columns returns a column of numbers for each name.
func Columns(names ...string) []Column {
	c := make([]Column, len(names))
	for i, name := range names {
		c[i].Name = name
	}
	return c
}

// Dims returns the number of inputs of a map, and of targets.
func (s Schema) Dims() (in, targets int) {
	for i := range s.Inputs {
		in += s.Inputs[i].width()
	}
	return in, s.Target.Columns
}

// Names returns the names of the columns, or nil if none has one.
func (s Schema) Names() []string {
	if !slices.ContainsFunc(s.Inputs, func(c Column) bool { return c.Name != "" }) {
		return nil
	}
	names := make([]string, len(s.Inputs))
	for i, c := range s.Inputs {
		names[i] = c.Name
	}
	return names
}

// InputNames returns the names of the inputs of a map, or nil if no column has a name. A column
// of numbers or times gives its own name, a column of words "name=word" for each word, and the
// parts of a time are "name:hour", "name:weekday" and "name:yearday".
func (s Schema) InputNames() []string {
	names := s.Names()
	if names == nil {
		return nil
	}
	var out []string
	for i, c := range s.Inputs {
		if c.Words == nil {
			out = append(out, names[i])
		}
		for _, w := range c.Words {
			out = append(out, names[i]+"="+w)
		}
		if c.Time != nil {
			for _, part := range cells.Time(*c.Time).Parts()[1:] {
				out = append(out, names[i]+":"+part)
			}
		}
	}
	return out
}

// title names column i for people: by its name, or its number.
func (s Schema) title(i int) string {
	switch c := s.Inputs[i]; {
	case c.Name != "":
		return strconv.Quote(c.Name)
	case c.Number != 0:
		return strconv.Itoa(c.Number)
	}
	return strconv.Itoa(i + 1)
}

// check returns a *ParameterError unless s is the schema of in inputs of a map.
func (s Schema) check(in int) error {
	if have, _ := s.Dims(); have != in {
		return &ParameterError{Name: "schema", Value: have, Need: fmt.Sprintf("must have the %d inputs of the map", in)}
	}
	if known := []string{"error", string(MissingMean), string(MissingDrop), string(MissingNaN)}; s.Missing != "" && !slices.Contains(known, string(s.Missing)) {
		return unknown("missing", s.Missing, known...)
	}
	if known := []string{"error", "zero"}; s.Unseen != "" && !slices.Contains(known, s.Unseen) {
		return unknown("unseen", s.Unseen, known...)
	}
	if s.FoldRows < 0 {
		return &ParameterError{Name: "fold rows", Value: s.FoldRows, Need: "the number of consecutive rows that share a fold; 0 for rows with equal inputs"}
	}
	if w := s.Target.Weights; w != nil && (len(w) != len(s.Target.Classes) || slices.ContainsFunc(w, func(v float64) bool { return !(v >= 0 && v <= math.MaxFloat64) })) {
		return &ParameterError{Name: "weights of classes", Value: w, Need: "must be finite and not negative, one for each class"}
	}
	for i, c := range s.Inputs {
		name := "column " + s.title(i)
		if c.Fill != nil && len(c.Fill) != c.width() {
			return &ParameterError{Name: name, Value: len(c.Fill), Need: fmt.Sprintf("needs one value in Fill for each of its %d inputs", c.width())}
		}
		if t := c.Time; t != nil && (c.Words != nil || !slices.Contains([]string{"", "dmy", "mdy"}, t.Order) || t.Clock && (t.Hour || t.Weekday || t.YearDay)) {
			return &ParameterError{Name: name, Value: fmt.Sprintf("%+v", *t), Need: "is one of words or of times, in the order dmy or mdy, and times of day have no further inputs"}
		}
		if r := c.Range; r != nil && (len(r) != 2 || !(r[0] <= r[1])) {
			return &ParameterError{Name: name, Value: r, Need: "has the least and the largest number in Range"}
		}
		seen := cells.Set{}
		for _, w := range c.Words {
			switch level := cells.Level(w); {
			case !utf8.ValidString(w) || w != level && !cells.Moment(w): // dates had other forms in models before
				return &ParameterError{Name: name, Value: strconv.Quote(w), Need: "must be a word in UTF-8, without spaces at its ends, and a number in its shortest form: " + strconv.Quote(level)}
			case seen.Has(level):
				return &ParameterError{Name: name, Value: strconv.Quote(w), Need: "is twice among its words"}
			default:
				seen.Add(level)
			}
		}
	}
	return nil
}

// Match returns nil if rows of t may stand beside rows of s, or else a *ParameterError
// that says how t first differs: in weights, a column, a word, a rule, the target or its classes.
// A name that only one of them has is no difference, and neither are ranges and the
// number of rows.
func (s Schema) Match(t Schema) error {
	said := func(v any) string {
		text := fmt.Sprintf("%.60s", fmt.Sprint(v))
		if text == "" || text == "[]" {
			return "none"
		}
		return text
	}
	differ := func(what string, want, got any) error {
		return &ParameterError{Name: what, Value: said(got), Need: "must be " + said(want)}
	}
	if len(s.Inputs) != len(t.Inputs) {
		return differ("number of columns", len(s.Inputs), len(t.Inputs))
	}
	for i, c := range s.Inputs {
		d := t.Inputs[i]
		of := " of column " + strconv.Itoa(i+1)
		switch {
		case c.Name != d.Name && c.Name != "" && d.Name != "":
			return differ("name"+of, strconv.Quote(c.Name), strconv.Quote(d.Name))
		case !slices.Equal(c.Words, d.Words):
			return differ("list of words"+of, fmt.Sprintf("%q", c.Words), fmt.Sprintf("%q", d.Words))
		case !same(c.Time, d.Time):
			return differ("kind of times"+of, timesOf(c.Time), timesOf(d.Time))
		case !slices.Equal(c.Fill, d.Fill):
			return differ("value for gaps"+of, c.Fill, d.Fill)
		}
	}
	a, b := s.Target, t.Target
	switch {
	case s.Weighted != t.Weighted:
		return &ParameterError{Name: "weights", Need: "must be given to all parts, or to none: sums of rows with weights and of rows without do not add up"}
	case s.Missing != t.Missing:
		return differ("rule for missing values", s.Missing, t.Missing)
	case s.Unseen != t.Unseen:
		return differ("rule for unseen words", s.Unseen, t.Unseen)
	case !slices.Equal(s.NA, t.NA):
		return differ("words for missing values", s.NA, t.NA)
	case a.Name != b.Name && a.Name != "" && b.Name != "":
		return differ("target", strconv.Quote(a.Name), strconv.Quote(b.Name))
	case !slices.Equal(a.Classes, b.Classes):
		return differ("classes", fmt.Sprintf("%q", a.Classes), fmt.Sprintf("%q", b.Classes))
	case !slices.Equal(a.Weights, b.Weights):
		return differ("weights of classes", a.Weights, b.Weights)
	case a.Columns != b.Columns:
		return differ("targets", a.Columns, b.Columns)
	}
	return nil
}

// same reports whether both are nil or have one value.
func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// timesOf describes a kind of times in words; nil stands for no times.
func timesOf(t *Time) string {
	if t == nil {
		return "none"
	}
	return fmt.Sprintf("%+v", *t)
}

// WithSchema returns the rows of data under another schema: to name columns, or to say
// that targets are those of classes. If s does not say how many rows there are, they
// are as many as data says. Every reading counts the rows, and ends with a
// *DegenerateDataError if they are not as many as the schema says or as an earlier
// reading gave, or with a *ParameterError if a batch starts before the end of the last one. The
// error is a *ParameterError if s has another number of inputs or of targets than data.
func WithSchema(data Source, s Schema) (Source, error) {
	if err := given("data", data == nil); err != nil {
		return nil, err
	}
	have := data.Schema()
	in, targets := s.Dims()
	if wantIn, want := have.Dims(); in != wantIn || targets != want {
		return nil, &ParameterError{Name: "schema", Value: fmt.Sprintf("%d inputs and %d targets", in, targets), Need: fmt.Sprintf("the data have %d and %d", wantIn, want)}
	}
	s.Rows = cmp.Or(s.Rows, have.Rows)
	d := &described{data: data, schema: s}
	d.rows.Store(s.Rows)
	return d, nil
}

type described struct {
	data   Source
	schema Schema
	rows   atomic.Int64 // how many, by the schema or the first whole reading; or 0
}

func (d *described) Schema() Schema { return d.schema }

func (d *described) Batches(ctx context.Context) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		var n, next int64
		for b, err := range d.data.Batches(ctx) {
			if err == nil && b.First < next && b.X.Rows > 0 {
				b, err = Batch{}, &ParameterError{Name: "first", Value: b.First, Need: fmt.Sprintf("the batch before ended with row %d, and runs of rows and samples go by these numbers: a Source must set Batch.First to the index of the first row of the batch", next-1)}
			}
			n, next = n+int64(b.X.Rows), b.First+int64(b.X.Rows)
			if !yield(b, err) || err != nil {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(Batch{}, err)
			return
		}
		if d.rows.CompareAndSwap(0, n) {
			return
		}
		if want := d.rows.Load(); n != want {
			yield(Batch{}, &DegenerateDataError{What: "a result", Why: fmt.Sprintf("a reading of the data gave %d rows, and there were %d: a Source must give the same rows whenever it is read; keep rows that can be read only once in a file or in memory", n, want)})
		}
	}
}
