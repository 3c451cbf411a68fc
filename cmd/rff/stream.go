package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

// result is an output file that is not committed yet, or standard output.
type result interface {
	io.Writer
	commit() error
	save(io.WriterTo) error
	discard()
}

// openResult is createOutput, but takes - for standard output.
func (s *stdio) openResult(flag, name string) (result, error) {
	if name == "-" {
		return &piped{bufio.NewWriter(s.data)}, nil
	}
	return createOutput(flag, name)
}

// produce writes the result of make to a file, or to standard output for -, and prints its text.
// The file is opened before the work is done. stage is the first stage of the work.
func (s *stdio) produce(flag, name, stage string, make func(at *stages) (what io.WriterTo, text string, err error)) error {
	out, err := s.openResult(flag, name)
	if err != nil {
		return err
	}
	defer out.discard()
	at := startStages(s, stage)
	defer at.end()
	what, text, err := make(at)
	if err != nil {
		return err
	}
	at.end()
	if err := out.save(what); err != nil {
		return err
	}
	w := s.talk(name)
	fmt.Fprintln(w, text)
	if name != "-" {
		fmt.Fprintf(w, "wrote %s\n", name)
	}
	return nil
}

// talk returns the writer for messages if the result goes to name. It is standard error if the
// result itself goes to standard output.
func (s *stdio) talk(name string) io.Writer {
	switch {
	case s.quiet:
		return io.Discard
	case name == "-":
		return s.err
	}
	return s.out
}

type piped struct{ *bufio.Writer }

func (p *piped) commit() error {
	if err := p.Flush(); err != nil {
		return fmt.Errorf("writing standard output: %w", err)
	}
	return nil
}

func (p *piped) save(what io.WriterTo) error {
	if _, err := what.WriteTo(p.Writer); err != nil {
		return fmt.Errorf("writing standard output: %w", err)
	}
	return p.commit()
}

func (p *piped) discard() {}

// loadModel reads a model from a file, from standard input or from a pipe.
func (s *stdio) loadModel(ctx context.Context, name string) (*krr.Model, error) {
	return await(ctx, func() (*krr.Model, error) {
		from := s.in
		if name != "-" {
			if !isStream(name) {
				return krr.Load(name)
			}
			f, err := os.Open(name)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			from = f
		}
		m, err := krr.ReadModel(from)
		var bad *krr.FileError
		if errors.As(err, &bad) && bad.Path == "" {
			named := *bad
			named.Path = streamName(name)
			err = &named
		}
		return m, err
	})
}

// loadGram reads sums from a file or a pipe.
func loadGram(ctx context.Context, name string) (*krr.Gram, error) {
	return await(ctx, func() (*krr.Gram, error) { return krr.LoadGram(name) })
}

// await runs do and returns its result, or the context's cause if ctx ends first. do may wait for
// the writer of a pipe who never comes.
func await[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := do()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// isStream reports whether a name stands for rows that can be read once only.
func isStream(path string) bool {
	if path == "-" {
		return true
	}
	st, err := os.Stat(path)
	return err == nil && !st.IsDir() && !st.Mode().IsRegular()
}

// streamed returns the name of the data if they are a stream.
func (d *dataFlags) streamed() (string, bool) {
	for _, p := range d.paths {
		if isStream(p) {
			return p, true
		}
	}
	return "", false
}

// rereadable refuses data that can be read only once, for commands that read them again. why
// gives the reason.
func (d *dataFlags) rereadable(why string) error {
	if p, ok := d.streamed(); ok {
		return usagef("--data: %s can be read once only, and %s: save it to a file first", streamName(p), why)
	}
	return nil
}

func streamName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// opener opens the data with given options. It can open files each time, but a stream only once.
type opener struct {
	d    *dataFlags
	name string
	from io.Reader // of a stream
	file *os.File  // to be closed
}

// opener returns the opener of the data of --data. For - they are read from in.
func (d *dataFlags) opener(ctx context.Context, in io.Reader) (*opener, error) {
	o := &opener{d: d, name: d.paths[0]}
	path, ok := d.streamed()
	if !ok {
		return o, nil
	}
	if len(d.paths) > 1 {
		return nil, usagef("--data: %s can be read once only and stands alone, without other files", streamName(path))
	}
	o.name, o.from = streamName(path), in
	return await(ctx, func() (*opener, error) {
		var err error
		if path != "-" {
			if o.file, err = os.Open(path); err != nil {
				return nil, fmt.Errorf("--data: %w", err)
			}
			o.from = o.file
		}
		return o, nil
	})
}

// open opens the data for reading.
func (o *opener) open(ctx context.Context, options dataset.Options) (f *dataset.Files, err error) {
	if o.from == nil {
		f, err = dataset.Open(ctx, options, o.d.paths...)
	} else {
		f, err = dataset.OpenReader(ctx, options, o.name, o.from)
	}
	if err == nil {
		err = o.d.opened(f)
	}
	if err != nil {
		return nil, o.d.flagged(err)
	}
	return f, nil
}

// close closes what was opened.
func (o *opener) close() {
	if o.file != nil {
		o.file.Close()
	}
}
