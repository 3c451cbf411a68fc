package dataset

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/cells"
)

// columns says what each column of a file is.
type columns struct {
	file  string
	names []string       // of all columns, "" for one without; or nil
	by    map[string]int // the column of each name, or twice
	like  []string       // the names of the columns of the file whose numbers options give, or nil
	index []bool         // per column: it is the index of a frame, which is no label unless it is named; or nil
	role  []int          // per column: index of an input, or one of the constants below

	width     int      // number of inputs
	inputs    []string // their names, or nil
	label     int      // column of the label, or −1
	labelName string
	weights   int // column of the weights, or −1
	groups    int // column of the groups, or −1

	absence
	matched   []string     // notes on how the columns were found
	picked    []int        // the columns that are inputs, in the order of the inputs
	cells     []cell       // per column: set for inputs that are no numbers; or nil
	counts    bool         // cells are only counted, to learn what they are
	given     bool         // a schema says what the columns are
	described []rff.Column // the inputs as a schema describes them
}

// cell says what the cells of a column are if it is an input but no number.
type cell struct {
	at   int // its first input
	kind cells.Kind
}

const (
	roleLabel  = -1
	roleSkip   = -2
	roleWeight = -3
	roleGroup  = -4
	roleCell   = -6 // an input that is no number: columns.cells describes it
	roleEmpty  = -5 // the column after a separator at the end of lines, which must hold nothing
)

func (c *columns) shape() (int, []string, string) { return c.width, c.inputs, c.labelName }

func (c *columns) inputColumns() []rff.Column { return c.described }
func (c *columns) titles() []string           { return c.names }

const twice = -1 // in columns.by: several columns have the name

// named returns the column of a name, which may be twice. It notes the names when it is asked
// first: of many columns they take memory, and most files are read without.
func (c *columns) named(name string) (at int, known bool) {
	if c.by == nil {
		c.by = make(map[string]int, len(c.names))
		for i, name := range c.names {
			if _, known := c.by[name]; known {
				i = twice
			}
			if name != "" {
				c.by[name] = i
			}
		}
	}
	at, known = c.by[name]
	return at, known
}

// find returns the column with that name or, if none has it, with that number. Of several files a
// number is that of the first: the others may have its columns in another order.
func (c *columns) find(name string) (int, error) {
	if i, known := c.named(name); known {
		if i == twice {
			return 0, c.refuse("two columns are called %q: give the number of the one that is meant, or rename one", name)
		}
		return i, nil
	}
	i, err := strconv.Atoi(name)
	if err == nil && c.names != nil && i >= 1 && i <= len(c.like) && (i > len(c.names) || c.names[i-1] != c.like[i-1]) {
		if name = cmp.Or(c.like[i-1], name); slices.Contains(c.names, name) {
			return c.find(name)
		}
	} else if err == nil && i >= 1 && i <= len(c.role) && c.role[i-1] != roleEmpty {
		return i - 1, nil
	}
	return 0, noColumn(c.file, []string{name}, c.listed())
}

// listed returns the names of the columns, or their numbers, for messages.
func (c *columns) listed() []string {
	if c.names == nil {
		return []string{fmt.Sprintf("1 … %d, without names", len(c.role))}
	}
	out := []string{}
	for _, n := range c.names {
		if n != "" {
			out = append(out, n)
		}
	}
	return out
}

// take gives column i a role, or returns an error if it has one.
func (c *columns) take(i int, role int) error {
	if c.role[i] == roleSkip {
		c.role[i] = role
		return nil
	}
	names := map[int]string{0: "Inputs", roleLabel: "Label", roleWeight: "Weights", roleGroup: "Groups"}
	words := map[int]string{0: "an input", roleLabel: "the label", roleWeight: "the weights", roleGroup: "the groups"}
	return &rff.ParameterError{Name: names[min(role, 0)], Value: c.file, Need: fmt.Sprintf("%s is %s already: name another", c.title(i), words[min(c.role[i], 0)])}
}

// free reports whether column i has no role yet and may become an input or the label without being
// named.
func (c *columns) free(i int) bool {
	return c.role[i] == roleSkip && (c.names == nil || c.names[i] != "" && !isIndex(c.names[i]))
}

// isIndex reports whether pandas gives that name to an index without one in files of columns.
func isIndex(name string) bool {
	return strings.HasPrefix(name, "__index_level_") && strings.HasSuffix(name, "__")
}

// option returns how options name a column.
func (c *columns) option(i int) string {
	if at, known := c.named(c.nameOf(i)); known && at == i {
		return c.names[i]
	}
	return strconv.Itoa(i + 1)
}

// nameOf returns the name of a column, or "" if there is no header.
func (c *columns) nameOf(i int) string {
	if c.names == nil {
		return ""
	}
	return c.names[i]
}

// title names a column for people.
func (c *columns) title(i int) string {
	if c.names != nil && c.names[i] != "" {
		return strconv.Quote(c.names[i])
	}
	return fmt.Sprintf("column %d", i+1)
}

// pick returns the columns that Inputs names, or nil for all.
func (c *columns) pick(o *Options) ([]int, error) {
	var picked []int
	var missing []string
	names, err := c.expand(o.Inputs)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := c.apart(name, o); err != nil {
			return nil, err
		}
		i, err := c.find(name)
		if e, ok := err.(*ParseError); ok && e.columns != nil {
			missing = append(missing, name)
			continue
		} else if err != nil {
			return nil, err
		}
		if slices.Contains(picked, i) {
			return nil, &rff.ParameterError{Name: "Inputs", Value: c.file, Need: c.title(i) + " is named twice"}
		}
		picked = append(picked, i)
	}
	if missing != nil {
		return nil, noColumn(c.file, missing, c.listed())
	}
	return picked, nil
}

// apart refuses the name of an input that another column has too, if a model is to find it.
func (c *columns) apart(name string, o *Options) error {
	if !o.ours.Apart || o.Schema != nil {
		return nil
	}
	if at, _ := c.named(name); at != twice {
		return nil
	}
	return c.refuse("two columns are called %q, and a model finds its inputs by name: rename one, or leave both out of the inputs (Inputs)", name)
}

// expand returns the names of columns. An item that is no name and has commas is a list of
// names.
func (c *columns) expand(items []string) (names []string, err error) {
	for _, item := range items {
		if !strings.ContainsAny(item, `,"`) || slices.Contains(c.names, item) {
			names = append(names, item)
			continue
		}
		r := csv.NewReader(strings.NewReader(item))
		r.TrimLeadingSpace = true
		list, err := r.Read()
		if err != nil {
			return nil, &rff.ParameterError{Name: "Inputs", Value: item, Need: `must be names separated by commas, quoted as in CSV if they have commas: "a,b",c`}
		}
		for _, name := range list {
			names = append(names, strings.TrimSpace(name))
		}
	}
	return names, nil
}
