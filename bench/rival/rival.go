// Package rival times the same work in Python, side by side with ours.
package rival

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// Fit is the program of a streamed ridge fit, and Blocks are the rows that it is to make
// features of at once; 0: all.
//
//go:embed fit.py
var Fit string

var Blocks = []int{504, 2016, 0}

// Process is a Python that times what it is asked for.
type Process struct {
	About string // versions

	in  io.Writer
	out *bufio.Scanner
}

var errEnded = errors.New("the Python side ended: are numpy and scipy installed?")

// Start runs a Python program with so many threads of OpenBLAS, which else chooses its
// own kernels and blocks: its best. The program prints a line about itself, then one of
// seconds for every line that it reads.
func Start(python, program string, threads int) (*Process, error) {
	cmd := exec.Command(python, "-c", program)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "OPENBLAS_") && !strings.HasPrefix(v, "OMP_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, fmt.Sprintf("OPENBLAS_NUM_THREADS=%d", threads))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &Process{in: in, out: bufio.NewScanner(out)}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if !p.out.Scan() {
		return nil, errEnded
	}
	p.About = p.out.Text()
	return p, nil
}

// Seconds are those of the work that these words name to the program.
func (p *Process) Seconds(words ...any) (float64, error) {
	clock, _, err := p.Times(words...)
	return clock, err
}

// Times returns the seconds by the clock and those of processors, 0 if the program prints one
// number.
func (p *Process) Times(words ...any) (clock, processors float64, err error) {
	fmt.Fprintln(p.in, words...)
	if !p.out.Scan() {
		return 0, 0, errEnded
	}
	n, err := fmt.Sscan(p.out.Text(), &clock, &processors)
	if n > 0 {
		err = nil
	}
	return clock, processors, err
}
