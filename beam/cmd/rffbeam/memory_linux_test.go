package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rffgo/rff/beam/internal/pool"
)

// The memory of a worker does not grow with the files: it holds the sums of the bundles
// under way, and those are bounded.
func TestMemoryOfAWorker(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	prism := jobServer(t)
	peak := func(files int) (bytes int64) {
		var mu sync.Mutex
		var all []*exec.Cmd
		var said log
		p, err := pool.Serve("localhost:0", pool.Settings{Processes: 1, Attempts: 1, Log: &said, Command: func(flags ...string) *exec.Cmd {
			c := role("worker", flags...)
			c.Stdout, c.Stderr = &said, &said
			mu.Lock()
			defer mu.Unlock()
			all = append(all, c)
			return c
		}})
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		random := rand.New(rand.NewPCG(1, 1))
		for k := range files {
			text := "u,v,y\n"
			for range 120 {
				u, v := random.NormFloat64(), random.NormFloat64()
				text += fmt.Sprintln(u, v, math.Sin(u)*v)
			}
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(k, ".csv")), []byte(strings.ReplaceAll(text, " ", ",")), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		out, err := onBeam(t, prism, p.Address(), "fit", "--data", filepath.Join(dir, "*.csv"), "--features", "1024", "--model", filepath.Join(t.TempDir(), "m"))
		p.Close() // which waits for the processes
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, out, said.String())
		}
		for _, c := range all {
			if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
				bytes = max(bytes, u.Maxrss<<10)
			}
		}
		return bytes
	}
	few, many := peak(3), peak(30)
	// Ten times the files: no more sums. Which bundles overlap, and when garbage is
	// collected, is not the same twice: a spare bundle of five sums of 8 MiB, three times.
	const spare = 3 * 5 * 8 << 20
	if many > few+spare || max(few, many) > 768<<20 {
		t.Errorf("3 files: %d MB, 30 files: %d MB", few>>20, many>>20)
	}
}
