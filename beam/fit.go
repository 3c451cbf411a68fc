package rffbeam

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/krr"
)

func init() {
	beam.RegisterType(reflect.TypeFor[Fitted]())
	beam.RegisterCoder(reflect.TypeFor[Fitted](), encodeFitted, decodeFitted)
	beam.RegisterType(reflect.TypeFor[solveFn]())
}

// Fitting says how to fit.
type Fitting struct {
	Lambda float64 // per sample; 0: by cross-validation over the grid of krr.Settings.Lambdas
	Folds  int     // 0: 5; 1: none, where Lambda is given
	// Fanout is the number of accumulators for each fold that the engine may sum apart
	// before they meet. 0: one for every 16 Shares, 8 at most; 8 where Shares are not
	// given. Folds × Fanout of them exist at a time.
	Fanout int
	Shares int // those of Planned
	// Seed of the folds, as krr.Settings.Seed.
	Seed uint64
}

// Fitted is a model with what a fit found.
type Fitted struct {
	Model   []byte // as krr.ReadModel takes it
	Rows    int64
	Lambda  float64
	Lambdas []float64 // that were tried
	Errors  []float64 // the mean squared error of held-out rows at each
}

func encodeFitted(f Fitted) ([]byte, error) { return encodeGob(f) }
func decodeFitted(b []byte) (Fitted, error) { return decodeGob[Fitted](b) }

// complete puts in what is not said.
func (f Fitting) complete() (Fitting, error) {
	if f.Folds == 0 {
		f.Folds = 5
		if f.Lambda > 0 {
			f.Folds = 1
		}
	}
	if f.Fanout == 0 {
		f.Fanout = 8
		if f.Shares > 0 { // each level of merging writes and reads all sums once more
			f.Fanout = min(8, (f.Shares+15)/16)
		}
	}
	switch {
	case f.Lambda < 0 || math.IsInf(f.Lambda, 0) || f.Lambda != f.Lambda:
		return f, fmt.Errorf("rffbeam: lambda %g: must be positive, or 0 for cross-validation", f.Lambda)
	case f.Folds < 1 || f.Folds > 100 || f.Folds == 1 && f.Lambda == 0:
		return f, fmt.Errorf("rffbeam: %d folds: cross-validation takes 2 to 100", f.Folds)
	case f.Fanout < 1 || f.Fanout > 1<<12:
		return f, fmt.Errorf("rffbeam: a fan-out of %d: must be 1 to 4096", f.Fanout)
	}
	return f, nil
}

// Fit fits a model to the files of a glob with the map, the scaling and the classes
// of a plan. It returns one Fitted, and a line for each row that was left out. Its folds
// are those of krr.Fit, and the predictions of a
// regression are confined to the range of the targets.
func Fit(s beam.Scope, glob string, plan []byte, r Reading, f Fitting) (fitted, aside beam.PCollection, err error) {
	if f, err = f.complete(); err != nil {
		return fitted, aside, err
	}
	empty, err := planOf(plan)
	if err != nil {
		return fitted, aside, err
	}
	if empty.Settings().Schema.Weighted && r.Weights == "" { // every row would count as 1
		return fitted, aside, &rff.ParameterError{Name: "weights", Need: "are missing: the plan was made with weights: name their column, or make a plan without"}
	}
	if plan, err = pack(plan); err != nil {
		return fitted, aside, err
	}
	s = s.Scope("rffbeam.Fit")
	_, features := empty.Map().Dims()
	least := rowsPerFeature * int64(features) * int64(f.Folds)
	files := beam.Reshuffle(s, beam.ParDo(s, &shareFn{Least: least}, match(s, glob)))
	read := &readFn{Reading: r, Plan: plan, Folds: f.Folds, Fanout: f.Fanout, Seed: f.Seed}
	rows, aside := beam.ParDo2(s, read, files)
	sums := beam.CombinePerKey(s, &mergeFn{}, beam.ParDo(s, &bundleFn{Sum: SumFn{Plan: plan}}, rows))
	folds := beam.CombinePerKey(s, &mergeFn{}, beam.ParDo(s, &foldFn{Fanout: f.Fanout}, sums))
	// A stage of its own, as in Plan.
	fitted = beam.Reshuffle(s, beam.ParDo(s, &solveFn{Lambda: f.Lambda, Folds: f.Folds}, beam.Impulse(s), beam.SideInput{Input: folds}))
	return fitted, aside, nil
}

// solveFn makes the model of the sums of all folds.
type solveFn struct {
	Lambda float64
	Folds  int
}

