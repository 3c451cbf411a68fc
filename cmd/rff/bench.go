package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/rffgo/rff/bench/roofline"
	"github.com/rffgo/rff/krr"
)

var benchCommand = &command{
	name:    "bench",
	operand: "op",
	summary: "time an operation against this machine's own multiply-add roof",
	details: `Times operations on random data and prints the least and the median time, the rate in
multiply-adds per second, its share of this machine's multiply-add roof, measured in the
same run, and the residual against the definition in plain Go.
` + opLines() + `Lists of values run every combination, interleaved. Features of many rows are written to
memory, whose speed bounds them at small d; those of a few rows (--n 48) stay in a cache.`,
	example: `rff bench features --n 10000 --d 14 --s 1792 --form cos,pair --backend native,native-avx2
rff bench gram --n 10000 --d 14 --s 1024,1792 --dtype f64,f32 --workers 1,2 --json`,
	setup: func(f *flag.FlagSet) func(context.Context, *stdio) error {
		op := f.String("op", "", "operation: all of them when not given")
		ns, ds, ss := counts{items: []int{10000}, most: mostOf("n")}, counts{items: []int{14}, most: mostOf("d")}, counts{items: []int{1024}, most: mostOf("s")}
		workers := counts{items: []int{1}, most: mostOf("workers")}
		f.Var(&ns, "n", "rows, a `list`")
		f.Var(&ds, "d", "inputs, a `list`")
		f.Var(&ss, "s", "feature columns, a `list`")
		f.Var(&workers, "workers", "workers, a `list`")
		dtypes, forms, backends := &list{}, &list{}, &list{}
		f.Var(dtypes, "dtype", "element types, a `list` of "+precisionWords+" (default f64)")
		f.Var(forms, "form", "forms of the features, a `list` of cos, pair, linear, arccos0, arccos1, arccos2, and of landmarks gaussian, matern0.5, matern1.5, matern2.5, cauchy (default pair, of sections gaussian)")
		f.Var(backends, "backend", "paths, a `list` of native, gonum, openblas, or all; native-avx2 and the like name an instruction set (default native)")
		var reps int
		whole(f, &reps, "reps", 7, 1, "runs of each case")
		asJSON := f.Bool("json", false, "print one JSON object per line")
		return func(ctx context.Context, s *stdio) error {
			types, err := elementTypes(dtypes.or("f64"))
			if err != nil {
				return err
			}
			if strings.Join(*backends, ",") == "all" {
				*backends = roofline.Paths()
			}
			ops := []string{*op}
			if *op == "" {
				ops = nil
				for _, o := range roofline.Ops {
					ops = append(ops, o.Name)
				}
			}
			b := bencher{s: s, reps: reps, json: *asJSON, defaults: *op == ""}
			return b.run(ctx, ops, ns.items, ds.items, ss.items, workers.items, types, *forms, backends.or("native"))
		}
	},
}

// elementTypes returns the short names of element types.
func elementTypes(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		p, ok := precisionOf(name)
		if !ok {
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
func (l *list) or(value string) []string {
	if len(*l) == 0 {
		return []string{value}
	}
	return *l
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
							for _, form := range (*list)(&forms).or(roofline.DefaultForm(op)) {
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
