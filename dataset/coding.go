package dataset

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/rffgo/rff/internal/cells"
	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/look"
	"github.com/rffgo/rff/internal/message"
	"github.com/rffgo/rff/internal/numeral"
)

// Task says what the labels are. "" is detected. Labels are classes if one of them is no
// number, if they are integers with at most 12 different values, or if they are the integers
// 0 … k−1 or 1 … k for a k of at most 32. All other labels are numbers, and so are integers with
// more than 6 different values that are more than half as many as the rows.
type Task string

// The tasks.
const (
	Classification Task = "classification"
	Regression     Task = "regression"
	// Unlabelled, in Options, says that the rows have no labels: there is nothing to learn.
	Unlabelled Task = "none"
)

const (
	fewIntegers = 12 // integers with at most this many values are classes
	mostSmall   = 6  // up to this many classes may have one row each
)

// Coding turns labels into the targets of a learner. For regression the target is the number
// itself. Two classes have one column, −1 for the first and +1 for the second. More classes
// have one column each, +1 in the column of the row's class and −1 elsewhere.
type Coding struct {
	Task    Task
	Classes []string // in order; numbers by value, text by bytes

	// decided says how labels that could be classes or numbers, or missing, were taken: "11 integer
	// values: taken as classes". It is empty if there was nothing to decide.
	decided string
	index   map[string]int
}

// NewCoding returns the coding for these classes, in the order given, or for
// regression if there are none.
func NewCoding(classes []string) Coding {
	if len(classes) == 0 {
		return Coding{Task: Regression}
	}
	c := Coding{Task: Classification, Classes: classes, index: make(map[string]int, len(classes))}
	for i, s := range classes {
		c.index[s] = i
	}
	for i, s := range classes { // Python and programs may name a class otherwise than files do
		if _, known := c.index[cells.Level(s)]; !known {
			c.index[cells.Level(s)] = i
		}
	}
	return c
}

// class returns the index of a label among the classes, or −1. Numbers are
// compared as words are (cells.Word): 1, +1 and 1.0 are one class, and so are 0 and −0. If the classes are
// booleans, so are TRUE, true and 1.
func (c Coding) class(l look.Label) int {
	if l.Text != nil {
		if i, ok := c.index[string(l.Text)]; ok {
			return i
		}
	}
	if l.Number {
		if i, ok := c.index[cells.Level(l.String())]; ok {
			return i
		}
	}
	if i, ok := c.index[cells.SameBoolean(slices.Values(c.Classes), cells.Word([]byte(l.String())))]; ok && len(c.Classes) == 2 {
		return i
	}
	return -1
}

// Value returns the value that a Table keeps for the label of a row: the number, or the index
// of its class. Numbers are compared as numbers: 1, +1 and 1.0 are one class. The error, a
// *ParseError, says what the label should have been.
func (c Coding) Value(r Row) (float64, error) {
	v, err := c.value(r.label)
	if err != nil {
		return 0, labelError(r, r.target, err)
	}
	return v, nil
}

func (c Coding) value(l look.Label) (float64, error) {
	if c.Task == Regression {
		if word, v := cells.Boolean(l.Text); word != "" {
			return v, nil
		} else if !l.Number {
			return 0, fmt.Errorf("is not a number, but the target is one")
		}
		return l.Value, nil
	}
	k := c.class(l)
	if k < 0 {
		return 0, fmt.Errorf("is not one of the classes %s", message.Names(c.Classes))
	}
	return float64(k), nil
}

// encode writes the target columns of a value to y.
func (c Coding) encode(y []float64, v float64) {
	if len(c.Classes) == 0 {
		y[0] = v
		return
	}
	classes.Encode(y, int(v), len(c.Classes))
}

// tally collects the different labels of a column.
type tally struct {
	look.Labels                // what is known of all of them; Counts are made at the end
	ids         map[string]int // number of a label, by its text as written or its shortest decimal
	ofBits      map[uint64]int // number of a label that has no text, by the bits of its value
	rows        []int64        // rows with each label
	values      []float64      // of labels that are numbers
	scratch     []byte
}

// read counts the label of a row, and returns its number as add does.
func (t *tally) read(r Row) int {
	t.Rows++
	if !r.label.Number && t.Word == nil {
		t.Word = &look.Word{Text: r.label.String(), File: r.Place.File, Row: r.Place.Row, Line: r.Place.Line}
	}
	return t.add(r.label)
}

