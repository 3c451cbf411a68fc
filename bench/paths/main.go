// Command paths runs the hot operations and the samplers of Liu et al. on every
// path that is built in, interleaved, and writes a Markdown report: which path
// wins where, and the paper's timing claims beside ours.
//
//	go -C bench run -tags openblas ./paths -o RESULTS-paths.md
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/bench/roofline"
	openblas "github.com/rffgo/rff/cgo"
	reports "github.com/rffgo/rff/cmd/rff/report"
	"github.com/rffgo/rff/internal/atomicfile"
)

func main() {
	out := flag.String("o", "", "`file` to write (default standard output)")
	reps := flag.Int("reps", 5, "runs of each operation")
	data := flag.String("data-dir", os.Getenv("RFF_DATA"), "`folder` of the real data sets; without it the paper's part is left out")
	most := flag.Int("most", 128, "largest number of frequencies, in multiples of the dimension, for the paper's part")
	only := flag.String("claims", "", "the paper's part alone, on these `sets` of it, without the operations; all: on all")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var b strings.Builder
	if err := report(ctx, &b, *only, *reps, *data, *most); err != nil {
		fmt.Fprintln(os.Stderr, "paths:", err)
		os.Exit(1)
	}
	if err := write(*out, b.String()); err != nil {
		fmt.Fprintln(os.Stderr, "paths:", err)
		os.Exit(1)
	}
}

func report(ctx context.Context, w io.Writer, only string, reps int, data string, most int) error {
	fmt.Fprintf(w, "# Paths against each other and against the paper\n\nMade by `make bench-paths`.\n\n")
	fmt.Fprintf(w, "- Machine: %s\n", reports.Machine())
	fmt.Fprintf(w, "- Multiply-add roof, one worker: %.0f GFLOP/s in float64, %.0f in float32\n", 2e-9*roofline.Roof[float64](1), 2e-9*roofline.Roof[float32](1))
	fmt.Fprintf(w, "- Instruction sets: %s; gonum %s\n", isas(), dependency("gonum.org/v1/gonum"))
	if info := openblas.Info(); info != "" {
		fmt.Fprintf(w, "- OpenBLAS: %s, netlib %s, OPENBLAS_CORETYPE=%q\n", info, dependency("gonum.org/v1/netlib"), os.Getenv("OPENBLAS_CORETYPE"))
	} else {
		fmt.Fprintf(w, "- OpenBLAS: not built in (-tags openblas)\n")
	}
	if only == "" {
		if err := operations(ctx, w, reps); err != nil {
			return err
		}
	}
	if data == "" {
		if only != "" {
			return errors.New("-claims needs the folder of data sets: set -data-dir or RFF_DATA")
		}
		fmt.Fprintf(w, "\nThe paper's part was left out: no folder of data sets (RFF_DATA).\n")
		return nil
	}
	chosen := claimSets
	if only != "" && only != "all" {
		chosen = strings.Split(only, ",")
	}
	return claims(ctx, w, chosen, data, most)
}

// write replaces the file in one step, or prints.
func write(path, text string) error {
	if path == "" {
		_, err := fmt.Print(text)
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}

func isas() string {
	var names []string
	for _, k := range asm.All[float64]() {
		names = append(names, k.ISA)
	}
	return strings.Join(names, ", ")
}

func dependency(path string) string {
	if b, ok := debug.ReadBuildInfo(); ok {
		for _, d := range b.Deps {
			if d.Path == path {
				return d.Version
			}
		}
	}
	return "unknown"
}
