package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/bench/reproduce/eerf"
	"github.com/rffgo/rff/bench/reproduce/liu"
	"github.com/rffgo/rff/bench/reproduce/rahimi"
	"github.com/rffgo/rff/bench/reproduce/tefm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/report"
)

// experiments are those that rffbench reproduce runs.
func experiments() []*reproduce.Experiment {
	return []*reproduce.Experiment{liu.Table1(), liu.Table3(), liu.Figure1(), tefm.Experiment(), eerf.Experiment(), rahimi.Experiment()}
}

func reproduceCommand() *cobra.Command {
	r := &reproduction{}
	c := &cobra.Command{Use: "reproduce [EXPERIMENT]", Args: cobra.MaximumNArgs(1), ValidArgs: experimentNames(),
		Short: "run an experiment of a paper again",
		Long: `Runs an experiment of a paper again on the real data sets, and writes a report beside the
paper's figures: EXPERIMENT-PROTOCOL.html, .md, .csv and .json in the folder --out. The
published protocol is how the paper's figures came about, the fair one gives all samplers
the same inputs and the same tuning.
Finished cells are lines of EXPERIMENT-PROTOCOL.jsonl in that folder and are never computed
again: a run that was stopped goes on where it was, with the same numbers. Where a data set
is missing its rows say "no data"; rffbench data list says where to get it.
Experiments: ` + strings.Join(experimentNames(), ", ") + `.`,
		Example: `  rffbench reproduce liu-table3 --quick --out out/reproduce
  rffbench reproduce liu-table3 --protocol fair --data eeg,magic04 --reps 3
  rffbench reproduce --list`,
		RunE: func(c *cobra.Command, args []string) error { return r.run(c, args) }}
	r.declare(c.Flags())
	for _, name := range []string{"protocol", "quick", "reps", "seed", "data", "sizes", "data-dir", "out", "no-times"} {
		c.MarkFlagsMutuallyExclusive("list", name)
	}
	return c
}

// reproduction is the command line of rffbench reproduce.
type reproduction struct {
	protocol string
	out      string
	list     bool
	noTimes  bool
	options  reproduce.Options
}

func (r *reproduction) declare(f *pflag.FlagSet) {
	f.BoolVar(&r.list, "list", false, "list the experiments, their protocols and data sets")
	f.StringVar(&r.protocol, "protocol", reproduce.Published, "`protocol`: published or fair")
	f.BoolVar(&r.options.Quick, "quick", false, "few repetitions and few features, and squares alone where an experiment has other losses")
	f.IntVar(&r.options.Reps, "reps", 0, "`number` of repetitions, of every loss (default: as many as the experiment has, of losses that take long fewer or none)")
	f.Uint64Var(&r.options.Seed, "seed", 1, "`seed` of every draw: the same seed gives the same scores on every machine")
	f.StringSliceVar(&r.options.Sets, "data", nil, "`names` of the data sets to run, of those that the experiment has (default: all)")
	f.IntSliceVar(&r.options.Sizes, "sizes", nil, "`numbers` of features to run, in the unit of the experiment, of those that it has (default: all)")
	f.StringVar(&r.options.Folder, "data-dir", "", "`folder` of the named data sets (default: environment variable RFF_DATA)")
	f.StringVar(&r.out, "out", "out/reproduce", "`folder` to keep the finished cells in and to write the report to")
	f.BoolVar(&r.noTimes, "no-times", false, "leave out times and memory: what remains depends on data, flags and seed only")
}

func experimentNames() []string {
	var names []string
	for _, e := range experiments() {
		names = append(names, e.Name)
	}
	return names
}

func (r *reproduction) run(c *cobra.Command, args []string) error {
	switch {
	case r.list && len(args) > 0:
		return usagef("--list is of all experiments: leave %s out", args[0])
	case r.list:
		return listExperiments(c.OutOrStdout())
	case len(args) == 0:
		return usagef("say which experiment: %s (--list says more)", strings.Join(experimentNames(), ", "))
	}
	if c.Flags().Changed("reps") {
		if err := counts("reps", 10_000, r.options.Reps); err != nil {
			return err
		}
	}
	if err := counts("sizes", 1<<20, r.options.Sizes...); err != nil {
		return err
	}
	p, err := protocol(args[0], r.protocol)
	if err == nil {
		_, err = p.Plan(r.options)
	}
	if err != nil {
		return usagef("%v", err)
	}
	if err := (blas.Engine{}).Check(); err != nil {
		return err
	}
	return r.measure(c, p)
}

