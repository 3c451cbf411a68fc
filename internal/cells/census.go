package cells

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/numeral"
)

// Most bounds the different words of a column: a column with more has identifiers or prose.
const Most = 4096

// Census counts what the cells of a column are. It is the Kind of a column that is not
// known yet: its cells become no inputs, and Settle says which kind of column they make.
type Census struct {
	na    []string
	Told  bool   // the column is said to be one of words
	Keep  bool   // it is said to be an input, whatever it looks like
	Order string // that of Time, or "" to take the order from the cells

	cells, numbers, words int64        // a number may have a currency or a percent sign
	whole                 bool         // all numbers are whole
	ids                   fold.Repeats // by the hashes of the cells
	set                   Set          // the different words, or empty if more is set
	more                  bool         // there are more than Most
	times                 times
}

// NewCensus returns a census that has seen no cell. na are the words for missing values.
func NewCensus(na []string) *Census {
	c := &Census{na: na, whole: true, set: Set{}}
	c.times.leastClock, c.times.mostClock = math.MaxInt64, math.MinInt64
	for i := range c.times.low {
		c.times.low[i], c.times.high[i] = math.MaxInt64, math.MinInt64
	}
	return c
}

func (*Census) Width() int { return 0 }
func (*Census) Gaps() bool { return false }

func (c *Census) Text(_ []float64, cell []byte) string {
	if !c.Told && (len(cell) == 0 || slices.Contains(c.na, string(cell))) {
		c.add(cell)
		return ""
	}
	if v, ok := numeral.Parse(cell); ok && v-v == 0 {
		return c.Number(nil, v)
	}
	c.cells++
	if s, ok := ParseStamp(cell); ok {
		c.times.add(s, cell)
	} else if Disguised(cell) {
		c.numbers++
	} else {
		c.words++
	}
	return c.distinct(cell)
}

func (c *Census) Number(_ []float64, v float64) string {
	c.cells++
	c.numbers++
	c.whole = c.whole && v == math.Trunc(v)
	return c.distinct(numeral.Append(nil, v))
}

func (c *Census) Stamp(_ []float64, s Stamp) string {
	c.cells++
	c.times.add(s, nil)
	return ""
}

// distinct counts how often a cell occurs. It ends the reading as soon as it is certain that
// there are too many words.
func (c *Census) distinct(cell []byte) string {
	known := c.more
	c.ids.Add(c.add(cell))
	if c.Told && c.more && !known && (c.Keep || c.ids.Count() > 0) {
		return tooMany
	}
	return ""
}

var tooMany = fmt.Sprintf("makes more than %d levels: a column of identifiers is no category", Most)

// add adds a word to the set, and returns its hash.
func (c *Census) add(cell []byte) int64 {
	w := Word(cell)
	if !c.more && !c.set.Has(string(w)) {
		c.see(string(w))
	}
	h := fnv.New64a()
	h.Write(w)
	return int64(h.Sum64())
}

// see adds a word to the set. From the first word beyond Most on the set is empty, since its
// words would depend on the order of the rows.
func (c *Census) see(w string) {
	c.set.Add(w)
	if len(c.set) > Most {
		c.more = true
		clear(c.set)
	}
}

// Up to few cells may all be different without meaning anything.
const few = 10

// Settle returns the kind of the column of that name, or nil for one that is no input. A note
// tells the user something, with title for the column; need, if not empty, says why the column
// cannot be used. A column
//
//   - that is said to be one of words is that, unless all words are different;
//   - of whole numbers that all are different, with the name of an id, is no input;
//   - of times, at least as many as other words, is one of times;
//   - of words that are different in more than half of the cells, or more than Most of
//     them, is no input;
//   - of other words is one of words, unless as many cells are numbers.
func (c *Census) Settle(name, title string) (kind Kind, note, need string) {
	different := int64(len(c.set))
	if c.more {
		different = Most + 1
	}
	switch {
	case c.Told && different == 0:
		return nil, "", "has no words: all of its cells are empty"
	case c.Told && !c.Keep && c.cells > few && c.ids.Count() == 0:
		return nil, fmt.Sprintf("each of the %d rows has another word in %s, which names the rows: the column is left out; --keep makes inputs of it", c.cells, title), ""
	case c.Told && different > Most:
		return nil, "", tooMany
	case c.Told:
		return c.ordered(), "", ""
	case !c.Keep && IsID(name) && c.whole && c.numbers == c.cells && c.cells > few && c.ids.Count() == 0:
		return nil, fmt.Sprintf("%s has another whole number in each of the %d rows, and the name of an id: it is left out; --keep makes an input of it", title, c.cells), ""
	case c.times.count > c.numbers && c.times.count >= c.words:
		t, note, need := c.times.settle(c.Order)
		return t, title + " " + note, need
	case c.words == 0 || c.numbers >= c.words:
		return Number{}, "", ""
	case !c.Keep && (different > Most || different > few && 2*different > c.cells):
		many := fmt.Sprint(different)
		if different > Most {
			many = fmt.Sprint("more than ", Most)
		}
		return nil, fmt.Sprintf("%s has %s different words in %d rows, which name rows rather than say something about others: it is left out; --keep makes inputs of them", title, many, c.cells), ""
	case different > Most:
		return nil, "", fmt.Sprintf("has more than %d words, each of which would be an input: leave it out (--inputs)", Most)
	}
	if different == 1 {
		return c.ordered(), title + " has one word, which becomes an input, 0 or 1", ""
	}
	return c.ordered(), fmt.Sprintf("%s has words: each of the %d becomes an input, 0 or 1", title, different), ""
}

