package dataset

import (
	"fmt"
	"math"
	"slices"
)

// Task says what the labels are.
type Task uint8

// The tasks.
const (
	// AutoTask takes labels as classes if one of them is no number, or if they
	// are integers with at most 12 different values, or at most 32 that are 0 …
	// k−1 or 1 … k; else as numbers. Coding.Decided says what it made of integers.
	AutoTask Task = iota
	Classification
	Regression
)

var taskNames = [...]string{"auto", "classification", "regression"}

func (t Task) String() string { return taskNames[t] }

// ParseTask returns the task of that name.
func ParseTask(s string) (Task, error) {
	for i, n := range taskNames {
		if s == n {
			return Task(i), nil
		}
	}
	return 0, fmt.Errorf("dataset: unknown task %q: one of auto, classification, regression", s)
}

const (
	fewIntegers       = 12   // integers of up to so many values are classes, whatever they are
	maxIntegerClasses = 32   // above this, integers are taken as a numeric target
	maxClasses        = 4096 // above this, labels are surely not classes
)

// Coding turns labels into the targets of a learner: the number itself for
// regression; for two classes one column, −1 for the first and +1 for the
// second; for more one column per class, +1 in the row's own and −1 elsewhere.
type Coding struct {
	Task    Task
	Classes []string // in order; numbers by value, text by bytes
	// Decided says how AutoTask took labels that are integers, which could be
	// classes or numbers: "11 integer values: taken as classes". Empty when there
	// was nothing to decide.
	Decided string

	index map[string]int
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
	return c
}

// Targets returns the number of target columns.
func (c Coding) Targets() int {
	if len(c.Classes) > 2 {
		return len(c.Classes)
	}
	return 1
}

// Class returns the index of a label among the classes, or −1. Numbers are
// compared as numbers: 1, +1 and 1.0 are one class, and so are 0 and −0.
func (c Coding) Class(l Label) int {
	if l.Text != nil {
		if i, ok := c.index[string(l.Text)]; ok {
			return i
		}
	}
	if l.Number {
		if i, ok := c.index[formatNumber(l.Value)]; ok {
			return i
		}
	}
	return -1
}

// Value returns what a Table keeps of a label: the number, or the index of the
// class. The error, without a place, says what
// the label should have been.
func (c Coding) Value(l Label) (float64, error) {
	if c.Task == Regression {
		if !l.Number {
			return 0, fmt.Errorf("is not a number, but the target is one")
		}
		return l.Value, nil
	}
	k := c.Class(l)
	if k < 0 {
		return 0, fmt.Errorf("is not one of the classes %s", listed(c.Classes))
	}
	return float64(k), nil
}

// Decode returns the class that predicted targets f stand for: the largest of
// several, the sign of a single one, where 0 counts as positive.
func (c Coding) Decode(f []float64) int {
	if len(f) == 1 {
		if f[0] >= 0 {
			return 1
		}
		return 0
	}
	best := 0
	for k, v := range f {
		if v > f[best] {
			best = k
		}
	}
	return best
}

// encode writes the target columns of a value to y.
func (c Coding) encode(y []float64, v float64) {
	if len(c.Classes) == 0 {
		y[0] = v
		return
	}
	if len(y) == 1 {
		y[0] = 2*v - 1
		return
	}
	for k := range y {
		y[k] = -1
	}
	y[int(v)] = 1
}

// tally collects the different labels of a column.
type tally struct {
	counts   map[string]int64 // by text as written, or shortest decimal
	numbers  bool             // all are numbers
	integers bool
	overflow bool // too many to be classes
	min, max float64
	scratch  []byte
}

func newTally() *tally {
	return &tally{counts: map[string]int64{}, numbers: true, integers: true}
}

func (t *tally) add(l Label) {
	first := len(t.counts) == 0 && !t.overflow
	if l.Number {
		if first || l.Value < t.min {
			t.min = l.Value
		}
		if first || l.Value > t.max {
			t.max = l.Value
		}
		t.integers = t.integers && l.Value == math.Trunc(l.Value)
	} else {
		t.numbers = false
	}
	if t.overflow {
		return
	}
	key := l.Text
	if key == nil {
		t.scratch = appendNumber(t.scratch[:0], l.Value)
		key = t.scratch
	}
	if _, known := t.counts[string(key)]; known { // without making a string
		t.counts[string(key)]++
		return
	}
	t.counts[string(key)] = 1
	if len(t.counts) > maxClasses {
		t.overflow, t.counts = true, nil
	}
}

// coding settles the task. file names the data in errors.
func (t *tally) coding(file string, task Task) (Coding, map[string]int64, error) {
	classes := t.classes()
	decided := ""
	if task == AutoTask {
		task, decided = t.decide(len(classes))
	}
	if task == Regression {
		if !t.numbers {
			return Coding{}, nil, &LabelError{File: file, Need: "the target has values that are not numbers: regression is not possible"}
		}
		return Coding{Task: Regression, Decided: decided}, nil, nil
	}
	if t.overflow || len(classes) > maxClasses {
		return Coding{}, nil, &LabelError{File: file, Need: fmt.Sprintf("the label has more than %d different values: is it the right column, and is this classification?", maxClasses)}
	}
	if len(classes) < 2 {
		return Coding{}, nil, &LabelError{File: file, Need: fmt.Sprintf("the label has one class only, %s: there is nothing to learn", listed(keys(classes))), Only: keys(classes)[0]}
	}
	names := keys(classes)
	if t.numbers {
		slices.SortFunc(names, func(a, b string) int {
			x, _ := parseNumber([]byte(a))
			y, _ := parseNumber([]byte(b))
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		})
	} else {
		slices.Sort(names)
	}
	c := NewCoding(names)
	c.Decided = decided
	return c, classes, nil
}

// decide settles the task of labels with so many different values, and says how
// if they are integers.
func (t *tally) decide(values int) (task Task, decided string) {
	if !t.numbers {
		return Classification, ""
	}
	if !t.integers {
		return Regression, ""
	}
	// Integers from 0 or 1 on without a gap: values are all different.
	codes := (t.min == 0 || t.min == 1) && t.max-t.min == float64(values-1)
	switch {
	case t.overflow:
		return Regression, fmt.Sprintf("more than %d integer values: taken as numbers", maxClasses)
	case values <= fewIntegers || values <= maxIntegerClasses && codes:
		return Classification, fmt.Sprintf("%d integer values: taken as classes", values)
	}
	return Regression, fmt.Sprintf("%d integer values: taken as numbers", values)
}

// classes returns the counts with numbers in their shortest form, if all are numbers.
func (t *tally) classes() map[string]int64 {
	if !t.numbers {
		return t.counts
	}
	out := make(map[string]int64, len(t.counts))
	for s, n := range t.counts {
		if v, ok := parseNumber([]byte(s)); ok {
			s = formatNumber(v)
		}
		out[s] += n
	}
	return out
}

func keys(m map[string]int64) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
