package main

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/cputime"
	"github.com/rffgo/rff/bench/rival"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/sets"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/loss"
	"github.com/rffgo/rff/krr"
)

//go:embed rival.py
var rivalSource string

const (
	rivalFeatures = 1024
	// near is how far above the least value a timed objective may be.
	near = 1e-6
	// exact and ourExact, which is of a root, are the tolerances of what is compared with
	// near, and whose coefficients are compared.
	exact, ourExact = 1e-10, 1e-6
	// hopeless times the best of the solvers before is what a solver is not waited for longer.
	hopeless = 2
)

// contest is a loss that scikit-learn minimises, too.
type contest struct {
	loss    string
	sets    []string
	solvers []string // the first has the coefficients
}

// contests are by the losses of krr. QuantileRegressor has a penalty ‖β‖₁, another problem than
// ours, so quantiles are compared with an interior-point method for quadratic programmes.
var contests = []contest{
	{"logistic", []string{"eeg", "adult"}, []string{"newton-cholesky", "lbfgs", "newton-cg"}},
	{"poisson", []string{"cpuact", "blogfeedback"}, []string{"newton-cholesky", "lbfgs"}},
	{"logistic", []string{"letter"}, []string{"lbfgs", "newton-cg"}},          // Cholesky of 26·1025 coefficients takes 5.7 GB
	{"squared-hinge", []string{"eeg", "adult", "letter"}, []string{"primal"}}, // the dual one takes longer
	{"huber", []string{"cpuact", "blogfeedback"}, []string{"lbfgs"}},
	{"quantile:0.9", []string{"cpuact", "blogfeedback"}, []string{"clarabel"}},
}

// mostRows has the number of rows that are drawn of sets on which scikit-learn would else take
// hours.
var mostRows = map[string]int{"letter": 5000, "blogfeedback": 10000}

// quantileRows is the number of rows that are drawn for quantiles. Of 2,000 Clarabel takes more than a
// minute.
const quantileRows = 600

const rivalLambda = 1e-5

// solved is a fit of all rows of a set beside that of a solver of scikit-learn.
type solved struct {
	Set    string  `json:"set"`
	Rows   int     `json:"rows"`
	Loss   string  `json:"loss"` // with its parameter
	Lambda float64 `json:"lambda"`
	Solver string  `json:"solver"`
	About  string  `json:"about"`

	Least       float64 `json:"least"` // objective
	Above       float64 `json:"above"` // ours, of the fit that was timed, less that
	TheirAbove  float64 `json:"theirAbove"`
	Coefficient float64 `json:"coefficient"` // largest difference, at tolerances of 10⁻¹⁰; −1: not compared
	Tolerance   float64 `json:"tolerance"`   // ours
	Theirs      float64 `json:"theirTolerance"`
	Passes      int     `json:"passes"`
	Ours        float64 `json:"ours"`  // processor seconds, the least of two
	Rival       float64 `json:"rival"` // of one worker, features included
}

// match is a contest on one set.
type match struct {
	ctx    context.Context
	folder string
	python *rival.Process
	m      *rff.Map
	table  *dataset.Table // scaled
	z      mat.Dense
	y      blas.General[float64]
}

// rivals measures what is missing in the record.
func rivals(ctx context.Context, python string, names []string, record *record) error {
	folder, err := os.MkdirTemp("", "rff-losses")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	p, err := rival.Start(python, rivalSource, 1)
	if err != nil {
		return err
	}
	for _, c := range contests {
		for _, set := range c.sets {
			if !slices.Contains(names, set) {
				continue
			}
			if slices.ContainsFunc(record.Solved, func(r solved) bool { return r.is(set, c.loss) }) {
				continue
			}
			most := mostRows[set]
			if strings.HasPrefix(c.loss, "quantile") {
				most = quantileRows
			}
			at, err := newMatch(ctx, folder, p, set, most)
			if err != nil {
				return err
			}
			all, err := at.measure(c, rivalLambda)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", c.loss, set, err)
			}
			record.Solved = append(record.Solved, all...)
			if err := record.write(); err != nil {
				return err
			}
		}
	}
	return nil
}

