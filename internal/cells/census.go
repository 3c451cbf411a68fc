package cells

import (
	"bytes"
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

// A column with more than Most different words, or with one of more than longest bytes, has identifiers
// or prose.
const (
	Most    = 4096
	longest = 1 << 10
)

// Census counts what the cells of a column are. It is the Kind of a column that is not
// known yet: its cells become no inputs, and Settle says which kind of column they make.
type Census struct {
	na    []string
	Told  bool   `json:"told,omitempty"`  // the column is said to be one of words
	Keep  bool   `json:"keep,omitempty"`  // it is said to be an input, whatever it looks like
	Off   bool   `json:"-"`               // cells are not counted
	Order string `json:"order,omitempty"` // that of Time, or "" to take the order from the cells

	All       int64        `json:"cells"`
	Numbers   int64        `json:"numbers"` // a number may have a currency or a percent sign
	Others    int64        `json:"words"`
	Booleans  int64        `json:"booleans,omitempty"` // words that are true or false
	Whole     bool         `json:"whole"`              // all numbers are whole
	Different Set          `json:"different"`          // the different words, or empty if More is set
	More      bool         `json:"more,omitempty"`     // there are more than Most, or a longer one than longest
	Repeats   fold.Repeats `json:"repeats"`            // by the hashes of the cells
	Times     times        `json:"times"`
}

// NewCensus returns a census that has seen no cell. na are the words for missing values.
func NewCensus(na []string) *Census {
	const least, most = math.MinInt64, math.MaxInt64
	return &Census{na: na, Whole: true, Different: Set{},
		Times: times{Low: [2]int64{most, most}, High: [2]int64{least, least}, LeastClock: most, MostClock: least}}
}

func (*Census) Width() int { return 0 }
func (*Census) Gaps() bool { return false }

func (c *Census) Text(_ []float64, cell []byte) string {
	if c.Off {
		return ""
	}
	if !c.Told && (len(cell) == 0 || slices.Contains(c.na, string(cell))) {
		c.add(cell)
		return ""
	}
	if v, ok := numeral.Parse(cell); ok && v-v == 0 {
		return c.number(v, cell)
	}
	c.All++
	if s, ok := ParseStamp(cell); ok {
		c.Times.add(s, cell)
	} else if Disguised(cell) {
		c.Numbers++
	} else {
		c.Others++
		if word, _ := Boolean(cell); word != "" {
			c.Booleans++
		}
	}
	return c.distinct(cell)
}

func (c *Census) Bool(_ []float64, v bool) string { return c.Text(nil, []byte(WordOf(v))) }

func (c *Census) Number(_ []float64, v float64) string {
	if c.Off {
		return ""
	}
	return c.number(v, numeral.Append(nil, v))
}

// number counts a number that is written as cell.
func (c *Census) number(v float64, cell []byte) string {
	c.All++
	c.Numbers++
	c.Whole = c.Whole && v == math.Trunc(v)
	return c.distinct(cell)
}

func (c *Census) Stamp(_ []float64, s Stamp) string {
	if c.Off {
		return ""
	}
	c.All++
	c.Times.add(s, nil)
	return c.distinct([]byte(s.Word()))
}

// distinct counts how often a cell occurs. It ends the reading as soon as it is certain that
// there are too many words, or that one is prose.
func (c *Census) distinct(cell []byte) string {
	if c.Told && len(cell) > longest {
		return fmt.Sprintf("has %d bytes: not a category", len(cell))
	}
	known := c.More
	c.Repeats.Add(c.add(cell))
	if c.Told && c.More && !known && (c.Keep || c.Repeats.Count() > 0) {
		return tooMany
	}
	return ""
}

var tooMany = fmt.Sprintf("makes more than %d levels: a column of identifiers is no category", Most)

// add adds a word to the set, and returns its hash.
func (c *Census) add(cell []byte) int64 {
	w := Word(cell)
	if written := writing(cell, w); !c.More && !c.Different.Has(string(written)) {
		c.see(string(written))
	}
	h := fnv.New64a()
	h.Write(w)
	return int64(h.Sum64())
}

// writing is the level w of a cell or, of a number with zeros before it, the cell: beside other
// writings of the number it may be another code.
func writing(cell, w []byte) []byte {
	if cell = bytes.TrimSpace(cell); Padded(string(cell)) {
		if _, number := numeral.Parse(cell); number {
			return cell
		}
	}
	return w
}

// see adds a word to the set. From the first word beyond Most, or a longer one than longest, on the set
// is empty, since its words would depend on the order of the rows.
func (c *Census) see(w string) {
	c.Different.Add(w)
	if len(c.Different) > Most || len(w) > longest {
		c.More = true
		clear(c.Different)
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
//   - of true and false is one of numbers, 1 and 0;
//   - of words that are different in more than half of the cells, or more than Most of
//     them, or longer than longest, is no input;
//   - of other words is one of words, unless as many cells are numbers.
func (c *Census) Settle(name, title string) (kind Kind, note, need string) {
	different := int64(len(c.Different))
	if c.More {
		different = Most + 1
	}
	switch {
	case c.Told && different == 0:
		return nil, "", "has no words: all of its cells are empty"
	case c.Told && !c.Keep && c.All > few && c.Repeats.Count() == 0:
		return nil, fmt.Sprintf("each of the %d rows has another word in %s, which names the rows: the column is left out, unless it is to be kept (IDs)", c.All, title), ""
	case c.Told && different > Most:
		return nil, "", tooMany
	case c.Told:
		kind, need := c.ordered()
		return kind, "", need
	case !c.Keep && IsID(name) && c.Whole && c.Numbers == c.All && c.All > few && c.Repeats.Count() == 0:
		return nil, fmt.Sprintf("%s has another whole number in each of the %d rows, and the name of an id: it is left out, unless it is to be kept (IDs)", title, c.All), ""
	case c.Times.Count > c.Numbers && c.Times.Count >= c.Others:
		t, note, need := c.Times.settle(c.Order)
		return t, title + " " + note, need
	case c.Others == 0 || c.Numbers >= c.Others || c.Booleans == c.Others:
		return Number{Bools: c.Others > 0 && c.Numbers == 0 && c.Booleans == c.Others}, "", ""
	case !c.Keep && (different > Most || different > few && 2*different > c.All):
		many := fmt.Sprint(different)
		if different > Most {
			many = fmt.Sprintf("words of more than %d bytes, or more than %d", longest, Most)
		}
		return nil, fmt.Sprintf("%s has %s different words in %d rows, which name rows rather than say something about others: it is left out, unless it is to be kept (IDs)", title, many, c.All), ""
	case different > Most:
		return nil, "", fmt.Sprintf("has more than %d words, or words of more than %d bytes, each of which would be an input: leave it out (Inputs)", Most, longest)
	}
	kind, need = c.ordered()
	if different == 1 {
		return kind, title + " has one word, which becomes an input, 0 or 1", need
	}
	return kind, fmt.Sprintf("%s has words: each of the %d becomes an input, 0 or 1", title, different), need
}

// Words returns the number of cells that are neither numbers nor times.
func (c *Census) Words() int64 { return c.Others }

// Cells returns the number of cells that are not missing, and the number of different ones
// among them, which is exact up to 65,536.
func (c *Census) Cells() (all, different int64) { return c.All, c.All - c.Repeats.Count() }

// Merge adds the cells of d, a census of other rows of the column.
func (c *Census) Merge(d *Census) {
	c.Told, c.Keep = c.Told || d.Told, c.Keep || d.Keep
	c.All, c.Numbers, c.Others, c.Booleans, c.Whole = c.All+d.All, c.Numbers+d.Numbers, c.Others+d.Others, c.Booleans+d.Booleans, c.Whole && d.Whole
	c.Repeats.Merge(&d.Repeats)
	if c.Different == nil { // of a file that does not have them
		c.Different = Set{}
	}
	if c.More = c.More || d.More; c.More {
		clear(c.Different)
	}
	for w := range d.Different {
		if !c.More && !c.Different.Has(w) {
			c.see(w)
		}
	}
	c.Times.merge(&d.Times)
}

// MarshalJSON writes the words in the order of their bytes.
func (s Set) MarshalJSON() ([]byte, error) { return json.Marshal(slices.Sorted(maps.Keys(s))) }

// UnmarshalJSON reads words.
func (s *Set) UnmarshalJSON(data []byte) error {
	var words []string
	err := json.Unmarshal(data, &words)
	*s = Set{}
	for _, w := range words {
		if !s.Has(w) {
			s.Add(w)
		}
	}
	return err
}

// Saved reports whether the column of that name is an input only because Keep says so.
func (c *Census) Saved(name string) bool {
	unsaid := *c
	unsaid.Keep = false
	kind, _, need := unsaid.Settle(name, "")
	return c.Keep && kind == nil && need == ""
}

// ordered returns the words, in the order of their bytes. Booleans alone are True and False,
// however they are written. need refuses numbers that are one word and may be two codes.
func (c *Census) ordered() (words Words, need string) {
	writings := map[string]string{} // of each word
	for _, w := range slices.Sorted(maps.Keys(c.Different)) {
		word := Level(w)
		if c.Booleans == c.All {
			word, _ = Boolean([]byte(w))
		}
		if other, twice := writings[word]; twice && (Padded(other) || Padded(w)) {
			need = fmt.Sprintf("has %s in some rows and %s in others, which are one number: %s", other, w, OneWriting)
		}
		writings[word] = w
	}
	return Words{Set: NewSet(slices.Sorted(maps.Keys(writings)))}, need
}

// OneWriting is what to do about a number that is written with zeros before it, and without.
const OneWriting = "write all in one way or, if they are two codes, with a letter before the digits"

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
	Count      int64    `json:"count"`
	Clocks     int64    `json:"clocks"`
	Zoned      int64    `json:"zoned"`
	Local      int64    `json:"local"` // with a date and a clock, without a zone
	DayFirst   string   `json:"day_first,omitempty"`
	MonthFirst string   `json:"month_first,omitempty"`
	Either     string   `json:"either,omitempty"` // a date that does not say which comes first
	Low        [2]int64 `json:"low"`
	High       [2]int64 `json:"high"`
	LeastClock int64    `json:"least_clock"` // seconds of the day
	MostClock  int64    `json:"most_clock"`
}

// add takes the stamp of a cell.
func (t *times) add(s Stamp, cell []byte) {
	switch {
	case !s.Numbers:
	case s.Month > 12:
		t.DayFirst = example(t.DayFirst, cell)
	case s.Day > 12:
		t.MonthFirst = example(t.MonthFirst, cell)
	default:
		t.Either = example(t.Either, cell)
	}
	switch {
	case s.Month == 0:
		t.Clocks++
	case s.Zone:
		t.Zoned++
	case s.Clock:
		t.Local++
	}
	for i, order := range []string{"dmy", "mdy"} {
		v, need := (Time{Order: order, Zone: s.Zone, Clock: s.Month == 0}).Seconds(s)
		if need != "" {
			continue
		}
		clock := mod(v, day)
		t.Low[i], t.High[i] = min(t.Low[i], v), max(t.High[i], v)
		t.LeastClock, t.MostClock = min(t.LeastClock, clock), max(t.MostClock, clock)
	}
	t.Count++
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
	t.Count, t.Clocks, t.Zoned, t.Local = t.Count+o.Count, t.Clocks+o.Clocks, t.Zoned+o.Zoned, t.Local+o.Local
	t.DayFirst, t.MonthFirst, t.Either = example(t.DayFirst, []byte(o.DayFirst)), example(t.MonthFirst, []byte(o.MonthFirst)), example(t.Either, []byte(o.Either))
	for i := range t.Low {
		t.Low[i], t.High[i] = min(t.Low[i], o.Low[i]), max(t.High[i], o.High[i])
	}
	t.LeastClock, t.MostClock = min(t.LeastClock, o.LeastClock), max(t.MostClock, o.MostClock)
}

// settle says how the times are read. A part of a time is an input if its period fits twice
// into the times, so that it repeats.
func (t *times) settle(order string) (kind Time, note, need string) {
	at := 0
	switch {
	case t.DayFirst == "" && t.MonthFirst == "" && t.Either == "":
		order = ""
	case order == "" && t.DayFirst != "" && t.MonthFirst != "":
		return kind, "", fmt.Sprintf("has dates with the day first, such as %q, and others with the month first, such as %q: write all in one order, or give the fit their order (DateOrder)", t.DayFirst, t.MonthFirst)
	case order == "" && t.DayFirst == "" && t.MonthFirst == "":
		return kind, "", fmt.Sprintf("has dates such as %q, and none of them says whether the day or the month comes first: give the fit their order (DateOrder)", t.Either)
	case order == "" && t.MonthFirst != "":
		order = "mdy"
	case order == "":
		order = "dmy"
	}
	if order == "mdy" {
		at = 1
	}
	kind = Time{Order: order, Zone: t.Zoned > t.Local, Clock: t.Clocks > t.Count-t.Clocks}
	if kind.Clock {
		return kind, "has times of day: the hour becomes an input", ""
	}
	span := t.High[at] - t.Low[at]
	kind.Hour = t.MostClock > t.LeastClock && span >= 2*day
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
