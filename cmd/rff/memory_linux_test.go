package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
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
		c := exec.Command(binary, "fit", "--data", data, "--solver", "cg", "--memory", "80MiB", "--features", "256", "--lambda", "1e-3", "--workers", "1", "--model", filepath.Join(t.TempDir(), "m"))
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
	}
	few, many := peak(30_000), peak(150_000)
	if many > few+10 {
		t.Errorf("%d MiB for 30,000 rows, %d for 150,000", few, many)
	}
}
