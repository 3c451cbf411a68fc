package look

import (
	"bytes"
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/rffgo/rff/internal/cells"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/numeral"
)

// Row is a row of a file. Its contents are all but the place.
type Row struct {
	X      []float64
	Label  Label
	Weight float64
	Group  uint64
	File   string
	Number int64 // in the file, from 1
}

// Label is a text, a number, or a text that is a number.
type Label struct {
	Text   []byte // nil: the shortest form of Value
	Value  float64
	Number bool
}

func (l Label) String() string {
	if l.Text != nil {
		return string(l.Text)
	}
	return numeral.Format(l.Value)
}

// Sample has the different rows whose contents have the smallest hashes, and how often each of
// them occurs. It has the same rows in whatever order and from whatever parts rows come. Each
// different row is as likely to be in it as any other.
type Sample struct {
	Most  int // different rows
	Rows  []Sampled
	At    map[uint64]int // index of rows by hash; nil: still to be made
	Below uint64         // the largest hash that may be in the sample, or 0
}

// Sampled is a row of a sample.
type Sampled struct {
	X      []float64
	Label  string // as it was written at the first place, or the shortest form of a number
	Weight float64
	Group  uint64
	File   string // the first place of such a row
	Number int64

	Hash  uint64
	Count int64 // rows with these contents
}

// Hash returns a hash of the contents. The labels 1 and 1.0 have the same hash, and so
// have TRUE and true.
func (r *Row) Hash() uint64 {
	h := fold.Hash(r.Group, fold.Content(r.X))
	label := math.Float64bits(r.Label.Value + 0)
	if !r.Label.Number || math.Abs(r.Label.Value) >= 1<<53 { // of which float64 takes several for one
		label = 1
		for _, c := range cells.Key([]byte(r.Label.String())) {
			label = (label ^ uint64(c)) * 0x100000001b3 // FNV-1a
		}
	}
	return fold.Hash(h^bits.RotateLeft64(math.Float64bits(r.Weight), 17), int64(label))
}

// Compare orders rows by their hashes, and by their contents where these are equal.
func (r *Sampled) Compare(o *Sampled) int {
	if c := cmp.Compare(r.Hash, o.Hash); c != 0 {
		return c // cmp.Or would compare all the rest too, and parse the labels
	}
	return cmp.Or(slices.Compare(r.X, o.X), compareLabels(r.Label, o.Label), cmp.Compare(r.Weight, o.Weight), cmp.Compare(r.Group, o.Group))
}

// compareLabels finds 1 and 1.0 equal, and TRUE and true.
func compareLabels(a, b string) int {
	if a == b {
		return 0
	}
	v, w := LabelOf(a), LabelOf(b)
	if v.Number && w.Number && v.Value != w.Value {
		return cmp.Compare(v.Value, w.Value)
	}
	return bytes.Compare(cells.Key(v.Text), cells.Key(w.Text))
}

// LabelOf returns the label with that text.
func LabelOf(text string) Label {
	v, number := numeral.Parse([]byte(text))
	return Label{Text: []byte(text), Value: v, Number: number && v-v == 0}
}

// add takes a row, whose X and label may change afterwards.
func (s *Sample) add(r *Row) {
	h := r.Hash()
	if s.Below != 0 && h > s.Below {
		return
	}
	if s.Take(Sampled{r.X, r.Label.String(), r.Weight, r.Group, r.File, r.Number, h, 1}) {
		x := make([]float64, len(r.X))
		for j, v := range r.X {
			x[j] = v + 0 // −0 is 0
		}
		s.Rows[len(s.Rows)-1].X = x
		s.Cut(s.Most + s.Most/4)
	}
}

// Index makes the index of the rows, if they have changed.
func (s *Sample) Index() {
	if s.At == nil {
		s.At = make(map[uint64]int, len(s.Rows))
		for i := range s.Rows {
			s.At[s.Rows[i].Hash] = i
		}
	}
}

// Take counts a row. It appends the row and returns true if no row with its contents was there.
func (s *Sample) Take(row Sampled) bool {
	s.Index()
	if i, known := s.At[row.Hash]; known && s.Rows[i].Compare(&row) == 0 {
		at := &s.Rows[i]
		at.Count += row.Count
		if row.Before(at) < 0 {
			at.File, at.Number, at.Label = row.File, row.Number, row.Label
		}
		return false
	}
	s.At[row.Hash] = len(s.Rows)
	s.Rows = append(s.Rows, row)
	return true
}

// Cut keeps the rows with the smallest hashes if there are more than most.
func (s *Sample) Cut(most int) {
	if len(s.Rows) <= most {
		return
	}
	slices.SortFunc(s.Rows, func(a, b Sampled) int { return a.Compare(&b) })
	if len(s.Rows) > s.Most {
		clear(s.Rows[s.Most:])
		s.Rows = s.Rows[:s.Most]
	}
	if len(s.Rows) == s.Most {
		s.Below = s.Rows[s.Most-1].Hash
	}
	s.At = nil
}

// Before compares the places of rows.
func (r *Sampled) Before(o *Sampled) int {
	return cmp.Or(cmp.Compare(r.File, o.File), cmp.Compare(r.Number, o.Number))
}

// Drawn returns the sample in the order of the hashes. If there are no more than Most rows, it
// returns all of them. Otherwise it returns each different row once, and a frequent row again
// as often as its share of Most, so at most 2·Most rows.
func (s *Sample) Drawn() []Sampled {
	s.Cut(0)
	all := int64(0)
	for _, r := range s.Rows {
		all += r.Count
	}
	most := min(int64(s.Most), all)
	out := make([]Sampled, 0, len(s.Rows))
	for _, r := range s.Rows {
		hi, lo := bits.Mul64(uint64(r.Count), uint64(most))
		copies, _ := bits.Div64(hi, lo, uint64(all))
		for range max(1, copies) {
			out = append(out, r)
		}
	}
	return out
}
