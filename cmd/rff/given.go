package main

import (
	"fmt"

	flag "github.com/spf13/pflag"
)

// A flag that would not be used is refused, because the user expects it to matter.

// given is a parsed command line.
type given struct{ f *flag.FlagSet }

// has reports whether a flag was given.
func (g given) has(name string) bool { return g.f != nil && g.f.Changed(name) }

// unused refuses the flags if they were given and when is true. The error is the flag followed
// by why.
func (g given) unused(when bool, why string, flags ...string) error {
	for _, name := range flags {
		if when && g.has(name) {
			return usagef("--%s %s", name, why)
		}
	}
	return nil
}

// once makes f refuse a second, different value of a flag that takes one value.
func once(f *flag.FlagSet) {
	f.VisitAll(func(v *flag.Flag) {
		if v.Value.Type() != listType {
			v.Value = &onceValue{Value: v.Value}
		}
	})
}

type onceValue struct {
	flag.Value
	set  bool
	text string
}

func (o *onceValue) Set(text string) error {
	if o.set && text != o.text {
		return fmt.Errorf("it was given before as %q", o.text)
	}
	o.set, o.text = true, text
	return o.Value.Set(text)
}
