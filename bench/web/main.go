package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	out := flag.String("o", "", "`file` to write the page to")
	module := flag.Bool("module", false, "write the command alone, as WebAssembly")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*out, *module); err != nil {
		fmt.Fprintln(os.Stderr, "web:", err)
		os.Exit(1)
	}
}

// run writes the page, with the command of the tree that the working folder is in, or the
// command alone.
func run(out string, alone bool) error {
	work, err := goEnv("GOWORK")
	if err != nil {
		return err
	}
	command, err := build(filepath.Dir(work))
	if err != nil {
		return err
	}
	page := command
	if !alone {
		if page, err = assemble(command); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(out, page, 0o666); err != nil {
		return err
	}
	fmt.Printf("wrote %s: %s, with %s of WebAssembly in it\n", out, megabytes(len(page)), megabytes(len(command)))
	return nil
}

// goEnv asks the Go command for a variable.
func goEnv(name string) (string, error) {
	text, err := exec.Command("go", "env", name).Output()
	if err != nil {
		return "", fmt.Errorf("go env %s: %w", name, err)
	}
	return strings.TrimSpace(string(text)), nil
}
