package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/message"
)

// description is what rff describe says of a data set. A count that is not known is left out.
type description struct {
	Data        string            `json:"data"`
	Format      string            `json:"format,omitempty"`
	Rows        int64             `json:"rows"`
	Inputs      int               `json:"inputs"`               // inputs that a fit makes of the columns
	RowsMissing int64             `json:"rows_missing"`         // rows that lack an input
	Dropped     int64             `json:"dropped,omitempty"`    // rows that --missing drop leaves out
	Unreadable  int64             `json:"unreadable,omitempty"` // rows that the reader refuses, which are left out here
	Repeats     int64             `json:"repeats"`              // rows that have the inputs of an earlier row
	Target      *describedTarget  `json:"target,omitempty"`
	Columns     []describedColumn `json:"columns"`
	Notes       []string          `json:"notes,omitempty"`
	// Stop says where and why rff fit would stop with these flags.
	Stop string `json:"fit_stops,omitempty"`
}

// describedTarget is the column of the labels. Lowest and Highest are those of numbers.
type describedTarget struct {
	Name      string       `json:"name,omitempty"`
	Task      dataset.Task `json:"task"`
	Different int          `json:"different,omitempty"` // 0: there are more labels than classes may have
	Classes   []share      `json:"classes,omitempty"`   // the most frequent first
	Lowest    *float64     `json:"lowest,omitempty"`
	Highest   *float64     `json:"highest,omitempty"`
}

// share is a class or a word, and the rows that have it.
type share struct {
	Text  string  `json:"text"`
	Rows  int64   `json:"rows"`
	Share float64 `json:"share"`
}

// describedColumn is a column that is an input, or could be one.
type describedColumn struct {
	Name       string   `json:"name"`
	Kind       string   `json:"kind"` // "number", "words", "times", "times of day" or "id"
	Missing    *int64   `json:"missing,omitempty"`
	Unreadable int64    `json:"unreadable,omitempty"`
	Different  int64    `json:"different,omitempty"`
	More       bool     `json:"more,omitempty"`   // there are more than Different values
	Lowest     *float64 `json:"lowest,omitempty"` // of numbers; of times, in days since 1970; of times of day, in hours
	Highest    *float64 `json:"highest,omitempty"`
	Mean       *float64 `json:"mean,omitempty"`
	Words      []share  `json:"words,omitempty"` // the most frequent first
	Inputs     int      `json:"inputs"`          // 0: it is left out
	Fit        string   `json:"fit"`             // what a fit makes of it
}

// print writes the description as text.
func (d *description) print(w io.Writer) error {
	var head facts
	format := ""
	if d.Format != "" {
		format = d.Format + ", "
	}
	head.add("data", "%s: %s%s, %s that can be inputs", d.Data, format, message.Count(d.Rows, "row"), message.Count(len(d.Columns), "column"))
	head.addTarget(d.Target)
	if d.RowsMissing > 0 {
		head.add("missing", "an input is missing in %s", message.Count(d.RowsMissing, "row"))
	}
	if d.Dropped > 0 {
		head.add("missing", "a value is missing in %s, which a fit leaves out", message.Count(d.Dropped, "row"))
	}
	if d.Unreadable > 0 {
		head.add("unread", "the reader refuses %s, which nothing here counts", message.Count(d.Unreadable, "row"))
	}
	about := ""
	if d.Rows-d.Repeats > fold.MostContents {
		about = "about "
	}
	head.add("repeats", "%s%s the inputs of an earlier row", about, message.Count(d.Repeats, "row has", "rows have"))
	head.print(w)
	fmt.Fprintln(w)
	if err := d.printColumns(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	var foot facts
	for _, n := range d.Notes {
		foot.add("note", "%s", n)
	}
	if d.Stop != "" {
		foot.add("fit", "would stop: %s", d.Stop)
	} else {
		foot.add("fit", "would use %s", message.Count(d.Inputs, "input"))
	}
	foot.print(w)
	return nil
}

// The line of a column names shownWords of its words. shownClasses classes are listed.
const shownWords, shownClasses = 3, 30

// addTarget describes the target, with a line for each class.
func (f *facts) addTarget(t *describedTarget) {
	if t == nil {
		return
	}
	name := t.Name
	if name == "" {
		name = "the label"
	}
	if t.Task == dataset.Regression {
		values := fmt.Sprint(t.Different)
		if t.Different == 0 {
			values = fmt.Sprint("more than ", classes.Most)
		}
		f.add("target", "%s: numbers %s … %s, %s different ones", name, number6(t.Lowest), number6(t.Highest), values)
		return
	}
	f.add("target", "%s: %d classes", name, len(t.Classes))
	for i, c := range t.Classes {
		if i == shownClasses && len(t.Classes) > shownClasses+1 {
			f.add("", "… and %d more, of %s at most: --json has them all", len(t.Classes)-i, message.Count(c.Rows, "row"))
			break
		}
		f.add("", "%6.2f %%  %q, %s", 100*c.Share, c.Text, message.Count(c.Rows, "row"))
	}
}

// values says in short what a column holds.
func (c *describedColumn) values() string {
	switch {
	case c.Words != nil:
		var most []string
		for _, w := range c.Words[:min(shownWords, len(c.Words))] {
			most = append(most, fmt.Sprintf("%.30q %.0f %%", w.Text, 100*w.Share))
		}
		if n := len(c.Words) - shownWords; n > 0 {
			most = append(most, fmt.Sprintf("%d more", n))
		}
		return strings.Join(most, ", ")
	case c.Lowest == nil:
		return "—"
	case c.Kind == "times":
		return dayText(*c.Lowest) + " … " + dayText(*c.Highest)
	case c.Kind == "times of day":
		return hourText(*c.Lowest) + " … " + hourText(*c.Highest)
	}
	return fmt.Sprintf("%s … %s, mean %.4g", number6(c.Lowest), number6(c.Highest), *c.Mean)
}

// dayText writes days since 1970 as a date.
func dayText(days float64) string {
	return time.Unix(int64(math.Floor(days*86400)), 0).UTC().Format(time.DateOnly)
}

// hourText writes hours since midnight as a time of day.
func hourText(hours float64) string {
	s := int(math.Round(hours * 3600))
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

// printColumns prints a line for each column.
func (d *description) printColumns(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "column\tkind\tmissing\tdifferent\tvalues\ta fit makes of it")
	for i, c := range d.Columns {
		if i == shownInputs {
			break
		}
		missing, values := "—", fmt.Sprint(c.Different)
		if c.Missing != nil {
			missing = fmt.Sprint(*c.Missing)
		}
		if c.More {
			values = "> " + values
		}
		fit := c.Fit
		if c.Unreadable > 0 {
			fit += fmt.Sprintf("; cells that cannot be read: %d", c.Unreadable)
		}
		line := []string{c.Name, c.Kind, missing, values, c.values(), fit}
		for k, text := range line {
			line[k] = strings.ReplaceAll(printable(text), "\t", `\t`)
		}
		fmt.Fprintln(t, strings.Join(line, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if n := len(d.Columns) - shownInputs; n > 0 {
		if _, err := fmt.Fprintf(w, "and %d more: --json has them all\n", n); err != nil {
			return err
		}
	}
	return nil
}
