package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rffgo/rff/bench/compare"
	"github.com/rffgo/rff/bench/report"
	"github.com/rffgo/rff/sampling"
)

var compareCommand = &command{
	name:    "compare",
	summary: "compare ways of choosing features on a data set",
	details: `Fits ridge regression on random features chosen in several ways, with several
numbers of features, and prints the accuracy on rows that were not trained on (for
regression: the error), the time and the memory. All methods get the same rows, the
same scaling, the same bandwidth, and λ by cross-validation.`,
	example: `rff compare --data magic04.csv --label y --methods rff,orf,surrogate --features 64,256,1024 --html report.html`,
	setup:   setupCompare,
}

func setupCompare(f *flag.FlagSet) func(context.Context, *stdio) error {
	var data dataFlags
	var learn learnFlags
	methods := specs{}
	for _, m := range []string{"rff", "orf", "sobol", "leverage", "surrogate", "eerf"} {
		if slices.Contains(sampling.Names(), m) {
			methods.items = append(methods.items, m)
		}
	}
	features := counts{items: []int{64, 256, 1024}}
	var reps, rows int
	var quick, noTimes bool
	var jsonFile, csvFile, htmlFile string
	test := number{value: 0.25, set: true, need: "must be a share between 0 and 1", ok: func(v float64) bool { return v > 0 && v < 1 }}
	data.declare(f, "letter")
	f.Var(&methods, "methods", "`methods` to compare: "+strings.Join(sampling.Names(), ", ")+";\noptions go after a colon: surrogate:pool=8,weight=unit")
	f.Var(&features, "features", "`numbers` of features, in columns")
	whole(f, &reps, "reps", 3, 1, "`number` of repetitions, each with draws, and without a training part also rows, of its own")
	f.Var(&test, "test", "`share` of the rows to test on, when the set has no test part of its own")
	whole(f, &rows, "rows", 0, 2, "at most this `number` of training rows, drawn at random (default: all)")
	f.BoolVar(&quick, "quick", false, "a fast look: one repetition, 2,000 training rows, at most 256 features")
	learn.declare(f)
	f.BoolVar(&noTimes, "no-times", false, "leave out times and memory: what remains depends on data, flags and seed only")
	f.StringVar(&jsonFile, "json", "", "write everything as JSON to this `file` (- for standard output, without the table)")
	f.StringVar(&csvFile, "csv", "", "write the table as CSV to this `file` (- for standard output, without the table)")
	f.StringVar(&htmlFile, "html", "", "write a report with plots to this `file`")

	return func(ctx context.Context, s *stdio) error {
		if len(data.paths) == 0 {
			data.paths = list{"letter"}
		}
		if jsonFile == "-" && csvFile == "-" {
			return usagef("compare: --json and --csv cannot both go to standard output")
		}
		settings := compare.Settings{Methods: methods.items, Features: features.items, Reps: reps, Test: test.value, MaxTrain: rows}
		if err := learn.apply(&settings); err != nil {
			return err
		}
		for _, m := range methods.items {
			if _, err := sampling.ByName(m); err != nil {
				return usagef("compare: --methods: %s", oneLine(err))
			}
		}
		if quick {
			settings.Reps, settings.MaxTest = 1, 2000
			if rows == 0 {
				settings.MaxTrain = 2000
			}
			if !features.given {
				settings.Features = []int{64, 256}
			}
		}
		var outputs []*output
		open := func(flag, name string) (io.Writer, error) {
			switch name {
			case "":
				return nil, nil
			case "-":
				return s.out, nil
			}
			o, err := createOutput(flag, name)
			if err != nil {
				return nil, err
			}
			outputs = append(outputs, o)
			return o, nil
		}
		defer func() {
			for _, o := range outputs {
				o.discard()
			}
		}()
		toJSON, err := open("json", jsonFile)
		if err != nil {
			return err
		}
		toCSV, err := open("csv", csvFile)
		if err != nil {
			return err
		}
		toHTML, err := open("html", htmlFile)
		if err != nil {
			return err
		}

		table, err := data.table(ctx)
		if err != nil {
			return err
		}
		line := newProgress(s)
		settings.Progress = func(done, total int, what string) { line.show("%d of %d: %s", done+1, total, what) }
		result, err := compare.Run(ctx, table, settings)
		line.clear()
		if err != nil {
			return bandwidthError(err)
		}
		if n := len(result.Failures()); n == len(result.Rows) {
			return errors.New(result.Failures()[0])
		}
		if noTimes {
			result = result.WithoutTimes()
		}
		if toJSON != nil {
			if err := result.WriteJSON(toJSON); err != nil {
				return err
			}
		}
		if toCSV != nil {
			if err := result.WriteCSV(toCSV); err != nil {
				return err
			}
		}
		if toHTML != nil {
			if err := report.Write(toHTML, result); err != nil {
				return err
			}
		}
		for _, o := range outputs {
			if err := o.commit(); err != nil {
				return err
			}
		}
		if jsonFile != "-" && csvFile != "-" {
			if err := result.WriteTable(s.out); err != nil {
				return err
			}
			for _, o := range outputs {
				fmt.Fprintf(s.out, "wrote %s\n", o.name)
			}
		}
		if n := len(result.Failures()); n > 0 {
			return errors.New("some of the methods could not be used: see above")
		}
		return nil
	}
}
