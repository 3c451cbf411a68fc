package main

import (
	"context"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// longest is how long a command of a page may take.
const longest = 2 * time.Minute

// block is a fenced block that the build runs or draws.
type block struct {
	kind  string   // console, go or chart
	info  []string // the words after the kind
	lines []string
	steps []step
	html  string // of a chart
}

// step is a command with what it prints.
type step struct {
	Command string // as the page has it, with its continuation lines
	Said    string // what the page says that it prints; "": whatever it does
	Printed string
}

// console takes a block apart: "$ " begins a command, which goes on after "> " and after a
// line that ends with \. Other lines are what the command prints, where … stands for any
// text.
func console(lines []string) (steps []step, err error) {
	more := false
	for _, line := range lines {
		command, begins := strings.CutPrefix(line, "$ ")
		rest, goesOn := strings.CutPrefix(line, "> ")
		switch n := len(steps); {
		case more && n > 0:
			steps[n-1].Command += "\n" + strings.TrimPrefix(line, "> ")
			more = strings.HasSuffix(line, `\`)
		case begins:
			steps = append(steps, step{Command: command})
			more = strings.HasSuffix(line, `\`)
		case n == 0:
			return nil, fmt.Errorf("a console block begins with %q, not with a command after \"$ \"", line)
		case goesOn && steps[n-1].Said == "":
			steps[n-1].Command += "\n" + rest
		case line == ">" && steps[n-1].Said == "":
			steps[n-1].Command += "\n"
		default:
			steps[n-1].Said += line + "\n"
		}
	}
	return steps, nil
}

// says reports whether said, in which … stands for any text, is what a command printed.
func says(said, printed string) bool {
	var pattern strings.Builder
	for i, text := range strings.Split(strings.TrimSpace(said), "…") {
		if i > 0 {
			pattern.WriteString(`(?s:.*?)`)
		}
		pattern.WriteString(regexp.QuoteMeta(text))
	}
	return regexp.MustCompile(`^` + pattern.String() + `$`).MatchString(strings.TrimSpace(printed))
}

// value returns what the words of a block give after name=.
func (b *block) value(name string) string {
	for _, w := range b.info {
		if v, ok := strings.CutPrefix(w, name+"="); ok {
			return v
		}
	}
	return ""
}

// execute runs a block in the scratch folder of its page.
func (b *block) execute(ctx context.Context, s *site, p *page) error {
	switch b.kind {
	case "console":
		return b.console(ctx, s, p)
	case "go":
		return b.program(ctx, s, p)
	}
	return b.chart(s, p)
}

func (b *block) console(ctx context.Context, s *site, p *page) (err error) {
	if b.steps, err = console(b.lines); err != nil {
		return err
	}
	if absent := s.absent(b.value("needs")); absent {
		return nil
	}
	want := "0"
	if v := b.value("exit"); v != "" {
		want = v
	}
	for i := range b.steps {
		c := &b.steps[i]
		p.commands++
		printed, status := s.shell(ctx, p, c.Command)
		c.Printed = printed
		if expected := map[bool]string{true: want, false: "0"}[i == len(b.steps)-1]; fmt.Sprint(status) != expected {
			return fmt.Errorf("exit status %d of $ %s\n%s", status, c.Command, printed)
		}
		if c.Said != "" && !says(c.Said, printed) {
			return fmt.Errorf("$ %s does not print what the page says, but:\n%s", c.Command, printed)
		}
	}
	return nil
}

// shell runs a command and returns what it printed and its exit status.
func (s *site) shell(ctx context.Context, p *page, command string) (string, int) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", "-c", command)
	c.Dir = s.folder(p)
	c.Env = s.environment(p)
	c.WaitDelay = 5 * time.Second
	out, err := c.CombinedOutput()
	if c.ProcessState == nil {
		return err.Error(), -1
	}
	return string(out), c.ProcessState.ExitCode()
}

// folder is where the commands of a page run: that of its section in its scratch folder.
func (s *site) folder(p *page) string {
	return filepath.Join(p.scratch, filepath.FromSlash(path.Dir(p.Path)))
}

// environment is that of the commands of pages: nothing of the user's but Go's caches.
func (s *site) environment(p *page) []string {
	env := []string{"PATH=" + s.bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + p.scratch, "TMPDIR=" + p.scratch, "LC_ALL=C.UTF-8", "TERM=dumb"}
	for _, name := range []string{"GOPATH", "GOCACHE", "GOMODCACHE", "GOPROXY"} {
		env = append(env, name+"="+s.goenv[name])
	}
	return env
}

// program compiles a whole program and, if the block says run, runs it. Of a part of a
// program only the form is checked.
func (b *block) program(ctx context.Context, s *site, p *page) error {
	text := strings.Join(b.lines, "\n") + "\n"
	formatted, err := format.Source([]byte(text))
	if err != nil {
		return fmt.Errorf("a Go block: %w", err)
	}
	if string(formatted) != text {
		return fmt.Errorf("gofmt would change the Go block that begins with %q", b.lines[0])
	}
	if !strings.HasPrefix(text, "package main\n") {
		return nil
	}
	p.commands++
	source, binary := filepath.Join(p.scratch, "main.go"), filepath.Join(p.scratch, "program")
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-gcflags=all=-dwarf=false", "-ldflags=-s -w", "-o", binary, source)
	build.Dir = s.root
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("a Go block does not compile: %w\n%s", err, out)
	}
	if len(b.info) == 0 || b.info[0] != "run" {
		return nil
	}
	printed, status := s.shell(ctx, p, binary)
	b.steps = []step{{Printed: printed}}
	if status != 0 {
		return fmt.Errorf("exit status %d of a Go block\n%s", status, printed)
	}
	return nil
}
