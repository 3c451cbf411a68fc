package krr

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
	"github.com/rffgo/rff/internal/atomicfile"
)

// Files of this package are safetensors: 8 bytes with the length of the header,
// little-endian; the header, JSON, that gives every tensor's type, shape and
// offsets and a map of strings, the metadata; the tensors, little-endian and
// row-major, without gaps. Our metadata hold
//
//	format, version   what the file is, "rff model", "rff gram" or "rff checkpoint", and formats
//	sha256            of the whole file, with this value replaced by 64 zeros
//
// Reference: https://github.com/huggingface/safetensors, "Format".

// formats are the versions that are written and read. A version that changes
// what the bytes mean gets another number. Version 1 of models and Grams, which
// has neither the least probability of a calibration nor the reference of the
// targets, is read, too.
var formats = map[string]string{"model": "2", "gram": "2", "checkpoint": "2"}

// FileError says why bytes are not what they should be.
type FileError struct {
	Path string // "" if the bytes did not come from a file
	What string // "model", "gram", "checkpoint"
	Why  string
}

func (e *FileError) Error() string {
	name := e.Path
	if name == "" {
		name = "data"
	}
	return fmt.Sprintf("krr: %s is not a usable %s: %s", name, e.What, e.Why)
}

// tensors is a file's content on its way out.
type tensors struct {
	meta map[string]string
	list []tensor
}

type tensor struct {
	name  string
	shape []int
	f64   [][]float64 // pieces, in order
	i64   []int
}

func newTensors(what string) *tensors {
	return &tensors{meta: map[string]string{"format": "rff " + what, "version": formats[what]}}
}

func (t *tensors) add(name string, v []float64) {
	if v != nil {
		t.list = append(t.list, tensor{name: name, shape: []int{len(v)}, f64: [][]float64{v}})
	}
}

func (t *tensors) addMatrix(name string, m blas.General[float64]) {
	p := tensor{name: name, shape: []int{m.Rows, m.Cols}}
	for i := range m.Rows {
		p.f64 = append(p.f64, m.Row(i))
	}
	t.list = append(t.list, p)
}

// addUpper adds the upper triangle of a square matrix, packed by rows.
func (t *tensors) addUpper(name string, m blas.General[float64]) {
	p := tensor{name: name, shape: []int{m.Rows * (m.Rows + 1) / 2}}
	for i := range m.Rows {
		p.f64 = append(p.f64, m.Row(i)[i:])
	}
	t.list = append(t.list, p)
}

func (t *tensors) addInts(name string, v []int) {
	if v != nil {
		t.list = append(t.list, tensor{name: name, shape: []int{len(v)}, i64: v})
	}
}

// setJSON stores v as JSON in the metadata.
func (t *tensors) setJSON(key string, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only plain values come here
	}
	t.meta[key] = string(b)
}

const zeroSum = "0000000000000000000000000000000000000000000000000000000000000000"

// write writes the file to w. The data are read twice, for the checksum first.
func (t *tensors) write(w io.Writer) error {
	header := map[string]any{}
	t.meta["sha256"] = zeroSum
	header["__metadata__"] = t.meta
	at := int64(0)
	for _, p := range t.list {
		n := int64(8)
		for _, s := range p.shape {
			n *= int64(s)
		}
		e := entry{Dtype: "F64", Shape: p.shape, Offsets: [2]int64{at, at + n}}
		if p.i64 != nil {
			e.Dtype = "I64"
		}
		header[p.name] = e
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
	if err := t.writeData(h); err != nil {
		return err
	}
	i := bytes.Index(b, []byte(`"sha256":"`+zeroSum))
	hex.Encode(b[i+len(`"sha256":"`):], h.Sum(nil))
	if _, err := w.Write(b); err != nil {
		return err
	}
	return t.writeData(w)
}

func (t *tensors) writeData(w io.Writer) error {
	buf := make([]byte, 0, 1<<16)
	flush := func(least int) error {
		if len(buf) < least {
			return nil
		}
		_, err := w.Write(buf)
		buf = buf[:0]
		return err
	}
	for _, p := range t.list {
		for _, v := range p.f64 {
			for _, x := range v {
				buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(x))
				if err := flush(1<<16 - 8); err != nil {
					return err
				}
			}
		}
		for _, x := range p.i64 {
			buf = binary.LittleEndian.AppendUint64(buf, uint64(x))
			if err := flush(1<<16 - 8); err != nil {
				return err
			}
		}
	}
	return flush(1)
}

// WriteTo writes the file to w and returns the number of bytes written.
func (t *tensors) WriteTo(w io.Writer) (int64, error) {
	c := &counter{w: w}
	err := t.write(c)
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

// writeFile replaces the file at path, or leaves it untouched. The error is a *WriteError.
func writeFile(path string, t *tensors) error {
	if err := atomicfile.Write(path, t.write); err != nil {
		return &WriteError{path, err}
	}
	return nil
}

// bytes returns the file.
func (t *tensors) bytes() ([]byte, error) {
	var b bytes.Buffer
	err := t.write(&b)
	return b.Bytes(), err
}
