package dataset

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/rffgo/rff/internal/limit"
)

// lines reads a file of text line by line and bounds the length of a line. A file without
// line ends is no table, and must not be read into memory to find that out.
type lines struct {
	*input
	spot
	limit   int // bytes in a line, or in all lines that a quoted field spans
	buf     []byte
	joined  []byte
	workers int
	begun   bool    // reading in chunks, if that is better, has begun
	chunks  *chunks // or nil
}

func newLines(in *input, o *Options) lines {
	return lines{input: in, spot: spot{weight: 1}, limit: limit.ColumnBytes * o.columnLimit(), workers: o.ours.Workers}
}

func (l *lines) text() *lines { return l }

func (l *lines) Close() error {
	if l.chunks != nil { // its goroutines may be reading still
		l.chunks.cancel()
		l.chunks.running.Wait()
	}
	return l.close()
}

// begin makes r, whose lines these are, read in chunks from its first call on, if that is better.
func (l *lines) begin(r textReader, separators string) {
	if !l.begun {
		l.begun, l.chunks = true, newChunks(r, separators, l.workers)
	}
}

// physical returns the next line without its end, \n or \r\n. It is valid until
// the next call.
func (l *lines) physical() ([]byte, error) {
	line, err := l.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		l.buf = l.buf[:0]
		for err == bufio.ErrBufferFull {
			if len(l.buf)+len(line) > l.limit {
				return nil, l.tooLong(l.line+1, len(l.buf)+len(line))
			}
			if len(l.buf)+len(line) > cap(l.buf) { // append grows by a quarter, and leaves more garbage
				l.buf = slices.Grow(l.buf, max(len(line), min(len(l.buf), l.limit-len(l.buf))))
			}
			l.buf = append(l.buf, line...)
			line, err = l.ReadSlice('\n')
		}
		l.buf = append(l.buf, line...)
		line = l.buf
	}
	if err == io.EOF && len(line) == 0 {
		return nil, io.EOF
	}
	if err != nil && err != io.EOF {
		return nil, readError(l.name, l.row, err)
	}
	return l.took(line)
}

// took counts a line that was read, and returns it without its end.
func (l *lines) took(line []byte) ([]byte, error) {
	l.line++
	l.size += int64(len(line))
	if len(line) > l.limit {
		return nil, l.tooLong(l.line, len(line))
	}
	line = bytes.TrimSuffix(line, []byte{'\n'})
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{0x1a}), []byte{'\r'}), nil // DOS ends a file by 0x1a
}

func (l *lines) tooLong(line int64, size int) error {
	return tooMuch(l.name, line, "bytes in a line", int64(size), int64(l.limit), true)
}

// plain returns the next line that is not blank; quotes mean nothing.
func (l *lines) plain() ([]byte, error) {
	for {
		line, err := l.physical()
		if err != nil || len(bytes.TrimSpace(line)) > 0 {
			return line, err
		}
	}
}

// record returns the next line that is not blank, together with further lines that a quoted
// field spans. separators are the bytes that may end a field. If there are none, quotes mean
// nothing.
func (l *lines) record(separators string) ([]byte, error) {
	line, err := l.plain()
	if err != nil || separators == "" || !quoteOpen(line, separators, false) {
		return line, err
	}
	start := l.line
	unclosed := func(more string) error {
		return &ParseError{Place: Place{File: l.name, Row: l.row + 1, Line: start}, Need: "has a quote that is not closed" + more}
	}
	l.joined = append(l.joined[:0], line...)
	for open := true; open; {
		more, err := l.physical()
		if err == io.EOF {
			return nil, unclosed("")
		} else if err != nil {
			return nil, err
		}
		if len(l.joined)+len(more) >= l.limit {
			return nil, unclosed(" within the length that a line may have")
		}
		l.joined = append(append(l.joined, '\n'), more...)
		open = quoteOpen(more, separators, true)
	}
	return l.joined, nil
}

// quoteOpen reports whether line ends within a quoted field; open says whether it begins
// within one. Only a quote with nothing but blanks before it opens a field, and a quote within
// the field is doubled.
func quoteOpen(line []byte, separators string, open bool) bool {
	if bytes.IndexByte(line, '"') < 0 {
		return open
	}
	for {
		if !open && bytes.IndexByte(line, '"') < 0 {
			return false
		}
		if rest, opens := openQuote(line, separators); !open && opens {
			open, line = true, rest
		}
		if open {
			i := bytes.IndexByte(line, '"')
			if i < 0 {
				return true
			}
			line = line[i+1:]
			if len(line) > 0 && line[0] == '"' {
				line = line[1:]
				continue
			}
			open = false
		}
		i := bytes.IndexAny(line, separators)
		if i < 0 {
			return false
		}
		line = line[i+1:]
	}
}

// openQuote returns what follows the quote at the beginning of a field. A tab before it is a blank
// unless tabs separate fields.
func openQuote(field []byte, separators string) (rest []byte, ok bool) {
	for i, c := range field {
		switch {
		case c == '"':
			return field[i+1:], true
		case c != ' ' && (c != '\t' || strings.IndexByte(separators, '\t') >= 0):
			return nil, false
		}
	}
	return nil, false
}
