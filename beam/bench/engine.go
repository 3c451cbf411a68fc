package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// engine is what runs the jobs of rffbeam.
type engine struct {
	programs []program // that it takes beside rff and rffbeam
	run      func(dir string, args ...string) (usage, error)
}

// program is a package of this module, or of another in the tree, to build.
type program struct{ name, in, of string }

func engineOf(name string) (engine, error) {
	switch name {
	case "prism":
		return engine{[]program{{"prism", ".", "github.com/apache/beam/sdks/v2/go/cmd/prism"}}, onPrism}, nil
	case "flink":
		return engine{run: onFlink}, nil
	}
	return engine{}, fmt.Errorf("-engine %q: must be prism or flink", name)
}

func load() string {
	b, _ := os.ReadFile("/proc/loadavg")
	at, _, _ := strings.Cut(string(b), " ")
	return at
}

// usage is what processes have used.
type usage struct {
	cpu, wall time.Duration
	memory    int64 // bytes
	of        []string
}

func (u *usage) print(name string) {
	fmt.Printf("%-8s %10.1f %10.1f %10.0f  %s\n", name, u.cpu.Seconds(), u.wall.Seconds(), float64(u.memory)/1e6, strings.Join(u.of, ", "))
}

// count adds a process that has ended, with those that it has waited for.
func (u *usage) count(name string, s *os.ProcessState) {
	u.cpu += s.UserTime() + s.SystemTime()
	u.of = append(u.of, fmt.Sprintf("%s %.1f", filepath.Base(name), (s.UserTime()+s.SystemTime()).Seconds()))
	if r, ok := s.SysUsage().(*syscall.Rusage); ok {
		u.memory = max(u.memory, r.Maxrss<<10)
	}
}

func (u *usage) run(name string, args ...string) error {
	c := exec.Command(name, args...)
	start := time.Now()
	out, err := c.CombinedOutput()
	u.wall += time.Since(start)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	u.count(c.Args[0], c.ProcessState)
	return nil
}

// end ends a process that was started, and counts it.
func (u *usage) end(c *exec.Cmd, by os.Signal) {
	c.Process.Signal(by)
	c.Wait()
	u.count(c.Args[0], c.ProcessState)
}

// onPrism runs rffbeam on a Prism and a pool, which it starts and ends.
func onPrism(dir string, args ...string) (u usage, err error) {
	start := func(name string, args ...string) (*exec.Cmd, error) {
		c := exec.Command(filepath.Join(dir, name), args...)
		return c, c.Start()
	}
	ports, err := free(2)
	if err != nil {
		return u, err
	}
	server, workers := ports[0], ports[1]
	prism, err := start("prism", "-serve_http=false", fmt.Sprint("-job_port=", server), "-log_level=error")
	if err != nil {
		return u, err
	}
	defer u.end(prism, os.Kill)
	pool, err := start("rffbeam", "pool", fmt.Sprint("--listen=localhost:", workers), fmt.Sprint("--processes=", *processes))
	if err != nil {
		return u, err
	}
	defer u.end(pool, os.Interrupt)
	for _, port := range ports {
		if err := await(port); err != nil {
			return u, err
		}
	}
	err = u.run(filepath.Join(dir, "rffbeam"), append(args, "--runner=universal", fmt.Sprint("--endpoint=localhost:", server),
		"--environment_type=EXTERNAL", fmt.Sprint("--environment_config=localhost:", workers), "--worker_binary=go.mod")...)
	return u, err
}

// free returns so many ports that nobody listens at.
func free(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "localhost:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// await waits until somebody listens at a port.
func await(port int) error {
	var err error
	for range 1200 {
		var c net.Conn
		if c, err = net.Dial("tcp", fmt.Sprint("localhost:", port)); err == nil {
			return c.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}
