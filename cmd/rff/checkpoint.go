package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff/internal/atomicfile"
	"github.com/rffgo/rff/krr"
)

// checkpointFlags make a long fit resumable.
type checkpointFlags struct {
	file   string
	every  time.Duration
	resume bool
}

func (c *checkpointFlags) declare(f *flag.FlagSet) {
	f.StringVar(&c.file, "checkpoint", "", "`file` to keep the state of the fit in; it is removed when the model is written")
	declare(f, &c.every, "every", time.Minute.String(), "`time` between two checkpoints", readTime)
	f.BoolVar(&c.resume, "resume", false, "go on from the file of --checkpoint")
}

func (c *checkpointFlags) check(model string) error {
	switch {
	case c.every <= 0:
		return usagef("invalid value %q for --every: must be positive", c.every)
	case c.file == "" && c.resume:
		return usagef("--resume needs the file to go on from: --checkpoint FILE")
	case c.file == "":
		return nil
	case atomicfile.Same(c.file, model):
		return usagef("--checkpoint and --model are the same file: %s", model)
	}
	_, err := os.Stat(c.file)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = os.Stat(stateOf(c.file))
	}
	switch {
	case err == nil && !c.resume:
		return usagef("--checkpoint: %s exists: --resume goes on from it; remove it to start anew", c.file)
	case errors.Is(err, fs.ErrNotExist) && c.resume:
		return usagef("--resume: there is no checkpoint %s", c.file)
	}
	return nil
}

// settings returns the checkpoint of the fit. Its warnings go to s.
func (c *checkpointFlags) settings(s *stdio) krr.Checkpoint {
	said := ""
	return krr.Checkpoint{Path: c.file, Every: c.every, Warn: func(err error) {
		text := oneLine(err)
		if text == said { // say it once: a full disk stays full
			return
		}
		said = text
		s.note("%s: the fit goes on, with the checkpoint of before if there was one", text)
	}}
}

// remove removes the checkpoint once the model is written. If that fails, the fit
// has succeeded all the same.
func (c *checkpointFlags) remove(s *stdio) {
	if err := (krr.Checkpoint{Path: c.file}).Remove(); err != nil {
		s.note("the model is written, the checkpoint stays: %s", oneLine(err))
	}
	if err := removeState(c.file); err != nil {
		s.note("the model is written, the state of the training stays, %s: %s", stateOf(c.file), oneLine(err))
	}
}

// explain adds to err how to go on after an interrupt, or if the model could not be written.
func (c *checkpointFlags) explain(ctx context.Context, s *stdio, err error) error {
	var file *krr.FileError
	unwritten := errors.As(err, &file) && (file.What != "checkpoint" || errors.Is(err, atomicfile.ErrLocked))
	if c.file == "" || (ctx.Err() == nil && !unwritten) {
		return err
	}
	_, e := os.Stat(c.file)
	if e != nil {
		_, e = os.Stat(stateOf(c.file))
	}
	if e == nil {
		s.note("the checkpoint %s is kept: the same command with --resume goes on from it", c.file)
	}
	return err
}
