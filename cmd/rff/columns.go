package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/message"
)

// Which columns of the data are inputs and which is the label: by what the
// command line says, or by what a model was fitted on.

// addFiles adds a list of files, separated by commas. A text that is a file is taken
// whole, whatever commas its name has. A folder stands for the files in it, in the order
// of their names, but for those that begin with a dot or an underscore; a name with *, ?
// or [ for the files that it matches.
func addFiles(files []string, text string) ([]string, error) {
	if st, err := os.Stat(text); err == nil && !st.IsDir() {
		return append(files, text), nil
	}
	names, err := addWords(nil, text)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		pattern := name
		if st, err := os.Stat(name); err == nil && !st.IsDir() {
			files = append(files, name)
			continue
		} else if err == nil {
			pattern = filepath.Join(name, "[^._]*")
		} else if !strings.ContainsAny(name, "*?[") {
			files = append(files, name)
			continue
		}
		found, err := filepath.Glob(pattern)
		found = slices.DeleteFunc(found, func(p string) bool { st, err := os.Stat(p); return err != nil || st.IsDir() })
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("there are no files %s", pattern)
		}
		files = append(files, found...)
	}
	return files, nil
}

// columnList is a list of columns as given. It is split once the columns are known,
// since their names may have commas.
type columnList []string

// addColumns adds to a columnList.
func addColumns(columns []string, text string) ([]string, error) {
	_, err := splitColumns(text)
	return append(columns, text), err
}

// names returns the items: a value that is one of the columns is taken whole.
func (l columnList) names(columns []string) []string {
	var out []string
	for _, v := range l {
		if slices.Contains(columns, v) {
			out = append(out, v)
			continue
		}
		items, _ := splitColumns(v) // addColumns has done it before
		out = append(out, items...)
	}
	return out
}

// splitColumns splits a list as a line of CSV is split, so that quotes keep the
// commas of a name: "a,b",c.
func splitColumns(s string) ([]string, error) {
	r := csv.NewReader(strings.NewReader(s))
	r.TrimLeadingSpace = true
	items, err := r.Read()
	if err != nil {
		return nil, errors.New(`must be names separated by commas, quoted as in CSV if they have commas: "a,b",c`)
	}
	for i := range items {
		if items[i] = strings.TrimSpace(items[i]); items[i] == "" {
			return nil, errors.New("empty item in a list")
		}
	}
	return items, nil
}

// layout is what data look like before columns are chosen.
type layout struct {
	file   string
	names  []string // of all columns, "" for one without; or nil
	width  int      // number of columns
	format dataset.Format
}

// layout looks at the columns. width is what LIBSVM files have if --width does not
// say; 0: look for it.
func (d *dataFlags) layout(ctx context.Context, o *opener, width int) (*layout, error) {
	options := d.options
	if options.Width == 0 {
		options.Width = width
	}
	options.NoLabel, options.Inputs, options.Label, options.LabelFile, options.Weights, options.Groups = true, nil, "", "", "", ""
	f, err := o.look(ctx, options)
	if err != nil {
		return nil, d.flagged(err)
	}
	at := f.Layout()
	l := &layout{file: at.Paths[0], names: at.Columns, width: at.Width, format: at.Format}
	if l.names != nil {
		l.width = len(l.names)
	}
	d.format = l.format
	given := given{d.flags}
	what := fmt.Sprintf("is of no use: %s is a file of format %s", l.file, l.format)
	return l, firstOf(
		given.unused(l.format != dataset.LIBSVM, what+", which says how many inputs it has", "width"),
		given.unused(l.format != dataset.CSV, what+", without a header line", "header"),
		given.unused(l.format == dataset.LIBSVM, what+", where the label comes first", "label"),
		given.unused(l.format == dataset.IDX, what+", whose labels are in another file: --labels", "label"),
		given.unused(l.format == dataset.LIBSVM, what+", where what a row does not name is 0", "missing", "na"),
		given.unused(l.format == dataset.LIBSVM || l.format == dataset.IDX || l.format == dataset.NPY, what+", which has no words", "categories"),
	)
}

