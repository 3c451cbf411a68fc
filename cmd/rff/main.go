// Command rff fits and compares kernel samplers on random features.
//
//	rff describe train.csv --label y
//	rff fit --data train.csv --label y --model model.safetensors
//	rff predict --model model.safetensors --data new.csv
//	rff compare --data data.csv --label y
//	rff look, rff gram, rff merge, rff solve   a fit in parts, on several machines
//	rff show model.safetensors
//	rff export model.safetensors --onnx model.onnx
//	rff info
//	rff completion bash
//
// Results go to standard output, progress and diagnostics to standard error.
// The exit status is 0 for success, 1 for a failure, 2 for a wrong command line,
// 130 after an interrupt (SIGINT) and 143 after SIGTERM.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/rffgo/rff/cmd/rff/report"
)

// commands returns the commands in the order of the help.
func commands(s *stdio) []*cobra.Command {
	return []*cobra.Command{describeCommand(s), fitCommand(s), predictCommand(s), showCommand(s), exportCommand(s), compareCommand(s), lookCommand(s), gramCommand(s), mergeCommand(s), solveCommand(s),
		infoCommand(s), completionCommand(s)}
}

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		first := <-signals
		// The work winds down; a second signal ends the process.
		signal.Stop(signals)
		if first == syscall.SIGTERM {
			cancel(&stopped{exitTerminated})
		}
		cancel(&stopped{exitInterrupted})
	}()
	s := &stdio{in: os.Stdin, out: os.Stdout, err: os.Stderr, terminal: isTerminal(os.Stderr) && os.Getenv("TERM") != "dumb", screen: isTerminal(os.Stdout)}
	os.Exit(run(ctx, s, os.Args[1:]))
}

// stopped is the end of a context by a signal.
type stopped struct{ status int }

func (s *stopped) Error() string        { return "interrupted" }
func (s *stopped) Is(target error) bool { return target == context.Canceled }

const (
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130 // 128 + SIGINT, as shells count
	exitTerminated  = 143 // 128 + SIGTERM
)

// run runs the command line and returns the exit status.
func run(ctx context.Context, s *stdio, args []string) (status int) {
	out := bufio.NewWriterSize(s.out, 1<<16) // a note would stand within a line of text that is more
	text := &printer{w: out}
	inner := *s
	inner.out, inner.data = text, out
	if s.screen {
		inner.data = text
	}
	err := dispatch(ctx, &inner, args)
	e := text.close()
	if f := out.Flush(); e == nil {
		e = f
	}
	if err == nil && e != nil {
		err = fmt.Errorf("writing standard output: %w", e)
	}
	var usage *usageError
	var signal *stopped
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		s.note("%s (see %s)", oneLine(err), usage.help)
		return exitUsage
	case ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx))):
		s.note("interrupted")
		if errors.As(context.Cause(ctx), &signal) {
			return signal.status
		}
		return exitInterrupted
	}
	s.note("%s", oneLine(err))
	return exitFailure
}

// moved names the new places of commands that library users do not need.
var moved = map[string]string{"reproduce": "rffbench reproduce", "data": "rffbench data", "bench": "rffbench roof"}

// newRoot returns rff with all its commands.
func newRoot(s *stdio) *cobra.Command {
	all := commands(s)
	var asksVersion bool
	root := &cobra.Command{
		Use:  "rff",
		Long: "rff learns from tables: it fits ridge regression on random or learned features, and predicts\na class or a number for each row.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				if there, ok := moved[args[0]]; ok {
					return &usageError{fmt.Sprintf("rff %s is now %s: make rffbench builds it in a checkout of rff", args[0], there), "rff --help"}
				}
				text := fmt.Sprintf("there is no command %q%s", args[0], question(args[0], append([]string{"help", "version"}, names(all)...)))
				return &usageError{text, "rff --help"}
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			if asksVersion {
				fmt.Fprintln(s.out, "rff", report.Version())
				return nil
			}
			help(s.err, all)
			return usagef("say what to do: one of the commands above")
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.Flags().BoolVar(&asksVersion, "version", false, "show the version")
	root.AddCommand(all...)
	root.AddCommand(&cobra.Command{Use: "version", Short: "show the version", Args: cobra.ArbitraryArgs, Run: func(*cobra.Command, []string) { fmt.Fprintln(s.out, "rff", report.Version()) }})
	root.SetHelpCommand(&cobra.Command{Use: "help [COMMAND]", Short: "show the flags of a command", Args: cobra.ArbitraryArgs, ValidArgs: names(all),
		RunE: func(_ *cobra.Command, args []string) error {
			c, _, _ := root.Find(args)
			if c == root && len(args) > 0 {
				return root.Args(root, args)
			}
			return c.Help()
		}})
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if c == root {
			help(s.out, all)
		} else {
			commandHelp(s.out, c)
		}
	})
	root.SetFlagErrorFunc(flagProblem)
	root.SetOut(s.out)
	root.SetErr(s.err)
	return root
}

// dispatch runs the command that the arguments name.
func dispatch(ctx context.Context, s *stdio, args []string) error {
	root := newRoot(s)
	root.SetArgs(doubleDashed(root, args))
	c, err := root.ExecuteContextC(ctx)
	var usage *usageError
	if errors.As(err, &usage) && usage.help == "" {
		usage.help = c.CommandPath() + " --help"
		if prefix := c.Name() + ": "; c != root && !strings.HasPrefix(usage.text, prefix) {
			usage.text = prefix + usage.text
		}
	}
	return err
}

// doubleDashed gives two dashes to flags that were given with one, which Go's package flag
// would accept.
func doubleDashed(root *cobra.Command, args []string) []string {
	c, _, err := root.Find(args)
	if err != nil {
		return args
	}
	args = slices.Clone(args)
	for i, a := range args {
		if name, ok := strings.CutPrefix(a, "-"); ok && !strings.HasPrefix(name, "-") {
			name, _, _ = strings.Cut(name, "=")
			if name == "help" || c.Flags().Lookup(name) != nil {
				args[i] = "-" + a
			}
		}
	}
	return args
}

// names returns the names of commands.
func names(all []*cobra.Command) (out []string) {
	for _, c := range all {
		out = append(out, c.Name())
	}
	return out
}

func help(w io.Writer, all []*cobra.Command) {
	fmt.Fprintf(w, "%s\n\nUsage: rff COMMAND [--flag value …]\n\n", all[0].Root().Long)
	for _, c := range all {
		fmt.Fprintf(w, "  %-10s %s\n", c.Name(), c.Short)
	}
	fmt.Fprint(w, "\nTo begin with a table of your own, whose column y is to be predicted:\n\n"+
		"    rff describe train.csv --label y\n"+
		"    rff fit --auto --data train.csv --label y --model model.safetensors\n"+
		"    rff predict --model model.safetensors --data new.csv\n\n"+
		"rff COMMAND --help has the flags of a command and an example.\n")
}

// isTerminal reports whether f is a character device that a person may look at.
func isTerminal(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}
