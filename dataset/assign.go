package dataset

import (
	"strconv"
)

// assign gives each of the n columns its role. names may be nil. If empty is set, the last
// column must hold nothing.
func (c *columns) assign(file string, names []string, n int, empty bool, o *Options) error {
	c.file, c.names, c.like, c.label, c.weights, c.groups = file, names, o.ours.Like, -1, -1, -1
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
	}{{o.Weights, roleWeight, &c.weights}, {o.Groups, roleGroup, &c.groups}} {
		if w.name == "" {
			continue
		}
		i, err := c.find(w.name)
		if err != nil {
			return err
		}
		if err := c.take(i, w.role); err != nil {
			return err
		}
		*w.column = i
	}
	find := c.pick
	if o.Schema != nil {
		find = c.match
	}
	picked, err := find(o) // nil for all columns
	if err != nil {
		return err
	}
	if err := c.assignLabel(picked, o); err != nil {
		return err
	}
	if picked == nil {
		picked = c.unclaimed()
	}
	if o.Schema != nil && len(o.Schema.Names()) == len(picked) {
		c.inputs = o.Schema.Names()
	} else if c.names != nil {
		c.inputs = make([]string, len(picked))
		for k, i := range picked {
			if c.inputs[k] = c.names[i]; c.names[i] == "" {
				c.inputs[k] = strconv.Itoa(i + 1)
			}
		}
	} else if len(o.Inputs) > 0 {
		for _, i := range picked {
			c.inputs = append(c.inputs, strconv.Itoa(i+1))
		}
	}
	for k, i := range picked {
		if err := c.take(i, k); err != nil {
			return err
		}
		if err := c.apart(c.nameOf(i), o); err != nil {
			return err
		}
	}
	c.width, c.picked = len(picked), picked
	return c.encode(picked, o)
}

// unclaimed returns the columns that have no role yet, and says which of them it leaves out.
func (c *columns) unclaimed() (picked []int) {
	var nameless []int
	for i, role := range c.role {
		switch {
		case c.free(i):
			picked = append(picked, i)
		case role != roleSkip:
		case isIndex(c.names[i]):
			c.say("%s is an index that pandas wrote: it is left out", c.title(i))
		default:
			nameless = append(nameless, i)
		}
	}
	if len(nameless) > 0 {
		further := ""
		if len(nameless) > 1 {
			further = ", as are further columns without names"
		}
		c.say("%s has no name, as the row names of pandas and R: it is left out%s", c.title(nameless[0]), further)
	}
	return picked
}

// assignLabel settles which column is the label. picked has the inputs that Options name, or
// is nil.
func (c *columns) assignLabel(picked []int, o *Options) error {
	if o.Task == Unlabelled || o.LabelFile != "" {
		return nil
	}
	if o.Schema != nil { // match has found it
		if c.names != nil {
			c.labelName = c.names[c.label]
		}
		return c.take(c.label, roleLabel)
	}
	last, free, behind := -1, 0, "" // behind is an index after the last column
	for i := range c.role {
		if c.free(i) {
			if free++; c.index == nil || !c.index[i] || last < 0 {
				last, behind = i, ""
			} else if behind == "" {
				behind = c.title(i)
			}
		}
	}
	c.label = last
	if o.Label != "" {
		var err error
		if c.label, err = c.find(o.Label); err != nil {
			return err
		}
	} else if n := len(c.role); c.names != nil && c.names[n-1] == "" && c.role[n-1] == roleSkip {
		return &ParseError{Place: Place{File: c.file}, Column: n, Need: "has no name in the header: say which column is the label"}
	} else if behind != "" {
		c.say("%s is an index that pandas wrote behind the columns, of which %s is the last, and so the label", behind, c.title(last))
	}
	if picked == nil && free <= 1 && c.label == last {
		return c.refuse("has a single column: a label and no inputs")
	}
	if c.names != nil {
		c.labelName = c.names[c.label]
	}
	return c.take(c.label, roleLabel)
}
