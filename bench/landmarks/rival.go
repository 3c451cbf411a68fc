package main

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

//go:embed rival.py
var rivalSource string

type rival struct {
	in    io.Writer
	out   *bufio.Scanner
	about string // versions
}

var errRival = errors.New("the Python side ended: are numpy and scipy installed?")

// startRival starts Python on one thread, with nothing else of OpenBLAS's settings.
func startRival(python string) (*rival, error) {
	cmd := exec.Command(python, "-c", rivalSource)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "OPENBLAS_") && !strings.HasPrefix(v, "OMP_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "OPENBLAS_NUM_THREADS=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r := &rival{in: in, out: bufio.NewScanner(out)}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if !r.out.Scan() {
		return nil, errRival
	}
	r.about = r.out.Text()
	return r, nil
}

// rivalBlock is the rows whose sections the rival makes at once.
const rivalBlock = 1008

func (r *rival) time(n, d, m int) (t float64, err error) {
	fmt.Fprintf(r.in, "%d %d %d %d\n", n, d, m, rivalBlock)
	if !r.out.Scan() {
		return 0, errRival
	}
	_, err = fmt.Sscan(r.out.Text(), &t)
	return t, err
}
