// Command losses measures the losses of package krr on the sets of the catalogue, and writes
// bench/RESULTS-losses.md.
//
//	RFF_DATA=DIR go -C bench run ./losses
//	RFF_DATA=DIR go -C bench run ./losses -choices
//	RFF_DATA=DIR go -C bench run ./losses -python PYTHON
//
// The second line measures by what λ and the bandwidth are better chosen. The third, with an
// interpreter that has NumPy and scikit-learn, sets our solver beside theirs.
// What is done is in the file -record, and a run that was stopped goes on where it was.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

func main() {
	names := flag.String("sets", "letter,adult,eeg,cod-rna,magic04,covtype,kddcup99,cpuact,blogfeedback", "data sets")
	splits := flag.Int("splits", 1, "divisions into rows to fit and rows to predict")
	python := flag.String("python", "", "interpreter with NumPy and scikit-learn, to measure how our solver does beside theirs instead")
	choose := flag.Bool("choices", false, "measure by what λ and the bandwidth are chosen instead")
	path := flag.String("record", "losses/results.json", "`file` of what is done")
	page := flag.String("o", "RESULTS-losses.md", "`file` to write the table to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	record, err := read(*path)
	if err == nil && *choose {
		err = choices(ctx, strings.Split(*names, ","), record)
	}
	if err == nil && *python == "" && !*choose {
		err = accuracies(ctx, strings.Split(*names, ","), *splits, record)
	}
	if err == nil && *python != "" {
		err = rivals(ctx, *python, strings.Split(*names, ","), record)
	}
	if err == nil {
		err = os.WriteFile(*page, []byte(record.table()), 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "losses:", err)
		os.Exit(1)
	}
}
