package main

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rffgo/rff/internal/atomicfile"
)

// fitWithCheckpoint is a fit that is always about to write a checkpoint.
var fitWithCheckpoint = []string{"fit", "--data", "t.csv", "--label", "kind", "--features", "96", "--folds", "3", "--sigma", "0.7",
	"--probabilities", "--checkpoint", "c", "--every", "1ms", "--model", "m"}

// TestKills kills fits at random moments, RFF_TEST_KILLS of them (default 40, 10
// with -short). After every kill the old or the new model is there, whole, and
// so is the checkpoint or the new model once there was one; the same command,
// with --resume where there is a checkpoint, goes on, and the fit that gets
// through gives the bits of one that nobody killed and leaves nothing else.
func TestKills(t *testing.T) {
	kills := 20
	if testing.Short() {
		kills = 10
	}
	if v := os.Getenv("RFF_TEST_KILLS"); v != "" {
		var err error
		if kills, err = strconv.Atoi(v); err != nil {
			t.Fatal(err)
		}
	}
	data := moons(4000, 3)
	whole := t.TempDir()
	save(t, whole, "t.csv", data)
	start := time.Now()
	must(t, whole, fitWithCheckpoint...)
	usual := time.Since(start)
	want, err := os.ReadFile(filepath.Join(whole, "m"))
	if err != nil {
		t.Fatal(err)
	}
	old := []byte("the old model")

	dir := t.TempDir()
	model, check := filepath.Join(dir, "m"), filepath.Join(dir, "c")
	save(t, dir, "t.csv", data)
	rng := rand.New(rand.NewPCG(1, 2))
	begun := false                // there has been a checkpoint of this fit
	reset := func(finished int) { // there is an old model every other time
		if finished%2 == 0 {
			save(t, dir, "m", old)
		} else if err := os.Remove(model); err != nil {
			t.Fatal(err)
		}
	}
	killed, finished, resumed, temporary := 0, 0, 0, 0
	for done := 0; killed < kills || begun; done++ {
		args := slices.Clone(fitWithCheckpoint)
		if _, err := os.Stat(check); err == nil {
			args = append(args, "--resume")
			resumed++
		}
		cmd := exec.Command(binary, args...)
		cmd.Dir = dir
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if killed < kills {
			time.Sleep(time.Duration(rng.Float64() * 1.2 * float64(usual)))
			cmd.Process.Kill()
		}
		err := cmd.Wait()
		if err != nil && cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("run %d: %v\n%s", done, err, &errs)
		}
		now, e := os.ReadFile(model)
		switch isNew := bytes.Equal(now, want); {
		case e != nil && !errors.Is(e, fs.ErrNotExist), e == nil && !isNew && !bytes.Equal(now, old):
			t.Fatalf("run %d: %d bytes that are neither the old nor the new model (%v)", done, len(now), e)
		case err == nil && !isNew:
			t.Fatalf("run %d: no model after a fit that succeeded", done)
		default:
			_, e := os.Stat(check)
			if begun && e != nil && !isNew {
				t.Fatalf("run %d: the work is lost", done)
			}
			begun = begun || e == nil
		}
		left, e := os.ReadDir(dir)
		if e != nil {
			t.Fatal(e)
		}
		if err != nil {
			killed++
			if len(left) > 3 {
				temporary++
			}
			if _, e := os.Stat(check); e != nil && begun { // killed with everything done
				begun = false
				reset(killed)
			}
			continue
		}
		if len(left) != 2 {
			t.Fatalf("run %d: a fit that succeeded leaves %v", done, left)
		}
		finished, begun = finished+1, false
		reset(finished)
	}
	// The last run may have been killed before it had a checkpoint.
	save(t, dir, "m", old)
	must(t, dir, fitWithCheckpoint...)
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("left %v", left)
	}
	t.Logf("%d kills (a fit takes %v), %d with temporary files that the next run removed; %d runs resumed, %d got through, all with the same bits",
		killed, usual.Round(time.Millisecond), temporary, resumed, finished+1)
}

