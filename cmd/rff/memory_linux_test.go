package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A fit whose memory is given takes no more for five times the rows: none are kept for
// the second pass, where 120,000 rows of 20 inputs would be 20 MiB.
func TestMemoryKeepsNoRows(t *testing.T) {
	if testing.Short() {
		t.Skip("fits for seconds")
	}
	peak := func(rows int) int64 {
		data := filepath.Join(t.TempDir(), "d.csv")
		f, err := os.Create(data)
		if err != nil {
			t.Fatal(err)
		}
		w, r := bufio.NewWriter(f), rand.New(rand.NewPCG(1, 2))
		for range rows {
			for range 20 {
				fmt.Fprint(w, r.IntN(999)+1, ",")
			}
			fmt.Fprintln(w, r.NormFloat64())
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		f.Close()
		return peakOf(t, exec.Command(binary, "fit", "--data", data, "--solver", "cg", "--memory", "80MiB", "--features", "256", "--lambda", "1e-3", "--workers", "1", "--model", filepath.Join(t.TempDir(), "m")))
	}
	few, many := peak(30_000), peak(150_000)
	if many > few+10 {
		t.Errorf("%d MiB for 30,000 rows, %d for 150,000", few, many)
	}
}

// peakOf runs a command and returns the most resident memory that it was seen with, in
// MiB. What the system reports at its end is not less than the memory of the tests, of
// which the command is a copy at first.
func peakOf(t *testing.T, c *exec.Cmd) int64 {
	t.Helper()
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- c.Wait() }()
	var kib int64
	for {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.Process.Pid))
		if _, after, found := bytes.Cut(status, []byte("VmHWM:")); found {
			fmt.Sscan(string(after), &kib)
		}
		select {
		case err := <-ended:
			if err != nil || kib == 0 {
				t.Fatalf("%d KiB, %v\n%s", kib, err, out.String())
			}
			return kib >> 10
		case <-time.After(time.Millisecond):
		}
	}
}
