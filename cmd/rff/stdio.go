package main

import (
	"fmt"
	"io"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/wording"
	"github.com/rffgo/rff/internal/inside"
)

// stdio is where a command reads and writes.
type stdio struct {
	in       io.Reader
	out      io.Writer // text for people, which is made printable whatever names are in it
	data     io.Writer // standard output for programs; it is made printable only on a terminal
	err      io.Writer
	terminal bool // err is a terminal: show progress there
	screen   bool // standard output is one
	quiet    bool // print no notes, and nothing about files that are written
}

// note prints a line of diagnostics.
func (s *stdio) note(format string, a ...any) {
	if s.quiet {
		return
	}
	fmt.Fprintf(s.err, "rff: %s\n", printable(fmt.Sprintf(format, a...)))
}

// noteHeld says which inputs a model ignores because they never varied.
func (s *stdio) noteHeld(scaling rff.Scaling, names []string) {
	if text := wording.Held(inside.Held(scaling), names); text != "" {
		s.note("%s", text)
	}
}
