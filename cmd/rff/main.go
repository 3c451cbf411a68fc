// Command rff fits and compares kernel methods on random features.
//
//	rff compare --data data.csv --label y
//	rff fit --data train.csv --label y --model model.safetensors
//	rff predict --model model.safetensors --data new.csv
//	rff gram, rff merge, rff solve   a fit in parts, on several machines
//	rff info
//	rff bench
//
// Results go to standard output, progress and diagnostics to standard error.
// The exit status is 0 for success, 1 for a failure, 2 for a wrong command line
// and 130 after an interrupt.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// commands in the order of the help.
func commands() []*command {
	return []*command{compareCommand, fitCommand, predictCommand, gramCommand, mergeCommand, solveCommand, infoCommand, benchCommand}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// After the first signal the work winds down; a second one ends the process.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, &stdio{in: os.Stdin, out: os.Stdout, err: os.Stderr, terminal: isTerminal(os.Stderr)}, os.Args[1:]))
}
