package openblas_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rffgo/rff/internal/require"
)

const consumer = `package main

import (
	"fmt"
	"os"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

var _ rff.Form

func main() {
	b, err := blas.Lookup("openblas")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	a := blas.General[float64]{Rows: 1, Cols: 1, Stride: 1, Data: []float64{3}}
	blas.Gemm(blas.Engine{Backend: b}, false, false, 1, a, a, 0, blas.NewGeneral[float64](1, 1))
	fmt.Println(b.Name(), b.Exact())
}
`

// TestConsumerModule builds a module that depends on rff and only sets the tag:
// no CGO_LDFLAGS. Without the tag, or without cgo, asking for the backend is an
// error that says how to build.
func TestConsumerModule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds three programs")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(mod), "module github.com/rffgo/rff", "module example.com/consumer", 1) +
		"\nrequire github.com/rffgo/rff v0.0.0\nreplace github.com/rffgo/rff => " + root + "\n"
	for name, data := range map[string]string{"main.go": consumer, "go.mod": text, "go.sum": string(sum)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(env string, args ...string) (stdout, stderr string, err error) {
		cmd := exec.Command("go", append(append([]string{"run", "-mod=mod"}, args...), ".")...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "CGO_LDFLAGS=", "CGO_CFLAGS=", "RFF_BACKEND=", env)
		// Apart: go run says on standard error what it downloads.
		var out, errors strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errors
		err = cmd.Run()
		return out.String(), errors.String(), err
	}
	for _, c := range []struct {
		env  string
		args []string
	}{{"CGO_ENABLED=0", nil}, {"CGO_ENABLED=0", []string{"-tags", "openblas"}}} {
		out, stderr, err := run(c.env, c.args...)
		if err == nil || !strings.Contains(out, "-tags openblas") || !strings.Contains(out, "CGO_ENABLED=1") {
			t.Errorf("%v: want an error that says how to build, got %q, %v\n%s", c, out, err, stderr)
		}
	}
	if exec.Command("pkg-config", "--exists", "openblas").Run() != nil {
		require.Absent(t, require.OpenBLAS, "pkg-config does not know OpenBLAS (Debian: pkg-config libopenblas-dev)")
	}
	if out, stderr, err := run("CGO_ENABLED=1", "-tags", "openblas"); err != nil || out != "openblas false\n" {
		t.Errorf("with the tag: got %q, %v\n%s", out, err, stderr)
	}
}
