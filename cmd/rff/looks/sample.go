package looks

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"github.com/rffgo/rff/internal/look"
)

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

// sample is a look.Sample in a file.
type sample look.Sample

// MarshalJSON writes s.
func (from sample) MarshalJSON() ([]byte, error) {
	s := look.Sample(from)
	s.Rows = slices.Clone(s.Rows)
	s.Cut(0)
	f := sampleFile{Most: s.Most, Rows: len(s.Rows)}
	for _, r := range s.Rows {
		for _, v := range r.X {
			f.X = binary.LittleEndian.AppendUint64(f.X, math.Float64bits(v))
		}
		f.Labels, f.Weights, f.Groups = append(f.Labels, r.Label), append(f.Weights, r.Weight), append(f.Groups, r.Group)
		f.Counts = append(f.Counts, r.Count)
		f.Files, f.Numbers = append(f.Files, r.File), append(f.Numbers, r.Number)
	}
	return json.Marshal(f)
}

var errSample = errors.New("its sample of rows is damaged")

// UnmarshalJSON reads s.
func (to *sample) UnmarshalJSON(data []byte) error {
	s := (*look.Sample)(to)
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
	*s = look.Sample{Most: f.Most}
	for i := range n {
		x := make([]float64, len(f.X)/8/n)
		for j := range x {
			x[j] = math.Float64frombits(binary.LittleEndian.Uint64(f.X[8*(i*len(x)+j):]))
		}
		row := look.Row{X: x, Label: look.LabelOf(f.Labels[i]), Weight: f.Weights[i], Group: f.Groups[i], File: f.Files[i], Number: f.Numbers[i]}
		sampled := look.Sampled{X: x, Label: f.Labels[i], Weight: row.Weight, Group: row.Group, File: row.File, Number: row.Number, Hash: row.Hash(), Count: f.Counts[i]}
		if f.Counts[i] < 1 || !s.Take(sampled) {
			return errSample
		}
	}
	s.Cut(s.Most - 1)
	return nil
}

// fits reports whether the rows have in inputs, and whether they can be among that many rows.
func fits(s *look.Sample, in int, rows int64) bool {
	for i := range s.Rows {
		if rows -= s.Rows[i].Count; rows < 0 || len(s.Rows[i].X) != in {
			return false
		}
	}
	return s.Most == look.Most(in)
}
