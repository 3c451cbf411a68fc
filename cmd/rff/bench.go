package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff/bench/roofline"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr"
)

func benchCommand(s *stdio) *cobra.Command {
	return newCommand(s, new(benching), &cobra.Command{
		Use:   "bench [OP]",
		Short: "time an operation against this machine's own multiply-add roof",
		Long: `Times operations on random data and prints the least and the median time, the rate in
multiply-adds per second, its share of this machine's multiply-add roof, measured in the
same run, and the residual against the definition in plain Go.
` + opLines() + `Lists of values run every combination, interleaved. Features of many rows are written to
memory, whose speed bounds them at small d; those of a few rows (--n 48) stay in a cache.`,
		Example: `rff bench features --n 10000 --d 14 --s 1792 --form cos,pair --backend native,native-avx2
rff bench gram --n 10000 --d 14 --s 1024,1792 --dtype f64,f32 --workers 1,2 --json`,
		Args:      operand("op"),
		ValidArgs: opNames(),
	})
}

// benching is rff bench as the command line asks for it.
type benching struct {
	op                      string
	ns, ds, ss, workers     []int
	dtypes, forms, backends []string
	reps                    int
	json                    bool
}

func (c *benching) declare(f *flag.FlagSet) {
	*c = benching{ns: []int{10000}, ds: []int{14}, ss: []int{1024}, workers: []int{1}}
	f.StringVar(&c.op, "op", "", "operation: all of them when not given")
	collect(f, &c.ns, "n", "rows, a `list`", addCounts(mostOf("n")))
	collect(f, &c.ds, "d", "inputs, a `list`", addCounts(mostOf("d")))
	collect(f, &c.ss, "s", "feature columns, a `list`", addCounts(mostOf("s")))
	collect(f, &c.workers, "workers", "workers, a `list`", addCounts(mostOf("workers")))
	collect(f, &c.dtypes, "dtype", "element types, a `list` of "+precisionWords+" (default f64)", addWords)
	collect(f, &c.forms, "form", "forms of the features, a `list` of cos, pair, linear, arccos0, arccos1, arccos2, and of landmarks gaussian, matern0.5, matern1.5, matern2.5, cauchy (default pair, of sections gaussian)", addWords)
	collect(f, &c.backends, "backend", "paths, a `list` of native, gonum, openblas, or all; native-avx2 and the like name an instruction set (default native)", addWords)
	whole(f, &c.reps, "reps", 7, 1, "runs of each case")
	f.BoolVar(&c.json, "json", false, "print one JSON object per line")
	words(f, "op", opNames()...)
	words(f, "dtype", precisionNames...)
	words(f, "form", "pair", "cos", "linear", "arccos0", "arccos1", "arccos2")
	words(f, "backend", blas.Backends()...)
}

func (c *benching) check(*flag.FlagSet) error { return nil }

func (c *benching) run(ctx context.Context, s *stdio) error {
	types, err := elementTypes(or(c.dtypes, "f64"))
	if err != nil {
		return err
	}
	if strings.Join(c.backends, ",") == "all" {
		c.backends = roofline.Paths()
	}
	ops := []string{c.op}
	if c.op == "" {
		ops = opNames()
	}
	b := bencher{s: s, reps: c.reps, json: c.json, defaults: c.op == ""}
	return b.run(ctx, ops, c.ns, c.ds, c.ss, c.workers, types, c.forms, or(c.backends, "native"))
}

// opNames returns the names of the operations.
func opNames() []string {
	var names []string
	for _, o := range roofline.Ops {
		names = append(names, o.Name)
	}
	return names
}

// elementTypes returns the short names of element types.
func elementTypes(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		p, err := readPrecision(name)
		if err != nil {
			return nil, usagef("invalid value %q for --dtype: must be %s", name, precisionWords)
		}
		short := "f64"
		if p == krr.Float32 {
			short = "f32"
		}
		if slices.Contains(out, short) {
			return nil, usagef("--dtype has %s twice", name)
		}
		out = append(out, short)
	}
	return out, nil
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

// opLines describes the operations, one a line.
func opLines() string {
	var b strings.Builder
	for _, o := range roofline.Ops {
		fmt.Fprintf(&b, "  %-9s %s\n", o.Name, o.Summary)
	}
	return b.String()
}

// or returns the list, or value alone for an empty one.
func or(list []string, value string) []string {
	if len(list) == 0 {
		return []string{value}
	}
	return list
}

type bencher struct {
	s        *stdio
	reps     int
	json     bool
	defaults bool // every operation, at its own size
}

// run measures every combination, those of one shape together: only they are
// interleaved, so that memory stays that of one shape.
func (b *bencher) run(ctx context.Context, ops []string, ns, ds, ss, workers []int, dtypes, forms, backends []string) error {
	table := tabwriter.NewWriter(b.s.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	if !b.json {
		fmt.Fprintln(table, "op\tn\td\ts\tdtype\tworkers\tform\tbackend\tmin s\tmedian s\tns/value\tGFLOP/s\t% of roof\tresidual\t")
	}
	for _, op := range ops {
		for _, n := range ns {
			for _, d := range ds {
				for _, s := range ss {
					if b.defaults && op == "gemm" {
						d = s
					}
					if err := checkSize(op, n, d, s); err != nil {
						return err
					}
					var group []*roofline.Runner
					for _, w := range workers {
						for _, t := range dtypes {
							for _, form := range or(forms, roofline.DefaultForm(op)) {
								for _, backend := range backends {
									r, err := roofline.New(roofline.Case{Op: op, N: n, D: d, S: s, DType: t, Workers: w, Form: form, Backend: backend})
									var wrong *roofline.CaseError
									if errors.As(err, &wrong) {
										return usagef("%s", oneLine(err))
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
						if err := b.print(table, r); err != nil {
							return err
						}
					}
				}
			}
		}
	}
	return table.Flush()
}

func (b *bencher) print(table *tabwriter.Writer, r roofline.Result) error {
	if b.json {
		return json.NewEncoder(b.s.data).Encode(r)
	}
	_, err := fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%s\t%d\t%s\t%s\t%.3g\t%.3g\t%.3f\t%.1f\t%.1f\t%.1g\t\n", r.Op, r.N, r.D, r.S, r.DType, r.Workers,
		r.Form, r.Backend, r.SecondsMin, r.SecondsMedian, r.NsPerValue, r.GFlops, r.RoofPercent, r.Residual)
	return err
}
