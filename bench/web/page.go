package main

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rffgo/rff/cmd/rff/report"
)

//go:embed page.html page.css page.js files.js worker.js
var parts embed.FS

// slower is how many times the processor time of the command a browser takes for the same steps:
// docs/web.md.
const slower = "twenty"

// assemble returns the page with a compiled and packed command in it, of which it says the size.
func assemble(packed []byte, size string) ([]byte, error) {
	goroot, err := goEnv("GOROOT")
	if err != nil {
		return nil, err
	}
	glue, err := os.ReadFile(filepath.Join(goroot, "lib/wasm/wasm_exec.js"))
	if err != nil {
		return nil, fmt.Errorf("reading the script that starts WebAssembly: %w", err)
	}
	text := func(name string) string {
		b, err := parts.ReadFile(name)
		if err != nil {
			panic(err)
		}
		return string(b)
	}
	code := base64.StdEncoding.EncodeToString
	page := strings.NewReplacer(
		"{{style}}", string(report.Style()), "{{page.css}}", text("page.css"), "{{page.js}}", text("page.js"),
		"{{worker}}", text("files.js")+string(glue)+text("worker.js"),
		"{{gate}}", code(gateModule()), "{{simd}}", code(simdModule()), "{{command}}", code(packed),
		"{{slower}}", slower, "{{version}}", report.Version(), "{{size}}", size,
	).Replace(text("page.html"))
	return []byte(page), nil
}

// pack compresses the command.
func pack(command []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(command); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

func megabytes(n int) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
