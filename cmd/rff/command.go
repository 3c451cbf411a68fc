package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/message"
	"github.com/rffgo/rff/internal/report"
)

// stdio is where a command reads and writes.
type stdio struct {
	in       io.Reader
	out      io.Writer // text for people: printable, whatever names it has
	data     io.Writer // standard output for programs, as it is unless a person looks at it
	err      io.Writer
	terminal bool // err is a terminal: show progress there
	screen   bool // standard output is one
	quiet    bool // print no notes, and nothing about files that are written
}

// note prints a line of diagnostics.
func (s *stdio) note(format string, a ...any) {
	if s.quiet {
		return
	}
	fmt.Fprintf(s.err, "rff: %s\n", printable(fmt.Sprintf(format, a...)))
}

// noteHeld says which inputs a model does not look at, since they never varied.
func (s *stdio) noteHeld(scaling rff.Scaling, names []string) {
	if text := message.Held(scaling.Held(), names); text != "" {
		s.note("%s", text)
	}
}

// usageError is a wrong command line.
type usageError struct {
	text string
	help string // the command that helps
}

func (e *usageError) Error() string { return e.text }

func usagef(format string, a ...any) error { return &usageError{text: fmt.Sprintf(format, a...)} }

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
	out := bufio.NewWriter(s.out)
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

// oneLine returns an error's text on one line, without the library's prefix, and
// with a guess at what was meant by a word that is not known.
func oneLine(err error) string {
	text := strings.Join(strings.Fields(strings.TrimSpace(err.Error())), " ")
	text = inFlags.Replace(text)
	if !strings.Contains(text, didYouMean) {
		text += meant(err)
	}
	for _, p := range []string{"rff: ", "krr: ", "sampling: ", "dataset: ", "blas: ", "asm: "} {
		if rest, ok := strings.CutPrefix(text, p); ok {
			return rest
		}
		text = strings.Replace(text, ": "+p, ": ", 1)
	}
	return text
}

// inFlags names flags where the library names fields of its options.
var inFlags = strings.NewReplacer(
	"(Width lifts it)", "(--max-columns lifts it)",
	"say how many inputs they have (Width)", "say how many inputs they have: --width",
	"or the solver cg", "or --solver cg",
	"(Label)", "(--label COLUMN)",
	"(Inputs)", "(--inputs COLUMNS)",
)

// moved says where commands are that library users do not need.
var moved = map[string]string{"reproduce": "rffbench reproduce", "data": "rffbench data", "bench": "rffbench roof"}

// newRoot returns rff with all its commands.
func newRoot(s *stdio) *cobra.Command {
	all := commands(s)
	var asksVersion bool
	root := &cobra.Command{
		Use:  "rff",
		Long: "rff fits kernel ridge regression on random Fourier features.",
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

// newCommand returns c with the flags of a job, which it runs.
func newCommand(s *stdio, j job, c *cobra.Command) *cobra.Command {
	f := c.Flags()
	j.declare(f)
	var quiet bool
	f.BoolVar(&quiet, "quiet", false, "print nothing but results and errors")
	once(f)
	complete(c)
	if c.Args == nil {
		c.Args, c.ValidArgsFunction = operand(""), cobra.NoFileCompletions
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := j.check(f); err != nil {
			return err
		}
		inner := *s
		inner.quiet = quiet
		return flaggedSetting(j.run(c.Context(), &inner))
	}
	return c
}

// operand accepts one argument that stands alone, as the value of a flag; "" for none.
func operand(flag string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if flag != "" && len(args) > 0 && !c.Flags().Changed(flag) {
			if err := c.Flags().Set(flag, args[0]); err != nil {
				return flagProblem(c, err)
			}
			args = args[1:]
		}
		if len(args) > 0 {
			return usagef("unexpected argument %q: values belong to a flag, as in --data %[1]s", args[0])
		}
		return nil
	}
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

// doubleDashed writes flags that were given with one dash, as Go's own package flag
// accepts them, with two.
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

// flagProblem says what is wrong with the flags of a command line.
func flagProblem(c *cobra.Command, err error) error {
	var unknown *flag.NotExistError
	var bare *flag.ValueRequiredError
	var invalid *flag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && !c.HasParent():
		if args := c.Flags().Args(); len(args) > 0 {
			return c.Args(c, args) // which is no command
		}
		return usagef("the command comes first, %q is a flag", "--"+unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedShortnames()
		if name == "" {
			name = unknown.GetSpecifiedName()
		}
		return usagef("%s", unknownFlag(name, flagNames(c.Flags())))
	case errors.As(err, &bare):
		return usagef("flag needs a value: --%s", bare.GetSpecifiedName())
	case errors.As(err, &invalid):
		reason := ": " + oneLine(errors.Unwrap(invalid))
		var number *strconv.NumError
		if errors.As(err, &number) {
			reason = ""
		}
		return usagef("invalid value %q for --%s%s", invalid.GetValue(), invalid.GetFlag().Name, reason)
	}
	return usagef("%s", err)
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
	fmt.Fprint(w, "\nrff COMMAND --help has the flags of a command and an example.\n")
}

func commandHelp(w io.Writer, c *cobra.Command) {
	name, operands, _ := strings.Cut(c.Use, " ")
	groups := grouped(c.Flags())
	usage := "Usage: rff " + name
	if groups != nil {
		usage += " [--flag value …]"
	}
	fmt.Fprintf(w, "%s\n\n%s\n", strings.TrimSpace(usage+" "+operands), strings.TrimSpace(c.Long))
	for _, g := range groups {
		fmt.Fprintf(w, "\n%s\n", g.name)
		for _, v := range g.flags {
			value, usage := flag.UnquoteUsage(v)
			if value != "" {
				value = " " + strings.ToUpper(value)
			}
			if v.DefValue != "" && v.DefValue != "false" && v.DefValue != "0" {
				usage += " (default " + v.DefValue + ")"
			}
			fmt.Fprintf(w, "  --%s%s\n        %s\n", v.Name, value, strings.ReplaceAll(usage, "\n", "\n        "))
		}
	}
	fmt.Fprintf(w, "\nExample:\n\n")
	for line := range strings.Lines(strings.TrimSpace(c.Example)) {
		fmt.Fprintf(w, "  %s", line)
	}
	fmt.Fprintln(w)
}

// isTerminal reports whether f is a character device that a person may look at.
func isTerminal(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}
