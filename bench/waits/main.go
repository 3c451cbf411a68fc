// Command waits times what users wait for in this tree and in a base revision. Each
// case (bench/waits/cases) uses only what both have; it runs in processes of its own, in
// the order base, now, now, base, with as many processors as it has workers and without
// the settings of BLAS and Go in the environment. The cells are lines of JSON: a run that
// was stopped goes on where it was.
//
//	go -C bench run ./waits -record ../out/waits.jsonl -o RESULTS-waits.md
//	go -C bench run ./waits -record ../out/waits.jsonl -run '^cv 5000' -rounds 3
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/rffgo/rff/internal/atomicfile"
)

// Case is what cases.Case says of one.
type Case struct {
	Name, Subject, Wanted, Unit string
	Floor                       float64
	Workers                     int
	Busy                        bool
}

func main() {
	base := flag.String("base", "20c8adc", "`revision` to compare with")
	only := flag.String("run", "", "`regexp` of the names of the cases to run; empty: all")
	rounds := flag.Int("rounds", 2, "rounds of base, now, now, base; 0: report what is recorded")
	record := flag.String("record", "out/waits.jsonl", "`file` of the cells, which is appended to")
	out := flag.String("o", "", "Markdown `file` to write of all recorded cells; empty: standard output")
	with := flag.String("with", "", "`program` and arguments to run each case with, such as one that waits for the machine to be free")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *base, *only, *rounds, *record, *out, strings.Fields(*with)); err != nil {
		fmt.Fprintln(os.Stderr, "waits:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, base, only string, rounds int, record, out string, with []string) error {
	chosen, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "waits")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	b, err := newBuilds(ctx, temp, base, rounds > 0)
	if err != nil {
		return err
	}
	b.with = with
	var cases []Case
	if err := b.list(ctx, &cases); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(record), 0o755); err != nil {
		return err
	}
	cells, err := readCells(record)
	if err != nil {
		return err
	}
	for round := range rounds {
		for _, c := range cases {
			if !chosen.MatchString(c.Name) {
				continue
			}
			for turn, side := range [4]string{"base", "now", "now", "base"} {
				id := cell{Case: c.Name, Side: side, Base: b.revision["base"], Now: b.revision["now"], Round: round, Turn: turn}
				if cells.has(id) {
					continue
				}
				fmt.Fprintf(os.Stderr, "waits: round %d, %s, %s\n", round+1, c.Name, side)
				if err := b.measure(ctx, &c, &id); err != nil {
					return err
				}
				if err := cells.add(record, id); err != nil {
					return err
				}
			}
		}
	}
	cells.keep(b.revision["base"], b.revision["now"])
	write := func(w io.Writer) error { return document(cases, cells, b.revision).WriteMarkdown(w) }
	if out == "" {
		return write(os.Stdout)
	}
	return atomicfile.Write(out, write)
}

// builds are the programs of the base revision and of this tree.
type builds struct {
	folder   string            // with base and now
	revision map[string]string // of each
	with     []string
}

// newBuilds builds this tree, and the base revision in a worktree of its own if both is set.
func newBuilds(ctx context.Context, temp, base string, both bool) (*builds, error) {
	b := &builds{folder: temp, revision: map[string]string{}}
	for side, args := range map[string][]string{"base": {"rev-parse", "--short", base}, "now": {"describe", "--always", "--dirty", "--exclude=*"}} {
		text, err := output(ctx, ".", "git", args...)
		if err != nil {
			return nil, err
		}
		b.revision[side] = strings.TrimSpace(text)
	}
	top, err := output(ctx, ".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	top = strings.TrimSpace(top)
	if err := b.build(ctx, "now", top); err != nil {
		return nil, err
	}
	if strings.HasSuffix(b.revision["now"], "-dirty") { // which says little
		h := sha256.New()
		for _, name := range []string{"cases", "rff"} {
			program, err := os.ReadFile(b.program("now", name))
			if err != nil {
				return nil, err
			}
			h.Write(program)
		}
		b.revision["now"] += fmt.Sprintf("-%x", h.Sum(nil)[:4])
	}
	if !both {
		return b, nil
	}
	tree := filepath.Join(temp, "tree")
	if _, err := output(ctx, top, "git", "worktree", "add", "--detach", tree, base); err != nil {
		return nil, err
	}
	defer output(context.WithoutCancel(ctx), top, "git", "worktree", "remove", "--force", tree)
	cases := filepath.Join("bench", "waits", "cases")
	if err := os.RemoveAll(filepath.Join(tree, cases)); err != nil {
		return nil, err
	}
	if err := os.CopyFS(filepath.Join(tree, cases), os.DirFS(filepath.Join(top, cases))); err != nil {
		return nil, err
	}
	return b, b.build(ctx, "base", tree)
}

// build builds the cases and the command of a tree. In trees that have no
// module bench the cases are in that of the library.
func (b *builds) build(ctx context.Context, side, tree string) error {
	in := tree
	bench := filepath.Join(tree, "bench")
	if _, err := os.Stat(filepath.Join(bench, "go.mod")); err == nil {
		in = bench
	}
	for _, program := range [][2]string{{tree, "rff/cmd/rff"}, {in, "rff/bench/waits/cases"}} {
		if _, err := output(ctx, program[0], "go", "build", "-trimpath", "-buildvcs=false", "-o", filepath.Join(b.folder, side)+string(filepath.Separator), "github.com/rffgo/"+program[1]); err != nil {
			return err
		}
	}
	return nil
}

// program returns the path of one of a side's programs.
func (b *builds) program(side, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(b.folder, side, name)
}

// list reads the cases of this tree.
func (b *builds) list(ctx context.Context, cases *[]Case) error {
	text, err := output(ctx, ".", b.program("now", "cases"), "-list")
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), cases)
}

// measure runs a case and fills what it measured into id.
func (b *builds) measure(ctx context.Context, c *Case, id *cell) error {
	line := append(b.with[:len(b.with):len(b.with)], b.program(id.Side, "cases"), "-case", c.Name, "-rff", b.program(id.Side, "rff"))
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Env, cmd.Stderr = environment(max(1, c.Workers)), os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s of %s: %w", c.Name, id.Side, err)
	}
	return json.Unmarshal(text, &id.measured)
}

// environment is ours without what changes how fast a program runs, which says how many
// processors there are for it.
func environment(workers int) []string {
	var env []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		drop := name == "GOMAXPROCS" || name == "GOGC" || name == "GOMEMLIMIT" || name == "GODEBUG"
		for _, prefix := range []string{"OPENBLAS_", "OMP_", "MKL_", "GOTO_", "RFF_"} {
			drop = drop || strings.HasPrefix(name, prefix) && name != "RFF_DATA"
		}
		if !drop {
			env = append(env, v)
		}
	}
	for _, name := range []string{"GOMAXPROCS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"} {
		env = append(env, name+"="+strconv.Itoa(workers))
	}
	return env
}

// output runs a program and returns what it prints.
func output(ctx context.Context, folder, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = folder
	var problems strings.Builder
	c.Stderr = &problems
	b, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, problems.String())
	}
	return string(b), nil
}
