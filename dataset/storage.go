package dataset

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// storage is where files are: the disk, a file system, a reader.
type storage interface {
	// open opens a file. once says that it can be read only once.
	open(ctx context.Context, name string) (r io.ReadCloser, once bool, err error)
	exists(name string) bool
}

// openInput opens a file for reading, decompressed.
func openInput(ctx context.Context, st storage, name string) (in *input, once bool, err error) {
	f, once, err := st.open(ctx, name)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, false, readError(name, 0, err)
	}
	if once {
		f = &pump{ctx: &ctx, r: f}
	}
	in, err = newInput(ctx, name, f)
	if err != nil {
		f.Close()
		var empty *ParseError
		if once && errors.As(err, &empty) && empty.Need == emptyFile {
			empty.Need = "the stream ended before any data came"
		}
		return nil, false, err
	}
	in.live = once
	if p, ok := f.(*pump); ok {
		p.ctx = in.ctx // which later becomes the context of the pass
	}
	z := in.close
	in.close = func() error { z(); return f.Close() }
	return in, once, nil
}

// disk is the storage of paths.
type disk struct{}

func (disk) exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func (disk) open(ctx context.Context, name string) (io.ReadCloser, bool, error) {
	st, err := os.Stat(name)
	if err != nil {
		return nil, false, err
	}
	mode := st.Mode()
	switch {
	case mode.IsDir():
		return nil, false, errFolder
	case mode&fs.ModeNamedPipe != 0:
		f, err := openPipe(ctx, name)
		return f, true, err
	case mode&fs.ModeSocket != 0:
		return nil, false, errors.New("is a socket, not a file")
	}
	f, err := os.Open(name)
	return f, !mode.IsRegular(), err
}

var errFolder = errors.New("is a folder, not a file")

// writerWait is how long a pipe waits for its writer if no context ends it.
var writerWait = 5 * time.Second

// openPipe opens a pipe, which blocks until somebody writes to it.
func openPipe(ctx context.Context, name string) (io.ReadCloser, error) {
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(name)
		done <- opened{f, err}
	}()
	abandon := func() {
		go func() {
			if o := <-done; o.err == nil {
				o.f.Close()
			}
		}()
	}
	var patience <-chan time.Time
	if ctx.Done() == nil {
		patience = time.After(writerWait)
	}
	select {
	case o := <-done:
		if o.err != nil {
			return nil, o.err
		}
		return o.f, nil
	case <-ctx.Done():
		abandon()
		return nil, &cancelledError{context.Cause(ctx)}
	case <-patience:
		abandon()
		return nil, errors.New("is a pipe that nobody writes to")
	}
}

// storage returns the place where the files of o are.
func (o *Options) storage() storage {
	if o.FS != nil {
		return tree{o.FS}
	}
	return disk{}
}

// tree is the storage of a file system.
type tree struct{ fs.FS }

func (t tree) exists(name string) bool {
	_, err := fs.Stat(t.FS, name)
	return err == nil
}

func (t tree) open(_ context.Context, name string) (io.ReadCloser, bool, error) {
	f, err := t.Open(name)
	if err != nil {
		return nil, false, err
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		f.Close()
		return nil, false, errFolder
	}
	return f, false, nil
}

// stream is the storage of one reader, r, which is called name. Other names are files of the
// embedded storage.
type stream struct {
	storage
	name string
	r    io.Reader
}

func (s *stream) open(ctx context.Context, name string) (io.ReadCloser, bool, error) {
	if name != s.name {
		return s.storage.open(ctx, name)
	}
	return io.NopCloser(s.r), true, nil
}

// pump reads from a stream in a goroutine of its own. The stream may keep its reader waiting,
// and a context can end the waiting.
type pump struct {
	ctx  *context.Context
	r    io.ReadCloser
	buf  []byte
	rest []byte // read, but not yet asked for
	err  error
	done chan struct{} // of a read under way, or nil
}

func (p *pump) Read(b []byte) (int, error) {
	for p.done != nil || len(p.rest) == 0 {
		if p.done == nil {
			if p.err != nil {
				return 0, p.err
			}
			if p.buf == nil {
				p.buf = make([]byte, bufferSize)
			}
			done := make(chan struct{})
			p.done = done
			go func() {
				defer close(done)
				var n int
				n, p.err = p.r.Read(p.buf)
				p.rest = p.buf[:n]
			}()
		}
		select {
		case <-p.done:
			p.done = nil
		case <-(*p.ctx).Done():
			return 0, &cancelledError{context.Cause(*p.ctx)}
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

func (p *pump) Close() error {
	if p.done != nil { // a read is under way: the stream is closed when it ends
		go func(done chan struct{}) {
			<-done
			p.r.Close()
		}(p.done)
		return nil
	}
	return p.r.Close()
}
