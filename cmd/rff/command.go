package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/message"
)

// A command is one subcommand. Its file parses, calls the library and prints.
type command struct {
	name    string
	summary string // one line for the list of commands
	details string // a paragraph for --help
	example string // one or more command lines
	// operand is a flag whose value may stand alone as the first argument, or "".
	operand string
	// setup declares the flags and returns what to run once they are parsed.
	setup func(f *flag.FlagSet) func(ctx context.Context, io *stdio) error
	// operands names the arguments beside flags, "" for none.
	operands string
}

// stdio is where a command reads and writes.
type stdio struct {
	in       io.Reader
	out      io.Writer // text for people: printable, whatever names it has
	data     io.Writer // standard output for programs, as it is unless a person looks at it
	err      io.Writer
	terminal bool // err is a terminal: show progress there
	screen   bool // standard output is one
}

// note prints a line of diagnostics.
func (s *stdio) note(format string, a ...any) {
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
	"(MaxColumns lifts it)", "(--max-columns lifts it)",
	"say how many inputs they have (Width)", "say how many inputs they have: --width",
	"or the solver cg", "or --solver cg",
)

func dispatch(ctx context.Context, s *stdio, args []string) (err error) {
	const general = "rff --help"
	defer func() {
		var usage *usageError
		if errors.As(err, &usage) && usage.help == "" {
			usage.help = general
		}
	}()
	if len(args) == 0 {
		help(s.err)
		return usagef("say what to do: one of the commands above")
	}
	name, rest := args[0], args[1:]
	switch name {
	case "-h", "-help", "--help":
		help(s.out)
		return nil
	case "-version", "--version", "version":
		fmt.Fprintln(s.out, "rff", version())
		return nil
	case "help":
		if len(rest) == 0 {
			help(s.out)
			return nil
		}
		name, rest = rest[0], []string{"--help"}
	}
	known := []string{"help", "version"}
	for _, c := range commands() {
		if c.name == name {
			return c.execute(ctx, s, rest)
		}
		known = append(known, c.name)
	}
	text := fmt.Sprintf("there is no command %q", name)
	if strings.HasPrefix(name, "-") {
		text = fmt.Sprintf("the command comes first, %q is a flag", name)
	} else if c := closest(name, known); c != "" {
		text += "; " + didYouMean + c + "?"
	}
	return usagef("%s", text)
}

func (c *command) execute(ctx context.Context, s *stdio, args []string) (err error) {
	f := flag.NewFlagSet(c.name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	action := c.setup(f)
	once(f)
	defer func() {
		var usage *usageError
		if errors.As(err, &usage) && usage.help == "" {
			usage.help = "rff " + c.name + " --help"
			if !strings.HasPrefix(usage.text, c.name+": ") {
				usage.text = c.name + ": " + usage.text
			}
		}
	}()
	if c.operand != "" && len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		args = append([]string{"--" + c.operand + "=" + args[0]}, args[1:]...)
	}
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		c.help(s.out, f)
		return nil
	} else if err != nil {
		if text := unknownFlag(err, flagNames(f)); text != "" {
			return usagef("%s", text)
		}
		return usagef("%s", twoDashes(err.Error()))
	}
	if v := f.Lookup(c.operand); v != nil && f.NArg() == 1 && v.Value.String() == "" { // behind the flags
		if err := v.Value.Set(f.Arg(0)); err != nil {
			return usagef("%q: %s", f.Arg(0), oneLine(err))
		}
	} else if f.NArg() > 0 && c.operands == "" {
		return usagef("unexpected argument %q: values belong to a flag, as in --data %s", f.Arg(0), f.Arg(0))
	}
	return flaggedSetting(action(ctx, s))
}

// twoDashes writes flags in an error of package flag as they are documented.
func twoDashes(text string) string {
	text = strings.Replace(text, "for flag -", "for --", 1)
	text = strings.Replace(text, "needs an argument: -", "needs a value: --", 1)
	text = strings.Replace(text, ": parse error", "", 1)
	return strings.Replace(text, "---", "--", 1)
}

func help(w io.Writer) {
	fmt.Fprint(w, "rff fits kernel ridge regression on random Fourier features.\n\nUsage: rff COMMAND [--flag value …]\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-10s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, "\nrff COMMAND --help has the flags of a command and an example.\n")
}

func (c *command) help(w io.Writer, f *flag.FlagSet) {
	operand := ""
	if c.operand != "" {
		operand = " [" + strings.ToUpper(c.operand) + "]"
	}
	flags, operands := " [--flag value …]", ""
	if c.operands != "" {
		operands = " " + c.operands
	}
	groups := grouped(f)
	if len(groups) == 0 {
		flags = ""
	}
	fmt.Fprintf(w, "Usage: rff %s%s%s%s\n\n%s\n", c.name, operand, flags, operands, strings.TrimSpace(c.details))
	for _, g := range groups {
		fmt.Fprintf(w, "\n%s\n", g.name)
		for _, v := range g.flags {
			value, usage := flag.UnquoteUsage(v)
			if !takesValue(v) {
				value = ""
			}
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
	for line := range strings.Lines(strings.TrimSpace(c.example)) {
		fmt.Fprintf(w, "  %s", line)
	}
	fmt.Fprintln(w)
}

// version returns the module's version and, for a build from a checkout, its commit.
func version() string {
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := b.Main.Version
	if v == "" || v == "(devel)" {
		v = "devel"
		for _, s := range b.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				v += " " + s.Value[:12]
			}
		}
	}
	return v
}

// isTerminal reports whether f is a character device that a person may look at.
func isTerminal(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}
