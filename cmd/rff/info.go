package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/report"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/train"
)

func infoCommand(s *stdio) *cobra.Command {
	return newCommand(s, informing{}, &cobra.Command{
		Use:   "info",
		Short: "show the CPU, the kernels chosen for it, and what is built in",
		Long: `Prints the version, the CPU, the instruction set chosen for each element type with
its block sizes, the backends, the kernels and the samplers that are built in.
RFF_CPU narrows the choice of instruction sets: RFF_CPU=noavx512, RFF_CPU=go.`,
		Example: `RFF_CPU=noavx512 rff info`,
	})
}

// informing is rff info, which has no flags.
type informing struct{}

func (informing) declare(*flag.FlagSet)     {}
func (informing) check(*flag.FlagSet) error { return nil }

func (informing) run(_ context.Context, s *stdio) error {
	if err := asm.Select(); err != nil {
		return err
	}
	row := func(name, format string, a ...any) { fmt.Fprintf(s.out, "%-12s %s\n", name, fmt.Sprintf(format, a...)) }
	row("rff", "%s, %s, %s/%s", report.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	row("cpu", "%s; %d processors, %d in use", report.CPU(), runtime.NumCPU(), runtime.GOMAXPROCS(0))
	if v := os.Getenv("RFF_CPU"); v != "" {
		row("RFF_CPU", "%s", v)
	}
	engine := blas.Engine{}
	if err := engine.Check(); err != nil {
		return err
	}
	row("in use", "backend %s; instruction sets here: %s", engine, strings.Join(instructionSets(), ", "))
	operations(row, "float64", append(blas.Describe[float64](engine), train.Describe[float64](engine)))
	operations(row, "float32", append(blas.Describe[float32](engine), train.Describe[float32](engine)))
	for _, name := range []string{"native", "gonum", "openblas"} {
		if b, err := blas.Lookup(name); err != nil {
			row("backend", "%s: not built in", name)
		} else if b.Exact() {
			row("backend", "%s: same bits on every machine", name)
		} else {
			about := ""
			if d, ok := b.(interface{ Info() string }); ok {
				about = " (" + d.Info() + ")"
			}
			row("backend", "%s: last bits vary between machines%s", name, about)
		}
	}
	row("kernels", "%s", strings.Join(inside.KernelNames(), ", "))
	for i, name := range inside.Samplers() {
		summary, options := inside.Summary(name)
		if options != "" {
			summary += " [" + options + "]"
		}
		head := ""
		if i == 0 {
			head = "samplers"
		}
		row(head, "%-10s %s", name, summary)
	}
	return nil
}

// operations prints the kernel and the block sizes of every operation.
func operations(row func(string, string, ...any), head string, all []blas.Operation) {
	for _, o := range all {
		row(head, "%-9s %s; %s", o.Name, o.Kernel, o.Blocks)
		head = ""
	}
}

// instructionSets lists what runs here, best first.
func instructionSets() []string {
	var names []string
	for _, k := range asm.All[float64]() {
		names = append(names, k.ISA)
	}
	return names
}
