package look

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"math/bits"
	"slices"

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
	rows  []Sampled
	at    map[uint64]int // index of rows by hash; nil: still to be made
	below uint64         // the largest hash that may be in the sample, or 0
}

// Sampled is a row of a sample.
type Sampled struct {
	X      []float64
	Label  string // as it was written at the first place, or the shortest form of a number
	Weight float64
	Group  uint64
	File   string // the first place of such a row
	Number int64

	hash  uint64
	count int64 // rows with these contents
}

// hash returns a hash of the contents. The labels 1 and 1.0 have the same hash.
func (r *Row) hash() uint64 {
	h := fold.Hash(r.Group, fold.Content(r.X))
	label := math.Float64bits(r.Label.Value + 0)
	if !r.Label.Number {
		label = 1
		for _, c := range r.Label.Text {
			label = (label ^ uint64(c)) * 0x100000001b3 // FNV-1a
		}
	}
	return fold.Hash(h^bits.RotateLeft64(math.Float64bits(r.Weight), 17), int64(label))
}

// compare orders rows by their hashes, and by their contents where these are equal.
func (r *Sampled) compare(o *Sampled) int {
	return cmp.Or(cmp.Compare(r.hash, o.hash), slices.Compare(r.X, o.X), compareLabels(r.Label, o.Label), cmp.Compare(r.Weight, o.Weight), cmp.Compare(r.Group, o.Group))
}

// compareLabels finds 1 and 1.0 equal.
func compareLabels(a, b string) int {
	if a == b {
		return 0
	}
	v, w := labelOf(a), labelOf(b)
	if v.Number && w.Number {
		return cmp.Compare(v.Value, w.Value)
	}
	return cmp.Compare(a, b)
}

// labelOf returns the label with that text.
func labelOf(text string) Label {
	v, number := numeral.Parse([]byte(text))
	return Label{Text: []byte(text), Value: v, Number: number && v-v == 0}
}

// add takes a row, whose X and label may change afterwards.
func (s *Sample) add(r *Row) {
	h := r.hash()
	if s.below != 0 && h > s.below {
		return
	}
	if s.take(Sampled{r.X, r.Label.String(), r.Weight, r.Group, r.File, r.Number, h, 1}) {
		x := make([]float64, len(r.X))
		for j, v := range r.X {
			x[j] = v + 0 // −0 is 0
		}
		s.rows[len(s.rows)-1].X = x
		s.cut(s.Most + s.Most/4 + 64)
	}
}

// index makes the index of the rows, if they have changed.
func (s *Sample) index() {
	if s.at == nil {
		s.at = make(map[uint64]int, len(s.rows))
		for i := range s.rows {
			s.at[s.rows[i].hash] = i
		}
	}
}

// take counts a row. It appends the row and returns true if no row with its contents was there.
func (s *Sample) take(row Sampled) bool {
	s.index()
	if i, known := s.at[row.hash]; known && s.rows[i].compare(&row) == 0 {
		at := &s.rows[i]
		at.count += row.count
		if row.before(at) < 0 {
			at.File, at.Number, at.Label = row.File, row.Number, row.Label
		}
		return false
	}
	s.at[row.hash] = len(s.rows)
	s.rows = append(s.rows, row)
	return true
}

// cut keeps the rows with the smallest hashes if there are more than most.
func (s *Sample) cut(most int) {
	if len(s.rows) <= most {
		return
	}
	slices.SortFunc(s.rows, func(a, b Sampled) int { return a.compare(&b) })
	if len(s.rows) > s.Most {
		clear(s.rows[s.Most:])
		s.rows = s.rows[:s.Most]
	}
	if len(s.rows) == s.Most {
		s.below = s.rows[s.Most-1].hash
	}
	s.at = nil
}

// before compares the places of rows.
func (r *Sampled) before(o *Sampled) int {
	return cmp.Or(cmp.Compare(r.File, o.File), cmp.Compare(r.Number, o.Number))
}

