package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	st, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return st.Mode()
}

// A new file has the mode that the umask says, an old one keeps its own.
func TestModes(t *testing.T) {
	dir := t.TempDir()
	defer syscall.Umask(syscall.Umask(0))
	for i, umask := range []int{0o022, 0o077, 0o002, 0} {
		syscall.Umask(umask)
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := Write(path, text("new")); err != nil {
			t.Fatal(err)
		}
		if got := mode(t, path); got != 0o666&^fs.FileMode(umask) {
			t.Errorf("umask %03o: mode %v", umask, got)
		}
		for _, old := range []fs.FileMode{0o600, 0o644, 0o640, 0o755, 0o666} {
			if err := os.Chmod(path, old); err != nil {
				t.Fatal(err)
			}
			Step = func(call string) { // never more rights than the old file may get
				if call == "create" {
					for _, name := range names(t, dir) {
						if got := mode(t, filepath.Join(dir, name)); isTemp(path, name) && got&^0o600 != 0 {
							t.Errorf("created with mode %v", got)
						}
					}
				}
			}
			a, err := Create(path)
			Step = nil
			if err != nil {
				t.Fatal(err)
			}
			if got := mode(t, a.f.Name()); got != old {
				t.Errorf("while it is written: mode %v, want %v", got, old)
			}
			if err := a.Commit(); err != nil {
				t.Fatal(err)
			}
			if got := mode(t, path); got != old {
				t.Errorf("umask %03o: mode %v became %v", umask, old, got)
			}
		}
	}
}

// as runs f with the rights of an ordinary user, which only root can.
func as(t *testing.T, uid int, f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if err := syscall.Setfsgid(uid); err != nil {
			t.Error(err)
		}
		if err := syscall.Setfsuid(uid); err != nil {
			t.Error(err)
		}
		f()
	}()
	<-done
}

