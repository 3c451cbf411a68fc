package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/rffgo/rff/bench/roofline"
)

var benchCommand = &command{
	name:    "bench",
	operand: "op",
	summary: "time an operation against this machine's own multiply-add roof",
	details: `Times operations on random data and prints the least and the median time, the rate
in multiply-add slots, the share of the machine's multiply-add roof, measured in the
same run, and the residual against the definition in plain Go.
` + opLines() + `Lists of values run every combination, interleaved. Features of many rows go to
memory, whose speed bounds them at small d; those of a few rows (--n 48) stay in a cache.`,
	example: `rff bench features --n 10000 --d 14 --s 1792 --form cos,pair --backend native,native-avx2
rff bench gram --n 10000 --d 14 --s 1024,1792 --dtype f64,f32 --workers 1,2 --json`,
	setup: func(f *flag.FlagSet) func(context.Context, *stdio) error {
		op := f.String("op", "", "operation: all of them when not given")
		ns, ds, ss, workers := counts{items: []int{10000}}, counts{items: []int{14}}, counts{items: []int{1024}}, counts{items: []int{1}}
		f.Var(&ns, "n", "rows, a `list`")
		f.Var(&ds, "d", "inputs, a `list`")
		f.Var(&ss, "s", "feature columns, a `list`")
		f.Var(&workers, "workers", "workers, a `list`")
		dtypes, forms, backends := &list{}, &list{}, &list{}
		f.Var(dtypes, "dtype", "element types, a `list` of f64, f32 (default f64)")
		f.Var(forms, "form", "forms of the features, a `list` of cos, pair, linear, arccos0, arccos1, arccos2 (default pair)")
		f.Var(backends, "backend", "paths, a `list` of native, gonum, openblas, or all; native-avx2 and the like name an instruction set (default native)")
		reps := f.Int("reps", 7, "runs of each case")
		asJSON := f.Bool("json", false, "print one JSON object per line")
		return func(ctx context.Context, s *stdio) error {
			if *reps < 1 {
				return usagef("bench: --reps is %d: must be at least 1", *reps)
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
			b := bencher{s: s, reps: *reps, json: *asJSON, defaults: *op == ""}
			return b.run(ctx, ops, ns.items, ds.items, ss.items, workers.items, dtypes.or("f64"), forms.or("pair"), backends.or("native"))
		}
	},
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
					var group []*roofline.Runner
					for _, w := range workers {
						for _, t := range dtypes {
							for _, form := range forms {
								for _, backend := range backends {
									r, err := roofline.New(roofline.Case{Op: op, N: n, D: d, S: s, DType: t, Workers: w, Form: form, Backend: backend})
									if err != nil {
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
		return json.NewEncoder(b.s.out).Encode(r)
	}
	_, err := fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%s\t%d\t%s\t%s\t%.3g\t%.3g\t%.3f\t%.1f\t%.1f\t%.1g\t\n", r.Op, r.N, r.D, r.S, r.DType, r.Workers,
		r.Form, r.Backend, r.SecondsMin, r.SecondsMedian, r.NsPerValue, r.GFlops, r.RoofPercent, r.Residual)
	return err
}
