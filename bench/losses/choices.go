package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/sets"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

// choiceSplits is the number of divisions of each set.
const choiceSplits = 3

// choiceSets are sets of classes.
var choiceSets = []string{"letter", "adult", "eeg", "covtype", "kddcup99"}

// candidate is a bandwidth and λ that a fit of squares may have.
type candidate struct {
	Set    string  `json:"set"`
	Split  int     `json:"split"`
	Share  float64 `json:"share"` // of the median distance
	Lambda float64 `json:"lambda"`
	// By rows left out of the fit: the squared error by folds, and the log loss of
	// probabilities that are calibrated, each row left out by itself, or by folds.
	Squared float64 `json:"squared"`
	Held    float64 `json:"held"`
	Folded  float64 `json:"folded"`
	// On rows not seen.
	LogLoss  float64 `json:"logLoss"`
	Accuracy float64 `json:"accuracy"`
}

// choices measures what is missing in the record.
func choices(ctx context.Context, names []string, record *record) error {
	for split := 1; split <= choiceSplits; split++ {
		for _, name := range choiceSets {
			if !slices.Contains(names, name) || slices.ContainsFunc(record.Choices, func(c candidate) bool { return c.Set == name && c.Split == split }) {
				continue
			}
			t, err := sets.Named(ctx, name, "")
			if err != nil {
				return err
			}
			all, err := candidates(ctx, t, split)
			if err != nil {
				return fmt.Errorf("%s, division %d: %w", name, split, err)
			}
			record.Choices = append(record.Choices, all...)
			if err := record.write(); err != nil {
				return err
			}
		}
	}
	return nil
}

// candidates measures every bandwidth with every λ on a division of a set.
func candidates(ctx context.Context, t *dataset.Table, split int) (all []candidate, err error) {
	train, test := divide(t, split, mostTrain)
	scaling := dataset.FitScaling(dataset.Robust, train.X)
	median, err := rff.MedianDistance(train.Scaled(scaling).Matrix(), pairsDrawn, rand.NewPCG(uint64(split), 1))
	if err != nil {
		return nil, err
	}
	for _, share := range shares {
		m, err := rff.New(rff.NewGaussian(share*median), train.X.Cols, features, rand.NewPCG(uint64(split), 2))
		if err != nil {
			return nil, err
		}
		settings := krr.Settings{Scaling: scaling, Seed: uint64(split)}
		_, report, err := krr.Fit(ctx, m, train.Source(), settings)
		if err != nil {
			return nil, err
		}
		settings.Probabilities = true
		for _, p := range report.Path {
			// One λ alone is given, and no row is left out by itself to choose it.
			settings.Lambdas, settings.Criterion = []float64{p.Lambda, p.Lambda * (1 + 0x1p-40)}, krr.LeaveOneOut
			_, single, err := krr.Fit(ctx, m, train.Source(), settings)
			if err != nil {
				return nil, err
			}
			settings.Lambdas, settings.Criterion = []float64{p.Lambda}, ""
			model, report, err := krr.Fit(ctx, m, train.Source(), settings)
			if err != nil {
				return nil, err
			}
			c := candidate{Set: t.Name, Split: split, Share: share, Lambda: p.Lambda, Held: single.HeldOut.Loss[0], Folded: report.HeldOut.Loss[0]}
			for _, e := range p.Error {
				c.Squared += e
			}
			var found accuracy
			if _, err := found.of(model, test); err != nil {
				return nil, err
			}
			c.LogLoss, c.Accuracy = found.LogLoss, found.Accuracy
			fmt.Printf("%+v\n", c)
			all = append(all, c)
		}
	}
	return all, nil
}

const choicesHead = `
## By what λ and the bandwidth are chosen

Squares with %d random features and the bandwidths and λ above, chosen by the least squared error of rows left out by folds; with that bandwidth and the λ of the least log loss of calibrated probabilities of rows left out by folds, or one by one; with both by the latter; and by the least log loss on the rows not seen, which nobody knows. Means over %d divisions of log loss and error in %%. ` + "`RFF_DATA=DIR go -C bench run ./losses -choices`" + ` measures.

| set | log loss, by squares | by log loss, folds | one by one | and the bandwidth | least | error, by squares | by log loss, folds | one by one | and the bandwidth | least |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
`

const choicesText = `
**A fit chooses λ by what it is asked for.** With probabilities it takes the log loss of the rows left out: that of letter and covtype falls, that of eeg and kddcup99 falls one by one and stays by folds, and that of adult rises a little, the less if rows are left out one by one. For labels alone squared errors choose: by log loss adult has more wrong labels, letter and covtype fewer. The bandwidth would be better chosen by log loss on eeg, where the wider one has a larger squared error, and alike on the others; a fit takes the one it is given.
`

// choicesTable returns the table of choices.
func choicesTable(all []candidate) string {
	var text strings.Builder
	fmt.Fprintf(&text, choicesHead, features, choiceSplits)
	for _, set := range choiceSets {
		var sum [5]candidate // of the rules, over the divisions
		n := 0.0
		for split := 1; split <= choiceSplits; split++ {
			own := filter(all, func(c candidate) bool { return c.Set == set && c.Split == split })
			if own == nil {
				continue
			}
			n++
			held := func(c candidate) float64 { return c.Held }
			squares := least(own, func(c candidate) float64 { return c.Squared })
			same := filter(own, func(c candidate) bool { return c.Share == squares.Share })
			for i, c := range []candidate{squares, least(same, func(c candidate) float64 { return c.Folded }), least(same, held), least(own, held), least(own, func(c candidate) float64 { return c.LogLoss })} {
				sum[i].LogLoss, sum[i].Accuracy = sum[i].LogLoss+c.LogLoss, sum[i].Accuracy+c.Accuracy
			}
		}
		fmt.Fprintf(&text, "| %s |", set)
		for _, c := range sum {
			fmt.Fprintf(&text, " %.4f |", c.LogLoss/n)
		}
		for _, c := range sum {
			fmt.Fprintf(&text, " %.2f |", 100*(1-c.Accuracy/n))
		}
		text.WriteString("\n")
	}
	return text.String() + choicesText
}

func filter(all []candidate, keep func(c candidate) bool) (some []candidate) {
	for _, c := range all {
		if keep(c) {
			some = append(some, c)
		}
	}
	return some
}

func least(all []candidate, of func(c candidate) float64) candidate {
	return slices.MinFunc(all, func(a, b candidate) int { return cmp.Compare(of(a), of(b)) })
}
