package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
)

// program is a process that is told what to do on its standard input, one line a time, and answers
// with the processor time that it took.
type program struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     io.Reader
}

// start compiles and starts the program of a folder that has a go.mod of its own.
func start(folder string) (*program, error) {
	c := exec.Command("go", "run", ".")
	c.Dir, c.Env, c.Stderr = folder, append(os.Environ(), "GOWORK=off"), os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &program{c, in, out}, c.Start()
}

// runs returns the operation of a name if it is a product.
func (p *program) runs(name string, n int) timed {
	if name != "Dgemm" && name != "Sgemm" {
		return nil
	}
	return func(times int) (seconds float64, err error) {
		if _, err := fmt.Fprintln(p.in, name, n, times); err != nil {
			return 0, err
		}
		_, err = fmt.Fscanln(p.out, &seconds)
		return seconds, err
	}
}

// end lets the program come to its end.
func (p *program) end() error {
	p.in.Close()
	return p.command.Wait()
}