// has reports whether all rows of o may be among those of s: all rows of o that the sample of s
// would hold are there, from the same or earlier places, and at least one is from the same
// place.
func (s *Sample) has(o *Sample) bool {
	s.index()
	same := false
	for i := range o.rows {
		r := &o.rows[i]
		if s.below != 0 && r.hash > s.below {
			continue
		}
		k, known := s.at[r.hash]
		if !known || s.rows[k].count < r.count || s.rows[k].before(r) > 0 {
			return false
		}
		same = same || s.rows[k].before(r) == 0
	}
	return same
}

func (s *Sample) merge(o *Sample) {
	for _, row := range o.rows {
		s.take(row)
	}
	s.cut(s.Most)
}

// Drawn returns the sample in the order of the hashes. If there are no more than Most rows, it
// returns all of them. Otherwise it returns each different row once, and a frequent row again
// as often as its share of Most, so at most 2·Most rows.
func (s *Sample) Drawn() []Sampled {
	s.cut(0)
	all := int64(0)
	for _, r := range s.rows {
		all += r.count
	}
	most := min(int64(s.Most), all)
	out := make([]Sampled, 0, len(s.rows))
	for _, r := range s.rows {
		hi, lo := bits.Mul64(uint64(r.count), uint64(most))
		copies, _ := bits.Div64(hi, lo, uint64(all))
		for range max(1, copies) {
			out = append(out, r)
		}
	}
	return out
}

// sampleFile is the form of a sample in a file: of every row its inputs, its label and so on,
// in the order of the hashes.
type sampleFile struct {
	Most    int       `json:"most"`
	Rows    int       `json:"rows"`
	X       []byte    `json:"x"` // float64, little-endian, row by row
	Labels  []string  `json:"labels"`
	Weights []float64 `json:"weights"`
	Groups  []uint64  `json:"groups"`
	Counts  []int64   `json:"counts"`
	Files   []string  `json:"files"`
	Numbers []int64   `json:"numbers"`
}

// MarshalJSON writes s.
func (s Sample) MarshalJSON() ([]byte, error) {
	s.rows = slices.Clone(s.rows)
	s.cut(0)
	f := sampleFile{Most: s.Most, Rows: len(s.rows)}
	for _, r := range s.rows {
		for _, v := range r.X {
			f.X = binary.LittleEndian.AppendUint64(f.X, math.Float64bits(v))
		}
		f.Labels, f.Weights, f.Groups = append(f.Labels, r.Label), append(f.Weights, r.Weight), append(f.Groups, r.Group)
		f.Counts = append(f.Counts, r.count)
		f.Files, f.Numbers = append(f.Files, r.File), append(f.Numbers, r.Number)
	}
	return json.Marshal(f)
}

var errSample = errors.New("its sample of rows is damaged")

// UnmarshalJSON reads s.
func (s *Sample) UnmarshalJSON(data []byte) error {
	var f sampleFile
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	n := f.Rows
	for _, have := range []int{len(f.Labels), len(f.Weights), len(f.Groups), len(f.Counts), len(f.Files), len(f.Numbers)} {
		if have != n {
			return errSample
		}
	}
	if f.Most < 1 || n > f.Most || n > 0 && len(f.X)%(8*n) != 0 {
		return errSample
	}
	*s = Sample{Most: f.Most}
	for i := range n {
		x := make([]float64, len(f.X)/8/n)
		for j := range x {
			x[j] = math.Float64frombits(binary.LittleEndian.Uint64(f.X[8*(i*len(x)+j):]))
		}
		row := Row{x, labelOf(f.Labels[i]), f.Weights[i], f.Groups[i], f.Files[i], f.Numbers[i]}
		if f.Counts[i] < 1 || !s.take(Sampled{x, f.Labels[i], row.Weight, row.Group, row.File, row.Number, row.hash(), f.Counts[i]}) {
			return errSample
		}
	}
	s.cut(s.Most - 1)
	return nil
}

// fits reports whether the rows have in inputs, and whether they can be among that many rows.
func (s *Sample) fits(in int, rows int64) bool {
	for i := range s.rows {
		if rows -= s.rows[i].count; rows < 0 || len(s.rows[i].X) != in {
			return false
		}
	}
	return s.Most == Most(in)
}
