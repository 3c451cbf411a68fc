package safetensors

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/rffgo/rff/blas"
)

// maxHeader is the longest header that is read. It has room for the names of millions of columns.
const maxHeader = 64 << 20

// Format says how to recognise files of one kind.
type Format struct {
	// Accept returns an error for the metadata of another kind of file.
	Accept func(meta map[string]string) error
	// Refuse makes the error for a file that is damaged or not of this kind.
	Refuse func(why string) error
}

// File is the content of a file that is read.
type File struct {
	Meta   map[string]string
	format Format
	list   map[string]*entry
	header []byte // with its length
	size   int64  // of the tensors
	err    error  // the first
}

// entry is one tensor: its line in the header and, once read, its elements.
type entry struct {
	Dtype   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`

	f64 []float64
	i64 []int
}

// Read reads a file to its end. size is the number of its bytes, or −1 if it is not known. Read
// takes a small multiple of the bytes that are present, whatever the header says. The error is one
// of f, or that of r as it is.
func (f Format) Read(r io.Reader, size int64) (*File, error) {
	p, err := f.ReadHeader(r, size)
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(r, 1<<16)
	sum := sha256.New()
	want := p.Meta["sha256"]
	key := []byte(`"sha256":"` + want + `"`)
	at := bytes.Index(p.header, key)
	if len(want) != 2*sha256.Size || at < 0 {
		return nil, p.Bad("it has no checksum")
	}
	at += len(`"sha256":"`)
	sum.Write(p.header[:at])
	io.WriteString(sum, zeroSum)
	sum.Write(p.header[at+len(want):])
	p.header = nil
	for _, name := range p.order() {
		if err := p.readTensor(name, in, sum, size >= 0); err != nil {
			return nil, err
		}
	}
	switch _, err := in.ReadByte(); {
	case err == nil:
		return nil, p.Bad("there is more after its tensors: it is not one file, or damaged")
	case err != io.EOF:
		return nil, err
	}
	if hex.EncodeToString(sum.Sum(nil)) != want {
		return nil, p.Bad("its checksum does not match: it is damaged")
	}
	return p, nil
}

// ReadHeader reads and checks everything before the tensors.
func (f Format) ReadHeader(r io.Reader, size int64) (*File, error) {
	p := &File{format: f, Meta: map[string]string{}, list: map[string]*entry{}}
	length := make([]byte, 8)
	if n, err := io.ReadFull(r, length); err != nil {
		return nil, p.ended(err, "%d bytes are too few: it is empty or truncated", n)
	}
	n := binary.LittleEndian.Uint64(length)
	if n > maxHeader {
		return nil, p.Bad("it does not begin like a safetensors file")
	}
	if size >= 0 && n > uint64(size-8) {
		return nil, p.Bad("its header should have %d bytes but only %d follow: it is truncated, or no safetensors file", n, size-8)
	}
	var header bytes.Buffer // it grows with the bytes that come
	header.Write(length)
	if got, err := io.CopyN(&header, r, int64(n)); err != nil {
		return nil, p.ended(err, "its header should have %d bytes but only %d follow: it is truncated, or no safetensors file", n, got)
	}
	p.header = header.Bytes()
	if err := p.parseHeader(p.header[8:]); err != nil {
		return nil, err
	}
	if got := size - 8 - int64(n); size >= 0 && got != p.size {
		return nil, p.Bad("it has %d bytes of data and its tensors %d: it is truncated or damaged", got, p.size)
	}
	return p, nil
}

// ended refuses a file that ends early, and passes on other errors of its reader.
func (p *File) ended(err error, format string, args ...any) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return p.Bad(format, args...)
	}
	return err
}

