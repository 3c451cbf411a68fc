//go:build unix

package dataset

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A pipe by path is read in one pass; the second is refused by its name.
func TestPipe(t *testing.T) {
	ctx := context.Background()
	p := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(p, 0o600); err != nil {
		t.Fatal(err)
	}
	write := func(data string) {
		go func() {
			f, err := os.OpenFile(p, os.O_WRONLY, 0)
			if err != nil {
				t.Error(err)
				return
			}
			f.WriteString(data)
			f.Close()
		}()
	}
	write("a,y\n1,u\n2,v\n")
	f, err := Open(context.Background(), Options{}, p)
	if err != nil {
		t.Fatal(err)
	}
	if f.first == nil {
		t.Error("OnePass is false")
	}
	table, err := f.Table(ctx)
	if err != nil || table.Len() != 2 || table.X.Row(1)[0] != 2 {
		t.Fatalf("%v, %v", table, err)
	}
	var once *ReadError
	if _, err := f.Scan(ctx, nil); !errors.As(err, &once) || once.File != p {
		t.Errorf("second pass: %v", err)
	}

	write("")
	if _, err := Open(context.Background(), Options{}, p); err == nil || strings.Contains(err.Error(), "file is empty") || !strings.Contains(err.Error(), p) {
		t.Errorf("empty pipe: %v", err)
	}
	write("1 1:2\n")
	if _, err := Open(context.Background(), Options{}, p); err == nil || !strings.Contains(err.Error(), "Width") {
		t.Errorf("LIBSVM rows without a width: %v", err)
	}
	write("1,2\n3,4\n")
	if _, err := Open(context.Background(), Options{}, p, p); err == nil || !strings.Contains(err.Error(), "goes alone") {
		t.Errorf("two streams: %v", err)
	}
}

// Nobody writes: Open ends with its context, or after a while.
func TestPipeWithoutWriter(t *testing.T) {
	p := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(p, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := Open(ctx, Options{}, p); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a context: %v", err)
	}
	defer func(d time.Duration) { writerWait = d }(writerWait)
	writerWait = 20 * time.Millisecond
	var read *ReadError
	if _, err := Open(context.Background(), Options{}, p); !errors.As(err, &read) || !strings.Contains(err.Error(), "nobody writes") {
		t.Errorf("without one: %v", err)
	}
	// Let the abandoned opens end.
	f, err := os.OpenFile(p, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}
