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
	said, err := run(*out, *module)
	if err != nil {
		fmt.Fprintln(os.Stderr, "web:", err)
		os.Exit(1)
	}
	fmt.Println(said)
}

// run writes the page, with the command of the tree that the working folder is in, or the
// command alone. It says what it wrote.
func run(out string, alone bool) (said string, err error) {
	work, err := goEnv("GOWORK")
	if err != nil {
		return "", err
	}
	command, err := build(filepath.Dir(work))
	if err != nil {
		return "", err
	}
	page, size := command, megabytes(len(command))+" of WebAssembly"
	if !alone {
		packed, err := pack(command)
		if err != nil {
			return "", err
		}
		size += ", " + megabytes(len(packed)) + " compressed"
		if page, err = assemble(packed, size); err != nil {
			return "", err
		}
		size += ", in a page of " + megabytes(len(page))
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
		return "", err
	}
	return fmt.Sprintf("wrote %s: %s", out, size), os.WriteFile(out, page, 0o666)
}

// goEnv asks the Go command for a variable.
func goEnv(name string) (string, error) {
	text, err := exec.Command("go", "env", name).Output()
	if err != nil {
		return "", fmt.Errorf("go env %s: %w", name, err)
	}
	return strings.TrimSpace(string(text)), nil
}