// Words returns the number of cells that are neither numbers nor times.
func (c *Census) Words() int64 { return c.words }

// Cells returns the number of cells that are not missing, and the number of different ones
// among them, which is exact up to 65,536.
func (c *Census) Cells() (all, different int64) { return c.cells, c.cells - c.ids.Count() }

// Merge adds the cells of d, a census of other rows of the column.
func (c *Census) Merge(d *Census) {
	c.Told, c.Keep = c.Told || d.Told, c.Keep || d.Keep
	c.cells, c.numbers, c.words, c.whole = c.cells+d.cells, c.numbers+d.numbers, c.words+d.words, c.whole && d.whole
	c.ids.Merge(&d.ids)
	if c.more = c.more || d.more; c.more {
		clear(c.set)
	}
	for w := range d.set {
		if !c.more && !c.set.Has(w) {
			c.see(w)
		}
	}
	c.times.merge(&d.times)
}

// censusFile is the form of a census in a file.
type censusFile struct {
	Told      bool          `json:"told,omitempty"`
	Keep      bool          `json:"keep,omitempty"`
	Order     string        `json:"order,omitempty"`
	Cells     int64         `json:"cells"`
	Numbers   int64         `json:"numbers"`
	Words     int64         `json:"words"`
	Whole     bool          `json:"whole"`
	Different []string      `json:"different"` // cells, in the order of their bytes; none with more
	More      bool          `json:"more,omitempty"`
	Repeats   *fold.Repeats `json:"repeats"`
	Times     timesFile     `json:"times"`
}

// timesFile is the form of times in a file.
type timesFile struct {
	Count      int64    `json:"count"`
	Dated      int64    `json:"dated"`
	Clocks     int64    `json:"clocks"`
	Zoned      int64    `json:"zoned"`
	Local      int64    `json:"local"`
	DayFirst   string   `json:"day_first,omitempty"`
	MonthFirst string   `json:"month_first,omitempty"`
	Either     string   `json:"either,omitempty"`
	Low        [2]int64 `json:"low"`
	High       [2]int64 `json:"high"`
	LeastClock int64    `json:"least_clock"`
	MostClock  int64    `json:"most_clock"`
}

// MarshalJSON writes c.
func (c *Census) MarshalJSON() ([]byte, error) {
	t := &c.times
	return json.Marshal(censusFile{c.Told, c.Keep, c.Order, c.cells, c.numbers, c.words, c.whole, slices.Sorted(maps.Keys(c.set)), c.more, &c.ids,
		timesFile{t.count, t.dated, t.clocks, t.zoned, t.local, t.dayFirst, t.monthFirst, t.either, t.low, t.high, t.leastClock, t.mostClock}})
}

// UnmarshalJSON reads c.
func (c *Census) UnmarshalJSON(data []byte) error {
	f := censusFile{Repeats: &fold.Repeats{}}
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	t := f.Times
	*c = Census{Told: f.Told, Keep: f.Keep, Order: f.Order, cells: f.Cells, numbers: f.Numbers, words: f.Words, whole: f.Whole, set: Set{}, more: f.More,
		times: times{t.Count, t.Dated, t.Clocks, t.Zoned, t.Local, t.DayFirst, t.MonthFirst, t.Either, t.Low, t.High, t.LeastClock, t.MostClock}}
	if f.Repeats != nil {
		c.ids = *f.Repeats
	}
	for _, w := range f.Different {
		if !c.more && !c.set.Has(w) {
			c.see(w)
		}
	}
	return nil
}

// Saved reports whether the column of that name is an input only because Keep says so.
func (c *Census) Saved(name string) bool {
	unsaid := *c
	unsaid.Keep = false
	kind, _, need := unsaid.Settle(name, "")
	return c.Keep && kind == nil && need == ""
}

// ordered returns the words, in the order of their bytes.
func (c *Census) ordered() Words { return Words{Set: NewSet(slices.Sorted(maps.Keys(c.set)))} }

// List returns the words in their order.
func (w Words) List() []string {
	out := make([]string, len(w.Set))
	for word, i := range w.Set {
		out[i] = word
	}
	return out
}

