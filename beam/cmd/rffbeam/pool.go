package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/rffgo/rff/beam/internal/pool"
)

// poolOf serves workers until it is interrupted.
func poolOf(ctx context.Context) error {
	own := map[string]bool{"listen": true, "processes": true, "attempts": true}
	var err error
	flag.Visit(func(f *flag.Flag) {
		if !own[f.Name] {
			err = fmt.Errorf("--%s is of no use here", f.Name)
		}
	})
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// Each process gets its share of the processors, and not all of them.
	share := max(1, runtime.GOMAXPROCS(0)/max(1, *processes))
	p, err := pool.Serve(*listen, pool.Settings{Processes: *processes, Attempts: cmp.Or(*attempts, 4), Log: os.Stderr,
		Command: func(flags ...string) *exec.Cmd {
			c := exec.Command(self, flags...)
			c.Env = append(os.Environ(), fmt.Sprint("GOMAXPROCS=", share))
			c.Stdout, c.Stderr = os.Stderr, os.Stderr
			return c
		}})
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "a pool of %d processes listens at %s\n", *processes, p.Address())
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	<-ctx.Done()
	p.Close()
	return nil
}
