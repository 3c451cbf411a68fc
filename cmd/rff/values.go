package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Flag values that refuse what makes no sense while the command line is parsed.

// list is a comma-separated list; a repeated flag appends.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(s string) error {
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part == "" {
			return errors.New("empty item in a list")
		}
		*l = append(*l, part)
	}
	return nil
}

// specs is a list of samplers, whose options have commas of their own:
// "rff,surrogate:pool=8,weight=unit,orf". A part with = goes on the one before.
type specs struct {
	items []string
	given bool
}

func (l *specs) String() string { return strings.Join(l.items, ",") }

func (l *specs) Set(s string) error {
	if !l.given {
		l.items, l.given = nil, true
	}
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		n := len(l.items)
		switch {
		case part == "":
			return errors.New("empty item in a list")
		case n > 0 && strings.Contains(l.items[n-1], ":") && strings.Contains(part, "=") && !strings.Contains(part, ":"):
			l.items[n-1] += "," + part
		default:
			l.items = append(l.items, part)
		}
	}
	return nil
}

// counts is a list of different whole numbers of at least 1.
type counts struct {
	items []int
	given bool
	most  int // 0: that of features
}

func (c *counts) String() string {
	var s []string
	for _, n := range c.items {
		s = append(s, strconv.Itoa(n))
	}
	return strings.Join(s, ",")
}

func (c *counts) Set(s string) error {
	if !c.given {
		c.items, c.given = nil, true
	}
	most := c.most
	if most == 0 {
		most = mostOf("features")
	}
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 || n > most {
			return fmt.Errorf("must be whole numbers from 1 to %d, separated by commas", most)
		}
		if slices.Contains(c.items, n) {
			return fmt.Errorf("has %d twice", n)
		}
		c.items = append(c.items, n)
	}
	return nil
}

// number is a number that must pass a test; automatic stands for "auto".
type number struct {
	value     float64
	set       bool
	automatic string // word that leaves it unset, or ""
	ok        func(float64) bool
	need      string
}

func (n *number) String() string {
	if n == nil || !n.set {
		if n == nil {
			return ""
		}
		return n.automatic
	}
	return strconv.FormatFloat(n.value, 'g', -1, 64)
}

func (n *number) Set(s string) error {
	if n.automatic != "" && s == n.automatic {
		n.set = false
		return nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || strings.Contains(s, "_") || math.IsNaN(v) || math.IsInf(v, 0) || !n.ok(v) {
		return errors.New(n.need)
	}
	n.value, n.set = v, true
	return nil
}

// ridge is the parameter λ, or the rule that the word names. Far beyond these
// bounds λ rounds the data away, or is rounded away by them.
func ridge(rule string) number {
	const least, most = 1e-30, 1e30
	return number{automatic: rule, need: "must be a number from 1e-30 to 1e30, or " + rule, ok: func(v float64) bool { return least <= v && v <= most }}
}

// choice is one of several words, of which the first is the default. "auto" leaves
// the value empty.
type choice[T ~string] struct {
	value *T
	words []string
}

func (c choice[T]) String() string {
	if c.value == nil {
		return ""
	}
	if *c.value == "" {
		return c.words[0]
	}
	return string(*c.value)
}

func (c choice[T]) Set(s string) error {
	if !slices.Contains(c.words, s) {
		last := len(c.words) - 1
		return fmt.Errorf("must be %s or %s", strings.Join(c.words[:last], ", "), c.words[last])
	}
	if s == "auto" {
		s = ""
	}
	*c.value = T(s)
	return nil
}

// whole declares a whole-number flag from least to the most that mostOf gives.
func whole(f *flag.FlagSet, p *int, name string, def, least int, usage string) {
	*p = def
	f.Var(&wholeValue{p, least, mostOf(name)}, name, usage)
}

type wholeValue struct {
	p           *int
	least, most int
}

func (w *wholeValue) String() string {
	if w.p == nil {
		return "0"
	}
	return strconv.Itoa(*w.p)
}

func (w *wholeValue) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < w.least || n > w.most {
		return fmt.Errorf("must be a whole number from %d to %d", w.least, w.most)
	}
	*w.p = n
	return nil
}

// seedValue is a flag of 64 bits: decimal, as --help says it.
type seedValue uint64

func (v *seedValue) String() string { return strconv.FormatUint(uint64(*v), 10) }

func (v *seedValue) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return errors.New("must be a whole number from 0 to 2^64 − 1")
	}
	*v = seedValue(n)
	return nil
}

// size is a number of bytes with an optional unit.
type size int64

func (s *size) String() string { return strconv.FormatInt(int64(*s), 10) }

func (s *size) Set(text string) error {
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
		return errors.New("must be a number of bytes, or with a unit: 512MiB, 2GiB")
	}
	*s = size(n * unit)
	return nil
}
