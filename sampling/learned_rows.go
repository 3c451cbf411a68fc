package sampling

import (
	"context"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/learn"
	"github.com/rffgo/rff/internal/limit"
	"github.com/rffgo/rff/internal/scaling"
	"github.com/rffgo/rff/internal/trial"
)

// learningRows are the rows that a sampler learns on and the rows that it validates on.
// Their inputs have their means subtracted and are in standard deviations.
type learningRows struct {
	train, valid *trial.Rows
	given        []float64 // standard deviation of each input, in the units of the data
	seen         int64     // rows of positive weight
}

// readLearning reads the data once and keeps up to most different rows to learn on and
// most/4 to validate on. Package trial draws and splits them: the rows of a group,
// Schema.FoldRows consecutive rows, or rows of equal inputs stay together. The rows come in
// random order. About few of them at most are learned on, if few is above 0, and all others
// validate.
func readLearning(ctx context.Context, q *request, most, few int, seed uint64) (*learningRows, error) {
	schema := q.Data.Schema()
	_, targets := schema.Dims()
	if !limit.Fits(most, q.Dim+targets) {
		return nil, &rff.ParameterError{Name: "dim", Value: q.Dim, Need: "has too many inputs to hold the rows that are learned on in memory"}
	}
	rows, seen, err := trial.Draw(checked(ctx, q.Data, q.Dim, targets), q.Dim, targets, trial.Drawing{Count: most + max(1, most/4), Seed: seed, Run: int64(schema.FoldRows)})
	if err != nil {
		return nil, err
	}
	r := &learningRows{train: rows, valid: rows.Head(0), seen: seen}
	f, swap := trial.Folds{Seed: ^seed, Of: learn.Held, Count: 1, Most: rows.X.Rows}, false
	if parts := (rows.X.Rows + few/2) / max(few, 1); few > 0 && parts > 1 {
		f.Of, swap = parts, true // the fold that would be held out is learned on
	}
	s, err := f.SplitsUntil(ctx, rows)
	if err != nil {
		return nil, err
	}
	if len(s) > 0 {
		r.train, r.valid = s[0].Train, s[0].Valid
		if swap {
			r.train, r.valid = r.valid, r.train
		}
	}
	r.standardise(schema.Target.Classes != nil)
	return r, nil
}

// standardise brings inputs and targets to the units to learn in, by means and standard
// deviations of the training rows. Inputs get mean 0 and standard deviation 1, both taken
// of values clipped to the 0.5 and 99.5 % quantiles. Targets get mean 0 and standard
// deviation 1; those of classes, which are codes from −1 to +1, get mean 0 and keep their scale.
func (r *learningRows) standardise(classes bool) {
	n, d := r.train.X.Rows, r.train.X.Cols
	if n == 0 {
		return
	}
	r.given = make([]float64, d)
	column := make([]float64, n)
	for j := range d {
		dense.Column(column, r.train.X, j)
		low, high := clips(column)
		for i, v := range column {
			column[i] = min(max(v, low), high)
		}
		shift, scale := scaling.Standard(column)
		r.given[j] = scale
		rescale(j, shift, scale, r.train.X, r.valid.X)
	}
	for t := range r.train.Y.Cols {
		dense.Column(column, r.train.Y, t)
		coded := !slices.ContainsFunc(column, func(v float64) bool { return math.Abs(v) != 1 })
		shift, scale := scaling.Standard(column)
		if coded || classes {
			scale = 1
		}
		rescale(t, shift, scale, r.train.Y, r.valid.Y)
	}
}

// rescale subtracts shift from column j of each matrix, and divides by scale.
func rescale(j int, shift, scale float64, all ...blas.General[float64]) {
	for _, m := range all {
		for i := range m.Rows {
			m.Row(i)[j] = (m.Row(i)[j] - shift) / scale
		}
	}
}

// clips sorts a column and returns its 0.5 and 99.5 % quantiles, or no bounds if they are equal.
func clips(column []float64) (low, high float64) {
	slices.Sort(column)
	if low, high = scaling.Quantile(column, 0.005), scaling.Quantile(column, 0.995); low < high {
		return low, high
	}
	return math.Inf(-1), math.Inf(1)
}
