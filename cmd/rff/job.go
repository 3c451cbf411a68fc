package main

import (
	"context"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/sampling"
)

// A job is what a command does.
type job interface {
	declare(f *flag.FlagSet)
	// check refuses what does not go together, before anything is read or written.
	check(f *flag.FlagSet) error
	run(ctx context.Context, s *stdio) error
}

// firstOf returns the first error that is one.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// samplerFlags say by which sampler how many features are chosen.
type samplerFlags struct {
	name     string
	features int
	sampler  rff.Sampler // of that name; set by settle
	learning learning    // of a sampler that learns
}

func (c *samplerFlags) declare(f *flag.FlagSet) {
	whole(f, &c.features, "features", 1024, 1, "`number` of features, in columns")
	f.StringVar(&c.name, "sampler", "rff", "`sampler` that chooses the features: "+strings.Join(sampling.Names(), ", "))
	words(f, "sampler", sampling.Names()...)
}

// settle finds the sampler.
func (c *samplerFlags) settle() (err error) {
	if c.sampler, err = sampling.ByName(c.name); err != nil {
		return usagef("--sampler: %s", oneLine(err))
	}
	return nil
}
