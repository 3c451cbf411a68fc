package main

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// table writes CSV as RFC 4180 describes it. Unlike encoding/csv it quotes every field with
// control characters.
type table struct {
	w      *bufio.Writer
	packed io.Closer // what w compresses with, or nil
	begun  bool      // the row has a field
	buf    []byte
}

func newTable(w io.Writer) *table { return &table{w: bufio.NewWriterSize(w, 1<<16)} }

func (t *table) separate() {
	if t.begun {
		t.w.WriteByte(',')
	}
	t.begun = true
}

// text writes a field.
func (t *table) text(s string) {
	t.separate()
	if !needsQuotes(s) {
		t.w.WriteString(s)
		return
	}
	t.w.WriteByte('"')
	t.w.WriteString(strings.ReplaceAll(s, `"`, `""`))
	t.w.WriteByte('"')
}

// numbers writes a field for each number, in the shortest form that reads back.
func (t *table) numbers(v []float64) {
	for _, x := range v {
		t.separate()
		t.buf = strconv.AppendFloat(t.buf[:0], x, 'g', -1, 64)
		t.w.Write(t.buf)
	}
}

// end ends the row.
func (t *table) end() {
	t.w.WriteByte('\n')
	t.begun = false
}

// flush hands on everything that was written. Its error may be that of an earlier write.
func (t *table) flush() error { return t.w.Flush() }

func needsQuotes(s string) bool {
	if s == "" || s[0] == ' ' || s[len(s)-1] == ' ' {
		return true
	}
	for _, c := range []byte(s) {
		if c < ' ' || c == 0x7f || c == ',' || c == '"' {
			return true
		}
	}
	return false
}
