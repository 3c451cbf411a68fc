package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/cells"
	"github.com/rffgo/rff/internal/columnar"
	"github.com/rffgo/rff/internal/look"
	"github.com/rffgo/rff/internal/numeral"
)

// survey returns the options with the kinds of the inputs. It finds columns without numbers
// in the first rows, which r reads, and counts their cells in a pass over the files. found
// has the counts, and notes say what they show. changed says that the options differ from
// those that r was opened with.
func survey(ctx context.Context, st storage, o Options, paths []string, r reader) (_ Options, found []look.Column, notes []string, changed bool, err error) {
	if o.Schema != nil {
		return o, nil, nil, false, nil
	}
	c, suspects, err := suspects(r, &o)
	if err != nil || c == nil {
		return o, nil, nil, false, err
	}
	if len(suspects) == 0 && o.columns == nil {
		return o, nil, c.needless(o.IDs, nil), false, nil
	}
	of, err := c.count(ctx, st, o, paths, suspects)
	if err != nil {
		return o, nil, nil, false, err
	}
	found = make([]look.Column, len(c.picked))
	for n, i := range c.picked {
		found[n] = look.Column{Name: c.nameOf(i), Number: i + 1, Census: of[i], Numbers: of[i] == nil}
	}
	if o.columns != nil { // the counts are merged with those of other parts
		*o.columns = found
		return o, nil, nil, false, nil
	}
	needless := c.needless(o.IDs, of)
	o, notes, err = c.settleKinds(o, found)
	return o, found, append(notes, needless...), true, err
}

// count counts the cells of suspects in all files.
func (c *columns) count(ctx context.Context, st storage, o Options, paths []string, suspects []suspect) (map[int]*cells.Census, error) {
	na := o.NA
	if na == nil {
		na = cells.NA()
	}
	see := Options{Format: o.Format, Header: o.Header, Comma: o.Comma, ours: ours{MaxColumns: o.ours.MaxColumns, Like: o.ours.Like}, Task: Unlabelled, NA: o.NA,
		Missing: rff.MissingNaN} // what an input is does not depend on the gaps of others (Options.Categories)
	if o.BadRow != nil {
		see.BadRow = func(*ParseError) bool { return true } // Rows calls o.BadRow later
	}
	of := map[int]*cells.Census{}
	for _, s := range suspects {
		of[s.column] = cells.NewCensus(na)
		of[s.column].Told, of[s.column].Keep, of[s.column].Order = s.told, s.keep, o.DateOrder
		see.Inputs, see.kinds = append(see.Inputs, c.option(s.column)), append(see.kinds, of[s.column])
	}
	for _, p := range paths {
		if len(suspects) == 0 {
			break
		}
		if err := count(ctx, st, p, &see, o.Weights); err != nil {
			return nil, err
		}
	}
	return of, nil
}

// needless says which of the columns that IDs names would have been kept anyway.
func (c *columns) needless(ids []string, of map[int]*cells.Census) (notes []string) {
	if len(ids) == 0 {
		return nil
	}
	kept, err := c.all(ids, "ids")
	if err != nil {
		return nil // suspects has refused these names already
	}
	for _, i := range kept {
		if census := of[i]; census == nil || !census.Saved(c.nameOf(i)) {
			notes = append(notes, fmt.Sprintf("%s: %s looks like no id and is an input without being named (IDs)", c.file, c.title(i)))
		}
	}
	return notes
}

// settleKinds returns the options with the kinds of the columns, which follow from the counts.
func (c *columns) settleKinds(o Options, found []look.Column) (_ Options, notes []string, err error) {
	kinds, notes, err := look.Kinds(found, o.Unseen)
	var bad *look.CellError
	if errors.As(err, &bad) {
		return o, nil, &ParseError{Place: Place{File: c.file}, Column: bad.Column.Number, Name: bad.Column.Name, Need: bad.Need}
	}
	var left []string
	o.kinds = nil
	for n, kind := range kinds {
		if kind != nil {
			left, o.kinds = append(left, c.option(c.picked[n])), append(o.kinds, kind)
		}
	}
	if len(left) == 0 {
		return o, nil, &ParseError{Place: Place{File: c.file}, Need: "has no inputs: " + notes[0]}
	}
	for i, n := range notes {
		notes[i] = c.file + ": " + n
	}
	if len(left) < len(c.picked) {
		o.Inputs = left
	}
	if !slices.ContainsFunc(o.kinds, func(k cells.Kind) bool { return k != cells.Kind(cells.Number{}) }) {
		o.kinds = nil
	}
	return o, notes, nil
}

// suspect is a column whose cells must be counted.
type suspect struct {
	column     int
	told, keep bool
}

