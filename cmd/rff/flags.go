package main

import (
	"math"

	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff/internal/limit"
)

// flagGroups puts the flags of all commands under headings, the most used first.
// --help and completions have this order. A flag means the same in every command.
var flagGroups = []struct {
	name  string
	flags []string
}{
	{"Model", []string{"model", "gram", "file", "shell"}},
	{"Data", []string{"data", "label", "inputs", "categories", "date-order", "keep", "missing", "na", "unseen", "task", "labels", "teacher", "temperature", "weights",
		"classes", "format", "header", "width", "max-columns", "data-dir", "test", "rows", "columns", "like", "plan", "looks", "subtract"}},
	{"Features", []string{"features", "sampler", "samplers", "kernel", "sigma", "scale", "auto", "budget", "deadline", "precision", "seed"}},
	{"Fit", []string{"lambda", "criterion", "folds", "folds-by", "fold-rows", "reps", "quick", "probabilities", "loss", "class-weight", "variance", "interval", "interval-by", "solver", "memory", "checkpoint", "every", "resume"}},
	{"Output", []string{"onnx", "output", "scores", "score", "raw-labels", "html", "svg", "csv", "json", "no-times", "quiet"}},
	{"Machine", []string{"workers", "backend"}},
}

// A flagGroup is some flags of one command under a heading.
type flagGroup struct {
	name  string
	flags []*flag.Flag
}

// grouped returns the flags of a command in the order of the help.
func grouped(f *flag.FlagSet) []flagGroup {
	var groups []flagGroup
	for _, g := range flagGroups {
		group := flagGroup{name: g.name}
		for _, name := range g.flags {
			if v := f.Lookup(name); v != nil {
				group.flags = append(group.flags, v)
			}
		}
		if group.flags != nil {
			groups = append(groups, group)
		}
	}
	return groups
}

// flagNames returns the flags of a command in the order of the help.
func flagNames(f *flag.FlagSet) []string {
	var names []string
	for _, g := range grouped(f) {
		for _, v := range g.flags {
			names = append(names, v.Name)
		}
	}
	return names
}

// mostOf is the upper bound of a whole number. Beyond these no machine has the
// memory (2²⁰ features are 4 TiB of sums) or anybody the time.
func mostOf(flag string) int {
	switch flag {
	case "features":
		return 1 << 20
	case "folds":
		return 100
	case "reps":
		return 10_000
	case "workers":
		return 1024
	case "width", "max-columns":
		return limit.MostColumns
	}
	return math.MaxInt32
}