// newMatch writes what Python reads of that many rows, or of all for 0.
func newMatch(ctx context.Context, folder string, p *rival.Process, set string, most int) (*match, error) {
	t, err := sets.Named(ctx, set, "")
	if err != nil {
		return nil, err
	}
	if most > 0 {
		t = t.Select(rand.New(rand.NewPCG(1, 3)).Perm(t.Len())[:most])
	}
	t = t.Scaled(dataset.FitScaling(dataset.Robust, t.X))
	median, err := rff.MedianDistance(t.Matrix(), pairsDrawn, rand.NewPCG(1, 1))
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	w := mat.NewDense(rivalFeatures/2, t.X.Cols, nil)
	for i := range w.RawMatrix().Data {
		w.RawMatrix().Data[i] = 2 * rng.NormFloat64() / median
	}
	a := &match{ctx: ctx, folder: folder, python: p, table: t}
	if a.m, err = rff.FromFrequencies(w, nil, nil, rff.CosSin); err != nil {
		return nil, err
	}
	if err := a.m.Transform(&a.z, t.Matrix()); err != nil {
		return nil, err
	}
	if t.Coding.Task == dataset.Classification {
		class := make([]int, t.Len())
		for i, y := range t.Y {
			class[i] = int(y)
		}
		a.y = classes.Targets(class, len(t.Coding.Classes))
	} else {
		a.y = blas.General[float64]{Rows: t.Len(), Cols: 1, Stride: 1, Data: t.Y}
	}
	for name, data := range map[string][]float64{"x.f64": mat.DenseCopyOf(t.Matrix()).RawMatrix().Data, "w.f64": w.RawMatrix().Data, "y.f64": t.Y} {
		f, err := os.Create(filepath.Join(folder, name))
		if err == nil {
			err = binary.Write(f, binary.LittleEndian, data)
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			return nil, err
		}
	}
	return a, nil
}

// theirs fits by a solver. It returns what was minimised, too.
func (a *match) theirs(name string, lambda float64, solver string, tolerance float64) (took float64, coef *mat.Dense, b []float64, as contestant, err error) {
	if took, err = a.python.Seconds(a.folder, name, lambda, solver, tolerance); err != nil {
		return
	}
	of := func(file string, n int) []float64 {
		v := make([]float64, n)
		f, e := os.Open(filepath.Join(a.folder, file))
		if e == nil {
			e = binary.Read(f, binary.LittleEndian, v)
			f.Close()
		}
		if err == nil {
			err = e
		}
		return v
	}
	k, s := a.y.Cols, rivalFeatures
	rows, by := of("coef.f64", k*(s+1)), of("loss.f64", 2)
	coef, b = mat.NewDense(s, k, nil), make([]float64, k)
	for t := range k {
		coef.SetCol(t, rows[t*(s+1):][:s])
		b[t] = rows[t*(s+1)+s]
	}
	if as = (contestant{name, by[1]}); by[0] != 0 && !strings.Contains(name, ":") {
		as.loss = fmt.Sprintf("%s:%v", name, by[0])
	}
	return
}

// contestant is what is minimised.
type contestant struct {
	loss   string
	lambda float64
}

// objective returns (1/n)Σℓ(y, b + zβ) + λ‖β‖².
func (a *match) objective(as contestant, coef *mat.Dense, b []float64) (float64, error) {
	l, _, err := loss.Parse(as.loss, a.y.Cols)
	if err != nil {
		return 0, err
	}
	var f mat.Dense
	f.Mul(&a.z, coef)
	var sum float64
	value, slope := make([]float64, a.y.Cols), make([]float64, a.y.Cols)
	for i := range a.y.Rows {
		score := f.RawRowView(i)
		for k := range score {
			score[k] += b[k]
		}
		l.Row(score, a.y.Row(i), value, slope)
		for _, v := range value {
			sum += v
		}
	}
	norm := mat.Norm(coef, 2)
	return sum/float64(a.y.Rows) + as.lambda*norm*norm, nil
}

// ours fits with a tolerance.
func (a *match) ours(as contestant, tolerance float64) (took float64, passes int, coef *mat.Dense, b []float64, err error) {
	begin := cputime.Seconds()
	model, _, err := krr.Fit(a.ctx, a.m, a.table.Source(), krr.Settings{Loss: as.loss, Lambdas: []float64{as.lambda},
		Engine: rff.Engine{Workers: 1}, Passes: &krr.Passes{Tolerance: tolerance}})
	if err != nil {
		return
	}
	took, passes = cputime.Seconds()-begin, model.Info().Solved.Iterations
	coef, b = model.Coefficients()
	return
}

