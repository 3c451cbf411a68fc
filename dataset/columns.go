package dataset

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/rffgo/rff"
)

// columns says what each column of a file is.
type columns struct {
	file  string
	names []string // of all columns, "" for one without; or nil
	role  []int    // per column: index of an input, or one of the constants below

	width        int      // number of inputs
	inputs       []string // their names, or nil
	label        int      // column of the label, or −1
	labelName    string
	weight       int // column of the weights, or −1
	group        int // column of the groups, or −1
	withoutLabel bool

	absence
	category  []*category  // per column, nil for one that is none; or nil
	described []rff.Column // the inputs, as a schema has them
}

const (
	roleLabel    = -1
	roleSkip     = -2
	roleWeight   = -3
	roleGroup    = -4
	roleCategory = -6
	roleEmpty    = -5 // must hold nothing: what follows a separator at the end of lines
)

func (c *columns) inputColumns() []rff.Column { return c.described }

// find returns the column of that name, or else of that number.
func (c *columns) find(name string) (int, error) {
	if i := slices.Index(c.names, name); i >= 0 && name != "" {
		if slices.Contains(c.names[i+1:], name) {
			return 0, &ParseError{File: c.file, Line: 1, Need: fmt.Sprintf("two columns are called %q", name)}
		}
		return i, nil
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 1 && i <= len(c.role) && c.role[i-1] != roleEmpty {
		return i - 1, nil
	}
	return 0, noColumn(c.file, []string{name}, c.listed())
}

// listed returns what there is, for messages.
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

// take gives column i, asked for by name, a role, or returns an error if it has one.
func (c *columns) take(i int, name string, role int) error {
	if c.role[i] != roleSkip {
		as := "among the inputs"
		switch {
		case role == roleLabel || c.role[i] == roleLabel:
			as = "among the label and the inputs, weights and groups"
		case role < 0 || c.role[i] < 0:
			as = "among the inputs, weights and groups"
		}
		return &ParseError{File: c.file, Line: 1, Column: i + 1, Name: name, Need: "is named twice " + as}
	}
	c.role[i] = role
	return nil
}

// free reports whether column i has no role yet and may become an input or the label.
func (c *columns) free(i int) bool {
	return c.role[i] == roleSkip && (c.names == nil || c.names[i] != "")
}

// assign gives each of the n columns its role. names may be nil; where empty is
// set, the last column must hold nothing.
func (c *columns) assign(file string, names []string, n int, empty bool, o *Options) error {
	c.file, c.names, c.label, c.weight, c.group = file, names, -1, -1, -1
	c.role = make([]int, n)
	for i := range c.role {
		c.role[i] = roleSkip
	}
	if empty {
		c.role[n-1] = roleEmpty
	}
	for _, w := range []struct {
		name   string
		role   int
		column *int
	}{{o.Weights, roleWeight, &c.weight}, {o.Groups, roleGroup, &c.group}} {
		if w.name == "" {
			continue
		}
		i, err := c.find(w.name)
		if err != nil {
			return err
		}
		if err := c.take(i, w.name, w.role); err != nil {
			return err
		}
		*w.column = i
	}
	picked, err := c.pick(o)
	if err != nil {
		return err
	}
	if err := c.assignLabel(picked, o); err != nil {
		return err
	}
	if picked == nil {
		for i := range c.role {
			if c.free(i) {
				picked = append(picked, i)
			}
		}
		if c.names != nil {
			c.inputs = make([]string, len(picked))
			for k, i := range picked {
				c.inputs[k] = c.names[i]
			}
		}
	}
	for k, i := range picked {
		name := strconv.Itoa(i + 1)
		if c.inputs != nil {
			name = c.inputs[k]
		}
		if err := c.take(i, name, k); err != nil {
			return err
		}
	}
	c.width = len(picked)
	if o.Positional && len(o.Inputs) > 0 && c.width != len(o.Inputs) {
		return &ParseError{File: c.file, Need: fmt.Sprintf("has %d inputs, without names, where %d are wanted", c.width, len(o.Inputs))}
	}
	return c.encode(picked, o)
}

// pick returns the columns that Inputs names, or nil for all.
func (c *columns) pick(o *Options) ([]int, error) {
	if len(o.Inputs) == 0 {
		return nil, nil
	}
	var picked []int
	var missing []string
	for _, name := range o.Inputs {
		i, err := c.find(name)
		if e, ok := err.(*ParseError); ok && e.Columns != nil {
			missing = append(missing, name)
			continue
		} else if err != nil {
			return nil, err
		}
		picked = append(picked, i)
		if c.names != nil && c.names[i] != "" {
			name = c.names[i]
		}
		c.inputs = append(c.inputs, name)
	}
	if missing != nil {
		c.inputs = nil
		if c.names == nil && o.Positional {
			return nil, nil
		}
		return nil, noColumn(c.file, missing, c.listed())
	}
	return picked, nil
}

// assignLabel settles which column is the label. picked are the inputs that were
// named, or nil.
func (c *columns) assignLabel(picked []int, o *Options) error {
	if o.NoLabel || o.LabelFile != "" {
		return nil
	}
	last, free := -1, 0
	for i := range c.role {
		if c.free(i) {
			last = i
			free++
		}
	}
	if o.OptionalLabel {
		inputs := o.Width
		if len(o.Inputs) > 0 {
			inputs = len(o.Inputs)
		}
		absent := free == inputs
		if o.Label != "" && c.names != nil {
			absent = !slices.Contains(c.names, o.Label)
		}
		if absent || picked != nil && o.Label == "" && slices.Contains(picked, last) {
			c.withoutLabel = true
			return nil
		}
	}
	c.label = last
	if o.Label != "" {
		var err error
		if c.label, err = c.find(o.Label); err != nil {
			return err
		}
	} else if n := len(c.role); c.names != nil && c.names[n-1] == "" && c.role[n-1] == roleSkip {
		return &ParseError{File: c.file, Line: 1, Column: n, Need: "has no name in the header: say which column is the label"}
	}
	if picked == nil && free <= 1 && c.label == last {
		return &ParseError{File: c.file, Line: 1, Need: "has a single column: a label and no inputs"}
	}
	name := o.Label
	if c.names != nil {
		c.labelName = c.names[c.label]
		name = c.labelName
	}
	return c.take(c.label, name, roleLabel)
}
