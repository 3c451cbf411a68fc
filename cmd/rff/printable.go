package main

import (
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names of files, columns and classes come from others. A terminal obeys the
// control characters in them (ESC and the C1 set move the cursor, change colours
// and titles). Characters without a glyph, such as those that reverse the direction
// of text, make text read differently from what it is.

// printable returns text in which characters without a glyph are escaped as in Go: "\x1b",
// "\u202e", and "\n" for a line break. Bytes that are not UTF-8 become "\xff" and the like.
func printable(text string) string {
	return escape(text, func(rune) bool { return false })
}

// escape is printable, but leaves the characters that keep allows.
func escape(text string, keep func(rune) bool) string {
	clean := func(r rune, size int) bool {
		return (r != utf8.RuneError || size > 1) && (unicode.IsGraphic(r) || keep(r))
	}
	at := 0
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !clean(r, size) {
			break
		}
		at += size
	}
	if at == len(text) { // nearly always
		return text
	}
	var b strings.Builder
	b.WriteString(text[:at])
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if clean(r, size) {
			b.WriteString(text[at : at+size])
		} else {
			quoted := strconv.Quote(text[at : at+size])
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		at += size
	}
	return b.String()
}

// A printer hands text on to w. It makes everything printable except line breaks and tabs.
type printer struct {
	w    io.Writer
	rest []byte // the beginning of a character whose end has not come yet
}

func (p *printer) Write(b []byte) (int, error) {
	text := append(p.rest, b...)
	whole := len(text)
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if c := text[len(text)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(text[len(text)-i:]) {
				whole -= i
			}
			break
		}
	}
	p.rest = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(p.w, escape(string(text[:whole]), isLayout)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// close writes what is left of a character that never ended.
func (p *printer) close() error {
	_, err := io.WriteString(p.w, escape(string(p.rest), isLayout))
	p.rest = nil
	return err
}

func isLayout(r rune) bool { return r == '\n' || r == '\t' }
