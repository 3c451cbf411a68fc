package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The graph of a model appears whole, and the command says what goes in and out of it.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	wordsFile(t, dir, "w", 200, false)
	must(t, dir, "fit", "--data", "w.csv", "--label", "y", "--categories", "colour", "--features", "32", "--variance", "--model", "m")
	r := invoke(t, dir, "export", "m", "--onnx", "m.onnx")
	if r.status != 0 || !strings.Contains(r.out, "inputs x, colour; output y; ") || !strings.Contains(r.out, "on 256 random rows\nwrote m.onnx\n") {
		t.Errorf("status %d: %s", r.status, r.out)
	}
	if !strings.Contains(r.errors, "without the variances") {
		t.Errorf("the command does not say that it leaves out variances: %q", r.errors)
	}
	graph, err := os.ReadFile(filepath.Join(dir, "m.onnx"))
	if err != nil || !strings.Contains(string(graph), "rff.model.sha256") {
		t.Fatal(len(graph), err)
	}
	piped := invoke(t, dir, "export", "m", "--onnx", "-", "--quiet")
	if piped.out != string(graph) || piped.errors != "" {
		t.Errorf("on standard output are %d bytes, in the file %d; %q", len(piped.out), len(graph), piped.errors)
	}
	if !strings.Contains(r.out, fmt.Sprint(len(graph), " bytes; within ")) {
		t.Errorf("the file has %d bytes: %s", len(graph), r.out)
	}
	// Numbers of fits have large coefficients, whose rounding errors float32 does not hide.
	if r := invoke(t, dir, "export", "m", "--onnx", "m.onnx", "--precision", "float32"); r.status != 0 || !strings.Contains(r.errors, "computes in float64 between inputs and outputs of float32") {
		t.Errorf("float32: status %d, %q", r.status, r.errors)
	}
}
