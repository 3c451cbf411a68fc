package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"
)

// These flag values refuse texts that make no sense while the command line is parsed.

// A value is a flag whose text a function reads.
type value[T any] struct {
	p    *T
	read func(text string) (T, error)
	text string // as given
}

func (v *value[T]) Set(text string) (err error) {
	*v.p, err = v.read(text)
	v.text = text
	return err
}

func (v *value[T]) String() string { return v.text }
func (v *value[T]) Type() string   { return "value" }

// declare declares a flag whose text read reads into p. byDefault is its text if it is
// not given; "" leaves p as it is.
func declare[T any](f *flag.FlagSet, p *T, name, byDefault, usage string, read func(text string) (T, error)) {
	v := &value[T]{p: p, read: read}
	if byDefault != "" {
		if err := v.Set(byDefault); err != nil {
			panic("cmd/rff: a flag refuses its own default")
		}
	}
	f.Var(v, name, usage)
}

// A collection is a flag of a list; a repeated flag adds to it.
type collection[T any] struct {
	items *[]T
	add   func(items []T, text string) ([]T, error)
	given bool
}

func (c *collection[T]) Set(text string) error {
	var before []T // instead of the default
	if c.given {
		before = *c.items
	}
	items, err := c.add(before, text)
	if err == nil {
		*c.items, c.given = items, true
	}
	return err
}

func (c *collection[T]) String() string {
	var text []string
	for _, item := range *c.items {
		text = append(text, fmt.Sprint(item))
	}
	return strings.Join(text, ",")
}

func (c *collection[T]) Type() string { return listType }

const listType = "list"

// collect declares a flag of a list.
func collect[T any](f *flag.FlagSet, items *[]T, name, usage string, add func(items []T, text string) ([]T, error)) {
	f.Var(&collection[T]{items: items, add: add}, name, usage)
}

// addWords splits a list at its commas.
func addWords(items []string, text string) ([]string, error) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			return nil, errors.New("empty item in a list")
		}
		items = append(items, part)
	}
	return items, nil
}

// addSamplers splits a list of samplers, whose options have commas of their own:
// "rff,surrogate:pool=8,weight=unit,orf". A part with = belongs to the one before.
func addSamplers(items []string, text string) ([]string, error) {
	parts, err := addWords(nil, text)
	for _, part := range parts {
		if n := len(items); n > 0 && strings.Contains(items[n-1], ":") && strings.Contains(part, "=") && !strings.Contains(part, ":") {
			items[n-1] += "," + part
		} else {
			items = append(items, part)
		}
	}
	return items, err
}

// addCounts returns a function that adds different whole numbers from 1 to most.
func addCounts(most int) func(items []int, text string) ([]int, error) {
	return func(items []int, text string) ([]int, error) {
		for part := range strings.SplitSeq(text, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(part))
			if err != nil || n < 1 || n > most {
				return nil, fmt.Errorf("must be whole numbers from 1 to %d, separated by commas", most)
			}
			if slices.Contains(items, n) {
				return nil, fmt.Errorf("has %d twice", n)
			}
			items = append(items, n)
		}
		return items, nil
	}
}

// A number may be given. If not, the rule that a word names chooses it.
type number struct {
	value float64
	set   bool
}

// between returns a function that reads a number that within accepts or, unless rule is "", the
// word rule. need says what is accepted.
func between(rule, need string, within func(float64) bool) func(string) (number, error) {
	return func(text string) (number, error) {
		if rule != "" && text == rule {
			return number{}, nil
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || strings.Contains(text, "_") || math.IsNaN(v) || math.IsInf(v, 0) || !within(v) {
			return number{}, errors.New(need)
		}
		return number{v, true}, nil
	}
}

// declareLambda declares the ridge parameter, or the rule that chooses it. Beyond its
// bounds λ rounds the data away, or is rounded away by them.
func declareLambda(f *flag.FlagSet, p *number, rule, usage string) {
	const least, most = 1e-30, 1e30
	declare(f, p, "lambda", rule, usage, between(rule, "must be a number from 1e-30 to 1e30, or "+rule, func(v float64) bool { return least <= v && v <= most }))
	words(f, "lambda", rule)
}

// choose declares a flag that takes one of several words. The first is the default. "auto" leaves
// the value empty.
func choose[T ~string](f *flag.FlagSet, p *T, name, usage string, of ...T) {
	var known []string
	for _, w := range of {
		known = append(known, string(w))
	}
	declare(f, p, name, known[0], usage, func(text string) (T, error) {
		if !slices.Contains(known, text) {
			last := len(known) - 1
			return *p, fmt.Errorf("must be %s or %s", strings.Join(known[:last], ", "), known[last])
		}
		if text == "auto" {
			text = ""
		}
		return T(text), nil
	})
	words(f, name, known...)
}

// whole declares a flag of a whole number from least to mostOf(name). A byDefault below least is
// the value if the flag is not given.
func whole(f *flag.FlagSet, p *int, name string, byDefault, least int, usage string) {
	text, most := "", mostOf(name)
	if *p = byDefault; byDefault >= least {
		text = strconv.Itoa(byDefault)
	}
	declare(f, p, name, text, usage, func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < least || n > most {
			return 0, fmt.Errorf("must be a whole number from %d to %d", least, most)
		}
		return n, nil
	})
}

// declareSeed declares the seed of every draw.
func declareSeed(f *flag.FlagSet, p *uint64) {
	declare(f, p, "seed", "1", "`seed` of every draw: the same seed gives the same scores on every machine", func(text string) (uint64, error) {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return 0, errors.New("must be a whole number from 0 to 2^64 − 1")
		}
		return n, nil
	})
}

// readTime reads a time that is not negative.
func readTime(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, errors.New("must be a time with its unit, such as 30s or 10m, or 0")
	}
	return d, nil
}

// readSize reads a number of bytes with an optional unit.
func readSize(text string) (int64, error) {
	unit := int64(1)
	for _, u := range []struct {
		name string
		of   int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}} {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			text, unit = strings.TrimSpace(rest), u.of
			break
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64/unit {
		return 0, errors.New("must be a number of bytes, or with a unit: 512MiB, 2GiB")
	}
	return n * unit, nil
}

// wordsOf is the annotation of a flag with the words that a shell completes.
const wordsOf = "words"

// words notes the words that a flag takes, for shells to complete.
func words(f *flag.FlagSet, name string, of ...string) {
	if f.SetAnnotation(name, wordsOf, of) != nil {
		panic("cmd/rff: words of a flag that is not declared")
	}
}

// complete lets shells complete the values of the flags of c: the words that a flag
// takes, the last of a list, or files.
func complete(c *cobra.Command) {
	c.Flags().VisitAll(func(v *flag.Flag) {
		known := v.Annotations[wordsOf]
		rest := cobra.ShellCompDirectiveNoFileComp
		if kind, _ := flag.UnquoteUsage(v); kind == "file" || kind == "folder" {
			rest = cobra.ShellCompDirectiveDefault
		}
		err := c.RegisterFlagCompletionFunc(v.Name, func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			head := ""
			if v.Value.Type() == listType {
				head = begun[:strings.LastIndexByte(begun, ',')+1]
			}
			var out []string
			for _, w := range known {
				if strings.HasPrefix(head+w, begun) {
					out = append(out, head+w)
				}
			}
			return out, rest
		})
		if err != nil {
			panic("cmd/rff: a flag has two completions")
		}
	})
}
