package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/rffgo/rff/bench/compare"
	"github.com/rffgo/rff/bench/report"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

var compareCommand = &command{
	name:    "compare",
	summary: "compare samplers of features on a data set",
	details: `Fits ridge regression on the features of several samplers, with several numbers of
features, and prints the accuracy on rows that were not trained on (for regression:
RMSE, MAE and R²), the time and the memory. All samplers get the same rows, the same
scaling and the same bandwidth; λ is chosen by cross-validation. Differences from the
first sampler that are beyond noise are marked.`,
	example: `rff compare --data magic04.csv --label y --samplers rff,orf,surrogate --features 64,256,1024 --html report.html`,
	setup:   setupCompare,
}

func setupCompare(f *flag.FlagSet) func(context.Context, *stdio) error {
	var data dataFlags
	var learn learnFlags
	samplers := specs{}
	for _, m := range []string{"rff", "orf", "sobol", "leverage", "surrogate", "eerf"} {
		if slices.Contains(sampling.Names(), m) {
			samplers.items = append(samplers.items, m)
		}
	}
	features := counts{items: []int{64, 256, 1024}}
	var reps, rows int
	var quick, noTimes bool
	var jsonFile, csvFile, htmlFile string
	test := number{value: 0.25, set: true, need: "must be a share between 0 and 1", ok: func(v float64) bool { return v > 0 && v < 1 }}
	data.declare(f, "letter")
	data.encoding.declareCompare(f)
	f.Var(&samplers, "samplers", "`samplers` to compare: "+strings.Join(sampling.Names(), ", ")+";\noptions go after a colon: surrogate:pool=8,weight=unit")
	f.Var(&features, "features", "`numbers` of features, in columns")
	whole(f, &reps, "reps", 3, 1, "`number` of repetitions, each with its own draws, and with its own division of the rows\nif the set has no test part")
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
		given := map[string]bool{}
		f.Visit(func(f *flag.Flag) { given[f.Name] = true })
		switch {
		case jsonFile == "-" && csvFile == "-":
			return usagef("--json and --csv cannot both go to standard output")
		case htmlFile == "-":
			return usagef("--html needs the name of a file")
		case given["folds"] && learn.lambda.set:
			return usagef("--folds is for the cross-validation of λ, --lambda gives one: leave one of them out")
		}
		settings := compare.Settings{Samplers: samplers.items, Features: features.items, Reps: reps, Test: test.value, MaxTrain: rows, Untimed: noTimes}
		if err := learn.apply(&settings); err != nil {
			return err
		}
		for i, m := range samplers.items {
			if _, err := sampling.ByName(m); err != nil {
				return usagef("--samplers: %s", oneLine(err))
			}
			if slices.Contains(samplers.items[:i], m) {
				return usagef("--samplers has %s twice", m)
			}
		}
		if quick {
			settings.MaxTest = 2000
			if !given["reps"] {
				settings.Reps = 1
			}
			if rows == 0 {
				settings.MaxTrain = 2000
			}
			if !features.given {
				settings.Features = []int{64, 256}
			}
		}
		writes := slices.Concat(places("json", jsonFile), places("csv", csvFile), places("html", htmlFile))
		if err := apart(writes, data.reads()...); err != nil {
			return err
		}
		var outputs []*output
		open := func(flag, name string) (io.Writer, error) {
			switch name {
			case "":
				return nil, nil
			case "-":
				return s.data, nil
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

		data.say = s.note
		table, err := data.table(ctx)
		if err != nil {
			return err
		}
		if given["test"] && table.Train > 0 && table.Train < table.Len() {
			return usagef("--test: %s has a test part of its own: leave the share out", table.Name)
		}
		if note := decided(table.Coding, table.Target); note != "" {
			settings.Notes = append(settings.Notes, note)
		}
		rows := int64(table.Len())
		if table.Train > 0 {
			rows = int64(table.Train)
		}
		if settings.MaxTrain > 0 {
			rows = min(rows, int64(settings.MaxTrain))
		}
		largest := slices.Max(settings.Features)
		landmarks := slices.ContainsFunc(settings.Samplers, func(name string) bool {
			by := samplerFlags{name: name}
			return by.settle() == nil && by.landmarks()
		})
		if err := withoutSolver(krr.CheckMemory(table.X.Cols, largest, table.Coding.Targets(), rows, landmarks, krr.Settings{Lambda: settings.Lambda, Folds: settings.Folds, Engine: settings.Engine})); err != nil {
			return err
		}
		line := newProgress(s)
		settings.Progress = func(done, total int, what string) { line.show("%d of %d: %s", min(done+1, total), total, what) }
		result, err := compare.Run(ctx, table, settings)
		line.clear()
		if err != nil {
			if result != nil {
				return keepPartial(s, result, []place{{"json", jsonFile}, {"csv", csvFile}}, err)
			}
			return bandwidthError(err)
		}
		if n := len(result.Failures()); n == len(result.Rows) {
			return errors.New(result.Failures()[0])
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
			about := report.About{Command: commandLine(f)}
			if !noTimes {
				about.Version, about.Date, about.Machine = version(), time.Now().UTC(), cpuName()+"; "+compare.Machine()
			}
			if err := report.Write(toHTML, result, about); err != nil {
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
		} else {
			for _, n := range result.Notes {
				s.note("%s", n)
			}
		}
		if n := len(result.Failures()); n > 0 {
			return errors.New("some of the samplers could not be used: the reasons are above")
		}
		return nil
	}
}

// keepPartial says how many cells of an interrupted comparison are done, and
// writes them to FILE.partial: the files asked for may hold a complete result.
func keepPartial(s *stdio, r *compare.Result, files []place, err error) error {
	s.note("%d of %d fits are done", len(r.Cells), r.Planned)
	if len(r.Cells) == 0 {
		return err
	}
	for _, f := range files {
		write := r.WriteJSON
		if f.flag == "csv" {
			write = r.WriteCSV
		}
		switch f.path {
		case "":
			continue
		case "-":
			if err := write(s.data); err != nil {
				return err
			}
			continue
		}
		name := f.path + ".partial"
		out, e := createOutput(f.flag, name)
		if e != nil {
			return e
		}
		if e = write(out); e == nil {
			e = out.commit()
		}
		out.discard()
		if e != nil {
			return e
		}
		s.note("wrote them to %s", name)
	}
	return err
}

// commandLine writes the command with the flags that were given, so that a shell
// reads it back.
func commandLine(f *flag.FlagSet) string {
	words := []string{"rff", f.Name()}
	f.Visit(func(v *flag.Flag) {
		if !takesValue(v) {
			words = append(words, "--"+v.Name)
			return
		}
		words = append(words, "--"+v.Name, shellWord(v.Value.String()))
	})
	return strings.Join(words, " ")
}

// shellWord quotes a word that a shell would take apart.
func shellWord(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%", r)
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