// fullDevice returns a device that is always full: one of the test's own, since
// root could replace that of the machine, for everyone, if the code were wrong.
func fullDevice(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		return "/dev/full"
	}
	path := filepath.Join(t.TempDir(), "full")
	if err := syscall.Mknod(path, syscall.S_IFCHR|0o600, 1<<8|7); err != nil {
		t.Skipf("root without the right to make devices: %v", err)
	}
	return path
}

// A model that cannot be written keeps the checkpoint, which then gives the
// model without reading the features again.
func TestModelOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "t.csv", moons(4000, 3))
	args := slices.Clone(fitWithCheckpoint)
	must(t, dir, args...)
	want, err := os.ReadFile(filepath.Join(dir, "m"))
	if err != nil {
		t.Fatal(err)
	}
	full := fullDevice(t)
	args[len(args)-1] = full
	r := invoke(t, dir, args...)
	if r.status != exitFailure || !strings.Contains(r.errors, "--model") || !strings.Contains(r.errors, full) || !strings.Contains(r.errors, "no space left") || !strings.Contains(r.errors, "--resume") {
		t.Errorf("status %d: %s", r.status, r.errors)
	}
	args[len(args)-1] = "m2"
	out := must(t, dir, append(args, "--resume")...)
	if !strings.Contains(out, "after 4000 rows") {
		t.Errorf("not resumed at the end:\n%s", out)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "m2")); !bytes.Equal(got, want) {
		t.Error("the resumed fit gives another model")
	}
	if left, _ := os.ReadDir(dir); len(left) != 3 {
		t.Errorf("left %v", left)
	}
}

// Predictions that cannot be written end in an error that names flag, file and reason.
func TestPredictionsOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "t.csv", moons(30_000, 3))
	must(t, dir, "fit", "--data", "t.csv", "--label", "kind", "--features", "32", "--sigma", "0.7", "--lambda", "1e-3", "--model", "m")
	full := fullDevice(t)
	save(t, dir, "few.csv", moons(10, 3)) // less than a buffer: the last write fails
	for _, data := range []string{"t.csv", "few.csv"} {
		r := invoke(t, dir, "predict", "--model", "m", "--data", data, "--scores", "--output", full) // of t.csv more than buffers hold
		if r.status != exitFailure || !strings.Contains(r.errors, "--output") || !strings.Contains(r.errors, full) || !strings.Contains(r.errors, "no space left") || strings.Contains(r.out+r.errors, "wrote") {
			t.Errorf("%s: status %d: %s%s", data, r.status, r.out, r.errors)
		}
	}
}

func TestCheckpointOfAnother(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "t.csv", moons(300, 3))
	lock, err := atomicfile.Acquire(filepath.Join(dir, "c"))
	if err != nil {
		t.Fatal(err)
	}
	r := invoke(t, dir, fitWithCheckpoint...)
	if r.status != exitFailure || !strings.Contains(r.errors, "another fit uses the checkpoint c") {
		t.Errorf("status %d: %s", r.status, r.errors)
	}
	lock.Release()
	must(t, dir, fitWithCheckpoint...)

	// with replaces the model of the command line.
	with := func(model string) []string {
		args := slices.Clone(fitWithCheckpoint)
		args[slices.Index(args, "--model")+1] = model
		return args
	}
	args := with("./c")
	if r := invoke(t, dir, args...); r.status != exitUsage || !strings.Contains(r.errors, "the same file") {
		t.Errorf("status %d: %s", r.status, r.errors)
	}
	// A checkpoint of other data is refused by name.
	args = fitWithCheckpoint
	must(t, dir, args...)
	invoke(t, dir, with(fullDevice(t))...)
	save(t, dir, "t.csv", bytes.Replace(moons(300, 3), []byte("0.1"), []byte("0.2"), 1))
	if r := invoke(t, dir, append(slices.Clone(args), "--resume")...); r.status != exitFailure || !strings.Contains(r.errors, "c is not a usable checkpoint") || !strings.Contains(r.errors, "remove it to start anew") {
		t.Errorf("status %d: %s", r.status, r.errors)
	}
}