func newTally() *tally {
	return &tally{Labels: look.NewLabels(), ids: map[string]int{}, ofBits: map[uint64]int{}}
}

// add counts a label and returns its number, or −1 if there are too many labels. Labels are
// numbered from 0 in the order in which they come.
func (t *tally) add(l look.Label) int {
	switch {
	case !l.Number:
		t.Numbers = false
	case t.Min == nil:
		low, high := l.Value, l.Value
		t.Min, t.Max = &low, &high
	case l.Value < *t.Min:
		*t.Min = l.Value
	case l.Value > *t.Max:
		*t.Max = l.Value
	}
	t.Integers = t.Integers && (!l.Number || l.Value == math.Trunc(l.Value))
	if t.More {
		return -1
	}
	key := l.Text
	if key == nil {
		if id, known := t.ofBits[math.Float64bits(l.Value)]; known { // without its digits
			t.rows[id]++
			return id
		}
		t.scratch = numeral.Append(t.scratch[:0], l.Value)
		key = t.scratch
	}
	if id, known := t.ids[string(key)]; known { // without making a string
		t.rows[id]++
		return id
	}
	id := len(t.rows)
	if l.Text == nil {
		t.ofBits[math.Float64bits(l.Value)] = id
	}
	t.ids[string(key)], t.rows, t.values = id, append(t.rows, 1), append(t.values, l.Value)
	if len(t.rows) > classes.Most {
		t.More = true
		return -1
	}
	return id
}

// counts returns the counts of the labels and what else t knows of them.
func (t *tally) counts() look.Labels {
	l := t.Labels
	for text, id := range t.ids {
		if !t.More {
			l.Counts[text] = t.rows[id]
		}
	}
	if !t.Numbers {
		l.Min, l.Max = nil, nil
	}
	return l
}

// tallyOf returns the labels that are counted in l.
func tallyOf(l look.Labels) *tally {
	t := newTally()
	for text, rows := range l.Counts {
		t.ids[text], t.rows = len(t.rows), append(t.rows, rows)
	}
	t.Labels = l
	return t
}

// coding settles the task. file names the data in errors. A part of a data set may have one
// class only.
func (t *tally) coding(file string, task Task, part bool) (Coding, map[string]int64, error) {
	counts := t.classes()
	decided := ""
	if task == "" {
		task, decided = t.decide(len(counts), part)
	}
	if task == Regression {
		if !t.Numbers && !t.booleans() {
			return Coding{}, nil, t.noNumber("and the target of a regression has numbers: " + t.mend())
		}
		if t.Min != nil && *t.Min == *t.Max && t.Rows > 1 && !part {
			return Coding{}, nil, &ParseError{Place: Place{File: file}, Need: fmt.Sprintf("the target is %s in every row: there is nothing to learn", numeral.Format(*t.Min))}
		}
		return Coding{Task: Regression, decided: decided}, nil, nil
	}
	if len(counts) < 2 && !t.More && !part {
		return Coding{}, nil, &ParseError{Place: Place{File: file}, Need: fmt.Sprintf("the label has one class only, %s: there is nothing to learn", message.Names(slices.Sorted(maps.Keys(counts))))}
	}
	if need := t.tooMany(len(counts), part); need != "" {
		switch {
		case t.Numbers:
			return Coding{}, nil, &ParseError{Place: Place{File: file}, Need: need + ": is it the right column?"}
		case t.Min != nil: // some are numbers
			return Coding{}, nil, t.noNumber("as other labels are, and " + need + ": " + t.mend())
		}
		return Coding{}, nil, t.noNumber("and " + need + ": is it the right column?")
	}
	if err := t.keepZeros(file, counts); err != nil {
		return Coding{}, nil, err
	}
	names := slices.Sorted(maps.Keys(counts))
	classes.Sort(names)
	c := NewCoding(names)
	c.decided = decided
	return c, counts, nil
}

// noNumber names the first label that is no number.
func (t *tally) noNumber(need string) error {
	w := t.Word
	return &ParseError{Place: Place{w.File, w.Row, w.Line}, Value: shorten([]byte(w.Text)), Need: "is not a number, " + need}
}

