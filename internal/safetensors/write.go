package safetensors

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/rffgo/rff/blas"
)

// Writer is the content of a file that is written.
type Writer struct {
	Meta map[string]string // what the tensors mean
	List []Tensor          // in the order of the file
}

// Tensor is one tensor of a Writer. It has int64 elements if I64 is not nil, and otherwise float64
// elements in F64. The elements are not copied.
type Tensor struct {
	Name  string
	Shape []int
	F64   [][]float64 // pieces, in order
	I64   []int
}

// Add adds a vector, or nothing if v is nil.
func (t *Writer) Add(name string, v []float64) {
	if v != nil {
		t.List = append(t.List, Tensor{Name: name, Shape: []int{len(v)}, F64: [][]float64{v}})
	}
}

// AddMatrix adds a matrix.
func (t *Writer) AddMatrix(name string, m blas.General[float64]) {
	p := Tensor{Name: name, Shape: []int{m.Rows, m.Cols}}
	for i := range m.Rows {
		p.F64 = append(p.F64, m.Row(i))
	}
	t.List = append(t.List, p)
}

// AddUpper adds the upper triangle of a square matrix, packed by rows.
func (t *Writer) AddUpper(name string, m blas.General[float64]) {
	p := Tensor{Name: name, Shape: []int{m.Rows * (m.Rows + 1) / 2}}
	for i := range m.Rows {
		p.F64 = append(p.F64, m.Row(i)[i:])
	}
	t.List = append(t.List, p)
}

// AddInts adds a vector of integers, or nothing if v is nil.
func (t *Writer) AddInts(name string, v []int) {
	if v != nil {
		t.List = append(t.List, Tensor{Name: name, Shape: []int{len(v)}, I64: v})
	}
}

// AddPart adds what another Writer has, with prefix before all names.
func (t *Writer) AddPart(prefix string, part *Writer) {
	for name, v := range part.Meta {
		t.Meta[prefix+name] = v
	}
	for _, p := range part.List {
		p.Name = prefix + p.Name
		t.List = append(t.List, p)
	}
}

// SetJSON stores v as JSON in the metadata.
func (t *Writer) SetJSON(key string, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only plain values come here
	}
	t.Meta[key] = string(b)
}

// zeroSum stands for the checksum while the checksum is computed.
const zeroSum = "0000000000000000000000000000000000000000000000000000000000000000"

// Write writes the file to w. It reads the data twice, first for the checksum.
func (t *Writer) Write(w io.Writer) error {
	header := map[string]any{}
	t.Meta["sha256"] = zeroSum
	header["__metadata__"] = t.Meta
	at := int64(0)
	for _, p := range t.List {
		n := int64(8)
		for _, s := range p.Shape {
			n *= int64(s)
		}
		e := entry{Dtype: "F64", Shape: p.Shape, Offsets: [2]int64{at, at + n}}
		if p.I64 != nil {
			e.Dtype = "I64"
		}
		header[p.Name] = e
		at += n
	}
	b, err := json.Marshal(header)
	if err != nil {
		return err
	}
	for len(b)%8 != 0 {
		b = append(b, ' ')
	}
	if len(b) > maxHeader {
		return fmt.Errorf("its texts have %d bytes, more than the %d that a reader takes: shorten the names of columns or classes", len(b), maxHeader)
	}
	b = append(binary.LittleEndian.AppendUint64(nil, uint64(len(b))), b...)
	h := sha256.New()
	h.Write(b)
	if err := t.WriteData(h); err != nil {
		return err
	}
	i := bytes.Index(b, []byte(`"sha256":"`+zeroSum))
	hex.Encode(b[i+len(`"sha256":"`):], h.Sum(nil))
	if _, err := w.Write(b); err != nil {
		return err
	}
	return t.WriteData(w)
}

// WriteData writes the elements of all tensors, without the header.
func (t *Writer) WriteData(w io.Writer) error {
	buf := make([]byte, 0, 1<<16)
	flush := func(least int) error {
		if len(buf) < least {
			return nil
		}
		_, err := w.Write(buf)
		buf = buf[:0]
		return err
	}
	for _, p := range t.List {
		for _, v := range p.F64 {
			for _, x := range v {
				buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(x))
				if err := flush(1<<16 - 8); err != nil {
					return err
				}
			}
		}
		for _, x := range p.I64 {
			buf = binary.LittleEndian.AppendUint64(buf, uint64(x))
			if err := flush(1<<16 - 8); err != nil {
				return err
			}
		}
	}
	return flush(1)
}

// WriteTo writes the file to w and returns the number of bytes written.
func (t *Writer) WriteTo(w io.Writer) (int64, error) {
	c := &counter{w: w}
	err := t.Write(c)
	return c.n, err
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// Bytes returns the file.
func (t *Writer) Bytes() ([]byte, error) {
	var b bytes.Buffer
	err := t.Write(&b)
	return b.Bytes(), err
}
