package dataset

import (
	"io"
	"sync/atomic"
)

// OpenReader is Open for rows that can be read once, as from a pipe: the Files
// that it returns yield their rows to the first pass, and an error to another.
// name stands for them in messages. LIBSVM rows need a Width. r is not closed.
func OpenReader(o Options, name string, r io.Reader) (*Files, error) {
	f := &Files{paths: []string{name}, options: o}
	in, err := newInput(name, r)
	if err != nil {
		return nil, err
	}
	once, err := newReader(in, &f.options)
	if err != nil {
		return nil, err
	}
	f.inputs, f.target = once.columns()
	f.width = once.width()
	if f.width == 0 {
		return nil, &ParseError{File: name, Need: "has no inputs, or does not say how many: give their number (--width)"}
	}
	f.once = &stream{r: once}
	return f, nil
}

// stream is a reader for one pass.
type stream struct {
	r    reader
	used atomic.Bool
}

// open opens one of the files for a pass.
func (f *Files) open(p string) (reader, error) {
	if f.once == nil {
		return openReader(p, &f.options)
	}
	if f.once.used.Swap(true) {
		return nil, &ParseError{File: p, Need: "is a stream that has been read: save it to a file first"}
	}
	return f.once.r, nil
}

// DetectFormat returns the format of the data that r begins with.
func DetectFormat(name string, r io.Reader) (Format, error) {
	in, err := newInput(name, r)
	if err != nil {
		return Auto, err
	}
	return in.detect(), nil
}
