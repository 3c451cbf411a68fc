package krr

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/rffgo/rff/blas"
)

// Files of this package are safetensors: 8 bytes with the length of the header,
// little-endian; the header, JSON, that gives every tensor's type, shape and
// offsets and a map of strings, the metadata; the tensors, little-endian and
// row-major, without gaps. Our metadata hold
//
//	format, version   what the file is: "rff model", "rff gram", "rff checkpoint"
//	sha256            of the whole file, with this value replaced by 64 zeros
//
// Reference: https://github.com/huggingface/safetensors, "Format".

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
	return &tensors{meta: map[string]string{"format": "rff " + what, "version": "1"}}
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

type entry struct {
	Dtype   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

// write writes the file to w. The data are read twice, for the checksum first.
func (t *tensors) write(w io.Writer) error {
	header := map[string]any{}
	t.meta["sha256"] = zeroSum
	header["__metadata__"] = t.meta
	at := 0
	for _, p := range t.list {
		n := 8
		for _, s := range p.shape {
			n *= s
		}
		e := entry{"F64", p.shape, [2]int{at, at + n}}
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

// bytes returns the file.
func (t *tensors) bytes() []byte {
	var b bytes.Buffer
	if err := t.write(&b); err != nil {
		panic(err) // a buffer does not fail
	}
	return b.Bytes()
}

// parsed is a file's content on its way in. Nothing is allocated beyond a small
// multiple of the bytes given.
type parsed struct {
	what string
	meta map[string]string
	list map[string]entry
	data []byte
}

// parseTensors checks sizes and checksum before anything else.
func parseTensors(what string, b []byte) (*parsed, error) {
	bad := func(format string, args ...any) (*parsed, error) {
		return nil, &FileError{What: what, Why: fmt.Sprintf(format, args...)}
	}
	if len(b) < 8 {
		return bad("%d bytes are too few: it is empty or truncated", len(b))
	}
	n := binary.LittleEndian.Uint64(b)
	if n > uint64(len(b)-8) {
		return bad("its header should have %d bytes but only %d follow: it is truncated, or no safetensors file", n, len(b)-8)
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b[8:8+n], &raw); err != nil {
		return bad("its header is not JSON: it is no safetensors file (%v)", err)
	}
	p := &parsed{what: what, list: map[string]entry{}, data: b[8+n:]}
	if err := json.Unmarshal(raw["__metadata__"], &p.meta); err != nil || p.meta["format"] == "" {
		return bad("it has no rff metadata: it was not written by rff")
	}
	if f := p.meta["format"]; f != "rff "+what {
		return bad("it is an %q", f)
	}
	if v := p.meta["version"]; v != "1" {
		return bad("it has format version %q and this program reads version 1: use a newer program", v)
	}
	delete(raw, "__metadata__")
	var spans [][2]int
	for name, r := range raw {
		var e entry
		if err := json.Unmarshal(r, &e); err != nil {
			return bad("the description of tensor %q is malformed", name)
		}
		size := 8
		for _, s := range e.Shape {
			if s < 0 || (s > 0 && size > len(p.data)/s) {
				return bad("tensor %q of shape %v does not fit the file", name, e.Shape)
			}
			size *= s
		}
		if e.Dtype != "F64" && e.Dtype != "I64" {
			return bad("tensor %q has type %q, not F64 or I64", name, e.Dtype)
		}
		if e.Offsets[0] < 0 || e.Offsets[1] > len(p.data) || e.Offsets[1]-e.Offsets[0] != size {
			return bad("tensor %q of shape %v does not fit its offsets or the file: it is truncated", name, e.Shape)
		}
		p.list[name] = e
		spans = append(spans, e.Offsets)
	}
	slices.SortFunc(spans, func(a, b [2]int) int {
		if a[0] != b[0] {
			return a[0] - b[0]
		}
		return a[1] - b[1]
	})
	at := 0
	for _, s := range spans {
		if s[0] != at {
			return bad("its tensors overlap or leave gaps")
		}
		at = s[1]
	}
	if at != len(p.data) {
		return bad("it has %d bytes of data beyond its tensors, or too few", len(p.data)-at)
	}
	key := []byte(`"sha256":"` + p.meta["sha256"] + `"`)
	i := bytes.Index(b[:8+n], key)
	if len(p.meta["sha256"]) != 64 || i < 0 {
		return bad("it has no checksum")
	}
	h := sha256.New()
	i += len(`"sha256":"`)
	hashParts(h, b[:i], []byte(zeroSum), b[i+64:])
	if hex.EncodeToString(h.Sum(nil)) != p.meta["sha256"] {
		return bad("its checksum does not match: it is damaged")
	}
	return p, nil
}

func hashParts(h hash.Hash, parts ...[]byte) {
	for _, p := range parts {
		h.Write(p)
	}
}

func (p *parsed) bad(format string, args ...any) error {
	return &FileError{What: p.what, Why: fmt.Sprintf(format, args...)}
}

// has reports whether there is a tensor of that name.
func (p *parsed) has(name string) bool { _, ok := p.list[name]; return ok }

func (p *parsed) get(name, dtype string, dims int) (entry, error) {
	e, ok := p.list[name]
	if !ok {
		return e, p.bad("tensor %q is missing", name)
	}
	if e.Dtype != dtype || len(e.Shape) != dims {
		return e, p.bad("tensor %q is %s %v, want %s with %d dimensions", name, e.Dtype, e.Shape, dtype, dims)
	}
	return e, nil
}

// vector returns a tensor of n elements, any number if n < 0.
func (p *parsed) vector(name string, n int) ([]float64, error) {
	e, err := p.get(name, "F64", 1)
	if err != nil {
		return nil, err
	}
	if n >= 0 && e.Shape[0] != n {
		return nil, p.bad("tensor %q has %d elements, want %d", name, e.Shape[0], n)
	}
	return p.floats(e), nil
}

// optional is vector for a tensor that may be missing.
func (p *parsed) optional(name string, n int) ([]float64, error) {
	if !p.has(name) {
		return nil, nil
	}
	return p.vector(name, n)
}

func (p *parsed) floats(e entry) []float64 {
	b := p.data[e.Offsets[0]:e.Offsets[1]]
	v := make([]float64, len(b)/8)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return v
}

// matrix returns a tensor of r×c elements; a negative size stands for any.
func (p *parsed) matrix(name string, r, c int) (blas.General[float64], error) {
	e, err := p.get(name, "F64", 2)
	if err != nil {
		return blas.General[float64]{}, err
	}
	if (r >= 0 && e.Shape[0] != r) || (c >= 0 && e.Shape[1] != c) {
		return blas.General[float64]{}, p.bad("tensor %q is %v, want %d×%d", name, e.Shape, r, c)
	}
	return blas.General[float64]{Rows: e.Shape[0], Cols: e.Shape[1], Stride: e.Shape[1], Data: p.floats(e)}, nil
}

// upper fills the upper triangle of m.
func (p *parsed) upper(name string, m blas.General[float64]) error {
	v, err := p.vector(name, m.Rows*(m.Rows+1)/2)
	if err != nil {
		return err
	}
	for i := range m.Rows {
		v = v[copy(m.Row(i)[i:], v):]
	}
	return nil
}

func (p *parsed) ints(name string, n int) ([]int, error) {
	e, err := p.get(name, "I64", 1)
	if err != nil {
		return nil, err
	}
	if n >= 0 && e.Shape[0] != n {
		return nil, p.bad("tensor %q has %d elements, want %d", name, e.Shape[0], n)
	}
	b := p.data[e.Offsets[0]:e.Offsets[1]]
	v := make([]int, len(b)/8)
	for i := range v {
		v[i] = int(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return v, nil
}

// json reads a metadata value; a missing one leaves v as it is.
func (p *parsed) json(key string, v any) error {
	s, ok := p.meta[key]
	if !ok {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(s))
	if err := d.Decode(v); err != nil {
		return p.bad("metadata %q: %v", key, err)
	}
	return nil
}

// setNames stores the names of the columns.
func (t *tensors) setNames(inputs []string, target string) {
	if inputs != nil {
		t.setJSON("inputs", inputs)
	}
	if target != "" {
		t.meta["target"] = target
	}
}

// names reads the names of dim inputs, or nil.
func (p *parsed) names(dim int) (inputs []string, err error) {
	if err := p.json("inputs", &inputs); err != nil {
		return nil, err
	}
	if inputs != nil && len(inputs) != dim {
		return nil, p.bad("it names %d inputs of %d", len(inputs), dim)
	}
	return inputs, nil
}
