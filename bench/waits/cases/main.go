// Command cases runs one of the cases of bench/waits and prints what it took, as JSON.
// It is built in the tree of the base revision, too, so it uses nothing that this one
// lacks: the library's exported names and the command's flags of then.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

// Case is what is timed.
type Case struct {
	Name    string  // unique; what a table shows
	Subject string  // title of its table
	Wanted  string  `json:",omitempty"` // of the time or the memory
	Unit    string  `json:",omitempty"` // the case whose processor time, or time of several workers, is its unit
	Floor   float64 `json:",omitempty"` // units of arithmetic that the method takes
	Workers int     // of the run, and processors for it; 0: 1
	Repeat  int     // runs in one process, of which the fastest counts; 0: 1
	Busy    bool    `json:",omitempty"` // beside a process that computes all the time

	// prepare returns the run. Its error is errAbsent where the case needs what is not
	// there.
	prepare func(*side) (func() error, error)
	// cell measures a case by itself, instead.
	cell func() (Cell, error)
}

// all are the cases, by file.
var all = slices.Concat(ridgeCases, readingCases, scoreCases, shortCases)

// Cell is what one process measured.
type Cell struct {
	Wall, CPU float64 // seconds of the fastest run, each by itself
	Peak      float64 // MiB of the run: resident beyond what was before it, or of its command
	Absent    string  `json:",omitempty"` // why there is nothing else
}

// errAbsent says what a case lacks.
var errAbsent = errors.New("left out")

// side is one of the two builds.
type side struct {
	workers int
	command string // path of rff
	folder  string // temporary
}

// rff returns a run of the command.
func (s *side) rff(args ...string) func() error {
	return func() error {
		c := exec.Command(s.command, args...)
		c.Dir = s.folder
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("rff %q: %w\n%s", args, err, out)
		}
		return nil
	}
}

func main() {
	list := flag.Bool("list", false, "print the cases")
	name := flag.String("case", "", "case to run")
	command := flag.String("rff", "", "path of the command of this build")
	spin := flag.Bool("spin", false, "compute until standard input ends")
	flag.Parse()
	var err error
	switch {
	case *spin:
		err = busy()
	case *list:
		err = json.NewEncoder(os.Stdout).Encode(all)
	default:
		err = run(*name, *command)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cases:", err)
		os.Exit(1)
	}
}

// run measures a case and prints its cell.
func run(name, command string) error {
	i := slices.IndexFunc(all, func(c Case) bool { return c.Name == name })
	if i < 0 {
		return fmt.Errorf("no case %q", name)
	}
	c := all[i]
	folder, err := os.MkdirTemp("", "waits")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	cell, err := measure(&c, &side{max(1, c.Workers), command, folder})
	if errors.Is(err, errAbsent) {
		cell, err = Cell{Absent: err.Error()}, nil
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(cell)
}

// measure prepares c and runs it.
func measure(c *Case, s *side) (Cell, error) {
	var f func() error
	if c.cell == nil {
		var err error
		if f, err = c.prepare(s); err != nil {
			return Cell{}, err
		}
	}
	if c.Busy {
		stop, err := startBusy()
		if err != nil {
			return Cell{}, err
		}
		defer stop()
	}
	if c.cell != nil {
		return c.cell()
	}
	var cell Cell
	for i := range max(1, c.Repeat) {
		runtime.GC()
		debug.FreeOSMemory()
		before, cpu, start := resetPeak(), cpuSeconds(), time.Now()
		if err := f(); err != nil {
			return Cell{}, err
		}
		wall, used := time.Since(start).Seconds(), cpuSeconds()-cpu
		if i == 0 {
			cell = Cell{Wall: wall, CPU: used}
		}
		cell.Wall, cell.CPU = min(cell.Wall, wall), min(cell.CPU, used)
		cell.Peak = max(cell.Peak, peak()-before, childPeak())
	}
	return cell, nil
}

// startBusy starts a process that computes until stop is called.
func startBusy() (stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.Command(self, "-spin")
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	return func() { in.Close(); c.Wait() }, nil
}

// busy computes on one processor until standard input ends.
func busy() error {
	go func() {
		for x := 1.0; ; x *= 1.0000001 {
			_ = x
		}
	}()
	runtime.GOMAXPROCS(2) // one to wait
	b := make([]byte, 1)
	os.Stdin.Read(b)
	return nil
}
