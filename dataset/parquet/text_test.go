package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/rffgo/rff/internal/columnar"
)

// Text is bounded: of a column, of all columns of a batch, and of a dictionary.
func TestMemoryOfText(t *testing.T) {
	long := binary.LittleEndian.AppendUint32(nil, 1<<20)
	long = bytes.Repeat(append(long, make([]byte, 1<<20)...), 9)
	if _, _, err := (&prefixed{b: long}).next(9); !errors.Is(err, errText) {
		t.Errorf("9 MiB of one column: %v", err)
	}
	// Values that repeat the one before: 9 of 1 MiB, in little more than 1 MiB.
	s := &shared{b: make([]byte, 1<<20), last: make([]byte, 1<<20)}
	s.prefixes = &delta{left: 9, value: 1 << 20, mini: make([]uint64, 9)}
	s.lengths = &delta{left: 9, mini: make([]uint64, 9)}
	if _, _, err := s.next(9); !errors.Is(err, errText) {
		t.Errorf("9 MiB of values that share their beginning: %v", err)
	}

	var file bytes.Buffer
	w, err := NewWriter(&file, []Column{{"a", true}, {"b", true}, {"c", true}, {"d", true}, {"e", true}})
	if err != nil {
		t.Fatal(err)
	}
	for range columnar.MostRows {
		for range 5 {
			w.Text(strings.Repeat("w", 300))
		}
		if err := w.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := readAll(file.Bytes(), nil); !errors.Is(err, errText) {
		t.Errorf("12 MiB of five columns: %v", err)
	}

	// Arrow: one value of 9 bytes more than allowed, by offsets and in a view.
	offsets := binary.LittleEndian.AppendUint32(nil, 29)
	c := &arrowColumn{arrowField: &arrowField{kind: arrowUtf8}, data: &buffer{Reader: bytes.NewReader(offsets)}, text: &buffer{Reader: bytes.NewReader(make([]byte, 29)), size: 29}}
	if _, err := c.strings(1, nil, 20); !errors.Is(err, errText) {
		t.Errorf("offsets: %v", err)
	}
	view := make([]byte, 16)
	view[0] = 29
	c = &arrowColumn{arrowField: &arrowField{kind: arrowUtf8View}, data: &buffer{Reader: bytes.NewReader(view)}}
	if _, err := c.viewed(1, nil, 20); !errors.Is(err, errText) {
		t.Errorf("views: %v", err)
	}
	if _, err := (&recordBatch{left: mostWords + 1}).all(); !errors.Is(err, errWords) {
		t.Errorf("a dictionary: %v", err)
	}
	packed := binary.LittleEndian.AppendUint64(nil, 1<<30)
	r := &recordBatch{at: bytes.NewReader(packed), m: message{end: 8}, codec: 1, memory: mostPages - 1<<20}
	if _, err := r.buffer(append(make([]byte, 8), 8, 0, 0, 0, 0, 0, 0, 0)); !errors.Is(err, errBuffers) {
		t.Errorf("compressed buffers: %v", err)
	}
	// A buffer that is too short for its rows is refused before it is read.
	r = &recordBatch{at: bytes.NewReader(packed), m: message{end: 8}, codec: -1, left: 2}
	field := &arrowField{kind: arrowInt, bits: 64, buffers: 2, nodes: 1}
	buffers := append(make([]byte, 24), 8, 0, 0, 0, 0, 0, 0, 0)
	if _, err := r.column(field, buffers); !errors.Is(err, errArrow) {
		t.Errorf("a short buffer: %v", err)
	}
}
