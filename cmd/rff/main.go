// Command rff fits and compares kernel samplers on random features.
//
//	rff compare --data data.csv --label y
//	rff fit --data train.csv --label y --model model.safetensors
//	rff predict --model model.safetensors --data new.csv
//	rff gram, rff merge, rff solve   a fit in parts, on several machines
//	rff show model.safetensors
//	rff info
//	rff completion bash
//
// Results go to standard output, progress and diagnostics to standard error.
// The exit status is 0 for success, 1 for a failure, 2 for a wrong command line,
// 130 after an interrupt (SIGINT) and 143 after SIGTERM.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// commands returns the commands in the order of the help.
func commands(s *stdio) []*cobra.Command {
	return []*cobra.Command{compareCommand(s), fitCommand(s), predictCommand(s), showCommand(s), gramCommand(s), mergeCommand(s), solveCommand(s),
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