// suspects returns those inputs of a file that may be words, times or ids.
func suspects(r reader, o *Options) (*columns, []suspect, error) {
	var c *columns
	var may func(i int) bool
	switch r := inputsOf(r).(type) {
	case *csvReader:
		head := r.head()
		c, may = &r.columns, func(i int) bool { return r.nameless(head, i) }
	case *columnReader:
		if _, array := r.file.(*arrayFile); array {
			return nil, nil, nil // it has only numbers
		}
		rows := r.hasRows()
		c, may = &r.columns, func(i int) bool {
			of := r.of[i]
			return !rows || of.Kind == columnar.Text || of.Kind == columnar.Time || of.Null || of.Kind == columnar.Number && cells.IsID(of.Name)
		}
	default:
		return nil, nil, nil
	}
	told, err := c.all(o.Categories, "categories")
	if err != nil {
		return nil, nil, err
	}
	keep, err := c.all(o.IDs, "ids")
	if err != nil {
		return nil, nil, err
	}
	var out []suspect
	for _, i := range c.picked {
		s := suspect{i, slices.Contains(told, i), len(o.Inputs) > 0 || slices.Contains(keep, i)}
		if s.told || may(i) {
			out = append(out, s)
		}
	}
	return c, out, nil
}

// all returns the columns of these names, which must be different inputs.
func (c *columns) all(names []string, what string) (out []int, err error) {
	if names, err = c.expand(names); err != nil {
		return nil, err
	}
	for _, name := range names {
		i, err := c.find(name)
		switch {
		case err != nil:
			return nil, err
		case !slices.Contains(c.picked, i):
			return nil, &ParseError{Place: Place{File: c.file}, Column: i + 1, Name: name, Need: "is no input, and named among the " + what}
		case slices.Contains(out, i):
			return nil, &ParseError{Place: Place{File: c.file}, Column: i + 1, Name: name, Need: "is named twice among the " + what}
		}
		out = append(out, i)
	}
	return out, nil
}

// head returns the fields of the first rows.
func (r *csvReader) head() (rows [][]string) {
	const most = 1 << 16 // cells
	var fields []string
	var err error // ignored: the pass says what is wrong
	line, n := r.pending, max(2, min(1000, most/len(r.role)))
	for ; len(rows) < n; line = nil {
		if line == nil {
			line, err = r.nextRecord()
		}
		if err == nil {
			fields, err = r.split(line, len(r.role))
		}
		if err != nil {
			break
		}
		rows = append(rows, fields)
	}
	return rows
}

// nameless reports whether, in the first rows, no cell of a column is a number, or the column
// has the name of an id and all its cells are different whole numbers.
func (r *csvReader) nameless(rows [][]string, i int) bool {
	id := r.names != nil && cells.IsID(r.names[i])
	seen := map[string]bool{}
	for _, row := range rows {
		if i >= len(row) || row[i] == "" {
			continue
		}
		v, number := numeral.Parse([]byte(row[i]))
		switch {
		case v != v: // a missing value
		case id && number && v == float64(int64(v)) && !seen[row[i]]:
			seen[row[i]] = true
		case number:
			return false
		default:
			id = false
		}
	}
	return true
}

// count counts the cells of the rows of one file whose weight, in that column, is not 0. Whether it
// is stands perhaps after the cells, so a second reader looks for the weights, one row ahead.
func count(ctx context.Context, st storage, p string, see *Options, weights string) error {
	r, once, err := openReader(ctx, st, p, see)
	if err != nil {
		return err
	}
	defer r.Close()
	if once {
		return &ParseError{Place: Place{File: p}, Need: "is a stream that can be read only once: it goes alone, not with other files"}
	}
	ahead := func() float64 { return 1 }
	if weights != "" {
		o := *see
		o.Weights, o.kinds = weights, make([]cells.Kind, len(see.kinds))
		for i := range o.kinds {
			o.kinds[i] = cells.NewCensus(nil)
		}
		w, _, err := openReader(ctx, st, p, &o)
		if err != nil {
			return err
		}
		defer w.Close()
		ahead = func() float64 {
			if _, err := w.next(nil); err != nil { // Rows says later what is wrong with the row
				return 1
			}
			return w.last().weight
		}
	}
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		off := ahead() == 0
		for _, k := range see.kinds {
			k.(*cells.Census).Off = off
		}
		_, err := r.next(nil)
		if bad, ok := err.(*ParseError); ok && see.BadRow != nil && bad.Row > 0 {
			continue
		}
		if err == io.EOF {
			return nil
		} else if err != nil {
			return damage(ctx, st, p, err)
		}
	}
}