func (f *solveFn) ProcessElement(ctx context.Context, _ []byte, sums func(*int, *Sums) bool, emit func(Fitted)) error {
	folds := make([]*krr.Gram, f.Folds)
	var k int
	for s := (Sums{}); sums(&k, &s); s = (Sums{}) {
		if k < 0 || k >= f.Folds || folds[k] != nil {
			return fmt.Errorf("rffbeam: fold %d comes twice, or is none of %d", k, f.Folds)
		}
		folds[k] = s.gram
	}
	var total *krr.Gram
	for _, g := range folds { // in order, whatever order they came in
		if g == nil {
			continue
		}
		if total == nil {
			total = likeWith(g, func(s *krr.GramSettings) { s.ClipPredictions = true })
		}
		if err := total.Merge(g); err != nil {
			return err
		}
	}
	if total == nil || total.Rows() == 0 {
		return errors.New("rffbeam: the files have no rows")
	}
	out := Fitted{Rows: total.Rows(), Lambda: f.Lambda}
	if f.Lambda == 0 {
		if err := out.choose(ctx, total, folds); err != nil {
			return err
		}
	}
	m, err := total.Solve(ctx, out.Lambda)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		return err
	}
	out.Model = b.Bytes()
	emit(out)
	return nil
}

// choose takes the λ with the least squared error on held-out folds. One copy of
// the sums serves all folds: each is taken away, and added again.
func (f *Fitted) choose(ctx context.Context, total *krr.Gram, folds []*krr.Gram) error {
	f.Lambdas, f.Errors = nil, nil
	weight := 0.0
	for _, held := range folds {
		if held == nil || held.Rows() == 0 {
			continue
		}
		rest := like(total)
		for _, g := range folds {
			if g == nil || g == held {
				continue
			}
			if err := rest.Merge(g); err != nil {
				return err
			}
		}
		if rest.Rows() == 0 {
			return errors.New("rffbeam: all rows are in one fold: give more rows, or lambda")
		}
		models, err := rest.Path(ctx, nil)
		if err != nil {
			return err
		}
		if f.Lambdas == nil {
			for _, m := range models {
				f.Lambdas = append(f.Lambdas, m.Info().Lambda[0])
			}
			f.Errors = make([]float64, len(f.Lambdas))
		}
		for i, m := range models {
			f.Errors[i] += squaredError(m, held)
		}
		of, _ := hook.Sums(held)
		weight += of.W
	}
	if f.Lambdas == nil {
		return errors.New("rffbeam: there are no rows to choose λ with")
	}
	// As krr.Fit: of errors that are equal to within 10⁻¹² of that of predicting the
	// reference, the one of the largest λ.
	sums, _ := hook.Sums(total)
	scale := 0.0
	for _, yy := range sums.YY {
		scale += yy / sums.W
	}
	best := len(f.Errors) - 1
	for i := len(f.Errors) - 1; i >= 0; i-- {
		if f.Errors[i] /= weight; f.Errors[i] < f.Errors[best]-1e-12*scale {
			best = i
		}
	}
	f.Lambda = f.Lambdas[best]
	return nil
}

// squaredError returns Σw‖y − βᵀz − b‖² over the rows of g, from its sums: with r the
// reference of the targets and c = b − r,
//
//	YY − 2βᵀZY + βᵀGβ − 2cY + 2cβᵀZ + Wc²
func squaredError(m *krr.Model, g *krr.Gram) float64 {
	coef, intercept := m.Coefficients()
	raw := coef.RawMatrix()
	beta := blas.General[float64]{Rows: raw.Rows, Cols: raw.Cols, Stride: raw.Stride, Data: raw.Data}
	u, r := hook.Sums(g)
	// G is its upper triangle U with zeros below: βᵀGβ = 2βᵀUᵀβ − Σ gᵢᵢβᵢ².
	ub := blas.NewGeneral[float64](beta.Rows, beta.Cols)
	blas.Gemm(blas.Engine{Workers: 1}, true, false, 1, u.G, beta, 0, ub)
	sum := 0.0
	for t := range beta.Cols {
		c := intercept[t] - r[t]
		e := u.YY[t] - 2*c*u.Y[t] + u.W*c*c
		for i := range beta.Rows {
			b := beta.Row(i)[t]
			e += b * (2*ub.Row(i)[t] - u.G.Row(i)[i]*b - 2*u.ZY.Row(i)[t] + 2*c*u.Z[i])
		}
		sum += max(e, 0)
	}
	return sum
}
