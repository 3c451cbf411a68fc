package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/rffgo/rff/internal/columnar"
)

const npyMagic = "\x93NUMPY"

// npyType returns the element type of a NumPy type string such as "<f8", if it is known.
func npyType(descr string) (element, bool) {
	if len(descr) < 3 || !strings.ContainsRune("<>|", rune(descr[0])) {
		return element{}, false
	}
	e := element{columnar.Fixed(descr[1:]), descr[0] == '>'}
	if e.Fixed == "b1" {
		e.Fixed = "u1"
	}
	return e, e.Known()
}

var (
	npyDescr   = regexp.MustCompile(`'descr'\s*:\s*'([^']*)'`)
	npyFortran = regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`)
	npyShape   = regexp.MustCompile(`'shape'\s*:\s*\(([0-9, L]*)\)`)
)

// newNPY reads a NumPy header, versions 1 to 3 (numpy.lib.format): magic,
// version, length, and a Python dictionary with type, order and shape.
func newNPY(in *input, o *Options) (*columnReader, error) {
	bad := func(format string, a ...any) error {
		return &ParseError{Place: Place{File: in.name}, Need: fmt.Sprintf(format, a...)}
	}
	var head [8]byte
	if _, err := io.ReadFull(in.Reader, head[:]); err != nil {
		return nil, readError(in.name, 0, err)
	}
	if string(head[:6]) != npyMagic {
		return nil, bad("does not start like a NumPy file")
	}
	lenBytes := 2
	if head[6] >= 2 {
		lenBytes = 4
	}
	if head[6] < 1 || head[6] > 3 {
		return nil, bad("is NumPy format version %d: 1 to 3 are known", head[6])
	}
	var length [4]byte
	if _, err := io.ReadFull(in.Reader, length[:lenBytes]); err != nil {
		return nil, readError(in.name, 0, err)
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > maxNPYHeader {
		return nil, bad("has a header of %d bytes: not a plain array", n)
	}
	header := make([]byte, n)
	if _, err := io.ReadFull(in.Reader, header); err != nil {
		return nil, readError(in.name, 0, err)
	}
	descr, fortran, shape := npyDescr.FindSubmatch(header), npyFortran.FindSubmatch(header), npyShape.FindSubmatch(header)
	if fortran == nil || shape == nil {
		return nil, bad("has a header that cannot be understood")
	}
	var elem element
	known := false
	if descr != nil {
		elem, known = npyType(string(descr[1]))
	}
	if !known {
		kind := "a structured type"
		if descr != nil {
			kind = strconv.Quote(string(descr[1]))
		}
		return nil, bad("has elements of type %s: save it as a floating-point or integer type of at most 8 bytes", kind)
	}
	var dims []int64
	for f := range strings.SplitSeq(string(shape[1]), ",") {
		f = strings.TrimSuffix(strings.TrimSpace(f), "L")
		if f == "" {
			continue
		}
		d, err := strconv.ParseInt(f, 10, 64)
		if err != nil || d < 0 {
			return nil, bad("has a shape that cannot be understood")
		}
		dims = append(dims, d)
	}
	if len(dims) == 0 {
		return nil, bad("holds a single value")
	}
	if string(fortran[1]) == "True" && len(dims) > 1 {
		return nil, bad("is stored column by column (Fortran order): save numpy.ascontiguousarray(x)")
	}
	r, err := newArray(in, elem, dims[0], dims[1:], o)
	if err == nil && strings.HasSuffix(string(descr[1]), "b1") {
		for i := range r.of {
			r.of[i].Bool = true
		}
	}
	return r, err
}
