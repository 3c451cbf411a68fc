package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/cputime"
	"github.com/rffgo/rff/cmd/rff/sets"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/measure"
	"github.com/rffgo/rff/krr"
)

const (
	mostTrain = 10000
	mostTest  = 20000
	features  = 512
	// Sets of very many rows of which few are hard are fitted with more, too.
	mostWide     = 20000
	wideFeatures = 2048
	pairsDrawn   = 1000 // rows that the median distance is taken of
)

// classified is a way to fit classes with probabilities.
type classified struct {
	name string
	krr.Settings
}

// ways returns those that are compared. The first chooses the bandwidth of all.
func ways() []classified {
	all := []classified{
		{"squares, folds", krr.Settings{}},
		{"squares, leave-one-out", krr.Settings{Criterion: krr.LeaveOneOut}},
	}
	for _, loss := range []string{"logistic", "squared-hinge", "hard:2", "hard:4", "hard:10"} {
		all = append(all, classified{loss, krr.Settings{Loss: loss}})
	}
	for i := range all {
		all[i].Probabilities = all[i].Loss != "logistic"
	}
	return all
}

// paired is the way whose errors on each row the others are compared with.
const paired = "hard:2"

// wide are those sets.
var wide = []string{"covtype", "kddcup99"}

// accuracies measures all ways on so many divisions of the sets.
func accuracies(ctx context.Context, names []string, splits int, record *record) error {
	for split := 1; split <= splits; split++ {
		for _, name := range names {
			t, err := sets.Named(ctx, name, "")
			if err != nil {
				return err
			}
			if t.Coding.Task != dataset.Classification {
				continue
			}
			if err := record.measure(ctx, t, split, mostTrain, features); err != nil {
				return err
			}
			if slices.Contains(wide, name) {
				if err := record.measure(ctx, t, split, mostWide, wideFeatures); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// measure adds all ways on a division of a set to the record, unless it has them.
func (r *record) measure(ctx context.Context, t *dataset.Table, split, most, features int) error {
	if slices.ContainsFunc(r.Accuracy, func(r accuracy) bool { return r.Set == t.Name && r.Split == split && r.Features == features }) {
		return nil
	}
	all, err := measureWays(ctx, t, split, most, features)
	if err != nil {
		return fmt.Errorf("%s, division %d: %w", t.Name, split, err)
	}
	r.Accuracy = append(r.Accuracy, all...)
	return r.write()
}

// shares of the median distance are the bandwidths.
var shares = []float64{1, 0.5, 0.25}

// divide returns half of the rows, or at most so many, and others.
func divide(t *dataset.Table, split, most int) (train, test *dataset.Table) {
	order := rand.New(rand.NewPCG(uint64(split), 0x6c6f7373)).Perm(t.Len())
	cut := min(t.Len()/2, most)
	return t.Select(order[:cut]), t.Select(order[cut:min(t.Len(), cut+mostTest)])
}

// measureWays fits half of the rows, or at most so many, in every way and measures others.
func measureWays(ctx context.Context, t *dataset.Table, split, most, features int) (all []accuracy, err error) {
	train, test := divide(t, split, most)
	scaling := dataset.FitScaling(dataset.Robust, train.X)
	median, err := rff.MedianDistance(train.Scaled(scaling).Matrix(), pairsDrawn, rand.NewPCG(uint64(split), 1))
	if err != nil {
		return nil, err
	}
	var m *rff.Map
	least := math.Inf(1)
	for _, share := range shares {
		try, err := rff.New(rff.NewGaussian(share*median), train.X.Cols, features, rand.NewPCG(uint64(split), 2))
		if err != nil {
			return nil, err
		}
		_, report, err := krr.Fit(ctx, try, train.Source(), krr.Settings{Scaling: scaling, Seed: uint64(split)})
		if err != nil {
			return nil, err
		}
		for _, p := range report.Path {
			var sum float64
			for _, e := range p.Error {
				sum += e
			}
			if sum < least {
				m, least = try, sum
			}
		}
	}
	var right [][]bool
	for _, way := range ways() {
		way.Scaling, way.Seed = scaling, uint64(split)
		begin := cputime.Seconds()
		model, report, err := krr.Fit(ctx, m, train.Source(), way.Settings)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", way.name, err)
		}
		r := accuracy{Set: t.Name, Split: split, Rows: train.Len(), Features: features, Way: way.name, Lambda: model.Info().Lambda[0],
			Processor: cputime.Seconds() - begin}
		for _, p := range report.Path {
			r.Passes += p.Solved.Iterations
		}
		own, err := r.of(model, test)
		if err != nil {
			return nil, err
		}
		fmt.Printf("%+v\n", r)
		all, right = append(all, r), append(right, own)
	}
	base := slices.IndexFunc(all, func(r accuracy) bool { return r.Way == paired })
	for k := range all {
		for i, own := range right[k] {
			switch {
			case own && !right[base][i]:
				all[k].Better++
			case !own && right[base][i]:
				all[k].Worse++
			}
		}
	}
	return all, nil
}

// of measures a model on rows that it has not seen, and returns which of these have the right
// label.
func (r *accuracy) of(model *krr.Model, test *dataset.Table) (right []bool, err error) {
	var p mat.Dense
	if err := model.Probabilities(&p, test.Matrix()); err != nil {
		return nil, err
	}
	labels, err := model.Labels(test.Matrix())
	if err != nil {
		return nil, err
	}
	classes := model.Info().Schema.Target.Classes
	all := measure.NewLabels(len(classes))
	for i, label := range labels {
		own, named := slices.Index(classes, test.Label(i)), slices.Index(classes, label)
		if own < 0 {
			return nil, fmt.Errorf("row %d is of none of the classes %s", i, strings.Join(classes, ", "))
		}
		right = append(right, own == named)
		all.Add(own, named, 0, 1)
		all.AddProbabilities(own, p.RawRowView(i), 1)
	}
	c := all.Result()
	r.Accuracy, r.Balanced, r.LogLoss, r.Tested = c.Accuracy, c.Balanced, c.LogLoss, len(right)
	return right, nil
}