// IsID reports whether a column is called like the ids of rows: id, customer_id,
// PassengerId, uuid, row number, index, or Unnamed: 0, as pandas calls one that it wrote.
func IsID(name string) bool {
	lower := strings.ToLower(strings.TrimSpace(name))
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-.:#", r) {
			return -1
		}
		return r
	}, lower)
	if slices.Contains([]string{"id", "ids", "uid", "uuid", "guid", "pk", "index", "idx", "row", "rowid", "rownum", "rownumber", "rowno", "rownames", "serial", "serialno", "serialnumber", "sno", "recordid", "recordno", "unnamed0"}, plain) {
		return true
	}
	for _, end := range []string{"_id", "-id", " id", ".id"} {
		if strings.HasSuffix(lower, end) {
			return true
		}
	}
	n := len(name)
	return n > 2 && (strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID")) && name[n-3] >= 'a' && name[n-3] <= 'z'
}

// times has what a census knows about the times of a column.
type times struct {
	count                 int64
	dated, clocks, zoned  int64
	local                 int64 // with a date and a clock, without a zone
	dayFirst, monthFirst  string
	either                string // a date that does not say which comes first
	low, high             [2]int64
	leastClock, mostClock int64 // seconds of the day
}

// add takes the stamp of a cell.
func (t *times) add(s Stamp, cell []byte) {
	switch {
	case !s.Numbers:
	case s.Month > 12:
		t.dayFirst = example(t.dayFirst, cell)
	case s.Day > 12:
		t.monthFirst = example(t.monthFirst, cell)
	default:
		t.either = example(t.either, cell)
	}
	switch {
	case s.Year == 0:
		t.clocks++
	case s.Zone:
		t.zoned++
	case s.Clock:
		t.local++
	}
	if s.Year != 0 {
		t.dated++
	}
	for i, order := range []string{"dmy", "mdy"} {
		v, need := (Time{Order: order, Zone: s.Zone, Clock: s.Year == 0}).Seconds(s)
		if need != "" {
			continue
		}
		clock := mod(v, day)
		t.low[i], t.high[i] = min(t.low[i], v), max(t.high[i], v)
		t.leastClock, t.mostClock = min(t.leastClock, clock), max(t.mostClock, clock)
	}
	t.count++
}

// example returns the first of two cells in the order of their bytes. Either may be empty. So
// the example of a column does not depend on the order of its cells.
func example(a string, b []byte) string {
	if len(b) > 0 && (a == "" || string(b) < a) {
		return string(b)
	}
	return a
}

// merge adds other times of the column.
func (t *times) merge(o *times) {
	t.count, t.dated, t.clocks, t.zoned, t.local = t.count+o.count, t.dated+o.dated, t.clocks+o.clocks, t.zoned+o.zoned, t.local+o.local
	t.dayFirst, t.monthFirst, t.either = example(t.dayFirst, []byte(o.dayFirst)), example(t.monthFirst, []byte(o.monthFirst)), example(t.either, []byte(o.either))
	for i := range t.low {
		t.low[i], t.high[i] = min(t.low[i], o.low[i]), max(t.high[i], o.high[i])
	}
	t.leastClock, t.mostClock = min(t.leastClock, o.leastClock), max(t.mostClock, o.mostClock)
}

// settle says how the times are read. A part of a time is an input if its period fits twice
// into the times, so that it repeats.
func (t *times) settle(order string) (kind Time, note, need string) {
	at := 0
	switch {
	case t.dayFirst == "" && t.monthFirst == "" && t.either == "":
		order = ""
	case order == "" && t.dayFirst != "" && t.monthFirst != "":
		return kind, "", fmt.Sprintf("has dates with the day first, such as %q, and others with the month first, such as %q: write all in one order, or say which it is (--date-order)", t.dayFirst, t.monthFirst)
	case order == "" && t.dayFirst == "" && t.monthFirst == "":
		return kind, "", fmt.Sprintf("has dates such as %q, and none of them says whether the day or the month comes first: say it with --date-order dmy or --date-order mdy", t.either)
	case order == "" && t.monthFirst != "":
		order = "mdy"
	case order == "":
		order = "dmy"
	}
	if order == "mdy" {
		at = 1
	}
	kind = Time{Order: order, Zone: t.zoned > t.local, Clock: t.clocks > t.dated}
	if kind.Clock {
		return kind, "has times of day: the hour becomes an input", ""
	}
	span := t.high[at] - t.low[at]
	kind.Hour = t.mostClock > t.leastClock && span >= 2*day
	kind.Weekday, kind.YearDay = span >= 14*day, span >= 2*365*day
	parts := []string{"days since 1970-01-01"}
	for _, p := range kind.Parts()[1:] {
		parts = append(parts, map[string]string{"hour": "hour of the day", "weekday": "weekday", "yearday": "day of the year"}[p])
	}
	note = "has times, which become numbers: " + strings.Join(parts, ", ")
	if kind.Zone {
		note += "; in UTC"
	}
	switch order {
	case "dmy":
		note += "; the day is taken to come first"
	case "mdy":
		note += "; the month is taken to come first"
	}
	return kind, note, ""
}
