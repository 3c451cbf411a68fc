package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// idxType returns the element type of an IDX type code, if it is known.
func idxType(code byte) (element, bool) {
	return npyType(map[byte]string{0x08: "|u1", 0x09: "|i1", 0x0b: ">i2", 0x0c: ">i4", 0x0d: ">f4", 0x0e: ">f8"}[code])
}

// newIDX reads an IDX header: two zero bytes, a type code, the number of
// dimensions, and each dimension as four big-endian bytes (Y. LeCun, "The MNIST
// database"). The first dimension counts rows, the others make a row.
func newIDX(in *input, o *Options) (*columnReader, error) {
	var head [4]byte
	if _, err := io.ReadFull(in.Reader, head[:]); err != nil {
		return nil, readError(in.name, 0, err)
	}
	elem, known := idxType(head[2])
	if head[0] != 0 || head[1] != 0 || !known || head[3] == 0 {
		return nil, &ParseError{Place: Place{File: in.name}, Need: fmt.Sprintf("does not start like an IDX file (% x)", head)}
	}
	dims := make([]byte, 4*int(head[3]))
	if _, err := io.ReadFull(in.Reader, dims); err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, &ParseError{Place: Place{File: in.name}, Need: "ends within the header of an IDX file: it is truncated"}
	} else if err != nil {
		return nil, readError(in.name, 0, err)
	}
	rows := int64(binary.BigEndian.Uint32(dims))
	var row []int64
	for i := 4; i < len(dims); i += 4 {
		row = append(row, int64(binary.BigEndian.Uint32(dims[i:])))
	}
	r, err := newArray(in, elem, rows, row, o)
	if err == nil {
		in.notes = nil // nobody needs to be told that images are rows of pixels in an IDX file
	}
	return r, err
}

// labelFile is cmd/rff/files.LabelFile: the name of the label file that goes with an image file
// under MNIST's naming, or "".
func labelFile(images string) string {
	i := strings.LastIndex(images, "images-idx3")
	if i < 0 {
		return ""
	}
	return images[:i] + "labels-idx1" + images[i+len("images-idx3"):]
}