// measure fits every solver and ours at the loosest tolerances that come near the least
// value.
func (a *match) measure(c contest, lambda float64) (all []solved, err error) {
	best := math.Inf(1)
	for i, solver := range c.solvers {
		r := solved{Set: a.table.Name, Rows: a.table.Len(), Lambda: lambda, Solver: solver, About: a.python.About, Coefficient: -1}
		as := contestant{c.loss, lambda}
		var coef, own *mat.Dense
		var b []float64
		if c.loss == "huber" || i == 0 {
			if _, coef, b, as, err = a.theirs(c.loss, lambda, solver, exact); err != nil {
				return nil, err
			}
			theirs, err := a.objective(as, coef, b)
			if err != nil {
				return nil, err
			}
			if _, _, own, b, err = a.ours(as, ourExact); err != nil {
				return nil, err
			}
			if r.Least, err = a.objective(as, own, b); err != nil {
				return nil, err
			}
			fmt.Printf("%s, %s, λ %g, %s: ours %.12g, theirs %.12g\n", r.Set, as.loss, lambda, solver, r.Least, theirs)
			r.Least, r.Coefficient = min(r.Least, theirs), 0
			for j := range own.RawMatrix().Data {
				r.Coefficient = max(r.Coefficient, math.Abs(own.RawMatrix().Data[j]-coef.RawMatrix().Data[j]))
			}
		} else {
			r.Least = all[0].Least
		}
		r.Loss = as.loss
		for r.Theirs = 1e-4; r.Theirs > 1e-9; r.Theirs /= 10 { // which is its makers'
			var at contestant
			if r.Rival, coef, b, at, err = a.theirs(c.loss, lambda, solver, r.Theirs); err != nil {
				return nil, err
			}
			if c.loss == "huber" {
				at = as // its scale is that of the least value
			}
			value, err := a.objective(at, coef, b)
			if err != nil {
				return nil, err
			}
			if r.TheirAbove = value - r.Least; r.TheirAbove <= near || r.Rival > hopeless*best {
				break
			}
		}
		for r.Tolerance = 1e-3; r.Tolerance > ourExact; r.Tolerance /= 2 {
			if r.Ours, r.Passes, own, b, err = a.ours(as, r.Tolerance); err != nil {
				return nil, err
			}
			value, err := a.objective(as, own, b)
			if err != nil {
				return nil, err
			}
			if r.Above = value - r.Least; r.Above <= near {
				break
			}
		}
		again, _, _, _, err := a.ours(as, r.Tolerance)
		if err != nil {
			return nil, err
		}
		r.Ours = min(r.Ours, again)
		if best = min(best, r.Rival); r.Rival > hopeless*best {
			all = append(all, r)
			continue
		}
		if again, _, _, _, err = a.theirs(c.loss, lambda, solver, r.Theirs); err != nil {
			return nil, err
		}
		r.Rival = min(r.Rival, again)
		fmt.Printf("%+v\n", r)
		all = append(all, r)
	}
	return all, nil
}

// is reports whether r is of that set and loss.
func (r *solved) is(set, name string) bool {
	own, _, _ := strings.Cut(r.Loss, ":")
	name, _, _ = strings.Cut(name, ":")
	return r.Set == set && own == name
}

// apart returns the largest difference of coefficients, if they were compared.
func (r *solved) apart() string {
	if r.Coefficient < 0 {
		return ""
	}
	return fmt.Sprintf("%.0e", r.Coefficient)
}

var solvedHead = fmt.Sprintf(`
## Beside scikit-learn

Our solver and the linear models of scikit-learn on the same %d random features of all rows, or of some of letter and blogfeedback, with λ = %.0e, each at the loosest tolerance whose objective is at most %.0e above the least value known; ours starts at its default, theirs at their makers'. Times are processor seconds on one worker with the features included, the lesser of two on a machine with other work, which changes their ratio little; a solver that took more than %d times as long as a better one was not asked again. The coefficients are compared at the tolerances %.0e and %.0e. The least value is the lesser of both sides'. HuberRegressor chooses the scale of its errors itself, and λ with it: ours has both from it. Its LBFGS stops before the objective is that near the least one, so what the coefficients are compared with is its solution after Newton steps. QuantileRegressor has a penalty ‖β‖₁: quantiles of %d rows are those of the quadratic programme with ‖β‖², by Clarabel. `+"`RFF_DATA=DIR go -C bench run ./losses -python PYTHON`"+` measures.

| set | rows | loss | coefficients apart | our tolerance | above | passes | their solver | tolerance | above | ours, s | theirs, s | ratio |
|---|---:|---|---:|---:|---:|---:|---|---:|---:|---:|---:|---:|
`, rivalFeatures, rivalLambda, near, hopeless, ourExact, exact, quantileRows)
