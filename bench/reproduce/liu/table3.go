package liu

import (
	"slices"

	"github.com/rffgo/rff/bench/reproduce"
)

const name = "liu-table3"

// perInput is what the sizes count.
const perInput = "frequencies per input, s/d"

// Table3 returns the experiment.
func Table3() *reproduce.Experiment {
	return &reproduce.Experiment{
		Name:    name,
		Paper:   "F. Liu, X. Huang, Y. Chen, J. Yang, J. Suykens, Random Fourier features via fast surrogate leverage weighted sampling, AAAI 2020, Table 3",
		Summary: "accuracy and seconds of RFF, QMC, leverage and surrogate features on four sets",
		Protocols: []reproduce.Protocol{{
			Experiment: name, Name: reproduce.Published, Version: 1,
			Sets:     []string{"eeg", "magic04", "cod-rna", "covtype"},
			Samplers: []string{plain, divided, surrogate, leverage, qmc},
			Reps:     10, QuickReps: 2,
			Unit: perInput, Sizes: publishedSizes, Cost: publishedCost,
			New: func(o reproduce.Options) reproduce.Bench { return &published{folder: o.Folder} }, Document: publishedDocument,
		}, {
			Experiment: name, Name: reproduce.Fair, Version: 2,
			Sets:     fairSets,
			Samplers: fairSamplers,
			Reps:     3, QuickReps: 2,
			Unit: "columns of features", Sizes: fairSizesOf, Cost: fairCost,
			New: func(o reproduce.Options) reproduce.Bench { return &fair{folder: o.Folder} }, Document: fairDocument,
		}},
	}
}

// all are the paper's frequencies per input.
var all = []int{1, 2, 4, 8, 16, 32, 64, 128}

// upTo returns the numbers of frequencies per input up to most.
func upTo(most int) []int {
	return slices.DeleteFunc(slices.Clone(all), func(m int) bool { return m > most })
}

// publishedSizes has the numbers of the paper, and those that it could not run on
// covtype.
func publishedSizes(set string, quick bool) []int {
	switch {
	case !quick:
		return all
	case set == "covtype":
		return upTo(4)
	}
	return upTo(16)
}

// size has the inputs and training rows of the sets.
var size = map[string]struct{ inputs, train float64 }{
	"eeg": {14, 7490}, "magic04": {10, 9510}, "cod-rna": {8, 59535}, "covtype": {54, 46481},
}

// publishedCost is about the number of multiply-adds: three Gram matrices, thirteen
// factorisations, and features. leverage has one of either for its scores.
func publishedCost(k reproduce.Key) float64 {
	n := size[k.Data].train
	s := 2 * float64(k.Size) * size[k.Data].inputs
	gram, factor := n*s*s/2, s*s*s/6
	cost := 50*n*s + 13*factor + 5e7
	switch k.Sampler {
	case plain, qmc:
		cost += gram
	case leverage:
		cost += gram + 3*factor
	}
	return cost
}
