package krr

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"
	"slices"

	"github.com/rffgo/rff/blas"
)

// maxHeader is the longest header that is read: room for the names of millions
// of columns.
const maxHeader = 64 << 20

// parsed is a file's content on its way in.
type parsed struct {
	what   string
	first  bool // of format version 1
	meta   map[string]string
	list   map[string]*entry
	header []byte // with its length
	size   int64  // of the tensors
}

// entry is one tensor: its line in the header and, once read, its elements.
type entry struct {
	Dtype   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`

	f64 []float64
	i64 []int
}

// readFile opens a file for read, with its size or −1, and names it in errors.
func readFile(path, what string, read func(r io.Reader, size int64) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("krr: cannot read the %s: %w", what, err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return fmt.Errorf("krr: cannot read the %s: %w", what, err)
	}
	size := int64(-1)
	if st.Mode().IsRegular() {
		size = st.Size()
	}
	return inFile(path, read(f, size))
}

// inFile names the file in a *FileError.
func inFile(path string, err error) error {
	var f *FileError
	if errors.As(err, &f) {
		f.Path = path
	}
	return err
}

// readTensors reads a file to its end. size is the number of its bytes, or −1 if
// that is not known. Memory is a small multiple of the bytes that are there,
// whatever they say. The error is a *FileError, or that of r.
func readTensors(what string, r io.Reader, size int64) (*parsed, error) {
	p, err := readHeader(what, r, size)
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(r, 1<<16)
	sum := sha256.New()
	want := p.meta["sha256"]
	key := []byte(`"sha256":"` + want + `"`)
	at := bytes.Index(p.header, key)
	if len(want) != 2*sha256.Size || at < 0 {
		return nil, p.bad("it has no checksum")
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
		return nil, p.bad("there is more after its tensors: it is not one file, or damaged")
	case err != io.EOF:
		return nil, fmt.Errorf("krr: cannot read the %s: %w", what, err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != want {
		return nil, p.bad("its checksum does not match: it is damaged")
	}
	return p, nil
}

// readHeader reads and checks all that comes before the tensors.
func readHeader(what string, r io.Reader, size int64) (*parsed, error) {
	p := &parsed{what: what, meta: map[string]string{}, list: map[string]*entry{}}
	length := make([]byte, 8)
	if n, err := io.ReadFull(r, length); err != nil {
		return nil, p.ended(err, "%d bytes are too few: it is empty or truncated", n)
	}
	n := binary.LittleEndian.Uint64(length)
	if size >= 0 && n > uint64(size-8) {
		return nil, p.bad("its header should have %d bytes but only %d follow: it is truncated, or no safetensors file", n, size-8)
	}
	if n > maxHeader {
		return nil, p.bad("its header should have %d bytes: it is no safetensors file", n)
	}
	var header bytes.Buffer // grows with what comes
	header.Write(length)
	if got, err := io.CopyN(&header, r, int64(n)); err != nil {
		return nil, p.ended(err, "its header should have %d bytes but only %d follow: it is truncated, or no safetensors file", n, got)
	}
	p.header = header.Bytes()
	if err := p.parseHeader(p.header[8:]); err != nil {
		return nil, err
	}
	if got := size - 8 - int64(n); size >= 0 && got != p.size {
		return nil, p.bad("it has %d bytes of data and its tensors %d: it is truncated or damaged", got, p.size)
	}
	return p, nil
}

// ended turns the early end of a file into a *FileError.
func (p *parsed) ended(err error, format string, args ...any) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return p.bad(format, args...)
	}
	return fmt.Errorf("krr: cannot read the %s: %w", p.what, err)
}

// parseHeader fills meta and list, one tensor after the other so that it takes
// little more memory than the text, and checks format, types and sizes.
func (p *parsed) parseHeader(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	notJSON := func(err error) error {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return p.bad("its header is not JSON: it is no safetensors file (%v)", err)
	}
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return p.bad("its header is not JSON: it is no safetensors file")
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
				return p.bad("it has metadata twice")
			}
			own = true
			if err := d.Decode(&p.meta); err != nil {
				return p.bad("its metadata are malformed (%v)", err)
			}
			continue
		}
		e := new(entry)
		if err := d.Decode(e); err != nil {
			return p.bad("the description of tensor %q is malformed (%v)", name, err)
		}
		if p.list[name] != nil {
			return p.bad("it has tensor %q twice", name)
		}
		p.list[name] = e
	}
	if _, err := d.Token(); err != nil {
		return notJSON(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return p.bad("its header goes on after its end")
	}
	switch f, v := p.meta["format"], p.meta["version"]; {
	case f == "":
		return p.bad("it has no rff metadata: it was not written by rff")
	case f != "rff "+p.what:
		return p.bad("it is an %q", f)
	case v == "1" && p.what == "checkpoint":
		return p.bad("an earlier version of rff wrote it, which did not look at all numbers of the data: finish the fit with that version, or remove it to start anew")
	case v == "1":
		p.first = true
	case v != formats[p.what]:
		return p.bad("it has format version %q and this program reads version %s: use a newer program", v, formats[p.what])
	}
	return p.checkSizes()
}

// checkSizes checks that the tensors follow each other without gaps, and adds
// up their bytes.
func (p *parsed) checkSizes() error {
	for _, name := range p.order() {
		e := p.list[name]
		if e.Dtype != "F64" && e.Dtype != "I64" {
			return p.bad("tensor %q has type %q, not F64 or I64", name, e.Dtype)
		}
		size := int64(8)
		for _, s := range e.Shape {
			if s < 0 || (s > 0 && size > math.MaxInt64/2/int64(s)) {
				return p.bad("tensor %q of shape %v does not fit any file", name, e.Shape)
			}
			size *= int64(s)
		}
		if e.Offsets[0] != p.size || e.Offsets[1]-e.Offsets[0] != size || size/8 > math.MaxInt/8 {
			return p.bad("tensor %q of shape %v is at %d to %d, after %d: tensors overlap, leave gaps or do not have their size", name, e.Shape, e.Offsets[0], e.Offsets[1], p.size)
		}
		p.size = e.Offsets[1]
	}
	return nil
}

// order returns the names of the tensors by offset; empty ones first.
func (p *parsed) order() []string {
	names := make([]string, 0, len(p.list))
	for name := range p.list {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		x, y := p.list[a], p.list[b]
		return cmp.Or(cmp.Compare(x.Offsets[0], y.Offsets[0]), cmp.Compare(x.Offsets[1], y.Offsets[1]), cmp.Compare(a, b))
	})
	return names
}

// readTensor reads the elements of a tensor. Unless its size is known to be
// there, memory grows with what comes.
func (p *parsed) readTensor(name string, r io.Reader, sum hash.Hash, known bool) error {
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
				return p.bad("tensor %q has the element %d", name, int64(v))
			}
			e.i64 = append(e.i64, int(v))
		}
	}
	return nil
}

func (p *parsed) bad(format string, args ...any) error {
	return &FileError{What: p.what, Why: fmt.Sprintf(format, args...)}
}

// has reports whether there is a tensor of that name.
func (p *parsed) has(name string) bool { _, ok := p.list[name]; return ok }

func (p *parsed) get(name, dtype string, dims int) (*entry, error) {
	e, ok := p.list[name]
	if !ok {
		return nil, p.bad("tensor %q is missing", name)
	}
	if e.Dtype != dtype || len(e.Shape) != dims {
		return nil, p.bad("tensor %q is %s %v, want %s with %d dimensions", name, e.Dtype, e.Shape, dtype, dims)
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
	return e.f64, nil
}

// optional is vector for a tensor that may be missing.
func (p *parsed) optional(name string, n int) ([]float64, error) {
	if !p.has(name) {
		return nil, nil
	}
	return p.vector(name, n)
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
	return blas.General[float64]{Rows: e.Shape[0], Cols: e.Shape[1], Stride: e.Shape[1], Data: e.f64}, nil
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
	return e.i64, nil
}

// json reads a metadata value; a missing one leaves v as it is.
func (p *parsed) json(key string, v any) error {
	s, ok := p.meta[key]
	if !ok {
		return nil
	}
	if err := json.Unmarshal([]byte(s), v); err != nil {
		return p.bad("metadata %q: %v", key, err)
	}
	return nil
}
