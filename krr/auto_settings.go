package krr

import (
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/krr/internal/race"
	"github.com/rffgo/rff/sampling"
)

// AutoSettings of Auto. The zero value is the default throughout.
type AutoSettings struct {
	// Fit are the settings of the final fit, and the search obeys those that matter to it.
	// Auto chooses Lambdas, Scaling and Loss where they are not set. A regression clips its
	// predictions and a classification has probabilities.
	Fit Settings

	classes []string // of the data
	// Budget of the search and the final fit, in estimated seconds of two cores: it counts
	// multiply-adds, 6·10¹⁰ a second. So the same data, seed and budget give the same bits
	// on every machine, however long that takes there. 0: 30 seconds, or less if there are
	// fewer than some 7,000 rows, and no more than the Deadline. A negative budget makes one search
	// of scaling, kernel and bandwidth on few rows and features, which takes a second or two.
	Budget time.Duration
	// Deadline, if it is not 0, is the time by the clock in which Auto should end: no step of the
	// search starts that would end too late, at the speed of the steps before, for the final fit.
	// The result then depends on the machine. To repeat it, set Steps to the number
	// of steps in the report, and Budget, where it was 0, to the Deadline or the default,
	// whichever is less.
	Deadline time.Duration
	// Steps is the most steps of the search. 0: as many as the budget allows.
	Steps int
	// Features of the map. 0: as many as the budget allows and held-out rows ask for.
	Features int
	// Kernels to choose from, with bandwidth 1. They may be a program's own. Auto chooses the
	// bandwidth. nil: the Gaussian, the Laplacian and the Matérn kernels of 3/2 and 5/2, and
	// for kernel sections (sampling.Nystrom) that of ½ as well.
	Kernels []rff.Stationary
	// Sampler of the frequencies. nil: sampling.Default. Auto then also tries kernel sections
	// (the sampler nystrom) and features learned from the rows (metric and refined), and takes
	// them if held-out rows say that they are better. It tries sums of boosted trees as well,
	// unless Kernels, or a Loss, an Uncertainty or a Checkpoint of Fit are given.
	Sampler rff.Sampler
	// SearchRows is the largest number of different rows, drawn at random, that Auto chooses
	// by. 0: as many as fit in 256 MiB, or 4000 for a quick search.
	SearchRows int
}

// defaultBudget is the budget of Auto.
const defaultBudget = 30 * time.Second

// A quick search draws quickRows rows and has a budget of one second.
const (
	quickRows   = 4000
	quickBudget = time.Second
)

// check checks the settings of a search and fills in the kernels.
func (s *AutoSettings) check() error {
	if s.Kernels == nil {
		s.Kernels = []rff.Stationary{rff.NewGaussian(), rff.NewMatern(2.5), rff.NewMatern(1.5), rff.NewLaplacian()}
		if _, sections := s.Sampler.(sampling.Nystrom); sections {
			s.Kernels = append(s.Kernels, rff.NewMatern(0.5))
		}
	}
	for _, k := range s.Kernels {
		if k == nil {
			return setting("kernel", k, "must be given")
		}
	}
	switch {
	case s.SearchRows != 0 && s.SearchRows < 20:
		return setting("search rows", s.SearchRows, "must be at least 20")
	case s.Features < 0:
		return setting("features", s.Features, "must not be negative")
	case s.Steps < 0:
		return setting("steps", s.Steps, "must not be negative")
	case s.Deadline < 0:
		return setting("deadline", s.Deadline, "must not be negative")
	}
	_, err := s.Fit.lambdas()
	return err
}

// race returns what the settings ask of a search, checked.
func (s *AutoSettings) race() (race.Settings, error) {
	compares, _ := s.Fit.comparesRows()
	var radial rff.Stationary
	if s.Kernels == nil {
		radial = rff.NewMatern(0.5)
	}
	if err := s.check(); err != nil {
		return race.Settings{}, err
	}
	precision, err := s.Fit.Precision.described()
	if err != nil {
		return race.Settings{}, err
	}
	var grid []float64
	if len(s.Fit.Lambdas) != 0 {
		grid, _ = s.Fit.lambdas() // checked
	}
	// A loss, one λ, a λ per target, sums and rows to compare are those of one solution of one fit.
	own := s.Fit.Loss != "" || len(grid) == 1 || s.Fit.PerTarget || s.Fit.Gram != nil || compares
	set := race.Settings{Budget: s.Budget, Deadline: s.Deadline, Steps: s.Steps, Features: s.Features,
		Kernels: s.Kernels, Radial: radial, Sampler: s.Sampler, Lambdas: grid,
		Classes: s.classes, Rule: own || !weighs(precision), Means: !own && s.Fit.Checkpoint.Path == "" && !s.Fit.keepsFactors(), Precision: precision, Seed: s.Fit.Seed, Engine: s.Fit.Engine}
	set.Trees = set.Means && radial != nil
	if !inside.IsIdentity(s.Fit.Scaling) {
		set.Scaling = &s.Fit.Scaling
	}
	if s.Budget < 0 {
		set.First, set.Budget = true, quickBudget
	}
	return set, nil
}

// final returns the settings of the final fit. The model's provenance says how the model was
// found, and names the sampler if the search chose it.
func (s AutoSettings) final(found, sampler string) Settings {
	set := s.Fit
	set.ClipPredictions = s.classes == nil
	set.Probabilities = set.Probabilities || s.classes != nil // those of numbers are refused, not left out
	set.Provenance = map[string]string{"auto": found}
	if sampler != "" {
		set.Provenance["sampler"] = sampler
	}
	for k, v := range s.Fit.Provenance {
		set.Provenance[k] = v
	}
	return set
}