// parseHeader fills meta and list, one tensor after the other so that it takes
// little more memory than the text, and checks format, types and sizes.
func (p *File) parseHeader(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	notJSON := func(err error) error {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return p.Bad("its header is not JSON: it is no safetensors file (%v)", err)
	}
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return p.Bad("its header is not JSON: it is no safetensors file")
	}
	own := false
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return notJSON(err)
		}
		name, _ := key.(string)
		if name == "__metadata__" {
			if own {
				return p.Bad("it has metadata twice")
			}
			own = true
			if err := d.Decode(&p.Meta); err != nil {
				return p.Bad("its metadata are malformed (%v)", err)
			}
			continue
		}
		e := new(entry)
		if err := d.Decode(e); err != nil {
			return p.Bad("the description of tensor %q is malformed (%v)", name, err)
		}
		if p.list[name] != nil {
			return p.Bad("it has tensor %q twice", name)
		}
		p.list[name] = e
	}
	if _, err := d.Token(); err != nil {
		return notJSON(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return p.Bad("its header goes on after its end")
	}
	if err := p.format.Accept(p.Meta); err != nil {
		return err
	}
	return p.checkSizes()
}

// checkSizes checks that the tensors follow each other without gaps, and adds
// up their bytes.
func (p *File) checkSizes() error {
	for _, name := range p.order() {
		e := p.list[name]
		if e.Dtype != "F64" && e.Dtype != "I64" {
			return p.Bad("tensor %q has type %q, not F64 or I64", name, e.Dtype)
		}
		size := int64(8)
		for _, s := range e.Shape {
			if s < 0 || (s > 0 && size > math.MaxInt64/2/int64(s)) {
				return p.Bad("tensor %q of shape %v does not fit any file", name, e.Shape)
			}
			size *= int64(s)
		}
		if e.Offsets[0] != p.size || e.Offsets[1]-e.Offsets[0] != size || size/8 > math.MaxInt/8 {
			return p.Bad("tensor %q of shape %v is at %d to %d, after %d: tensors overlap, leave gaps or do not have their size", name, e.Shape, e.Offsets[0], e.Offsets[1], p.size)
		}
		p.size = e.Offsets[1]
	}
	return nil
}

// order returns the names of the tensors by offset; empty ones first.
func (p *File) order() []string {
	return slices.SortedFunc(maps.Keys(p.list), func(a, b string) int {
		x, y := p.list[a], p.list[b]
		return cmp.Or(cmp.Compare(x.Offsets[0], y.Offsets[0]), cmp.Compare(x.Offsets[1], y.Offsets[1]), cmp.Compare(a, b))
	})
}

// readTensor reads the elements of a tensor. Unless known says that its bytes are present, memory
// grows with the bytes that come.
func (p *File) readTensor(name string, r io.Reader, sum hash.Hash, known bool) error {
	e := p.list[name]
	n := int((e.Offsets[1] - e.Offsets[0]) / 8)
	room := n
	if !known {
		room = min(n, 1<<13)
	}
	if e.Dtype == "F64" {
		e.f64 = make([]float64, 0, room)
	} else {
		e.i64 = make([]int, 0, room)
	}
	var buf [1 << 13]byte
	for left := n; left > 0; {
		b := buf[:8*min(left, len(buf)/8)]
		if _, err := io.ReadFull(r, b); err != nil {
			return p.ended(err, "it ends within tensor %q: it is truncated", name)
		}
		sum.Write(b)
		left -= len(b) / 8
		for ; len(b) > 0; b = b[8:] {
			v := binary.LittleEndian.Uint64(b)
			if e.Dtype == "F64" {
				e.f64 = append(e.f64, math.Float64frombits(v))
				continue
			}
			if int64(int(v)) != int64(v) {
				return p.Bad("tensor %q has the element %d", name, int64(v))
			}
			e.i64 = append(e.i64, int(v))
		}
	}
	return nil
}

// Bad makes the error for a damaged file, and keeps it. If there is an error already, it returns
// that one. So a caller may check contents before it calls Err.
func (p *File) Bad(format string, args ...any) error {
	if p.err == nil {
		p.err = p.format.Refuse(fmt.Sprintf(format, args...))
	}
	return p.err
}

