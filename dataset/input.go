package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
)

// input is an open file, decompressed if it is gzipped.
type input struct {
	name string
	*bufio.Reader
	close func() error
}

const bufferSize = 1 << 18

// openInput opens a file for reading. "-" is not special: a Source is read more
// than once.
func openInput(name string) (*input, error) {
	f, err := os.Open(name)
	if err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, &ReadError{File: name, Err: err}
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		f.Close()
		return nil, &ReadError{File: name, Err: errors.New("is a folder, not a file")}
	}
	in, err := newInput(name, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	in.close = f.Close
	return in, nil
}

func newInput(name string, r io.Reader) (*input, error) {
	in := &input{name: name, Reader: bufio.NewReaderSize(r, bufferSize), close: func() error { return nil }}
	head, err := in.Peek(2)
	if err != nil && err != io.EOF {
		return nil, &ReadError{File: name, Err: err}
	}
	if len(head) == 0 {
		return nil, &ParseError{File: name, Need: "the file is empty"}
	}
	if bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in.Reader)
		if err != nil {
			return nil, &ReadError{File: name, Err: gzipError(err)}
		}
		in.Reader = bufio.NewReaderSize(z, bufferSize)
		if _, err := in.Peek(1); err == io.EOF {
			return nil, &ParseError{File: name, Need: "the file is empty"}
		} else if err != nil {
			return nil, &ReadError{File: name, Err: gzipError(err)}
		}
	}
	return in, nil
}

// gzipError says in plain words what ails a compressed file.
func gzipError(err error) error {
	if _, done := err.(*wrapped); done {
		return err
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &wrapped{"the compressed data end early: the file is truncated", err}
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return &wrapped{"the compressed data are damaged", err}
	}
	return err
}

type wrapped struct {
	text string
	err  error
}

func (w *wrapped) Error() string { return w.text }
func (w *wrapped) Unwrap() error { return w.err }

// detect tells the format from the first bytes.
func (in *input) detect() Format {
	head, _ := in.Peek(4096)
	if bytes.HasPrefix(head, []byte(npyMagic)) {
		return NPY
	}
	if len(head) >= 4 && head[0] == 0 && head[1] == 0 && idxType(head[2]) != nil && head[3] >= 1 && head[3] <= 4 {
		return IDX
	}
	if looksLIBSVM(head) {
		return LIBSVM
	}
	return CSV
}
