package krr_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// stuck is a source that never yields and does not look at its context.
type stuck struct{ *rows }

func (stuck) Batches(context.Context) iter.Seq2[rff.Batch, error] {
	return func(func(rff.Batch, error) bool) { time.Sleep(2 * time.Second) }
}

func TestCancel(t *testing.T) {
	m := gaussianMap(t, 1, 3, 64, 1)
	for name, src := range map[string]rff.Source{"stuck": stuck{synthetic(1, 10, 3, 1, 0)}, "endless": slow{synthetic(1, 1<<17, 3, 1, 0), 0}} {
		ctx, cancel := context.WithCancel(context.Background())
		var at time.Time
		time.AfterFunc(50*time.Millisecond, func() { at = time.Now(); cancel() })
		_, _, err := krr.Fit(ctx, m, src, krr.Settings{})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if d := time.Since(at); d > 100*time.Millisecond {
			t.Errorf("%s: ended %v after cancelling", name, d)
		}
	}
}

// slow sleeps before every batch, and is read over and over if pause is 0.
type slow struct {
	*rows
	pause time.Duration
}

func (s slow) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		for {
			for b, err := range s.rows.Batches(ctx) {
				time.Sleep(s.pause)
				if !yield(b, err) {
					return
				}
			}
			if s.pause > 0 {
				return
			}
		}
	}
}

type failing struct {
	*rows
	after int
	err   error
}

func (f failing) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		n := 0
		for b, err := range f.rows.Batches(ctx) {
			if n += b.X.Rows; n > f.after {
				yield(rff.Batch{}, f.err)
				return
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

func models(t *testing.T, a, b *krr.Model) bool {
	t.Helper()
	x, i := a.Coefficients()
	y, j := b.Coefficients()
	return mat.Equal(x, y) && i[0] == j[0]
}

// A fit that fails half-way and is started again gives the bits of one that did not.
func TestResume(t *testing.T) {
	m := gaussianMap(t, 1, 3, 32, 1)
	r := classes(1, 6000, 3, "a", "b", "c")
	want, wanted, err := krr.Fit(context.Background(), m, r, krr.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "check")
	s := krr.Settings{Checkpoint: krr.Checkpoint{Path: path, Every: 1}}
	for _, after := range []int{1000, 3500, 5555} {
		broken := errors.New("disk on fire")
		if _, _, err := krr.Fit(context.Background(), m, failing{r, after, broken}, s); !errors.Is(err, broken) {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Fatal(err)
		}
	}
	var fe *krr.FileError
	if _, _, err := krr.Fit(context.Background(), m, classes(2, 6000, 3, "a", "b", "c"), s); !errors.As(err, &fe) {
		t.Errorf("resumed on other data: %v", err)
	}
	other := s
	other.Folds = 7
	if _, _, err := krr.Fit(context.Background(), m, r, other); !errors.As(err, &fe) || !strings.Contains(err.Error(), "folds") {
		t.Errorf("resumed with other folds: %v", err)
	}
	r.batch = 777 // batches do not matter either
	got, report, err := krr.Fit(context.Background(), m, r, s)
	if err != nil {
		t.Fatal(err)
	}
	if report.Resumed < 5000 || report.Train.Rows != 6000 {
		t.Errorf("resumed at %d of %d", report.Resumed, report.Train.Rows)
	}
	if !models(t, got, want) {
		t.Error("resuming changed the model")
	}
	// The checkpoint stays until its owner has saved the model. It holds all rows now.
	if got, report, err = krr.Fit(context.Background(), m, r, s); err != nil {
		t.Fatal(err)
	}
	if report.Resumed != 6000 || report.Train.Rows != 6000 || !models(t, got, want) {
		t.Errorf("resumed at %d of %d; the model is the same: %v", report.Resumed, report.Train.Rows, models(t, got, want))
	}
	if !slices.Equal(report.Counts, wanted.Counts) {
		t.Errorf("counts %d of the classes, want %d", report.Counts, wanted.Counts)
	}
	for range 2 {
		if err := s.Checkpoint.Remove(); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
	if err := os.WriteFile(path, []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := krr.Fit(context.Background(), m, r, s); !errors.As(err, &fe) || fe.Path != path {
		t.Errorf("garbage: %v", err)
	}
	if err := s.Checkpoint.Remove(); !errors.As(err, &fe) || fe.Path != path {
		t.Errorf("removing garbage: %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "garbage" {
		t.Error("removed a file that is no checkpoint")
	}
	s.Checkpoint.Path = filepath.Join(t.TempDir(), "missing", "check")
	if _, _, err := krr.Fit(context.Background(), m, r, s); err == nil {
		t.Error("a checkpoint that cannot be written is no error")
	}
	if err := s.Checkpoint.Remove(); err != nil {
		t.Errorf("removing what is not there: %v", err)
	}
}

// TestKill kills a fitting process with SIGKILL at varying moments until it gets through.
func TestKill(t *testing.T) {
	r := synthetic(1, 20000, 3, 2, 0.1)
	m := gaussianMap(t, 1, 3, 24, 1)
	if path := os.Getenv("KRR_TEST_KILL"); path != "" {
		model, _, err := krr.Fit(context.Background(), m, slow{r, time.Millisecond}, krr.Settings{Checkpoint: krr.Checkpoint{Path: path, Every: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if err := model.Save(path + ".model"); err != nil {
			t.Fatal(err)
		}
		return
	}
	if testing.Short() {
		t.Skip("starts processes")
	}
	want, _, err := krr.Fit(context.Background(), m, r, krr.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "check")
	kills := 0
	for i := range 20 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKill$")
		cmd.Env = append(os.Environ(), "KRR_TEST_KILL="+path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if i < 8 {
			time.Sleep(time.Duration(100+37*i) * time.Millisecond)
			cmd.Process.Kill()
			kills++
		}
		if cmd.Wait() == nil {
			break
		}
	}
	got, err := krr.Load(path + ".model")
	if err != nil {
		t.Fatal(err)
	}
	if !models(t, got, want) {
		t.Errorf("the model after %d kills differs", kills)
	}
}

// Batches of any size, and any number of workers, give the same bits.
func TestSameBits(t *testing.T) {
	m := gaussianMap(t, 1, 3, 50, 1)
	for _, p := range []krr.Precision{krr.Float64, krr.Float32} {
		var want *krr.Model
		for _, batch := range []int{1, 7, 504, 1000, 5000} {
			for workers := 1; workers <= 8; workers += 1 + workers/3*2 {
				r := classes(3, 3000, 3, "a", "b", "c")
				r.batch = batch
				s := krr.Settings{Precision: p}
				s.Engine.Workers = workers
				got, _, err := krr.Fit(context.Background(), m, r, s)
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = got
				}
				if !models(t, got, want) {
					t.Fatalf("%v: batches of %d on %d workers change the model", p, batch, workers)
				}
			}
		}
	}
}