// Err returns the first error of reading a tensor or the metadata. The value that was asked for was
// then empty.
func (p *File) Err() error { return p.err }

// Tensors returns all tensors in the order of the file. They are not copied.
func (p *File) Tensors() []Tensor {
	var out []Tensor
	for _, name := range p.order() {
		e := p.list[name]
		t := Tensor{Name: name, Shape: e.Shape, I64: e.i64}
		if e.Dtype == "F64" {
			t.F64 = [][]float64{e.f64}
		}
		out = append(out, t)
	}
	return out
}

// Has reports whether there is a tensor of that name.
func (p *File) Has(name string) bool { _, ok := p.list[name]; return ok }

// get returns a tensor of that type and shape. A negative size stands for any.
func (p *File) get(name, dtype string, shape ...int) *entry {
	e := p.list[name]
	switch {
	case e == nil:
		p.Bad("tensor %q is missing", name)
	case e.Dtype != dtype || !slices.EqualFunc(e.Shape, shape, func(is, want int) bool { return want < 0 || is == want }):
		p.Bad("tensor %q is %s %v, want %s %v (-1: any size)", name, e.Dtype, e.Shape, dtype, shape)
	default:
		return e
	}
	return new(entry)
}

// Vector returns a tensor of n elements, or of any number of elements if n < 0.
func (p *File) Vector(name string, n int) []float64 { return p.get(name, "F64", n).f64 }

// Number returns the element of a tensor of one.
func (p *File) Number(name string) float64 {
	if v := p.Vector(name, 1); v != nil {
		return v[0]
	}
	return 0
}

// Optional is Vector for a tensor that may be missing.
func (p *File) Optional(name string, n int) []float64 {
	if !p.Has(name) {
		return nil
	}
	return p.Vector(name, n)
}

// Matrix returns a tensor of r×c elements; a negative size stands for any.
func (p *File) Matrix(name string, r, c int) blas.General[float64] {
	e := p.get(name, "F64", r, c)
	if e.Shape == nil {
		return blas.General[float64]{}
	}
	return blas.General[float64]{Rows: e.Shape[0], Cols: e.Shape[1], Stride: e.Shape[1], Data: e.f64}
}

// Upper fills the upper triangle of m.
func (p *File) Upper(name string, m blas.General[float64]) {
	v := p.Vector(name, m.Rows*(m.Rows+1)/2)
	for i := range m.Rows {
		v = v[copy(m.Row(i)[i:], v):]
	}
}

// Finite refuses the file if it has a tensor of that name with a number that is not finite.
func (p *File) Finite(name string) {
	if e := p.list[name]; e != nil {
		if i := slices.IndexFunc(e.f64, func(v float64) bool { return v-v != 0 }); i >= 0 {
			p.Bad("tensor %q has the number %g at place %d", name, e.f64[i], i+1)
		}
	}
}

// Ints is Vector for integers.
func (p *File) Ints(name string, n int) []int { return p.get(name, "I64", n).i64 }

// Part returns the tensors and metadata whose names begin with prefix, without it. It has
// errors of its own.
func (p *File) Part(prefix string) *File {
	part := &File{format: p.format, Meta: map[string]string{}, list: map[string]*entry{}}
	for name, v := range p.Meta {
		if own, ok := strings.CutPrefix(name, prefix); ok {
			part.Meta[own] = v
		}
	}
	for name, e := range p.list {
		if own, ok := strings.CutPrefix(name, prefix); ok {
			part.list[own] = e
		}
	}
	return part
}

// JSON reads a metadata value; a missing one leaves v as it is.
func (p *File) JSON(key string, v any) {
	if s, ok := p.Meta[key]; ok {
		if err := json.Unmarshal([]byte(s), v); err != nil {
			p.Bad("metadata %q: %v", key, err)
		}
	}
}
