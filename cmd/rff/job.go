package main

import (
	"context"

	flag "github.com/spf13/pflag"
)

// A job is what a command does.
type job interface {
	declare(f *flag.FlagSet)
	// check refuses flags that do not go together, before anything is read or written.
	check(f *flag.FlagSet) error
	run(ctx context.Context, s *stdio) error
}
