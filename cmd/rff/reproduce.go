package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff/bench/compare"
	"github.com/rffgo/rff/bench/report"
	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/bench/reproduce/eerf"
	"github.com/rffgo/rff/bench/reproduce/liu"
	"github.com/rffgo/rff/bench/reproduce/rahimi"
	"github.com/rffgo/rff/bench/reproduce/tefm"
	"github.com/rffgo/rff/blas"
)

// experiments are those that rff reproduce runs.
func experiments() []*reproduce.Experiment {
	return []*reproduce.Experiment{liu.Table1(), liu.Table3(), liu.Figure1(), tefm.Experiment(), eerf.Experiment(), rahimi.Experiment()}
}

func reproduceCommand(s *stdio) *cobra.Command {
	return newCommand(s, new(reproduction), &cobra.Command{
		Use:   "reproduce [EXPERIMENT]",
		Short: "run an experiment of a paper again",
		Long: `Runs an experiment of a paper again on the real data sets, and writes a report beside the
paper's figures: EXPERIMENT-PROTOCOL.html, .md, .csv and .json in the folder --out. The
published protocol is how the paper's figures came about, the fair one gives all samplers
the same inputs and the same tuning.
Finished cells are lines of EXPERIMENT-PROTOCOL.jsonl in that folder and are never computed
again: a run that was stopped goes on where it was, with the same numbers. Where a data set
is missing its rows say "no data"; rff data list says where to get it.`,
		Example: `rff reproduce liu-table3 --quick --out out/reproduce
rff reproduce liu-table3 --protocol fair --data eeg,magic04 --reps 3
rff reproduce --list`,
		Args:      operand("experiment"),
		ValidArgs: experimentNames(),
	})
}

// reproduction is the command line of rff reproduce.
type reproduction struct {
	flags      *flag.FlagSet
	experiment string
	protocol   string
	out        string
	list       bool
	noTimes    bool
	sets       []string
	sizes      []int
	options    reproduce.Options
}

func (r *reproduction) declare(f *flag.FlagSet) {
	r.flags = f
	f.StringVar(&r.experiment, "experiment", "", "`experiment`: "+strings.Join(experimentNames(), ", "))
	f.BoolVar(&r.list, "list", false, "list the experiments, their protocols and data sets")
	f.StringVar(&r.protocol, "protocol", reproduce.Published, "`protocol`: published or fair")
	f.BoolVar(&r.options.Quick, "quick", false, "few repetitions and few features: the beginning of a full run")
	whole(f, &r.options.Reps, "reps", 0, 1, "`number` of repetitions (default: as many as the experiment has)")
	declareSeed(f, &r.options.Seed)
	collect(f, &r.sets, "data", "`names` of the data sets to run, of those that the experiment has (default: all)", addWords)
	collect(f, &r.sizes, "sizes", "`numbers` of features to run, in the unit of the experiment, of those that it has (default: all)", addCounts(1<<20))
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

func (r *reproduction) check(*flag.FlagSet) error { return nil }

func (r *reproduction) run(ctx context.Context, s *stdio) error {
	if r.list {
		if err := (given{r.flags}).unused(true, "is not for --list: leave one of them out", "experiment", "protocol", "quick", "reps", "seed", "data", "sizes", "data-dir", "out", "no-times"); err != nil {
			return err
		}
		return listExperiments(s)
	}
	if r.experiment == "" {
		return usagef("say which experiment: %s (--list says more)", strings.Join(experimentNames(), ", "))
	}
	e, err := reproduce.Find(experiments(), r.experiment)
	if err != nil {
		return usagef("%s", oneLine(err))
	}
	p, err := e.Protocol(r.protocol)
	if err != nil {
		return usagef("%s", oneLine(err))
	}
	r.options.Sets, r.options.Sizes = r.sets, r.sizes
	if _, err := p.Plan(r.options); err != nil {
		return usagef("%s", oneLine(err))
	}
	if err := (blas.Engine{}).Check(); err != nil {
		return err
	}
	return r.measure(ctx, s, p)
}

// measure runs what is left of the protocol, and writes what there is.
func (r *reproduction) measure(ctx context.Context, s *stdio, p *reproduce.Protocol) error {
	record, err := reproduce.OpenRecord(reproduce.RecordPath(r.out, p))
	if err != nil {
		return err
	}
	defer record.Close()
	if n := record.Torn(); n > 0 {
		s.note("%s ended in half a line of %d bytes, which a stopped run has left: it is cut off and its cell computed again", reproduce.RecordPath(r.out, p), n)
	}
	line := newProgress(s)
	machine := fmt.Sprintf("%s; %s; %s", cpuName(), compare.Machine(), blas.Engine{})
	said := time.Now()
	result, err := reproduce.Run(ctx, p, r.options, record, machine, func(at reproduce.Progress) {
		text := fmt.Sprintf("%d of %d%s: %s", at.Done+1, at.Total, left(at.Left), at.Next)
		line.show("%s", text)
		if !s.terminal && time.Since(said) > time.Minute {
			said = time.Now()
			s.note("%s", text)
		}
	})
	line.clear()
	if result == nil || err != nil && ctx.Err() == nil {
		return err
	}
	for _, set := range p.Sets {
		if why, ok := result.Missing[set]; ok {
			s.note("no data for %s: %s", set, why)
		}
	}
	about := report.About{Command: commandLine(r.flags)}
	if r.noTimes {
		result = result.WithoutTimes()
	} else {
		about.Version, about.Date, about.Machine = version(), time.Now().UTC(), result.Machines(machine)
	}
	names, e := result.Write(r.out, about)
	if e != nil {
		return errors.Join(err, e)
	}
	s.note("%d of %d cells are done", len(result.Cells), len(result.Planned))
	for _, name := range names {
		fmt.Fprintf(s.out, "wrote %s\n", name)
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

func listExperiments(s *stdio) error {
	for _, e := range experiments() {
		fmt.Fprintf(s.out, "%s: %s\n  %s\n", e.Name, e.Summary, e.Paper)
		for _, p := range e.Protocols {
			fmt.Fprintf(s.out, "  --protocol %s: %d repetitions (quick: %d)\n    data:     %s\n    samplers: %s\n    sizes:    %s\n", p.Name, p.Reps, p.QuickReps, strings.Join(p.Sets, ", "), strings.Join(p.Samplers, ", "), p.Unit)
		}
	}
	return nil
}
