package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
)

// idxType returns the element type of an IDX type code, or nil.
func idxType(code byte) *element {
	be := binary.BigEndian
	switch code {
	case 0x08:
		return &element{1, func(b []byte) float64 { return float64(b[0]) }}
	case 0x09:
		return &element{1, func(b []byte) float64 { return float64(int8(b[0])) }}
	case 0x0b:
		return &element{2, func(b []byte) float64 { return float64(int16(be.Uint16(b))) }}
	case 0x0c:
		return &element{4, func(b []byte) float64 { return float64(int32(be.Uint32(b))) }}
	case 0x0d:
		return &element{4, func(b []byte) float64 { return float64(math.Float32frombits(be.Uint32(b))) }}
	case 0x0e:
		return &element{8, func(b []byte) float64 { return math.Float64frombits(be.Uint64(b)) }}
	}
	return nil
}

// newIDX reads an IDX header: two zero bytes, a type code, the number of
// dimensions, and each dimension as four big-endian bytes (Y. LeCun, "The MNIST
// database"). The first dimension counts rows, the others make a row.
func newIDX(in *input, o *Options) (*arrayReader, error) {
	var head [4]byte
	if _, err := io.ReadFull(in.Reader, head[:]); err != nil {
		return nil, &ReadError{File: in.name, Err: gzipError(err)}
	}
	elem := idxType(head[2])
	if head[0] != 0 || head[1] != 0 || elem == nil || head[3] == 0 {
		return nil, &ParseError{File: in.name, Need: fmt.Sprintf("does not start like an IDX file (% x)", head)}
	}
	dims := make([]byte, 4*int(head[3]))
	if _, err := io.ReadFull(in.Reader, dims); err != nil {
		return nil, &ReadError{File: in.name, Err: gzipError(err)}
	}
	rows, cols := int64(binary.BigEndian.Uint32(dims)), 1
	for i := 4; i < len(dims); i += 4 {
		d := int(binary.BigEndian.Uint32(dims[i:]))
		if d == 0 || d > maxWidth || cols*d > maxWidth {
			return nil, &ParseError{File: in.name, Need: fmt.Sprintf("has rows of more than %d values, or none", maxWidth)}
		}
		cols *= d
	}
	return newArray(in, elem, rows, cols, o)
}

// idxLabels returns the name of the label file that goes with an image file
// under MNIST's naming, if there is one.
func idxLabels(name string) string {
	i := strings.LastIndex(name, "images-idx3")
	if i < 0 {
		return ""
	}
	labels := name[:i] + "labels-idx1" + name[i+len("images-idx3"):]
	if _, err := os.Stat(labels); err != nil {
		return ""
	}
	return labels
}