// mend says what to do about the first label that is no number.
func (t *tally) mend() string {
	if slices.Contains(cells.NA(), t.Word.Text) {
		return "take it for a missing label, whose row is left out (NA with Missing), or mend the cell"
	}
	return "mend this cell or leave its row out"
}

// maybeMissing names a class that may stand for a missing label, as NA of R and None of pandas. It leaves
// out signs such as -, which are classes beside +.
func (t *tally) maybeMissing() string {
	for _, w := range cells.NA() {
		if _, there := t.ids[w]; there && len(w) > 1 {
			return fmt.Sprintf("the class %q; if it stands for a missing label, leave such rows out (NA with Missing)", w)
		}
	}
	return ""
}

// tooMany says why that many different values are no classes, or returns "".
func (t *tally) tooMany(values int, part bool) string {
	switch {
	case t.More || values > classes.Most:
		return fmt.Sprintf("the label has more than %d different values, which are no classes", classes.Most)
	case t.nearlyAll(values) && !part:
		return fmt.Sprintf("the label has %d different values in %d rows, which are no classes", values, t.Rows)
	}
	return ""
}

// nearlyAll reports whether that many different values are those of more than half of the rows, and
// more than a few rows could have.
func (t *tally) nearlyAll(values int) bool { return values > mostSmall && int64(2*values) > t.Rows }

// decide settles the task of labels with that many different values. If they are integers, or some
// are numbers or like numbers, it says how they are taken.
func (t *tally) decide(values int, part bool) (task Task, decided string) {
	if w := t.Word; w != nil && (t.Min != nil || cells.Disguised([]byte(w.Text))) {
		return Classification, fmt.Sprintf("%q in row %d, which is no number: taken as classes; for numbers, %s", shorten([]byte(w.Text)), w.Row, t.mend())
	}
	if !t.Numbers || t.Rows == 0 { // a part may have none that count
		return Classification, t.maybeMissing()
	}
	if !t.Integers {
		return Regression, ""
	}
	// The integers are 0 … k−1 or 1 … k if they begin so and none is left out.
	codes := t.Min != nil && (*t.Min == 0 || *t.Min == 1) && *t.Max-*t.Min == float64(values-1)
	switch {
	case t.More:
		return Regression, fmt.Sprintf("more than %d integer values: taken as numbers", classes.Most)
	case values == 1: // a part of a data set
		return Classification, "one integer value: taken as a class"
	case t.nearlyAll(values) && !part:
		return Regression, fmt.Sprintf("%d integer values in %d rows: taken as numbers", values, t.Rows)
	case values <= fewIntegers || values <= classes.MostIntegers && codes:
		return Classification, fmt.Sprintf("%d integer values: taken as classes", values)
	}
	return Regression, fmt.Sprintf("%d integer values: taken as numbers", values)
}

// booleans reports whether all labels are true or false, in any capitals.
func (t *tally) booleans() bool {
	for s := range t.ids {
		if word, _ := cells.Boolean([]byte(s)); word == "" {
			return false
		}
	}
	return !t.More
}

// keepZeros gives classes that are numbers their names with the zeros before them, which predictions
// of zip codes must have. It refuses a number that is written in another way, too: 007 and 7 are
// two codes, and one number.
func (t *tally) keepZeros(file string, counts map[string]int64) error {
	for _, s := range slices.Sorted(maps.Keys(t.ids)) {
		if !t.Numbers || !cells.Padded(s) {
			continue
		}
		number, rows := cells.Level(s), t.rows[t.ids[s]]
		if counts[number] != rows {
			return &ParseError{Place: Place{File: file}, Value: shorten([]byte(s)), Need: fmt.Sprintf("is the label of some rows, and others write the number %s otherwise: %s", number, cells.OneWriting)}
		}
		delete(counts, number)
		counts[s] = rows
	}
	return nil
}

// classes returns the counts with numbers in their shortest form, if all are numbers, and with
// booleans in one form, if all are booleans.
func (t *tally) classes() map[string]int64 {
	if t.More {
		return nil
	}
	out, booleans := make(map[string]int64, len(t.rows)), t.booleans()
	for s, id := range t.ids {
		if t.Numbers {
			s = cells.Level(s)
		} else if booleans {
			s, _ = cells.Boolean([]byte(s))
		}
		out[s] += t.rows[id]
	}
	return out
}
