// Command rffbench runs what stands behind the numbers of the README and of bench/RESULTS*.md.
//
//	rffbench reproduce liu-table3     an experiment of a paper again
//	rffbench data list                the data sets of the papers
//	rffbench roof gram --n 10000      an operation against this machine's multiply-add roof
//	rffbench completion bash
//
// Results go to standard output, progress and diagnostics to standard error. The exit
// status is 0 for success, 1 for a failure, 2 for a wrong command line and 130 after an
// interrupt or a request to end.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/rffgo/rff/cmd/rff/report"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() { // a second signal ends the process
		<-ctx.Done()
		stop()
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// usageError is a wrong command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, a ...any) error { return &usageError{fmt.Sprintf(format, a...)} }

// run runs the command line and returns the exit status.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	root := &cobra.Command{Use: "rffbench", Short: "Run the experiments and benchmarks of rff.", Version: report.Version(), SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(reproduceCommand(), dataCommand(), roofCommand())
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	working := false // the command line was understood
	for _, c := range root.Commands() {
		for _, c := range append(c.Commands(), c) {
			if work := c.RunE; work != nil {
				c.RunE = func(c *cobra.Command, args []string) error {
					working = true
					return work(c, args)
				}
			}
		}
	}
	c, err := root.ExecuteContextC(ctx)
	var usage *usageError
	switch {
	case err == nil:
		return 0
	case !working || errors.As(err, &usage):
		fmt.Fprintf(errs, "rffbench: %v (see %s --help)\n", err, c.CommandPath())
		return 2
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		fmt.Fprintln(errs, "rffbench: interrupted")
		return 130
	}
	fmt.Fprintf(errs, "rffbench: %v\n", err)
	return 1
}

// counts refuses values of a flag that are not from 1 to most, and values that it has twice.
func counts(flag string, most int, values ...int) error {
	for i, n := range values {
		if n < 1 || n > most {
			return usagef("--%s is %d: it must be a whole number from 1 to %d", flag, n, most)
		}
		if slices.Contains(values[:i], n) {
			return usagef("--%s has %d twice", flag, n)
		}
	}
	return nil
}
