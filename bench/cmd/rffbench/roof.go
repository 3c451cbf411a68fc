package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/rffgo/rff/bench/roofline"
)

// benching is the command line of rffbench roof. Its lists are combined.
type benching struct {
	ops                     []string
	ns, ds, ss, workers     []int
	dtypes, forms, backends []string
	reps                    int
	json                    bool
	out                     io.Writer
	table                   *tabwriter.Writer
}

func roofCommand() *cobra.Command {
	var b benching
	c := &cobra.Command{Use: "roof [OPERATION]", Args: cobra.MaximumNArgs(1), ValidArgs: opNames(),
		Short: "time an operation against this machine's own multiply-add roof",
		Long: `Times operations on random data and prints the least and the median time, the rate in
multiply-adds per second, its share of this machine's multiply-add roof, measured in the
same run, and the residual against the definition in plain Go. Without an operation it
times all of them.
` + opLines() + `Lists of values run every combination, interleaved. Features of many rows are written to
memory, whose speed bounds them at small d; those of a few rows (--n 48) stay in a cache.`,
		Example: `  rffbench roof features --n 10000 --d 14 --s 1792 --form cos,pair --backend native,native-avx2
  rffbench roof gram --n 10000 --d 14 --s 1024,1792 --dtype f64,f32 --workers 1,2 --json`,
		RunE: func(c *cobra.Command, args []string) error {
			b.ops, b.out = args, c.OutOrStdout()
			if err := b.check(); err != nil {
				return err
			}
			return b.run(c.Context())
		}}
	f := c.Flags()
	f.IntSliceVar(&b.ns, "n", []int{10000}, "rows, a `list`")
	f.IntSliceVar(&b.ds, "d", []int{14}, "inputs, a `list`")
	f.IntSliceVar(&b.ss, "s", []int{1024}, "feature columns, a `list`")
	f.IntSliceVar(&b.workers, "workers", []int{1}, "workers, a `list`")
	f.StringSliceVar(&b.dtypes, "dtype", []string{"f64"}, "element types, a `list` of f64 and f32")
	f.StringSliceVar(&b.forms, "form", nil, "forms of the features, a `list` of cos, pair, linear, arccos0, arccos1, arccos2, and of landmarks gaussian, laplacian, power1.5, matern0.5, matern1.5, matern2.5, cauchy (default pair, of sections gaussian)")
	f.StringSliceVar(&b.backends, "backend", []string{"native"}, "paths, a `list` of native, gonum, openblas, or all; native-avx2 and the like name an instruction set")
	f.IntVar(&b.reps, "reps", 7, "runs of each case")
	f.BoolVar(&b.json, "json", false, "print one JSON object per line")
	return c
}

// check refuses numbers that no case has.
func (b *benching) check() error {
	const most = 1 << 31
	for i, t := range b.dtypes {
		if slices.Contains(b.dtypes[:i], t) {
			return usagef("--dtype has %s twice", t)
		}
	}
	return errors.Join(counts("n", most-1, b.ns...), counts("d", 1<<24, b.ds...), counts("s", 1<<20, b.ss...),
		counts("workers", 1024, b.workers...), counts("reps", 10_000, b.reps))
}

// Numbers that a case may hold, 16 GiB of them: more is a slip of the finger.
const mostNumbers = 1 << 31

// checkSize refuses a case that no memory holds, before it is taken.
func checkSize(op string, n, d, s int) error {
	sizes := [][2]int{{n, d}, {n, s}, {d, s}}
	if slices.Contains([]string{"gram", "fit", "syrk", "cholesky"}, op) {
		sizes = append(sizes, [2]int{s, s})
	}
	most := 0.0
	for _, size := range sizes {
		most = max(most, float64(size[0])*float64(size[1]))
	}
	if most > mostNumbers {
		return usagef("%s with --n %d --d %d --s %d needs %.3g numbers, the most is %.3g", op, n, d, s, most, float64(mostNumbers))
	}
	return nil
}

func opNames() []string {
	var names []string
	for _, o := range roofline.Ops {
		names = append(names, o.Name)
	}
	return names
}

// opLines describes the operations, one a line.
func opLines() string {
	var b strings.Builder
	for _, o := range roofline.Ops {
		fmt.Fprintf(&b, "  %-9s %s\n", o.Name, o.Summary)
	}
	return b.String()
}

// run measures every combination, those of one shape together: only they are
// interleaved, so that memory stays that of one shape.
func (b *benching) run(ctx context.Context) error {
	if slices.Equal(b.backends, []string{"all"}) {
		b.backends = roofline.Paths()
	}
	all := len(b.ops) == 0 // each at its own size
	if all {
		b.ops = opNames()
	}
	b.table = tabwriter.NewWriter(b.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	if !b.json {
		fmt.Fprintln(b.table, "op\tn\td\ts\tdtype\tworkers\tform\tbackend\tmin s\tmedian s\tns/value\tGFLOP/s\t% of roof\tresidual\t")
	}
	for _, op := range b.ops {
		for _, n := range b.ns {
			for _, d := range b.ds {
				for _, s := range b.ss {
					if all && op == "gemm" {
						d = s
					}
					if err := b.shape(ctx, roofline.Case{Op: op, N: n, D: d, S: s}); err != nil {
						return err
					}
				}
			}
		}
	}
	return b.table.Flush()
}

// shape measures all cases of one operation and shape.
func (b *benching) shape(ctx context.Context, c roofline.Case) error {
	if err := checkSize(c.Op, c.N, c.D, c.S); err != nil {
		return err
	}
	forms := b.forms
	if forms == nil {
		forms = []string{roofline.DefaultForm(c.Op)}
	}
	var group []*roofline.Runner
	for _, c.Workers = range b.workers {
		for _, c.DType = range b.dtypes {
			for _, c.Form = range forms {
				for _, c.Backend = range b.backends {
					r, err := roofline.New(c)
					var wrong *roofline.CaseError
					if errors.As(err, &wrong) {
						return usagef("%v", err)
					} else if err != nil {
						return err
					}
					group = append(group, r)
				}
			}
		}
	}
	results, err := roofline.Measure(ctx, group, b.reps)
	if err != nil {
		return err
	}
	for _, r := range results {
		if err := b.print(r); err != nil {
			return err
		}
	}
	return nil
}

func (b *benching) print(r roofline.Result) error {
	if b.json {
		return json.NewEncoder(b.out).Encode(r)
	}
	_, err := fmt.Fprintf(b.table, "%s\t%d\t%d\t%d\t%s\t%d\t%s\t%s\t%.3g\t%.3g\t%.3f\t%.1f\t%.1f\t%.1g\t\n", r.Op, r.N, r.D, r.S, r.DType, r.Workers,
		r.Form, r.Backend, r.SecondsMin, r.SecondsMedian, r.NsPerValue, r.GFlops, r.RoofPercent, r.Residual)
	return err
}
