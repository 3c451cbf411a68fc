package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// site is the pages of a tree, with what their commands printed.
type site struct {
	root     string // of the tree
	temp     string // folder of what the build needs
	bin      string // folder of the commands
	goenv    map[string]string
	help     []command
	needs    map[string]string // what flags take, by name and text
	pages    []*page
	sections []*section
	wrong    []string
}

// build reads the pages, runs what they have to run, and renders them. Only pages whose
// file has only in it are run.
func build(ctx context.Context, root, only string) (*site, error) {
	temp, err := os.MkdirTemp("", "rff-site-")
	if err != nil {
		return nil, err
	}
	s := &site{root: root, temp: temp, bin: filepath.Join(temp, "bin"), goenv: map[string]string{}}
	if s.pages, err = find(root); err == nil {
		if err = s.compile(ctx); err == nil {
			err = s.readHelp(ctx)
		}
	}
	if err != nil {
		s.close()
		return nil, err
	}
	s.each(func(p *page) {
		if p.read(s); only == "" || strings.Contains(p.File, only) {
			p.run(ctx, s)
		}
		p.render(s)
	})
	s.sections, s.wrong = file(s.pages)
	s.check(only == "")
	return s, ctx.Err()
}

// each calls f for every page, several at once.
func (s *site) each(f func(*page)) {
	var all sync.WaitGroup
	places := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, p := range s.pages {
		all.Add(1)
		go func() {
			defer all.Done()
			places <- struct{}{}
			f(p)
			<-places
		}()
	}
	all.Wait()
}

// compile builds the command that pages use.
func (s *site) compile(ctx context.Context) error {
	c := exec.CommandContext(ctx, "go", "build", "-gcflags=all=-dwarf=false", "-ldflags=-s -w", "-tags", "small,netgo", "-o", s.bin+string(filepath.Separator), "./cmd/rff")
	c.Dir = s.root
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go build ./cmd/rff: %w\n%s", err, out)
	}
	for _, name := range []string{"GOPATH", "GOCACHE", "GOMODCACHE", "GOPROXY"} {
		out, err := exec.CommandContext(ctx, "go", "env", name).Output()
		if err != nil {
			return fmt.Errorf("go env: %w", err)
		}
		s.goenv[name] = strings.TrimSpace(string(out))
	}
	return s.python(ctx)
}

// python puts the python3 of the system before that of the path if it alone has NumPy.
func (s *site) python(ctx context.Context) error {
	const system = "/usr/bin/python3"
	has := func(name string) bool { return exec.CommandContext(ctx, name, "-c", "import numpy").Run() == nil }
	if has("python3") || !has(system) {
		return nil
	}
	return os.Symlink(system, filepath.Join(s.bin, "python3"))
}

func (s *site) close() { os.RemoveAll(s.temp) }

func (s *site) commands() (n int) {
	for _, p := range s.pages {
		n += p.commands
	}
	return n
}

// absent reports whether what a block needs is not on this machine. Where
// RFF_TEST_REQUIRE names it, the block runs and fails.
func (s *site) absent(need string) bool {
	probe := map[string][]string{"": {"true"}, "python": {"sh", "-c", `PATH="$0:$PATH" python3 -c "import numpy"`, s.bin}}[need]
	if probe == nil {
		probe = []string{"sh", "-c", "command -v " + need}
	}
	return exec.Command(probe[0], probe[1:]...).Run() != nil && !slices.Contains(strings.Split(os.Getenv("RFF_TEST_REQUIRE"), ","), need)
}

// prepare makes the scratch folder of a page: docs without its pages.
func (s *site) prepare(p *page) error {
	p.scratch = filepath.Join(s.temp, strings.ReplaceAll(p.Path, "/", "-"))
	docs := filepath.Join(s.root, "docs")
	err := filepath.WalkDir(docs, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, ".md") {
			return err
		}
		rest, err := filepath.Rel(docs, name)
		if err != nil {
			return err
		}
		return copyFile(filepath.Join(p.scratch, rest), name)
	})
	if err != nil {
		return err
	}
	return os.MkdirAll(s.folder(p), 0o777)
}

func copyFile(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o666)
}

// imageOf returns the file of an image: one that a command of the page made, or one of the
// tree; "" if there is none.
func (s *site) imageOf(p *page, name string) string {
	for _, dir := range []string{s.folder(p), filepath.Join(s.root, filepath.FromSlash(path.Dir(p.File)))} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Stat(file); err == nil && (p.scratch != "" || dir != s.folder(p)) {
			return file
		}
	}
	return ""
}

// run runs the blocks of a page, in order.
func (p *page) run(ctx context.Context, s *site) {
	if len(p.blocks) == 0 {
		return
	}
	if err := s.prepare(p); err != nil {
		p.wrong = append(p.wrong, err.Error())
		return
	}
	for _, b := range p.inOrder() {
		if err := b.execute(ctx, s, p); err != nil {
			p.wrong = append(p.wrong, err.Error())
			return // what follows builds on it
		}
	}
}