func TestOwners(t *testing.T) {
	if os.Geteuid() != 0 {
		return // nothing to see: all files have one owner
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // the folder of this test
		t.Fatal(err)
	}
	owned := func(name string, uid, gid int, m fs.FileMode) string {
		path := filepath.Join(dir, name)
		put(t, path, "old")
		if err := errors.Join(os.Chown(path, uid, gid), os.Chmod(path, m)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	check := func(path string, uid, gid uint32, m fs.FileMode) {
		t.Helper()
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if s := st.Sys().(*syscall.Stat_t); s.Uid != uid || s.Gid != gid || st.Mode() != m {
			t.Errorf("%s: %d:%d %v, want %d:%d %v", path, s.Uid, s.Gid, st.Mode(), uid, gid, m)
		}
	}
	root := owned("root", 1234, 4321, 0o640)
	if err := Write(root, text("new")); err != nil {
		t.Fatal(err)
	}
	check(root, 1234, 4321, 0o640)
	other, private := owned("other", 65534, 4321, 0o664), owned("private", 0, 0, 0o644)
	as(t, 65534, func() {
		if err := Write(other, text("new")); err != nil {
			t.Error(err)
		}
		if err := Write(private, text("new")); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("wrote what may not be written: %v", err)
		}
	})
	check(other, 65534, 65534, 0o644)
	want(t, private, "old")
}

// The target of a link is replaced, not the link.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "deep", "real")
	at := func(name string) string { return filepath.Join(dir, name) }
	link := func(target, name string) {
		if err := os.Symlink(target, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(at("deep/below"), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, real, "old")
	if err := os.Chmod(real, 0o600); err != nil {
		t.Fatal(err)
	}
	link("deep/real", "relative")
	link(real, "absolute")
	link("relative", "twice")
	link("deep/below", "folder")
	link("folder/../real", "up") // of folder's target
	link("deep/new", "dangling")
	link("circle", "circle")
	link("none/new", "nowhere")
	for i, name := range []string{"relative", "absolute", "twice", "up", "folder/../real", "deep/../relative"} {
		content := fmt.Sprint("content ", i)
		if err := Write(dir+"/"+name, text(content)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want(t, real, content)
		if got := mode(t, real); got != 0o600 {
			t.Errorf("%s: mode %v", name, got)
		}
	}
	if err := Write(at("dangling"), text("dangling")); err != nil {
		t.Fatal(err)
	}
	want(t, at("deep/new"), "dangling")
	for _, name := range []string{"relative", "absolute", "twice", "up", "dangling"} {
		if mode(t, at(name))&fs.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", name)
		}
	}
	for _, name := range []string{"circle", "nowhere", "folder"} {
		if err := Write(at(name), text("x")); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{{"relative", "deep/real", true}, {"twice", "absolute", true}, {"dangling", "deep/new", true}, {"nothing", "deep/../nothing", true},
		{"nothing", "folder/../nothing", false}, {"nothing", "something", false}, {"relative", "nothing", false}, {"circle", "nowhere", false}} {
		if got := Same(dir+"/"+c.a, dir+"/"+c.b); got != c.same {
			t.Errorf("%s and %s the same: %v", c.a, c.b, got)
		}
	}
	// Two names of one file have one lock.
	l, err := Acquire(at("twice"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	if _, err := Acquire(real); !errors.Is(err, ErrLocked) {
		t.Errorf("locked by two names: %v", err)
	}
	if err := Remove(at("twice")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(real); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed a link, not its target: %v", err)
	}
}

// device returns a character device of the test's own with the numbers of one of
// the machine: root could replace that, for everyone, if the code were wrong.
// Others cannot make one, but cannot replace one either. ok is false where root
// may not make devices.
func device(t *testing.T, name string, minor int) (path string, ok bool) {
	t.Helper()
	if os.Geteuid() != 0 {
		return "/dev/" + name, true
	}
	path = filepath.Join(t.TempDir(), name)
	if err := syscall.Mknod(path, syscall.S_IFCHR|0o600, 1<<8|minor); err != nil {
		t.Logf("root without the right to make devices: %v", err)
		return "", false
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Logf("a folder without devices: %v", err)
		return "", false
	}
	f.Close()
	return path, true
}

// What is no regular file is written to directly.
func TestDevices(t *testing.T) {
	if null, ok := device(t, "null", 3); ok {
		if err := Write(null, text("nothing")); err != nil {
			t.Error(err)
		}
		if mode(t, null)&fs.ModeCharDevice == 0 {
			t.Error("a device has been replaced")
		}
	}
	if full, ok := device(t, "full", 7); ok {
		if err := Write(full, text("nothing")); !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "untouched") {
			t.Errorf("a full device: %v", err)
		}
		if mode(t, full)&fs.ModeCharDevice == 0 {
			t.Error("a device has been replaced")
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	go func() {
		b, _ := os.ReadFile(path)
		got <- string(b)
	}()
	if err := Write(path, text("through the pipe")); err != nil {
		t.Fatal(err)
	}
	if s := <-got; s != "through the pipe" {
		t.Errorf("read %q", s)
	}
	if !slices.Equal(names(t, dir), []string{"pipe"}) {
		t.Errorf("left %q", names(t, dir))
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		b, _ := io.ReadAll(r)
		got <- string(b)
	}()
	if err := Write(fmt.Sprintf("/dev/fd/%d", w.Fd()), text("nameless")); err != nil {
		t.Error(err)
	}
	w.Close()
	if s := <-got; s != "nameless" {
		t.Errorf("read %q", s)
	}
}

// A disk that is full is an error that says so, and that the old file is there.
func TestTooLarge(t *testing.T) {
	if dir := os.Getenv("ATOMICFILE_TEST_DIR"); dir != "" {
		var old syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
			t.Fatal(err)
		}
		signal.Ignore(syscall.SIGXFSZ) // an error, not the end
		// Whoever runs the test may have files to write afterwards.
		defer syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1000, Max: old.Max}); err != nil {
			t.Fatal(err)
		}
		big := bytes.Repeat([]byte("x"), 1<<20)
		for _, name := range []string{"old", "new"} {
			err := Write(filepath.Join(dir, name), func(w io.Writer) error { _, err := w.Write(big); return err })
			if !errors.Is(err, syscall.EFBIG) || strings.Contains(err.Error(), "untouched") != (name == "old") || strings.Contains(err.Error(), dir) {
				t.Errorf("%s: %v", name, err)
			}
			a, err := Create(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			a.Write(big[:2000]) // fits the buffer
			if err := a.Commit(); !errors.Is(err, syscall.EFBIG) || strings.Contains(err.Error(), "untouched") != (name == "old") {
				t.Errorf("%s: %v", name, err)
			}
		}
		return
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "old"), "old")
	child(t, "ATOMICFILE_TEST_DIR="+dir)
	want(t, filepath.Join(dir, "old"), "old")
	if got := names(t, dir); !slices.Equal(got, []string{"old"}) {
		t.Errorf("left %q", got)
	}
}

// child runs this test in a process of its own.
func child(t *testing.T, env ...string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Errorf("%v: %s", err, out)
	}
}

// Killed after any system call, the old or the new file is there, whole, and
// the next writer leaves nothing but the file.
func TestKilledAtEveryStep(t *testing.T) {
	if dir := os.Getenv("ATOMICFILE_TEST_DIR"); dir != "" {
		var last int
		fmt.Sscan(os.Getenv("ATOMICFILE_TEST_STEP"), &last)
		n := 0
		Step = func(string) {
			if n++; n == last {
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
		l, err := Acquire(filepath.Join(dir, "x"))
		if err != nil {
			t.Fatal(err)
		}
		if err := Write(filepath.Join(dir, "x"), text(strings.Repeat("new", 1<<18))); err != nil {
			t.Fatal(err)
		}
		l.Release()
		return
	}
	for _, old := range []string{"", "old"} {
		var seen []string // what there was after each step
		for k := 1; ; k++ {
			dir := t.TempDir()
			path := filepath.Join(dir, "x")
			if old != "" {
				put(t, path, old)
			}
			cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
			cmd.Env = append(os.Environ(), "ATOMICFILE_TEST_DIR="+dir, fmt.Sprint("ATOMICFILE_TEST_STEP=", k))
			out, err := cmd.CombinedOutput()
			if err != nil && cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("%v: %s", err, out)
			}
			switch b, _ := os.ReadFile(path); string(b) {
			case old:
				seen = append(seen, "old")
			case strings.Repeat("new", 1<<18):
				seen = append(seen, "new")
			default:
				t.Fatalf("step %d: neither the old nor the new file: %d bytes", k, len(b))
			}
			l, e := Acquire(path)
			if e != nil {
				t.Fatalf("step %d: a killed process keeps its lock: %v", k, e)
			}
			l.Release()
			if e := Write(path, text("next")); e != nil {
				t.Fatal(e)
			}
			if got := names(t, dir); !slices.Equal(got, []string{"x"}) {
				t.Fatalf("step %d: left %q", k, got)
			}
			if err == nil {
				break
			}
		}
		if len(seen) < 8 || seen[0] != "old" || seen[len(seen)-2] != "new" {
			t.Errorf("steps %q: fewer than there are", seen)
		}
	}
}

// A lock on a file that its last holder has removed meanwhile is none.
func TestLockOfRemovedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	name := filepath.Join(filepath.Dir(path), ".c.rff-lock")
	tries := 0
	Step = func(call string) {
		if tries++; call == "lock" && tries == 1 {
			if err := os.Remove(name); err != nil {
				t.Error(err)
			}
		}
	}
	l, err := Acquire(path)
	Step = nil
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	if tries != 2 || !sameFile(l.f, name) {
		t.Errorf("after %d tries it holds a file that is gone", tries)
	}
	if _, err := Acquire(path); !errors.Is(err, ErrLocked) {
		t.Errorf("locked twice: %v", err)
	}
}
