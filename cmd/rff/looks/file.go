package looks

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/look"
)

// File is a look with the form that it has in a file.
type File struct{ *look.Look }

const format = "rff look 1"

// file is what a file holds.
type file struct {
	Format  string        `json:"format"`
	Schema  rff.Schema    `json:"schema"`
	Notes   []string      `json:"notes,omitempty"`
	Columns []look.Column `json:"columns,omitempty"`

	Rows     int64       `json:"rows"`
	Missing  int64       `json:"missing"`
	Dropped  int64       `json:"dropped"`
	Inputs   []moments   `json:"inputs,omitempty"`
	Labels   look.Labels `json:"labels"`
	Sample   sample      `json:"sample"`
	Weighted bool        `json:"weighted,omitempty"`
	Grouped  bool        `json:"grouped,omitempty"`
}

// WriteTo writes the file.
func (l File) WriteTo(w io.Writer) (int64, error) {
	f := file{format, l.Schema, l.Notes, l.Columns, l.Rows, l.Missing, l.Dropped, nil, l.Labels, sample(l.Sample), l.Weighted, l.Grouped}
	for _, m := range l.Inputs {
		f.Inputs = append(f.Inputs, moments(m))
	}
	b, err := json.Marshal(f)
	if err != nil {
		return 0, err
	}
	n, err := w.Write(append(b, '\n'))
	return int64(n), err
}

// Is reports whether a file that begins with head is the file of a look.
func Is(head []byte) bool { return string(head[:min(len(head), len(magic))]) == magic }

const magic = `{"format":"rff look`

// Read reads what File.WriteTo wrote. The memory that it takes is a few times that of the file.
func Read(r io.Reader) (*look.Look, error) {
	var f file
	d := json.NewDecoder(r)
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("is no look at rows, or is damaged: %w", err)
	}
	if d.More() {
		return nil, errors.New("has more than one look: merge files, and do not append them")
	}
	if f.Format != format {
		return nil, fmt.Errorf("is of the format %.40q, and this version reads %q: write it again with this version", f.Format, format)
	}
	l := &look.Look{Schema: f.Schema, Notes: f.Notes, Columns: f.Columns, Rows: f.Rows, Missing: f.Missing, Dropped: f.Dropped,
		Labels: f.Labels, Sample: look.Sample(f.Sample), Weighted: f.Weighted, Grouped: f.Grouped}
	for _, m := range f.Inputs {
		l.Inputs = append(l.Inputs, look.Moments(m))
	}
	in, _ := l.Schema.Dims()
	if err := inside.CheckSchema(l.Schema, in); err != nil {
		return nil, fmt.Errorf("is damaged: %w", err)
	}
	whole := len(l.Inputs) == in && l.Rows >= 0 && fits(&l.Sample, in, l.Rows)
	if l.Columns != nil {
		whole = len(l.Columns) == len(l.Schema.Inputs) && len(l.Inputs) == 0
	}
	for _, m := range l.Inputs {
		whole = whole && m.N >= 0 && m.N <= l.Rows
	}
	if !whole {
		return nil, fmt.Errorf("is damaged: its parts are of different sizes")
	}
	return l, nil
}
