package krr_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/rffgo/rff/internal/atomicfile"
	"github.com/rffgo/rff/krr"
)

// TestKilledAtEveryStep runs a fit with checkpoints, the save of its model and
// the removal of the checkpoint in a process that is killed after its k-th
// system call on files, for every k. Then the old or the new model is there,
// whole; so is a checkpoint, or the new model, from the first checkpoint on; and
// the same once more gives the bits of an undisturbed fit and leaves nothing
// but the model.
func TestKilledAtEveryStep(t *testing.T) {
	r := weighted(1, 600, 3, 2)
	r.batch = 200
	m := gaussianMap(t, 1, 3, 8, 1)
	run := func(dir string) error {
		s := krr.Settings{Checkpoint: krr.Checkpoint{Path: filepath.Join(dir, "check"), Every: 1}}
		model, _, err := krr.Fit(context.Background(), m, r, s)
		if err != nil {
			return err
		}
		if err := model.Save(filepath.Join(dir, "model")); err != nil {
			return err
		}
		return s.Checkpoint.Remove()
	}
	if dir := os.Getenv("KRR_TEST_CHILD"); dir != "" {
		var last, n int
		fmt.Sscan(os.Getenv("KRR_TEST_STEP"), &last)
		atomicfile.Step = func(string) {
			if n++; n == last {
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
		if err := run(dir); err != nil {
			t.Fatal(err)
		}
		return
	}
	old, _ := fitted(t, krr.Float64)
	oldBits, _ := old.MarshalBinary()
	whole := t.TempDir()
	if err := run(whole); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(whole, "model"))
	if err != nil {
		t.Fatal(err)
	}
	begun := false // the first checkpoint is there, or the model
	var states []string
	for k := 1; ; k++ {
		dir := t.TempDir()
		model, check := filepath.Join(dir, "model"), filepath.Join(dir, "check")
		if err := os.WriteFile(model, oldBits, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), "KRR_TEST_CHILD="+dir, fmt.Sprint("KRR_TEST_STEP=", k))
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("%v: %s", err, out)
		}
		now, e := os.ReadFile(model)
		if e != nil || !bytes.Equal(now, oldBits) && !bytes.Equal(now, want) {
			t.Fatalf("step %d: neither the old nor the new model is there: %d bytes, %v", k, len(now), e)
		}
		_, e = os.Stat(check)
		state := map[bool]string{true: "new", false: "old"}[bytes.Equal(now, want)]
		if e == nil {
			state += "+checkpoint"
		}
		if states = append(states, state); begun && state == "old" {
			t.Fatalf("step %d: the work is lost", k)
		}
		begun = begun || state != "old"
		if err == nil {
			break
		}
		if err := run(dir); err != nil {
			t.Fatalf("step %d, the next run: %v", k, err)
		}
		if now, _ := os.ReadFile(model); !bytes.Equal(now, want) {
			t.Fatalf("step %d: the next run gives another model", k)
		}
		if left, _ := os.ReadDir(dir); len(left) != 1 {
			t.Fatalf("step %d: the next run leaves %v", k, left)
		}
	}
	if states = slices.Compact(states); !slices.Equal(states, []string{"old", "old+checkpoint", "new+checkpoint", "new"}) {
		t.Errorf("states %q", states)
	}
}