// protocol returns a protocol of an experiment by their names.
func protocol(experiment, name string) (*reproduce.Protocol, error) {
	e, err := reproduce.Find(experiments(), experiment)
	if err != nil {
		return nil, err
	}
	return e.Protocol(name)
}

// measure runs what is left of the protocol, and writes what there is.
func (r *reproduction) measure(c *cobra.Command, p *reproduce.Protocol) error {
	note := func(format string, a ...any) { fmt.Fprintf(c.ErrOrStderr(), "rffbench: "+format+"\n", a...) }
	path := reproduce.RecordPath(r.out, p)
	record, err := reproduce.OpenRecord(path)
	if err != nil {
		return err
	}
	defer record.Close()
	if n := record.Torn(); n > 0 {
		note("%s ended in half a line of %d bytes, which a stopped run has left: it is cut off and its cell computed again", path, n)
	}
	machine := fmt.Sprintf("%s; %s", report.Machine(), blas.Engine{})
	var said time.Time
	result, err := reproduce.Run(c.Context(), p, r.options, record, machine, func(at reproduce.Progress) {
		if time.Since(said) > time.Minute {
			said = time.Now()
			note("%d of %d%s: %s", at.Done+1, at.Total, left(at.Left), at.Next)
		}
	})
	if result == nil || err != nil && c.Context().Err() == nil {
		return err
	}
	for _, set := range p.Sets {
		if why, ok := result.Missing[set]; ok {
			note("no data for %s: %s", set, why)
		}
	}
	about := report.About{Command: commandLine(c)}
	if r.noTimes {
		result = result.WithoutTimes()
	} else {
		about = report.Now(about.Command)
		about.Machine = result.Machines(machine)
	}
	names, e := result.Write(r.out, about)
	if e != nil {
		return errors.Join(err, e)
	}
	note("%d of %d cells are done", len(result.Cells), len(result.Planned))
	for _, name := range names {
		fmt.Fprintf(c.OutOrStdout(), "wrote %s\n", name)
	}
	if err != nil {
		return err
	}
	if len(result.Cells) == 0 {
		return errors.New("no cell could be done: the reasons are above and in the report")
	}
	if len(result.Failures) > 0 {
		return errors.New("some cells could not be done: the report says why")
	}
	return nil
}

// commandLine writes the command with the flags that were given, so that a shell reads
// it back.
func commandLine(c *cobra.Command) string {
	words := append(strings.Fields(c.CommandPath()), c.Flags().Args()...)
	c.Flags().Visit(func(f *pflag.Flag) {
		words = append(words, "--"+f.Name)
		value := f.Value.String()
		if list, ok := f.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ",")
		}
		if f.NoOptDefVal == "" {
			words = append(words, report.ShellWord(value))
		}
	})
	return strings.Join(words, " ")
}

// left writes an estimate of the time that is left, or nothing if there is none.
func left(d time.Duration) string {
	switch {
	case d < 0:
		return ""
	case d < time.Minute:
		return ", less than a minute left"
	case d < 2*time.Hour:
		return fmt.Sprintf(", about %.0f min left", d.Minutes())
	}
	return fmt.Sprintf(", about %.0f h left", d.Hours())
}

func listExperiments(w io.Writer) error {
	for _, e := range experiments() {
		fmt.Fprintf(w, "%s: %s\n  %s\n", e.Name, e.Summary, e.Paper)
		for _, p := range e.Protocols {
			fmt.Fprintf(w, "  --protocol %s: %d repetitions (quick: %d)\n    data:     %s\n    samplers: %s\n    sizes:    %s\n", p.Name, p.Reps, p.QuickReps, strings.Join(p.Sets, ", "), strings.Join(p.Samplers, ", "), p.Unit)
		}
	}
	return nil
}
