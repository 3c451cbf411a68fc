package dataset

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/rffgo/rff/internal/columnar"
	"github.com/rffgo/rff/internal/decompress"
)

// input is an open file, decompressed, without a byte order mark.
type input struct {
	format string // set by newReader
	name   string
	*bufio.Reader
	ctx   *context.Context // asked whenever the buffer is filled
	notes []string
	close func() error

	raw      io.Reader // the file as it is, compressed or not
	unpacked bool      // raw is compressed
	live     bool      // raw is a stream, whose next bytes may come late
}

const (
	emptyFile  = "the file is empty"
	bufferSize = 1 << 18
	sniffBytes = 4096
)

// contextReader fails once its context is done, so that every loop that reads from it ends
// then.
type contextReader struct {
	ctx *context.Context
	r   io.Reader
	err error // of r, which is not read again after it
}

func (c *contextReader) Read(p []byte) (n int, err error) {
	if (*c.ctx).Err() != nil {
		return 0, &cancelledError{context.Cause(*c.ctx)}
	}
	if c.err == nil {
		n, c.err = c.r.Read(p)
	}
	return n, c.err
}

// cancelledError marks an error of the context, to tell it from errors of reading.
type cancelledError struct{ cause error }

func (e *cancelledError) Error() string { return e.cause.Error() }
func (e *cancelledError) Unwrap() error { return e.cause }

// readError returns the error of reading a file after that many rows. It returns an error of
// the context as it is.
func readError(file string, row int64, err error) error {
	var c *cancelledError
	if errors.As(err, &c) {
		return c.cause
	}
	return &ReadError{Place: Place{File: file, Row: row}, err: plainly(err)}
}

// newInput returns r decompressed. It closes what it opened, but not r.
func newInput(ctx context.Context, name string, r io.Reader) (*input, error) {
	in := &input{name: name, raw: r, ctx: &ctx, close: func() error { return nil }}
	from := &contextReader{ctx: in.ctx, r: r}
	in.Reader = bufio.NewReaderSize(from, bufferSize)
	for depth := 0; ; depth++ {
		head, err := in.Peek(16)
		if len(head) == 0 && (err == nil || err == io.EOF) {
			return nil, &ParseError{Place: Place{File: name}, Need: emptyFile}
		} else if err != nil && err != io.EOF {
			return nil, readError(name, 0, err)
		}
		format, ok := decompress.Of(head)
		if !ok {
			break
		}
		if format.Open == nil {
			return nil, &ParseError{Place: Place{File: name}, Need: fmt.Sprintf("is compressed with %s, which is not read here: %s", format.Name, format.Need)}
		}
		if depth > 0 {
			return nil, &ParseError{Place: Place{File: name}, Need: "is compressed twice: decompress it once"}
		}
		u := &unpacked{from: from}
		z, err := format.Open(in.Reader)
		if err != nil {
			return nil, readError(name, 0, u.explain(err))
		}
		u.Reader = z
		in.Reader = bufio.NewReaderSize(&contextReader{ctx: in.ctx, r: u}, bufferSize)
		in.close, in.unpacked = z.Close, true
	}
	head, err := in.Peek(sniffBytes)
	if err != nil && err != io.EOF {
		in.close()
		return nil, readError(name, 0, err)
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		in.Discard(3)
		if head = head[3:]; len(head) == 0 {
			in.close()
			return nil, &ParseError{Place: Place{File: name}, Need: emptyFile}
		}
	}
	if _, known := columnar.Of(head); known {
		return in, nil
	}
	if what := foreign(head); what != "" {
		in.close()
		return nil, &ParseError{Place: Place{File: name}, Need: what}
	}
	return in, nil
}

func (in *input) source() *input    { return in }
func (in *input) remarks() []string { return in.notes }

// note records something about the file that its reader should know.
func (in *input) note(format string, a ...any) {
	in.notes = append(in.notes, in.name+": "+fmt.Sprintf(format, a...))
}

// unpacked is a decompressed stream. Its errors say that the compressed data are damaged.
type unpacked struct {
	io.Reader
	from *contextReader // what is decompressed
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	return n, u.explain(err)
}

// explain returns an error that speaks of damaged data, unless err comes from reading the
// compressed file.
func (u *unpacked) explain(err error) error {
	var c *cancelledError
	var refusal decompress.Refusal
	switch {
	case err == nil, err == io.EOF, errors.As(err, &c), errors.As(err, &refusal), u.from.err != nil && u.from.err != io.EOF:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &wrapped{"the compressed data end early: the file is truncated, or other bytes follow them: fetch it again", err}
	}
	return &wrapped{"the compressed data are damaged: fetch the file again", err}
}

// plainly explains the end of a file where there should be more.
func plainly(err error) error {
	var done *wrapped
	if errors.As(err, &done) || !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return &wrapped{"the file ends early: it is truncated: fetch it again", err}
}

type wrapped struct {
	text string
	err  error
}

func (w *wrapped) Error() string { return w.text }
func (w *wrapped) Unwrap() error { return w.err }
