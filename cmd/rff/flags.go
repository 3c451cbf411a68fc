package main

import (
	"flag"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/bench/roofline"
	"github.com/rffgo/rff/bench/sets"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/limit"
	"github.com/rffgo/rff/sampling"
)

// flagGroups puts the flags of all commands under headings, the most used first.
// --help and completions have this order. A flag means the same in every command.
var flagGroups = []struct {
	name  string
	flags []string
}{
	{"Model", []string{"model", "gram", "file", "shell", "experiment", "list", "protocol", "action"}},
	{"Data", []string{"data", "label", "inputs", "categories", "missing", "unseen", "task", "labels", "weights",
		"classes", "format", "header", "width", "max-columns", "data-dir", "test", "rows", "like", "plan"}},
	{"Features", []string{"features", "sizes", "sampler", "samplers", "kernel", "sigma", "scale", "auto", "budget", "precision", "seed"}},
	{"Fit", []string{"lambda", "criterion", "folds", "folds-by", "fold-rows", "reps", "quick", "probabilities", "hard-weight", "variance", "solver", "memory", "checkpoint", "every", "resume"}},
	{"Case", []string{"op", "n", "d", "s", "dtype", "form"}},
	{"Output", []string{"output", "out", "scores", "score", "raw-labels", "html", "svg", "csv", "json", "no-times"}},
	{"Machine", []string{"workers", "backend"}},
}

const otherFlags = "Other"

// groupOf returns the heading of a flag and its place below it.
func groupOf(name string) (string, int) {
	for _, g := range flagGroups {
		if i := slices.Index(g.flags, name); i >= 0 {
			return g.name, i
		}
	}
	return otherFlags, 0
}

// A flagGroup is some flags of one command under a heading.
type flagGroup struct {
	name  string
	flags []*flag.Flag
}

// grouped returns the flags of a command in the order of the help.
func grouped(f *flag.FlagSet) []flagGroup {
	var groups []flagGroup
	add := func(name string) {
		var g flagGroup
		f.VisitAll(func(v *flag.Flag) {
			if group, _ := groupOf(v.Name); group == name {
				g.flags = append(g.flags, v)
			}
		})
		slices.SortStableFunc(g.flags, func(a, b *flag.Flag) int {
			_, i := groupOf(a.Name)
			_, j := groupOf(b.Name)
			return i - j
		})
		if g.name = name; len(g.flags) > 0 {
			groups = append(groups, g)
		}
	}
	for _, g := range flagGroups {
		add(g.name)
	}
	add(otherFlags)
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

// takesValue reports whether a flag needs a value: all but switches do.
func takesValue(v *flag.Flag) bool {
	b, ok := v.Value.(interface{ IsBoolFlag() bool })
	return !ok || !b.IsBoolFlag()
}

// flagValues returns the words that a flag takes, or nil if it takes any number or
// name.
func flagValues(name string) []string {
	switch name {
	case "data":
		return sets.Names() // beside files
	case "task":
		return []string{"auto", "classification", "regression"}
	case "format":
		return []string{"auto", "csv", "libsvm", "idx", "npy", "parquet", "arrow", "avro"}
	case "missing":
		return []string{"error", "mean", "drop"}
	case "unseen":
		return []string{"error", "zero"}
	case "header":
		return []string{"auto", "yes", "no"}
	case "sampler", "samplers":
		return sampling.Names()
	case "kernel":
		return rff.KernelNames()
	case "sigma":
		return []string{"median", "knn", "cv"}
	case "scale":
		return []string{"robust", "standard", "minmax", "none"}
	case "lambda":
		return []string{"cv", "gcv"}
	case "criterion":
		return []string{"cv", "gcv", "loo"}
	case "precision", "dtype":
		return []string{"f64", "float64", "f32", "float32"}
	case "experiment":
		return experimentNames()
	case "protocol":
		return []string{reproduce.Published, reproduce.Fair}
	case "action":
		return dataActions
	case "shell":
		return []string{"bash", "zsh", "fish"}
	case "solver":
		return []string{"cholesky", "cg"}
	case "backend":
		return blas.Backends()
	case "form":
		return []string{"pair", "cos", "linear", "arccos0", "arccos1", "arccos2"}
	case "op":
		var names []string
		for _, o := range roofline.Ops {
			names = append(names, o.Name)
		}
		return names
	}
	return nil
}

// mostOf is the upper bound of a whole number. Beyond these no machine has the
// memory (2²⁰ features are 4 TiB of sums) or anybody the time.
func mostOf(flag string) int {
	switch flag {
	case "features", "s":
		return 1 << 20
	case "folds":
		return 100
	case "reps":
		return 10_000
	case "workers":
		return 1024
	case "width", "max-columns":
		return limit.MostColumns
	case "d":
		return 1 << 24
	}
	return math.MaxInt32
}
