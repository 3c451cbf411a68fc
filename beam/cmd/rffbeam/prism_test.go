package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/rffgo/rff/beam/internal/pool"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/dataset/parquet"
	"github.com/rffgo/rff/krr"
)

// The test's binary is also the command, the runner and its workers: each a process
// of its own.
func TestMain(m *testing.M) {
	switch os.Getenv("RFFBEAM_ROLE") {
	case "command":
		main()
		os.Exit(0)
	case "prism":
		port, _ := strconv.Atoi(os.Args[1])
		if _, err := prism.CreateJobServer(context.Background(), prism.Options{Port: port}); err != nil {
			panic(err)
		}
		select {}
	}
	flag.Parse()
	beam.Init() // a worker does not return from it
	os.Exit(m.Run())
}

// role is the command that runs this binary in a role.
func role(name string, args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), "RFFBEAM_ROLE="+name)
	return c
}

// log collects what several processes say.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// runner starts a Prism in a process of its own.
func jobServer(t *testing.T) (endpoint string) {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	c := role("prism", strconv.Itoa(port))
	var said log
	c.Stdout, c.Stderr = &said, &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
		if t.Failed() {
			t.Logf("prism: %.4000s", said.String())
		}
	})
	endpoint = fmt.Sprint("localhost:", port)
	for range 200 {
		if conn, err := net.Dial("tcp", endpoint); err == nil {
			conn.Close()
			return endpoint
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("prism does not answer")
	return ""
}

// workers starts a pool. The first victims of its processes are killed, each in the
// middle of a bundle.
func workers(t *testing.T, processes, attempts, victims int) (address string, killed func() int) {
	t.Helper()
	var said log
	var mu sync.Mutex
	dead := map[int]bool{}
	p, err := pool.Serve("localhost:0", pool.Settings{Processes: processes, Attempts: attempts, Log: &said,
		Command: func(flags ...string) *exec.Cmd {
			c := role("worker", flags...)
			c.Stdout, c.Stderr = &said, &said
			return c
		},
		Began: func(pid int, ended <-chan struct{}) {
			go func() {
				select {
				case <-ended: // too short to be hit
				case <-time.After(20 * time.Millisecond):
					mu.Lock()
					defer mu.Unlock()
					if !dead[pid] && len(dead) < victims {
						dead[pid] = true
						syscall.Kill(pid, syscall.SIGKILL)
					}
				}
			}()
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Close()
		if t.Failed() {
			t.Logf("workers: %.4000s", said.String())
		}
	})
	return p.Address(), func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(dead)
	}
}

// onBeam runs rffbeam on a runner and a pool.
func onBeam(t *testing.T, runner, pool string, args ...string) (string, error) {
	t.Helper()
	args = append(args, "--runner=universal", "--endpoint="+runner, "--environment_type=EXTERNAL", "--environment_config="+pool,
		"--worker_binary="+filepath.Join("testdata", "none")) // the worker is there: without a file to send, Beam would build one
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c := role("command", args...)
	c = exec.CommandContext(ctx, c.Path, c.Args[1:]...)
	c.Env = append(os.Environ(), "RFFBEAM_ROLE=command")
	out, err := c.CombinedOutput()
	return string(out), err
}

// rffCommand runs the command rff, which is built once.
func rffCommand(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command(command(t), args...).CombinedOutput(); err != nil {
		t.Fatalf("rff %q: %v\n%s", args, err, out)
	}
}

var built struct {
	sync.Once
	path string
	err  error
}

func command(t *testing.T) string {
	t.Helper()
	built.Do(func() {
		// Not t.TempDir: other tests use it, too.
		dir, err := os.MkdirTemp("", "rff")
		if err != nil {
			built.err = err
			return
		}
		built.path = filepath.Join(dir, "rff")
		c := exec.Command("go", "build", "-o", built.path, "./cmd/rff")
		c.Dir = "../../.."
		if out, err := c.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

// letters writes the training rows of the built-in letters in parts.
func letters(t *testing.T, parts int, columns bool) (pattern string, files []string) {
	t.Helper()
	rows := dataset.Letter()
	dir := t.TempDir()
	for k := range parts {
		var text bytes.Buffer
		var names []parquet.Column
		for j := range rows.X.Cols {
			names = append(names, parquet.Column{Name: fmt.Sprint("x", j)})
			fmt.Fprintf(&text, "x%d,", j)
		}
		text.WriteString("y\n")
		var table bytes.Buffer
		w, err := parquet.NewWriter(&table, append(names, parquet.Column{Name: "y", Text: true}))
		if err != nil {
			t.Fatal(err)
		}
		for i := k * rows.X.Rows / parts; i < (k+1)*rows.X.Rows/parts; i++ {
			for _, v := range rows.X.Row(i) {
				w.Number(v)
				fmt.Fprint(&text, v, ",")
			}
			label := rows.Coding.Classes[int(rows.Y[i])]
			w.Text(label)
			fmt.Fprintln(&text, label)
			if err := w.EndRow(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		name, data := fmt.Sprintf("%d.csv", k), text.Bytes()
		if columns {
			name, data = fmt.Sprintf("%d.parquet", k), table.Bytes()
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, filepath.Join(dir, name))
	}
	return filepath.Join(dir, "*"), files
}

// apart returns the largest difference of the scores that two models give to rows.
func apart(t *testing.T, a, b string, files []string) float64 {
	t.Helper()
	return apartOn(t, a, b, files, nil)
}

// apartOn is apart for files that are read as flags say.
func apartOn(t *testing.T, a, b string, files, flags []string) float64 {
	t.Helper()
	var o dataset.Options
	if i := slices.Index(flags, "--inputs"); i >= 0 {
		o.Inputs = strings.Split(flags[i+1], ",")
	}
	var y [2]blas.General[float64]
	for k, name := range []string{a, b} {
		m, err := krr.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := dataset.Open(context.Background(), o, files...)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := f.Table(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		_, out := m.Dims()
		y[k] = blas.NewGeneral[float64](rows.X.Rows, out)
		if err := fits.PredictBatch(m, y[k], rows.X); err != nil {
			t.Fatal(err)
		}
	}
	if len(y[0].Data) != len(y[1].Data) {
		t.Fatalf("%d scores and %d", len(y[0].Data), len(y[1].Data))
	}
	worst := 0.0
	for i, v := range y[0].Data {
		worst = max(worst, math.Abs(v-y[1].Data[i]))
	}
	return worst
}

// Fits on Prism with 1, 2 and 4 worker processes, each of which is killed once at
// work, have the predictions of rff fit.
func TestFitOnProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a dozen processes, and builds rff")
	}
	const tolerance = 1e-9 // of scores near 1; see docs: rounding of merges times the condition of the system
	dir := t.TempDir()
	plan, model := filepath.Join(dir, "plan"), filepath.Join(dir, "model")
	pattern, files := letters(t, 8, false)
	columns, tables := letters(t, 8, true)
	same := []string{"--data", strings.Join(files, ","), "--label", "y", "--features", "512"}
	rffCommand(t, append([]string{"gram", "--output", plan}, same...)...)
	rffCommand(t, append([]string{"fit", "--model", model, "--lambda", "1e-4"}, same...)...)
	byDefault := filepath.Join(dir, "default")
	rffCommand(t, append([]string{"fit", "--model", byDefault}, same...)...)
	prism := jobServer(t)
	for _, processes := range []int{1, 2, 4} {
		data, of := pattern, files
		if processes == 2 {
			data, of = columns, tables
		}
		// An attempt may be hit in every process; the last one is not.
		address, killed := workers(t, processes, processes+2, processes)
		other := filepath.Join(dir, fmt.Sprint("model-", processes))
		args, want := []string{"--plan", plan, "--lambda", "1e-4"}, model
		if processes == 4 { // the plan is made on Beam as well, and λ chosen
			args, want = []string{"--features", "512"}, byDefault
		}
		out, err := onBeam(t, prism, address, append([]string{"fit", "--data", data, "--label", "y", "--model", other}, args...)...)
		if err != nil {
			t.Fatalf("%d processes: %v\n%s", processes, err, out)
		}
		if n := killed(); n != processes {
			t.Errorf("%d of %d processes were killed", n, processes)
		}
		if e := apart(t, want, other, of); e > tolerance {
			t.Errorf("%d processes: scores differ by %g", processes, e)
		}
	}

	// A job whose bundles have no attempt left says so at once, and leaves nothing.
	address, killed := workers(t, 2, 1, 1)
	other := filepath.Join(dir, "none")
	out, err := onBeam(t, prism, address, "fit", "--data", pattern, "--label", "y", "--plan", plan, "--lambda", "1e-4", "--model", other)
	if err == nil || killed() != 1 || !strings.Contains(out, "tried 1 times") {
		t.Errorf("%v, %d killed: %s", err, killed(), out)
	}
	if left, _ := filepath.Glob(other + "*"); len(left) > 0 {
		t.Errorf("a job that failed has left %v", left)
	}

	// rffbeam predict has the predictions of rff predict, file by file.
	address, killed = workers(t, 2, 4, 2)
	folder, whole := filepath.Join(dir, "predictions"), filepath.Join(dir, "whole.csv")
	if out, err := onBeam(t, prism, address, "predict", "--data", columns, "--label", "y", "--model", model, "--output", folder); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rffCommand(t, "predict", "--data", strings.Join(files, ","), "--model", model, "--output", whole)
	var parts []string
	for k := range files {
		names, _ := filepath.Glob(filepath.Join(folder, fmt.Sprint(k, ".parquet.*")))
		if len(names) != 1 {
			t.Fatalf("predictions of part %d: %v", k, names)
		}
		parts = append(parts, lines(t, names[0])[1:]...)
	}
	if want := lines(t, whole)[1:]; !slices.Equal(parts, want) {
		t.Errorf("%d predictions, not those of rff predict (%d)", len(parts), len(want))
	}
	if left, _ := filepath.Glob(filepath.Join(folder, ".*.part")); len(left) > killed() {
		t.Errorf("left behind: %v", left)
	}
}

// One file of several row groups is the work of two processes, of which each is killed
// once, and gives the predictions of rff fit.
func TestRowGroupsOnProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes, and builds rff")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "rows.parquet")
	var table bytes.Buffer
	w, err := parquet.NewWriter(&table, []parquet.Column{{Name: "a"}, {Name: "b"}, {Name: "y"}})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(9, 9))
	for range 300_000 { // in three groups
		a, b := random.NormFloat64(), random.NormFloat64()
		for _, v := range []float64{a, b, math.Sin(2*a) * b} {
			w.Number(v)
		}
		if err := w.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, table.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	alone, other := filepath.Join(dir, "alone"), filepath.Join(dir, "other")
	same := []string{"fit", "--data", file, "--label", "y", "--features", "256", "--lambda", "1e-4", "--model"}
	rffCommand(t, append(same, alone)...)
	address, killed := workers(t, 2, 4, 2)
	out, err := onBeam(t, jobServer(t), address, append(same, other)...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(out, "3 shares") || killed() != 2 {
		t.Errorf("%d processes at work were killed: %s", killed(), out)
	}
	if e := apart(t, alone, other, []string{file}); e > 1e-9 {
		t.Errorf("scores differ by %g", e)
	}
}

func lines(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// A bundle that fails twice, in the middle of a file, leaves nothing in the result.
func TestBundleFailsTwice(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes, and builds rff")
	}
	dir := t.TempDir()
	t.Setenv("RFFBEAM_FLAKY", dir)
	pattern, files := letters(t, 3, false)
	plan, clean, other := filepath.Join(dir, "plan"), filepath.Join(dir, "clean"), filepath.Join(dir, "other")
	rffCommand(t, "gram", "--output", plan, "--data", strings.Join(files, ","), "--label", "y", "--features", "128")
	rffCommand(t, "solve", "--gram", plan, "--model", clean, "--lambda", "1e-3")
	prism := jobServer(t)
	address, _ := workers(t, 2, 4, 0)
	out, err := onBeam(t, prism, address, "fit", "--data", "flaky://"+pattern, "--label", "y", "--plan", plan, "--lambda", "1e-3", "--model", other)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if e := apart(t, clean, other, files); e > 1e-9 {
		t.Errorf("scores differ by %g", e)
	}
	if failed, _ := filepath.Glob(filepath.Join(dir, "failed-*")); len(failed) != 2 {
		t.Errorf("failed reads: %v", failed)
	}
}

func init() {
	filesystem.Register("flaky", func(ctx context.Context) filesystem.Interface { return flaky{local.New(ctx)} })
}

// flaky is the local file system, of which the file 1.csv breaks off in the middle
// twice.
type flaky struct{ filesystem.Interface }

func plain(name string) string { return strings.TrimPrefix(name, "flaky://") }

func (f flaky) List(ctx context.Context, glob string) ([]string, error) {
	names, err := f.Interface.List(ctx, plain(glob))
	for i, n := range names {
		names[i] = "flaky://" + n
	}
	return names, err
}

func (f flaky) Size(ctx context.Context, name string) (int64, error) {
	return f.Interface.Size(ctx, plain(name))
}

func (f flaky) OpenRead(ctx context.Context, name string) (io.ReadCloser, error) {
	r, err := f.Interface.OpenRead(ctx, plain(name))
	if err != nil || filepath.Base(name) != "1.csv" {
		return r, err
	}
	for k := range 2 {
		mark, err := os.OpenFile(filepath.Join(os.Getenv("RFFBEAM_FLAKY"), fmt.Sprint("failed-", k)), os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			mark.Close()
			return broken{io.LimitReader(r, 100_000), r}, nil
		}
	}
	return r, nil
}

type broken struct {
	io.Reader
	io.Closer
}

func (b broken) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		err = errors.New("the disk has gone")
	}
	return n, err
}
