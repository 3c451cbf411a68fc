package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	mod "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const version = "v0.9.0" // that no module has

// The command installs from its version, and a program that imports the library compiles
// what the library stands on, and the decoder of a format only with that format.
func TestInstall(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if !exists(filepath.Join(root, ".git")) {
		t.Skip("which files a module has is known from Git, and this is no checkout")
	}
	temp := t.TempDir()
	proxy := filepath.Join(temp, "proxy")
	all, err := modules(root)
	if err != nil || len(all) < 8 {
		t.Fatal(len(all), err)
	}
	for _, m := range all {
		if err := publish(proxy, root, m); err != nil {
			t.Fatal(err)
		}
	}
	// A cache of its own, which takes from that of this machine what it has.
	here := strings.Split(output(t, "", nil, "go", "env", "GOMODCACHE", "GOPROXY"), "\n")
	env := append(os.Environ(), "GOWORK=off", "GOGC=400", "GOFLAGS=-modcacherw -mod=mod", "GOBIN="+temp, "GONOSUMDB="+library, "GOMODCACHE="+filepath.Join(temp, "cache"),
		"GOPROXY=file://"+filepath.ToSlash(proxy)+",file://"+filepath.ToSlash(filepath.Join(here[0], "cache", "download"))+","+here[1])

	// Go's own packages are those of the tests. The rest, which is in another folder and so is
	// compiled once more, hardly runs.
	fast := []string{"-ldflags=-s -w", "-gcflags=all=-dwarf=false", "-gcflags=github.com/...=-dwarf=false -N -l", "-gcflags=gonum.org/...=-dwarf=false -N -l"}
	install := slices.Concat([]string{"install", "-tags=small,netgo"}, fast)
	if testing.Short() {
		install = append(install, "-n") // all but the compiler
	}
	output(t, temp, env, "go", append(install, library+"/cmd/rff@latest")...)
	if !testing.Short() {
		if got := output(t, temp, env, filepath.Join(temp, "rff"), "version"); got != "rff "+version {
			t.Errorf("the command says that it is %q", got)
		}
	}

	program := filepath.Join(temp, "program")
	write(t, filepath.Join(program, "go.mod"), "module example.com/program\n")
	if !testing.Short() {
		page, err := os.ReadFile(filepath.Join(root, "docs", "choosing.md"))
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(string(page), "```go run\n")
		text, _, _ = strings.Cut(text, "```\n")
		write(t, filepath.Join(program, "main.go"), text)
		output(t, program, env, "go", "get", library+"@"+version)
		if got := output(t, program, env, "go", slices.Concat([]string{"run"}, fast, []string{"."})...); !strings.Contains(got, "accuracy 9") {
			t.Errorf("the program of docs/choosing.md prints %q", got)
		}
	}
	none := "klauspost/compress golang/snappy andybalholm/brotli spf13/cobra"
	for _, c := range []struct{ imports, compiles, not string }{
		{library + "/krr", library + " klauspost/cpuid gonum.org/v1/gonum", none},
		{library + "/dataset", library + " klauspost/cpuid", none},
		{library + "/dataset/avro", "klauspost/compress golang/snappy", "andybalholm/brotli spf13/cobra"},
		{library + "/dataset/brotli", "andybalholm/brotli", "spf13/cobra"},
	} {
		write(t, filepath.Join(program, "main.go"), fmt.Sprintf("package main\n\nimport _ %q\n\nfunc main() {}\n", c.imports))
		output(t, program, env, "go", "get", c.imports+"@"+version)
		text := output(t, program, env, "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}", ".")
		for _, want := range strings.Fields(c.compiles) {
			if !strings.Contains(text, want) {
				t.Errorf("a program with %s does not compile %s:\n%s", c.imports, want, text)
			}
		}
		for _, not := range strings.Fields(c.not) {
			if strings.Contains(text, not) {
				t.Errorf("a program with %s compiles %s:\n%s", c.imports, not, text)
			}
		}
	}
}

// publish writes what a module proxy gives of a module, in the version, into a folder.
func publish(proxy, root string, m module) error {
	names, err := exec.Command("git", "-C", filepath.Join(root, m.folder()), "ls-files", "-co", "--exclude-standard").Output()
	if err != nil {
		return err
	}
	var files []zip.File
	for _, name := range strings.Fields(string(names)) {
		if at := filepath.Join(root, m.folder(), name); exists(at) {
			files = append(files, &file{name: name, at: at})
		}
	}
	folder := filepath.Join(proxy, filepath.FromSlash(m.path), "@v")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(root, m.folder(), "go.mod"))
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := zip.Create(&archive, mod.Version{Path: m.path, Version: version}, files); err != nil {
		return err
	}
	for name, data := range map[string][]byte{"list": []byte(version + "\n"), version + ".info": fmt.Appendf(nil, `{"Version":%q}`, version),
		version + ".mod": released(text, version), version + ".zip": archive.Bytes()} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// file is one of a module, of which go.mod has the version.
type file struct{ name, at string }

func (f *file) Path() string { return f.name }

func (f *file) Lstat() (fs.FileInfo, error) {
	r, err := f.open()
	if err != nil {
		return nil, err
	}
	info, err := os.Lstat(f.at)
	return sized{info, r.Size()}, err
}

func (f *file) Open() (io.ReadCloser, error) {
	r, err := f.open()
	return io.NopCloser(r), err
}

func (f *file) open() (*bytes.Reader, error) {
	text, err := os.ReadFile(f.at)
	if f.name == "go.mod" {
		text = released(text, version)
	}
	return bytes.NewReader(text), err
}

type sized struct {
	fs.FileInfo
	size int64
}

func (s sized) Size() int64 { return s.size }

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// output runs a command and returns what it prints.
func output(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	var problem bytes.Buffer
	c := exec.Command(name, args...)
	c.Dir, c.Env, c.Stderr = dir, env, &problem
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, problem.Bytes())
	}
	return strings.TrimSpace(string(out))
}
