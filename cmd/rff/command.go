package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"
)

// newCommand returns c with the flags of a job. The command runs the job.
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

// operand accepts one argument without a flag and takes it as the value of flag. If flag is "",
// it accepts no argument.
func operand(flag string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if flag != "" && len(args) > 0 && !c.Flags().Changed(flag) {
			if err := c.Flags().Set(flag, args[0]); err != nil {
				return flagProblem(c, err)
			}
			args = args[1:]
		}
		if len(args) > 0 {
			for _, name := range []string{"data", "gram", "model"} {
				if c.Flags().Lookup(name) != nil {
					return usagef("unexpected argument %q: values belong to a flag, as in --%s %[1]s%[3]s", args[0], name, without(c.Flags()))
				}
			}
			return usagef("unexpected argument %q", args[0])
		}
		return nil
	}
}

// without names the flags given that take no value, one of which the unexpected argument may follow.
func without(f *flag.FlagSet) string {
	var names []string
	f.Visit(func(g *flag.Flag) {
		if g.Value.Type() == "bool" {
			names = append(names, "--"+g.Name)
		}
	})
	if names == nil {
		return ""
	}
	return ", and not to " + strings.Join(names, " or ")
}

// flagProblem says what is wrong with the flags of a command line.
func flagProblem(c *cobra.Command, err error) error {
	var unknown *flag.NotExistError
	var bare *flag.ValueRequiredError
	var invalid *flag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && !c.HasParent():
		if args := c.Flags().Args(); len(args) > 0 {
			return c.Args(c, args) // the first argument is no command
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
			if v.DefValue != "" && v.DefValue != "false" && v.DefValue != "0" && !strings.Contains(usage, "(default") {
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
