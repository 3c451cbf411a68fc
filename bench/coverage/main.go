// Command coverage measures how often intervals and label sets hold on the sets of the
// catalogue, and writes bench/RESULTS-coverage.md.
//
//	RFF_DATA=DIR go -C bench run ./coverage
//
// A division takes rows at random from all rows, those of an official test part, too: these
// are of other times or places in some sets, for which nothing is promised. What is done is
// in the file -record, and a run that was stopped goes on where it was. With -rival it
// measures quantile gradient boosting by scikit-learn too, on the same divisions of sets of
// numbers:
//
//	python3 -m venv VENV && VENV/bin/pip install scikit-learn
//	RFF_DATA=DIR go -C bench run ./coverage -rival VENV/bin/python
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/jsonl"
	"github.com/rffgo/rff/cmd/rff/sets"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

const (
	level      = 0.9
	gaussian   = 1.6448536269514722 // standard deviations within which a normal variable stays so often
	mostTrain  = 4000
	mostTest   = 4000
	features   = 256
	pairsDrawn = 1000 // rows that the median distance is taken of
)

func main() {
	names := flag.String("sets", strings.Join(sets.Names(), ","), "data sets")
	splits := flag.Int("splits", 20, "divisions into rows to fit and rows to predict")
	record := flag.String("record", "coverage/results.jsonl", "`file` of what is done")
	quantiles := flag.String("quantiles", "coverage/quantiles.jsonl", "`file` of what is done with conformalised quantiles")
	rival := flag.String("rival", "", "`python` with scikit-learn, to measure quantile gradient boosting")
	rivals := flag.String("rivals", "coverage/rivals.jsonl", "`file` of what is done with -rival")
	report := flag.String("o", "RESULTS-coverage.md", "`file` to write the tables to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, strings.Split(*names, ","), *splits, *record, *quantiles, *report, *rival, *rivals); err != nil {
		fmt.Fprintln(os.Stderr, "coverage:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, names []string, splits int, record, quantiles, report, rival, rivals string) error {
	done, err := jsonl.Read[result](record)
	if err != nil {
		return err
	}
	between, err := jsonl.Read[result](quantiles)
	if err != nil {
		return err
	}
	boosted, err := jsonl.Read[boosting](rivals)
	if err != nil {
		return err
	}
	for _, name := range names {
		var table *dataset.Table
		for split := range splits {
			own := !slices.ContainsFunc(done, func(r result) bool { return r.Set == name && r.Split == split+1 })
			other := rival != "" && !slices.ContainsFunc(boosted, func(b boosting) bool { return b.Set == name && b.Split == split+1 })
			cqr := !slices.ContainsFunc(between, func(r result) bool { return r.Set == name && r.Split == split+1 }) &&
				!slices.ContainsFunc(done, func(r result) bool { return r.Set == name && r.Gaussian == 0 })
			if !own && !other && !cqr {
				continue
			}
			if table == nil {
				if table, err = sets.Named(ctx, name, ""); err != nil {
					return err
				}
			}
			if other && table.Coding.Task == dataset.Regression {
				b, err := rivalOf(ctx, rival, table, split+1)
				if err == nil {
					fmt.Printf("%+v\n", *b)
					boosted, err = append(boosted, *b), jsonl.Append(rivals, *b)
				}
				if err != nil {
					return fmt.Errorf("%s, division %d: %w", name, split+1, err)
				}
			}
			if cqr && table.Coding.Task == dataset.Regression {
				r, err := measure(ctx, table, split+1, "quantile:0.05,0.95")
				if err == nil {
					fmt.Printf("%+v\n", r)
					between, err = append(between, r), jsonl.Append(quantiles, r)
				}
				if err != nil {
					return fmt.Errorf("%s, division %d: %w", name, split+1, err)
				}
			}
			if !own {
				continue
			}
			r, err := measure(ctx, table, split+1, "")
			if err != nil {
				return fmt.Errorf("%s, division %d: %w", name, split+1, err)
			}
			fmt.Printf("%+v\n", r)
			done = append(done, r)
			if err := jsonl.Append(record, r); err != nil {
				return err
			}
		}
	}
	return write(report, done, between, boosted)
}

// divide returns half of the rows, or mostTrain, and others.
func divide(t *dataset.Table, split int) (train, test *dataset.Table) {
	order := rand.New(rand.NewPCG(uint64(split), 0x636f766572)).Perm(t.Len())
	cut := min(t.Len()/2, mostTrain)
	return t.Select(order[:cut]), t.Select(order[cut:min(t.Len(), cut+mostTest)])
}

// measure fits some of the rows by a loss and predicts others.
func measure(ctx context.Context, t *dataset.Table, split int, loss string) (result, error) {
	train, test := divide(t, split)
	scaling := dataset.FitScaling(dataset.Robust, train.X)
	sigma, err := rff.MedianDistance(train.Scaled(scaling).Matrix(), pairsDrawn, rand.NewPCG(uint64(split), 1))
	if err != nil {
		return result{}, err
	}
	m, err := rff.New(rff.NewGaussian(sigma), train.X.Cols, features, rand.NewPCG(uint64(split), 2))
	if err != nil {
		return result{}, err
	}
	model, _, err := krr.Fit(ctx, m, train.Source(), krr.Settings{Scaling: scaling, Seed: uint64(split), Loss: loss, Uncertainty: "intervals", Probabilities: train.Coding.Task == dataset.Classification})
	if err != nil {
		return result{}, err
	}
	r := result{Set: t.Name, Split: split, Rows: train.Len(), Kept: model.Info().Intervals}
	n := float64(test.Len())
	if model.Info().Schema.Target.Classes != nil {
		found, err := model.LabelSets(test.Matrix(), level)
		if err != nil {
			return r, err
		}
		labels, err := model.Labels(test.Matrix())
		r.Accuracy = test.Accuracy(labels)
		for i, set := range found {
			r.Size += float64(len(set)) / n
			if slices.Contains(set, test.Label(i)) {
				r.Coverage += 1 / n
			}
			if len(set) == 0 {
				r.Empty += 1 / n
			}
		}
		return r, err
	}
	var low, high, f, variance mat.Dense
	x := test.Matrix()
	err = model.Interval(&low, &high, x, level)
	if loss == "" {
		err = errors.Join(err, model.Predict(&f, x), model.Variance(&variance, x))
	}
	if err != nil {
		return r, err
	}
	for i, y := range test.Y {
		r.Size += (high.At(i, 0) - low.At(i, 0)) / n
		if low.At(i, 0) <= y && y <= high.At(i, 0) {
			r.Coverage += 1 / n
		}
		if loss != "" {
			continue
		}
		half := gaussian * math.Sqrt(variance.At(i, 0)+model.Info().Noise[0])
		r.Gaussian += 2 * half / n
		if math.Abs(y-f.At(i, 0)) <= half {
			r.GaussianCoverage += 1 / n
		}
	}
	return r, nil
}
