package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

const npyMagic = "\x93NUMPY"

// npyType returns the element type of a NumPy type string such as "<f8", or nil.
func npyType(descr string) *element {
	if len(descr) < 3 {
		return nil
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch descr[0] {
	case '>':
		order = binary.BigEndian
	case '<', '|':
	default:
		return nil
	}
	switch descr[1:] {
	case "f8":
		return &element{8, func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }}
	case "f4":
		return &element{4, func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }}
	case "u1", "b1":
		return &element{1, func(b []byte) float64 { return float64(b[0]) }}
	case "i1":
		return &element{1, func(b []byte) float64 { return float64(int8(b[0])) }}
	case "u2":
		return &element{2, func(b []byte) float64 { return float64(order.Uint16(b)) }}
	case "i2":
		return &element{2, func(b []byte) float64 { return float64(int16(order.Uint16(b))) }}
	case "u4":
		return &element{4, func(b []byte) float64 { return float64(order.Uint32(b)) }}
	case "i4":
		return &element{4, func(b []byte) float64 { return float64(int32(order.Uint32(b))) }}
	case "u8":
		return &element{8, func(b []byte) float64 { return float64(order.Uint64(b)) }}
	case "i8":
		return &element{8, func(b []byte) float64 { return float64(int64(order.Uint64(b))) }}
	}
	return nil
}

var (
	npyDescr   = regexp.MustCompile(`'descr'\s*:\s*'([^']*)'`)
	npyFortran = regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`)
	npyShape   = regexp.MustCompile(`'shape'\s*:\s*\(([0-9, L]*)\)`)
)

// newNPY reads a NumPy header, versions 1 to 3 (numpy.lib.format): magic,
// version, length, and a Python dictionary with type, order and shape.
func newNPY(in *input, o *Options) (*arrayReader, error) {
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
	var elem *element
	if descr != nil {
		elem = npyType(string(descr[1]))
	}
	if elem == nil {
		kind := "a structured type"
		if descr != nil {
			kind = strconv.Quote(string(descr[1]))
		}
		return nil, bad("has elements of type %s: save it as float64, float32 or an integer type", kind)
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
	return newArray(in, elem, dims[0], dims[1:], o)
}
