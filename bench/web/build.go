package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// build compiles the command of the tree at root for browsers. It leaves out the decoder of
// Brotli, as make run does, and the tables of debuggers.
func build(root string) ([]byte, error) {
	folder, err := os.MkdirTemp("", "rff-web-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	overlay, err := writeOverlay(root, folder)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(folder, "rff.wasm")
	c := exec.Command("go", "build", "-overlay", overlay, "-tags", "small,netgo", "-buildvcs=auto", "-ldflags", "-s -w", "-o", file, "./cmd/rff")
	c.Dir, c.Stdout, c.Stderr = root, os.Stdout, os.Stderr
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("go build for js/wasm: %w", err)
	}
	return os.ReadFile(file)
}

// writeOverlay writes the file for go build -overlay into folder. A replaced function gets Go
// after its name, and a file of _overlay has the new one.
func writeOverlay(root, folder string) (string, error) {
	goroot, err := goEnv("GOROOT")
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for i, r := range []struct {
		path, with string
		functions  []string
	}{
		{filepath.Join(root, "asm/portable_chains.go"), "chains.go", []string{"chains64(", "chains32("}},
		{filepath.Join(root, "asm/cos.go"), "", []string{"(p *polynomial[T]) at("}},
		{filepath.Join(root, "asm/square.go"), "", []string{"invertGo("}},
		{filepath.Join(root, "asm/fma.go"), "fma32.go", []string{"fma32("}},
		{filepath.Join(goroot, "src/math/fma.go"), "fma.go", []string{"FMA("}},
	} {
		code, err := os.ReadFile(r.path)
		if err != nil {
			return "", err
		}
		text := string(code)
		for _, name := range r.functions {
			before, after, found := strings.Cut(text, "\nfunc "+name)
			if !found {
				return "", fmt.Errorf("%s has no function %s…) to replace", r.path, name)
			}
			text = before + "\nfunc " + strings.TrimSuffix(name, "(") + "Go(" + after
		}
		kept := filepath.Join(folder, fmt.Sprint(i, ".go"))
		if err := os.WriteFile(kept, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[r.path] = kept
		if r.with != "" {
			replace[filepath.Join(filepath.Dir(r.path), "web_"+r.with)] = filepath.Join(root, "bench/web/_overlay", r.with)
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "overlay.json")
	return path, os.WriteFile(path, text, 0o600)
}
