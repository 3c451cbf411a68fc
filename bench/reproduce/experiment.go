package reproduce

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rffgo/rff/bench/writeup"
)

// The names of the protocols.
const (
	Published = "published" // as the paper's figures came about
	Fair      = "fair"      // the same inputs and the same tuning for every sampler
)

// Experiment is an experiment of a paper.
type Experiment struct {
	Name      string
	Paper     string // authors, title, place, year, table or figure
	Summary   string // one line
	Protocols []Protocol
}

// Protocol returns the protocol of a name. The error is a *ChoiceError.
func (e *Experiment) Protocol(name string) (*Protocol, error) {
	var known []string
	for i := range e.Protocols {
		if e.Protocols[i].Name == name {
			return &e.Protocols[i], nil
		}
		known = append(known, e.Protocols[i].Name)
	}
	return nil, &ChoiceError{"protocol of " + e.Name, name, known}
}

// Find returns the experiment of a name. The error is a *ChoiceError.
func Find(all []*Experiment, name string) (*Experiment, error) {
	var known []string
	for _, e := range all {
		if e.Name == name {
			return e, nil
		}
		known = append(known, e.Name)
	}
	return nil, &ChoiceError{"experiment", name, known}
}

// ChoiceError says that there is nothing of that name.
type ChoiceError struct {
	What, Name string
	Known      []string
}

func (e *ChoiceError) Error() string {
	return fmt.Sprintf("there is no %s %q: there is %s", e.What, e.Name, strings.Join(e.Known, ", "))
}

// Protocol is a way of running an experiment.
type Protocol struct {
	Experiment string
	Name       string
	Version    int
	Sets       []string // data sets
	Samplers   []string
	Without    func(set, sampler string) bool // what makes no sense; nil: all do
	Reps       int                            // repetitions of a full run
	QuickReps  int
	// Unit says what the sizes count. Sizes returns those that a set is run with, ascending.
	Unit  string
	Sizes func(set string, quick bool) []int
	// Losses returns those beside squares that a set, sampler and size are fitted by; nil:
	// squares alone, which are all of a quick run.
	Losses func(k Key) []Loss
	// Cost is an estimate of the time that a cell takes, in any unit.
	Cost func(k Key) float64
	// New returns what measures the cells of a run. It may keep what several cells
	// have in common, as long as that changes no number.
	New func(o Options) Bench
	// Document says what was found.
	Document func(r *Result) *writeup.Document
}

// Loss is a loss of some cells.
type Loss struct {
	Name string // as krr.Settings has it
	Reps int    // repetitions of a full run whose options say none; it may be 0
}

// Bench measures cells.
type Bench interface {
	// Measure fills Values and Seconds of the cell c. The error is the context's, a
	// *sets.FolderError for a set that is not there, or why this cell cannot be done.
	Measure(ctx context.Context, c *Cell) error
}

// Options of a run.
type Options struct {
	Quick  bool
	Reps   int // 0: as the protocol has it
	Seed   uint64
	Sets   []string // of the protocol's; empty: all
	Sizes  []int    // of the protocol's; empty: all
	Folder string   // of the data sets; "": RFF_DATA
}

// Plan returns the keys of all cells, in the order in which they are measured: few
// features first, then repetition by repetition, so that a run that is stopped has
// whole rows of the table. The errors are *ChoiceErrors.
func (p *Protocol) Plan(o Options) ([]Key, error) {
	for _, s := range o.Sets {
		if !slices.Contains(p.Sets, s) {
			return nil, &ChoiceError{"data set of " + p.Experiment + ", " + p.Name, s, p.Sets}
		}
	}
	reps := o.Reps
	if reps == 0 {
		reps = p.Reps
		if o.Quick {
			reps = p.QuickReps
		}
	}
	var all []int // numbers of frequencies of any set
	taken := map[string][]int{}
	for _, set := range p.Sets {
		if len(o.Sets) > 0 && !slices.Contains(o.Sets, set) {
			continue
		}
		taken[set] = p.Sizes(set, o.Quick)
		all = append(all, taken[set]...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	for _, m := range o.Sizes {
		if !slices.Contains(all, m) {
			return nil, &ChoiceError{"size of " + p.Experiment + ", " + p.Name, fmt.Sprint(m), strings.Fields(strings.Trim(fmt.Sprint(all), "[]"))}
		}
	}
	var keys []Key
	for _, m := range all {
		if len(o.Sizes) > 0 && !slices.Contains(o.Sizes, m) {
			continue
		}
		for rep := range reps {
			for _, set := range p.Sets {
				if !slices.Contains(taken[set], m) {
					continue
				}
				for _, s := range p.Samplers {
					if p.Without != nil && p.Without(set, s) {
						continue
					}
					keys = append(keys, p.fits(Key{p.Experiment, p.Name, p.Version, set, s, m, "", rep, o.Seed}, o)...)
				}
			}
		}
	}
	return keys, nil
}

// fits returns the key of a fit of squares, and those of the other losses of its repetition.
func (p *Protocol) fits(k Key, o Options) []Key {
	keys := []Key{k}
	if p.Losses == nil || o.Quick {
		return keys
	}
	for _, l := range p.Losses(k) {
		if k.Loss = l.Name; o.Reps > 0 || k.Rep < l.Reps {
			keys = append(keys, k)
		}
	}
	return keys
}
