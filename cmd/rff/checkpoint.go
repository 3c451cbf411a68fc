package main

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"time"

	"github.com/rffgo/rff/krr"
)

// checkpointFlags make a long fit resumable.
type checkpointFlags struct {
	file   string
	every  time.Duration
	resume bool
}

func (c *checkpointFlags) declare(f *flag.FlagSet) {
	f.StringVar(&c.file, "checkpoint", "", "`file` to keep the state of the fit in; it is removed when the fit is done")
	f.DurationVar(&c.every, "every", time.Minute, "`time` between two checkpoints")
	f.BoolVar(&c.resume, "resume", false, "go on from the file of --checkpoint")
}

func (c *checkpointFlags) check() error {
	switch {
	case c.every <= 0:
		return usagef("invalid value %q for --every: must be positive", c.every)
	case c.file == "" && c.resume:
		return usagef("--resume needs the file to go on from: --checkpoint FILE")
	case c.file == "":
		return nil
	}
	_, err := os.Stat(c.file)
	switch {
	case err == nil && !c.resume:
		return usagef("--checkpoint: %s exists: --resume goes on from it; remove it to start anew", c.file)
	case errors.Is(err, fs.ErrNotExist) && c.resume:
		return usagef("--resume: there is no checkpoint %s", c.file)
	}
	return nil
}

func (c *checkpointFlags) settings() krr.Checkpoint {
	return krr.Checkpoint{Path: c.file, Every: c.every}
}

// explain says after an interrupt how to go on.
func (c *checkpointFlags) explain(ctx context.Context, s *stdio, err error) error {
	if _, e := os.Stat(c.file); c.file != "" && e == nil && ctx.Err() != nil {
		s.note("the checkpoint %s is kept: the same command with --resume goes on from it", c.file)
	}
	return err
}
