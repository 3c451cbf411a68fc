package dataset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/message"
)

// A file that is read for a schema has the schema's inputs and its target among its columns.

// match finds the columns of the schema in the file. It goes by name if both have names.
// Otherwise it goes by order, and the numbers of columns must agree.
func (c *columns) match(o *Options) (picked []int, err error) {
	if picked, err = c.pick(o); err != nil {
		return nil, err
	}
	apart := o.Task == Unlabelled || o.LabelFile != ""
	target, label := o.Schema.Target.Name, -1
	if !apart && o.Label != "" {
		if label, err = c.find(o.Label); err != nil {
			return nil, err
		}
	}
	if c.names != nil && o.Schema.Names() != nil {
		if picked, err = c.matchNames(o, picked); err != nil {
			return nil, err
		}
		if !apart && label < 0 {
			if target == "" {
				return nil, c.refuse("the fit does not name its label: say which column it is (Label)")
			}
			if !slices.Contains(c.names, target) {
				return nil, absent(c.file, []string{target}, c.listed(), fmt.Sprintf("the label of the fit, %q, is missing: name another (Label)", target))
			}
			if label, err = c.find(target); err != nil {
				return nil, err
			}
		}
	} else if picked, label, err = c.matchOrder(o, picked, label, apart); err != nil {
		return nil, err
	}
	switch {
	case slices.Contains(picked, label):
		return nil, c.refuse("%s is an input of the fit: name another as label (Label)", c.title(label))
	case c.weights >= 0 && slices.Contains(picked, c.weights):
		return nil, c.refuse("%s is an input of the fit, and cannot be the weights", c.title(c.weights))
	case label >= 0 && c.weights == label:
		return nil, c.refuse("%s is the label, and cannot be the weights", c.title(label))
	case label >= 0 && c.names != nil && c.names[label] != "" && target != "" && c.names[label] != target:
		if slices.Contains(c.names, target) {
			return nil, c.refuse("the fit's label, %q, is there, and %s is another column: name the former, or none (Label)", target, c.title(label))
		}
		c.say("%s is taken for the label, which the fit calls %q", c.title(label), target)
	}
	c.label = label
	c.sayUnused(picked)
	return picked, nil
}

func (c *columns) refuse(format string, a ...any) error {
	return &ParseError{Place: Place{File: c.file}, Need: fmt.Sprintf(format, a...)}
}

// say notes how the columns were found.
func (c *columns) say(format string, a ...any) {
	c.matched = append(c.matched, c.file+": "+fmt.Sprintf(format, a...))
}

// sayUnused notes which columns are not used.
func (c *columns) sayUnused(picked []int) {
	const most = 6
	var unused []string
	n := 0
	for i, role := range c.role {
		if role == roleEmpty {
			continue
		}
		if n++; i != c.label && role == roleSkip && !slices.Contains(picked, i) {
			unused = append(unused, c.title(i))
		}
	}
	shown := strings.Join(unused[:min(most, len(unused))], ", ")
	switch {
	case len(unused) == 1:
		c.say("1 of the %d columns is not used: %s", n, shown)
	case len(unused) > most:
		shown += ", …"
		fallthrough
	case len(unused) > 1:
		c.say("%d of the %d columns are not used: %s", len(unused), n, shown)
	}
}

// matchNames returns the columns with the names of the schema's inputs, in the order of the
// schema. chosen has the columns that Options.Inputs names: these columns, or others that are
// all to be taken in their place.
func (c *columns) matchNames(o *Options, chosen []int) (picked []int, err error) {
	want := o.Schema.Names()
	if chosen != nil {
		same := 0
		for _, i := range chosen {
			if slices.Contains(want, c.option(i)) {
				same++
			}
		}
		if same == 0 && len(chosen) == len(want) { // all are others: they are taken in their order
			c.say("the columns named are taken in this order for the inputs of the fit: %s", message.Names(want))
			return chosen, nil
		}
		if same != len(chosen) || same != len(want) {
			return nil, &rff.ParameterError{Name: "Inputs", Value: c.file, Need: "the fit has the inputs " + message.Names(want)}
		}
	}
	var missing []string
	for k, name := range want {
		if at, _ := c.named(name); at == twice { // a number cannot tell which one the fit had
			return nil, c.refuse("two columns are called %q, as an input of the fit is: rename one or leave it out", name)
		}
		i, err := c.find(name)
		switch no, ok := err.(*ParseError); {
		case err == nil && slices.Contains(want[k+1:], name):
			return nil, c.refuse("the fit has two inputs that are called %q: rename one, and fit again", name)
		case err == nil && (c.names[i] == name || c.names[i] == ""): // a column without a name goes by its number
			picked = append(picked, i)
		case err == nil || ok && no.columns != nil:
			missing = append(missing, name)
		default:
			return nil, err
		}
	}
	if missing != nil {
		verb := map[bool]string{true: "is", false: "are"}[len(missing) == 1]
		return nil, absent(c.file, missing, c.listed(), fmt.Sprintf("of the %s of the fit %s %s missing", message.Count(len(want), "input"), message.Names(missing), verb))
	}
	return picked, nil
}

// matchOrder finds the inputs by the order of columns, and returns them and the column of the
// label.
func (c *columns) matchOrder(o *Options, chosen []int, label int, apart bool) ([]int, int, error) {
	want := len(o.Schema.Inputs)
	var all, like []int // all columns that may be used, and those with the numbers that the fit used
	for i := range c.role {
		if c.free(i) {
			all = append(all, i)
		}
	}
	for _, column := range o.Schema.Inputs {
		if k := column.Number; k > 0 && k <= len(c.role) && c.free(k-1) {
			like = append(like, k-1)
		}
	}
	need := want
	if !apart {
		need++
	}
	switch {
	case chosen != nil && len(chosen) != want:
		return nil, 0, c.refuse("%s named, and the fit had %s", message.Count(len(chosen), "column is", "columns are"), message.Count(want, "input"))
	case chosen == nil && len(like) == want && len(c.role) != want:
		chosen = like
	case chosen == nil && len(all) != need:
		return nil, 0, c.wrongCount(o, len(all), need, apart)
	}
	if !apart && label < 0 {
		label = all[len(all)-1]
	}
	if chosen == nil {
		chosen = slices.DeleteFunc(all, func(i int) bool { return i == label })
	}
	switch {
	case c.names == nil && o.Schema.Names() != nil:
		c.say("it has no header: its columns are taken in order for %s", message.Names(o.Schema.Names()))
	case c.names != nil:
		c.say("the fit does not name its inputs: the columns are taken in order")
	}
	return chosen, label, nil
}

// wrongCount says that columns cannot be matched in their order, and what to do.
func (c *columns) wrongCount(o *Options, have, need int, apart bool) error {
	want := len(o.Schema.Inputs)
	text := fmt.Sprintf("has %s, the fit had %s", message.Count(have, "column"), message.Count(want, "input"))
	if !apart {
		text += " and a label"
	}
	switch {
	case apart && have == want+1:
		text += ": if one is the label, say which (Label); if not, say which are the inputs (Inputs)"
	case have > need:
		text += ": say which are the inputs (Inputs)"
	default:
		return c.refuse("%s: %d too few", text, need-have)
	}
	if o.Schema.Names() != nil { // the file has none
		text += ", or write the names of its columns above it"
	}
	return c.refuse("%s", text)
}
