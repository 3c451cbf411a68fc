// Command _gen prints the assembly of package asm: one file per operation and
// instruction set, from the loops that its kernels share.
//
//	go run .          writes the files
//	go run . -check   fails if a committed file differs from what it would write
//
// The fits of the coefficients are in ./fit.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// files lists every generated file; each operation's source adds its own.
var files []*file

func main() {
	dir := flag.String("dir", "..", "folder of package asm")
	check := flag.Bool("check", false, "compare with the committed files instead of writing")
	flag.Parse()
	bad := false
	for _, f := range files {
		text := f.render()
		name := filepath.Join(*dir, f.name)
		if *check {
			if old, err := os.ReadFile(name); err != nil || !bytes.Equal(old, text) {
				fmt.Fprintf(os.Stderr, "%s is not what asm/_gen generates\n", f.name)
				bad = true
			}
			continue
		}
		if err := os.WriteFile(name, text, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			bad = true
		}
	}
	if bad {
		os.Exit(1)
	}
}