// find returns the index of a column given by its name or its number from 1.
func (l *layout) find(flag, name string) (int, error) {
	if i := slices.Index(l.names, name); i >= 0 && name != "" {
		if slices.Contains(l.names[i+1:], name) {
			return 0, &flagError{flag, fmt.Errorf("%s: two columns are called %q: give the number of the one that is meant", l.file, name)}
		}
		return i, nil
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 1 && i <= l.width {
		return i - 1, nil
	}
	names := slices.DeleteFunc(slices.Clone(l.names), func(n string) bool { return n == "" })
	if l.names == nil {
		names = []string{fmt.Sprintf("1 … %d, without names", l.width)}
	}
	return 0, &flagError{flag, &dataset.ParseError{File: l.file, Name: name, Columns: names, Need: fmt.Sprintf("no column %q: it has %s", name, message.Names(names))}}
}

// option returns how package dataset is told of a column.
func (l *layout) option(i int) string {
	if l.named(i) && slices.Index(l.names, l.names[i]) == i && !slices.Contains(l.names[i+1:], l.names[i]) {
		return l.names[i]
	}
	return strconv.Itoa(i + 1)
}

// named reports whether a column has a name.
func (l *layout) named(i int) bool { return i < len(l.names) && l.names[i] != "" }

// all returns the columns that are inputs or label by default: in a file with
// names those that have one.
func (l *layout) all() []int {
	var out []int
	for i := range l.width {
		if l.names == nil || l.named(i) {
			out = append(out, i)
		}
	}
	return out
}

// columnsOf resolves the columns of --inputs.
func (d *dataFlags) columnsOf(l *layout) ([]int, error) {
	var at []int
	for _, name := range d.inputs.names(l.names) {
		i, err := l.find("inputs", name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(at, i) {
			return nil, usagef("--inputs: %s: column %s is named twice", l.file, l.title(i))
		}
		at = append(at, i)
	}
	return at, nil
}

// title names a column in messages.
func (l *layout) title(i int) string {
	switch {
	case l.named(i):
		return strconv.Quote(l.names[i])
	case l.names != nil:
		return fmt.Sprintf("%d (without a name)", i+1)
	}
	return strconv.Itoa(i + 1)
}

// name returns what a model calls a column of a file with names: its number if
// it has none.
func (l *layout) name(i int) string {
	if l.named(i) {
		return l.names[i]
	}
	return strconv.Itoa(i + 1)
}

// pick tells options of the columns that the command line asks for.
func (d *dataFlags) pick(l *layout, options *dataset.Options) error {
	taken := map[int]string{} // by the flag
	for _, c := range []struct {
		flag string
		to   *string
	}{{"label", &options.Label}, {"weights", &options.Weights}, {"folds-by", &options.Groups}} {
		if *c.to == "" {
			continue
		}
		i, err := l.find(c.flag, *c.to)
		if err != nil {
			return err
		}
		if other, ok := taken[i]; ok {
			return usagef("--%s: %s: column %s is that of --%s: name another", c.flag, l.file, l.title(i), other)
		}
		taken[i] = c.flag
		*c.to = l.option(i)
	}
	at, err := d.columnsOf(l)
	if err != nil {
		return err
	}
	for _, i := range at {
		if other, ok := taken[i]; ok {
			return usagef("--inputs: %s: column %s is that of --%s, and cannot be an input, too", l.file, l.title(i), other)
		}
		options.Inputs = append(options.Inputs, l.option(i))
	}
	return nil
}

// wanted is what a model was fitted on.
type wanted struct {
	what    string   // "the model"
	inputs  []string // names, or nil
	columns []int    // in place of names: which ones of a file without a header
	target  string
	dim     int // columns
	schema  rff.Schema
}

// wantedBy returns what a model or sums were fitted on, of that schema.
func wantedBy(what string, s rff.Schema) wanted {
	w := wanted{what: what, inputs: s.Names(), target: s.Target.Name, dim: len(s.Inputs), schema: s}
	for _, c := range s.Inputs {
		if c.Number > 0 {
			w.columns = append(w.columns, c.Number-1)
		}
	}
	return w
}

// matched is data whose columns are those of a model.
type matched struct {
	options dataset.Options
	unused  []string // titles of columns that are not read
	notes   []string // what else to say
	at      []int    // the columns, in the order of the inputs; nil for LIBSVM
}

// match finds the columns of a model in the data: by name where both have names,
// otherwise by position, where their number must be the model's. With label set
// it finds the label, too.
func (d *dataFlags) match(l *layout, want wanted, label bool) (*matched, error) {
	m := &matched{options: d.options}
	m.options.Schema = &want.schema
	m.options.NoLabel = !label
	m.options.Inputs = nil
	if l.format == dataset.LIBSVM {
		if d.options.Width != 0 && d.options.Width != want.dim {
			return nil, usagef("--width: %s was fitted on %d inputs", want.what, want.dim)
		}
		m.options.Width = want.dim
		return m, nil
	}
	at, err := d.columnsOf(l)
	if err != nil {
		return nil, err
	}
	weights := -1
	if d.options.Weights != "" {
		if weights, err = l.find("weights", d.options.Weights); err != nil {
			return nil, err
		}
		m.options.Weights = l.option(weights)
	}
	apart := !label || d.options.LabelFile != "" || l.format == dataset.IDX // the label is in no column
	target := -1
	if !apart && d.options.Label != "" {
		if target, err = l.find("label", d.options.Label); err != nil {
			return nil, err
		}
	}
	if l.names != nil && want.inputs != nil {
		if at, err = matchNames(l, want, at, m); err != nil {
			return nil, err
		}
		if !apart && target < 0 {
			if want.target == "" {
				return nil, usagef("--score: %s does not name its label: say which column it is: --label COLUMN", want.what)
			}
			if target, err = l.find("score", want.target); err != nil {
				if absent, ok := missingColumn(err); ok {
					err = fmt.Errorf("--score: %s: no column %q, the label of %s: it has %s; --label COLUMN names another", l.file, want.target, want.what, message.Names(absent.Columns))
				}
				return nil, err
			}
		}
	} else {
		if at, target, err = matchPositions(l, want, at, target, weights, apart, m); err != nil {
			return nil, err
		}
	}
	switch {
	case slices.Contains(at, target):
		return nil, usagef("--label: %s: column %s is an input of %s", l.file, l.title(target), want.what)
	case slices.Contains(at, weights):
		return nil, usagef("--weights: %s: column %s is an input of %s", l.file, l.title(weights), want.what)
	case weights >= 0 && weights == target:
		return nil, usagef("--weights: %s: column %s is the label", l.file, l.title(weights))
	case target >= 0 && l.named(target) && want.target != "" && l.names[target] != want.target:
		if slices.Contains(l.names, want.target) {
			return nil, usagef("--label: %s predicts the column %q, which %s has: %q is another", want.what, want.target, l.file, l.names[target])
		}
		m.notes = append(m.notes, fmt.Sprintf("%s predicts %q, which is compared with %q", want.what, want.target, l.names[target]))
	}
	for i := range l.width {
		if i != target && i != weights && !slices.Contains(at, i) {
			m.unused = append(m.unused, l.title(i))
		}
	}
	if target >= 0 {
		m.options.Label = l.option(target)
	}
	m.at = at
	if m.unused != nil || !slices.IsSorted(at) {
		for _, i := range at {
			m.options.Inputs = append(m.options.Inputs, l.option(i))
		}
	}
	return m, nil
}

// matchNames returns the columns with the names of a model's inputs, in its
// order. chosen are those that --inputs names: the same, or others to be taken
// for them.
func matchNames(l *layout, want wanted, chosen []int, m *matched) ([]int, error) {
	if chosen != nil {
		same := 0
		for _, i := range chosen {
			if slices.Contains(want.inputs, l.name(i)) {
				same++
			}
		}
		if same == 0 && len(chosen) == want.dim { // all others: as they stand
			m.notes = append(m.notes, fmt.Sprintf("--inputs: taken in this order for the inputs of %s: %s", want.what, message.Names(want.inputs)))
			return chosen, nil
		}
		if same != len(chosen) || same != want.dim {
			return nil, usagef("--inputs: %s needs the inputs %s", want.what, message.Names(want.inputs))
		}
	}
	var at []int
	var missing []string
	for k, name := range want.inputs {
		i := slices.Index(l.names, name)
		if i < 0 || name == "" {
			if n, err := strconv.Atoi(name); err == nil && n >= 1 && n <= l.width && !l.named(n-1) {
				at = append(at, n-1) // a column without a name goes by its number
				continue
			}
			missing = append(missing, name)
			continue
		}
		if slices.Contains(l.names[i+1:], name) || slices.Contains(want.inputs[k+1:], name) {
			return nil, fmt.Errorf("--data: %s: two columns are called %q, and %s has an input of that name: rename one", l.file, name, want.what)
		}
		at = append(at, i)
	}
	if missing != nil {
		verb := "is"
		if len(missing) > 1 {
			verb = "are"
		}
		return nil, fmt.Errorf("--data: %s: of the %d inputs of %s %s %s missing: it has %s", l.file, want.dim, want.what, message.Names(missing), verb, message.Names(slices.DeleteFunc(slices.Clone(l.names), func(n string) bool { return n == "" })))
	}
	return at, nil
}

// matchPositions returns the columns by their order, and that of the label.
func matchPositions(l *layout, want wanted, chosen []int, target, weights int, apart bool, m *matched) ([]int, int, error) {
	if chosen == nil && len(want.columns) == want.dim && l.width != want.dim && slices.Max(want.columns) < l.width {
		chosen = want.columns // the same columns of a like file
	}
	need := want.dim
	if !apart {
		need++
	}
	all := slices.DeleteFunc(l.all(), func(i int) bool { return i == weights })
	switch {
	case chosen != nil && len(chosen) != want.dim:
		return nil, 0, usagef("--inputs: %d columns, and %s was fitted on %d inputs", len(chosen), want.what, want.dim)
	case chosen == nil && len(all) != need:
		return nil, 0, l.wrongCount(want, len(all), apart, need)
	}
	if !apart && target < 0 {
		target = all[len(all)-1]
	}
	if chosen == nil {
		for _, i := range all {
			if i != target {
				chosen = append(chosen, i)
			}
		}
	}
	switch {
	case l.format != dataset.CSV:
	case l.names == nil && want.inputs != nil:
		m.notes = append(m.notes, fmt.Sprintf("%s has no header: its columns are taken in order for %s", l.file, message.Names(want.inputs)))
	case l.names != nil:
		m.notes = append(m.notes, fmt.Sprintf("%s does not name its inputs: the columns of %s are taken in order", want.what, l.file))
	}
	return chosen, target, nil
}

// wrongCount says that columns cannot be matched by position, and what to do.
func (l *layout) wrongCount(want wanted, width int, apart bool, need int) error {
	text := fmt.Sprintf("--data: %s has %d columns, %s was fitted on %d inputs", l.file, width, want.what, want.dim)
	if !apart {
		text += " and a label"
	}
	switch {
	case apart && width == want.dim+1:
		text += ": if one is the label, say which: --label COLUMN; if not, say which are the inputs: --inputs COLUMNS"
	case width > need:
		text += ": say which are the inputs: --inputs COLUMNS"
	default:
		text += fmt.Sprintf(": %d too few", need-width)
	}
	return errors.New(text)
}

// say notes what the match leaves out or assumes.
func (m *matched) say(s *stdio, l *layout) {
	for _, n := range m.notes {
		s.note("%s", n)
	}
	switch n := len(m.unused); {
	case n == 1:
		s.note("1 of the %d columns of %s is not used: %s", l.width, l.file, m.unused[0])
	case n > 1:
		s.note("%d of the %d columns of %s are not used: %s", n, l.width, l.file, shortList(m.unused))
	}
}

// shortList joins some titles.
func shortList(titles []string) string {
	const most = 6
	if len(titles) <= most {
		return strings.Join(titles, ", ")
	}
	return strings.Join(titles[:most], ", ") + ", …"
}
