package main

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// table writes CSV as RFC 4180 has it. Unlike encoding/csv it quotes whatever has
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

// flush hands on what was written; its error is that of any write before.
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

// harmless returns the labels with an apostrophe before those that a spreadsheet
// takes for formulas, and those it changed. Labels that begin with apostrophes
// before such a sign get one more, so that taking one away from what looks like
// that gives the labels back. Numbers, such as -1, are no formulas.
func harmless(labels []string) (out, changed []string) {
	for _, l := range labels {
		bare := strings.TrimLeft(l, "'")
		_, err := strconv.ParseFloat(l, 64)
		if bare != "" && strings.IndexByte("=+-@\t\r", bare[0]) >= 0 && err != nil {
			changed = append(changed, l)
			l = "'" + l
		}
		out = append(out, l)
	}
	return out, changed
}
