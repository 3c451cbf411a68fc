package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	out := flag.String("o", "", "`folder` to write the site to; without it, pages are only checked")
	only := flag.String("only", "", "check only the pages whose `path` has this in it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out, *only); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// run builds the site of the tree that the working folder is in.
func run(ctx context.Context, out, only string) error {
	begin := time.Now()
	root, err := findRoot()
	if err != nil {
		return err
	}
	s, err := build(ctx, root, only)
	if err != nil {
		return err
	}
	defer s.close()
	if out != "" {
		if err := s.write(out); err != nil {
			return err
		}
	}
	if len(s.wrong) > 0 {
		return errors.New(strings.Join(s.wrong, "\n"))
	}
	fmt.Fprintf(os.Stderr, "site: %d pages, %d commands, %.0f s\n", len(s.pages), s.commands(), time.Since(begin).Seconds())
	return nil
}

// findRoot returns the folder of the module of rff that the working folder is in.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module github.com/rffgo/rff\n") {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("the working folder is not in a checkout of rff")
		}
	}
}
