package krr

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/krr/internal/stream"
	"github.com/rffgo/rff/sampling"
)

// candidate is one way to make features.
type candidate struct {
	scaling  int    // index in the search's scalings
	kernel   int    // index in the search's kernels
	exponent int    // bandwidth is 2^{exponent/2} medians
	learned  string // sampler that learns the features from the rows; "" none
	effort   effort // of it
	// landmarks says that features are kernel sections on rows of the data.
	landmarks bool
}

// trial is what a candidate did on held-out rows.
type trial struct {
	candidate
	loss   []float64 // per held-out row, of weight 1 in the mean
	mean   float64   // of loss
	errors float64   // share of wrong labels; RMSE over the standard deviation
	lambda float64
	made   *made
	err    error
}

// made are features that were learned, of the first split.
type made struct {
	m          *rff.Map
	importance []float64
}

func failed(c candidate, err error) trial {
	return trial{candidate: c, mean: math.Inf(1), errors: math.Inf(1), err: err}
}

// try fits a candidate to the first rows of every split and measures it on held-out
// rows, with the best λ of the grid. Numbers that a fit cannot cope with make the
// candidate useless, and are no error.
func (s *search) try(ctx context.Context, e blas.Engine, c candidate, z size, grid []float64) (trial, error) {
	var all [][]float64 // per λ, loss of every held-out row
	wrong := make([]float64, len(grid))
	var learned *made
	all = make([][]float64, len(grid))
	for i := range z.splits {
		sp := &s.splits[i]
		var m *rff.Map
		var err error
		if c.learned == "" {
			m, err = s.draw(ctx, e, c, z.features, sp.train.head(z.rows), s.scalings[c.scaling])
		} else {
			learned, err = s.learnMap(ctx, e, c, z.features, sp.train.head(z.rows), s.scalings[c.scaling])
			if learned != nil {
				m = learned.m
			}
		}
		if err == nil {
			err = s.measure(ctx, m, c, sp, z, grid, all, wrong)
		}
		if err := ctx.Err(); err != nil {
			return trial{}, err
		}
		if unusable(err) {
			return failed(c, err), nil
		}
		if err != nil {
			return trial{}, err
		}
	}
	t := trial{candidate: c, mean: math.Inf(1), made: learned}
	at := 0
	for l := len(grid) - 1; l >= 0; l-- { // ties go to the larger λ
		var mean float64
		for _, v := range all[l] {
			mean += v
		}
		mean /= float64(len(all[l]))
		if mean < t.mean {
			t.mean, at = mean, l
		}
	}
	t.loss, t.lambda = all[at], grid[at]
	t.errors = wrong[at] / float64(len(t.loss))
	if s.Classes == nil {
		t.errors = math.Sqrt(t.errors)
	}
	return t, nil
}

// unusable reports errors of numbers: of a candidate, not of the data as such.
func unusable(err error) bool {
	var singular *SingularError
	var row *rff.ValueError
	var nothing *nothingLearned
	var unsupported *sampling.UnsupportedKernelError
	var condition *rff.ParameterError
	if errors.As(err, &condition) && condition.Name == "lambda" { // λ too small for the arithmetic
		return true
	}
	return errors.As(err, &nothing) || errors.As(err, &unsupported) || errors.As(err, &singular) || errors.As(err, &row)
}

// measure adds the losses of map m on the held-out rows of a split.
func (s *search) measure(ctx context.Context, m *rff.Map, c candidate, sp *splitRows, z size, grid []float64, all [][]float64, wrong []float64) error {
	targets := s.targets
	scaling := s.scalings[c.scaling].Scaling
	g := NewGram(m, targets, GramSettings{Precision: s.Precision, Scaling: scaling})
	train, valid := sp.train.head(z.rows), sp.valid.head(z.valid)
	if err := g.Add(ctx, rff.Batch{X: train.x, Y: train.y, Weight: train.w}); err != nil {
		return err
	}
	models, err := g.Path(ctx, grid)
	if err != nil {
		return err
	}
	coef, intercept := joined(models)
	joint := newModel(models[0].Map(), s.Precision, scaling, coef, intercept)
	if err := joint.checkRows(valid.x); err != nil {
		return err
	}
	n := valid.x.Rows
	block := min(n, max(16, (1<<20)/len(intercept)))
	out := blas.NewGeneral[float64](block, len(intercept))
	for i := 0; i < n; i += block {
		rows := min(block, n-i)
		if err := joint.predict(out.RowRange(0, rows), valid.x.RowRange(i, i+rows), 0); err != nil {
			return err
		}
		for r := range rows {
			w := stream.Weight(valid.w, i+r)
			for l := range grid {
				scores := out.Row(r)[l*targets : (l+1)*targets]
				loss, bad := s.loss(scores, valid.y.Row(i+r))
				all[l] = append(all[l], w*loss)
				wrong[l] += float64(w * bad)
			}
		}
	}
	return nil
}

// joined returns the coefficients of models side by side.
func joined(models []*Model) (blas.General[float64], []float64) {
	t := len(models[0].intercept)
	coef := blas.NewGeneral[float64](models[0].coef.Rows, t*len(models))
	var intercept []float64
	for l, m := range models {
		for i := range coef.Rows {
			copy(coef.Row(i)[l*t:], m.coef.Row(i))
		}
		intercept = append(intercept, m.intercept...)
	}
	return coef, intercept
}

// ramp is the width of the margin within which a classification's loss is neither 0
// nor 1. Counting wrong labels alone says little of few rows; squared errors say
// something else.
const ramp = 0.5

// loss returns what candidates are compared by, and what a report tells: of a
// classification a smoothed and the plain count of wrong labels; of a regression the
// squared error over the variance, of predictions within the range of the targets.
func (s *search) loss(scores, y []float64) (loss, bad float64) {
	if s.Classes != nil {
		margin := 0.0
		if len(y) == 1 {
			margin = y[0] * scores[0]
		} else {
			own, _ := decodeTargets(y)
			other := math.Inf(-1)
			for k, v := range scores {
				if k != own {
					other = max(other, v)
				}
			}
			margin = (scores[own] - other) / 2
		}
		own, _ := decodeTargets(y)
		if classes.Decode(scores) != own {
			bad = 1
		}
		return min(1, max(0, 0.5-margin/(2*ramp))), bad
	}
	for t, v := range scores {
		d := y[t]
		if s.KeepUnclipped {
			d -= v
		} else {
			d -= min(max(v, s.low[t]), s.high[t])
		}
		loss += float64(d*d) / s.variance[t] / float64(len(y))
	}
	return loss, loss
}

// draw makes the features of a candidate from scaled rows.
func (s *search) draw(ctx context.Context, e blas.Engine, c candidate, features int, rows *memory, sc inputScaling) (*rff.Map, error) {
	k, err := rff.WithBandwidth(s.Kernels[c.kernel], s.bandwidth(c))
	if err != nil {
		return nil, fmt.Errorf("krr: kernel %v: %w", s.Kernels[c.kernel], err)
	}
	sampler := s.Sampler
	if c.landmarks {
		sampler = sampling.Nystrom{Pick: landmarkPick, Engine: e}
	} else if sampler == nil {
		sampler = sampling.Default(k.(rff.Stationary), s.in)
	}
	m, err := sampler.Sample(ctx, k, s.in, features, rows.scaled(sc.Scaling), s.source())
	if err != nil {
		return nil, err
	}
	return m.On(e), nil
}
