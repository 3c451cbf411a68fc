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

// firstOf returns the first error that is not nil.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
