package looks

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/look"
)

// File is a look with the form that it has in a file.
type File struct{ *look.Look }

const format = "rff look 2"

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

	Sum string `json:"sha256"` // the last field, where sign puts it
}

// sign writes the checksum to the end of a file: that of the whole file with zeros in its place, as
// files of models have it (internal/safetensors). It returns it.
func sign(b []byte) string {
	at := max(0, len(b)-len(zeroSum)-len("\"}\n"))
	sum := b[at:min(len(b), at+len(zeroSum))]
	copy(sum, zeroSum)
	h := sha256.Sum256(b)
	copy(sum, hex.EncodeToString(h[:]))
	return string(sum)
}

var zeroSum = strings.Repeat("0", 2*sha256.Size)

// WriteTo writes the file.
func (l File) WriteTo(w io.Writer) (int64, error) {
	f := file{format, l.Schema, l.Notes, l.Columns, l.Rows, l.Missing, l.Dropped, nil, l.Labels, sample(l.Sample), l.Weighted, l.Grouped, zeroSum}
	for _, m := range l.Inputs {
		f.Inputs = append(f.Inputs, moments(m))
	}
	b, err := json.Marshal(f)
	if err != nil {
		return 0, err
	}
	b = append(b, '\n')
	sign(b)
	if len(b) > mostBytes {
		return 0, errors.New("the look takes more than 512 MiB: look at fewer columns")
	}
	n, err := w.Write(b)
	return int64(n), err
}

// mostBytes bounds a file, which is decoded as a whole.
const mostBytes = 512 << 20

// Is reports whether a file that begins with head is the file of a look.
func Is(head []byte) bool { return string(head[:min(len(head), len(magic))]) == magic }

const magic = `{"format":"rff look`

// Read reads what File.WriteTo wrote. The memory that it takes is a few times that of the file, and
// little if that is another one.
func Read(r io.Reader) (*look.Look, error) {
	from := bufio.NewReader(io.LimitReader(r, mostBytes+1))
	if head, _ := from.Peek(len(magic)); !Is(head) {
		return nil, errors.New("is not a file of rff look")
	}
	b, err := io.ReadAll(from)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	if len(b) > mostBytes {
		return nil, errors.New("is damaged: it has more than 512 MiB, which no look has")
	}
	var f file
	d := json.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("is damaged: %w", err)
	}
	if d.More() {
		return nil, errors.New("has more than one look: merge files, and do not append them")
	}
	if f.Format != format {
		return nil, fmt.Errorf("is of the format %.40q, and this version reads %q: write it again with this version", f.Format, format)
	}
	if f.Sum != sign(b) {
		return nil, errors.New("is damaged: its checksum does not match")
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
