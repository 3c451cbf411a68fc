package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// build compiles rff fit and rff predict of the tree at root for browsers. It leaves out the decoder
// of Brotli, as make run does, and the tables of debuggers.
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

// edit is what the build changes in a file of the library or of Go: texts that stand in it once, by
// others, and a file of _overlay that is added beside it.
type edit struct {
	path, with string
	texts      [][2]string
}

// named gives functions Go after their names: the file that is added has those of the old names.
func named(functions ...string) (texts [][2]string) {
	for _, f := range functions {
		texts = append(texts, [2]string{"\nfunc " + f + "(", "\nfunc " + f + "Go("})
	}
	return texts
}

// everyCommand is the list in cmd/rff/main.go.
const everyCommand = `{describeCommand(s), fitCommand(s), predictCommand(s), showCommand(s), exportCommand(s), compareCommand(s), lookCommand(s), gramCommand(s), mergeCommand(s), solveCommand(s),
		infoCommand(s), completionCommand(s)}`

// edits are all of them.
func edits(root, goroot string) []edit {
	return []edit{
		{filepath.Join(root, "asm/portable_chains.go"), "chains.go", named("chains64", "chains32")},
		{filepath.Join(root, "asm/cos.go"), "", named("(p *polynomial[T]) at")},
		{filepath.Join(root, "asm/square.go"), "", named("invertGo")},
		{filepath.Join(root, "asm/fma.go"), "fma32.go", named("fma32")},
		{filepath.Join(goroot, "src/math/fma.go"), "fma.go", named("FMA")},
		// What the page does not run is a fourteenth of the command.
		{filepath.Join(root, "cmd/rff/main.go"), "", [][2]string{{everyCommand, "{fitCommand(s), predictCommand(s)}"}}},
		// The templates of a fit's report call no methods (those of rff compare do, which the
		// page does not run). Where templates can, the linker keeps every exported method of
		// every type: six megabytes.
		{filepath.Join(goroot, "src/text/template/exec.go"), "", [][2]string{{"ptr.MethodByName(fieldName);", "(reflect.Value{});"}}},
	}
}

// writeOverlay writes the file for go build -overlay into folder.
func writeOverlay(root, folder string) (string, error) {
	goroot, err := goEnv("GOROOT")
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for i, e := range edits(root, goroot) {
		code, err := os.ReadFile(e.path)
		if err != nil {
			return "", err
		}
		text := string(code)
		for _, t := range e.texts {
			if strings.Count(text, t[0]) != 1 {
				return "", fmt.Errorf("%s has not one %q to replace", e.path, t[0])
			}
			text = strings.Replace(text, t[0], t[1], 1)
		}
		kept := filepath.Join(folder, fmt.Sprint(i, ".go"))
		if err := os.WriteFile(kept, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[e.path] = kept
		if e.with != "" {
			replace[filepath.Join(filepath.Dir(e.path), "web_"+e.with)] = filepath.Join(root, "bench/web/_overlay", e.with)
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "overlay.json")
	return path, os.WriteFile(path, text, 0o600)
}
