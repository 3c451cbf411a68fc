package liu

import (
	"context"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// The methods of the paper, and the plain features that explain them.
const (
	plain     = "rff"
	qmc       = "qmc"
	leverage  = "leverage"
	surrogate = "surrogate"
	divided   = "rff-λ/2s" // plain features, every λ divided by their 2s columns
)

// ridges are the paper's λ.
var ridges = []float64{0.05, 0.1, 0.5, 1}

// folds of the published figures; the paper prints five.
const folds = 3

// published measures cells as the published figures came about.
type published struct {
	folder string

	name  string // of the set that is loaded
	table *dataset.Table

	key         reproduce.Key // of the group below; Sampler is empty
	train, test rows
	sums        []*blas.Sums // of plain features of the folds of the training rows
}

// method returns the sampler of a method and that whose columns it weighs.
func method(name string) (own, base rff.Sampler) {
	switch name {
	case qmc:
		return sampling.Halton{Published: true}, sampling.Halton{Published: true}
	case leverage:
		return sampling.Leverage{Published: true}, sampling.MonteCarlo{}
	case surrogate:
		return sampling.Surrogate{Published: true}, sampling.MonteCarlo{}
	}
	return sampling.MonteCarlo{}, sampling.MonteCarlo{}
}

// group loads the rows of a cell. Cells of one repetition with equally many
// frequencies share them, and the sums of columns that differ by weights only.
func (p *published) group(ctx context.Context, k reproduce.Key) error {
	if p.name != k.Data {
		t, err := load(ctx, k.Data, p.folder)
		if err != nil {
			return err
		}
		p.name, p.table, p.key = k.Data, t, reproduce.Key{}
	}
	if k.Sampler = ""; p.key == k {
		return nil
	}
	train, test := divide(p.table, k)
	p.train, p.test, p.key, p.sums = take(p.table, train), take(p.table, test), k, nil
	return nil
}

// Measure implements reproduce.Bench.
func (p *published) Measure(ctx context.Context, c *reproduce.Cell) error {
	if err := p.group(ctx, c.Key); err != nil {
		return err
	}
	dim := p.table.X.Cols
	columns := 2 * c.Size * dim
	if c.Sampler == qmc { // it comes last, and alone has its features: at 128d either sums are gigabytes
		p.sums = nil
	}
	if p.sums == nil {
		debug.FreeOSMemory() // what other cells have left is there to be had
		if err := fits.CheckMemory(rff.Schema{Inputs: make([]rff.Column, dim), Target: rff.Target{Columns: 1}, Rows: int64(p.train.x.Rows)}, columns, nil, krr.Settings{Folds: folds}); err != nil {
			return err
		}
	}
	own, base := method(c.Sampler)
	start := time.Now()
	m, err := p.sample(ctx, own, c.Key, columns)
	if err != nil {
		return err
	}
	if err := generate(ctx, m, p.train.x); err != nil {
		return err
	}
	c.Seconds["generate"] = time.Since(start).Seconds()

	unit, err := p.sample(ctx, base, c.Key, columns)
	if err != nil {
		return err
	}
	sums := p.sums
	if sums == nil {
		if sums, err = sumFolds(ctx, unit, p.train); err != nil {
			return err
		}
		if c.Sampler != qmc {
			p.sums = sums
		}
	}
	l := learner{features: inside.Features64(unit), weight: ratio(m, unit)}
	grid := append([]float64(nil), ridges...)
	if c.Sampler == divided {
		for i := range grid {
			grid[i] /= float64(columns)
		}
	}
	lambda, err := l.choose(ctx, p.train, sums, grid)
	if err != nil {
		return err
	}
	if err := l.fit(sums, []float64{lambda}); err != nil {
		return err
	}
	c.Values["accuracy"] = 100 * float64(l.right(p.test)[0]) / float64(p.test.x.Rows)
	c.Values["lambda"] = lambda
	c.Values["frequencies"] = float64(c.Size * dim)
	return nil
}

// sample draws a map. The paper's methods weigh the frequencies of plain features:
// they are drawn alike.
func (p *published) sample(ctx context.Context, s rff.Sampler, k reproduce.Key, columns int) (*rff.Map, error) {
	data, err := p.train.source()
	if err != nil {
		return nil, err
	}
	src := rand.NewPCG(reproduce.Stream(k.Seed, "frequencies", k.Data, k.Size, k.Rep), 0)
	return s.Sample(ctx, rff.Request{Kernel: rff.NewGaussian(1), Dim: p.train.x.Cols, Features: columns, Data: data, Rand: src})
}

// ratio returns how many times as large the columns of m are as those of unit, whose
// frequencies it has.
func ratio(m, unit *rff.Map) []float64 {
	w, u := inside.Spec(m).Weight, inside.Spec(unit).Weight
	for i := range w {
		w[i] /= u[i]
	}
	return w
}

// piece is the number of rows between two looks at the context.
const piece = 8 * blas.RowBlock

// generate evaluates the features of all rows, and drops them.
func generate(ctx context.Context, m *rff.Map, x blas.General[float64]) error {
	_, out := m.Dims()
	z := blas.NewGeneral[float64](blas.RowBlock, out)
	for at := 0; at < x.Rows; at += z.Rows {
		n := min(z.Rows, x.Rows-at)
		inside.Features64(m).Transform(blas.Engine{}, z.RowRange(0, n), x.RowRange(at, at+n))
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// foldRows returns the rows of a fold of n: consecutive ones, as they are in random order.
func foldRows(n, f int) (from, to int) { return n * f / folds, n * (f + 1) / folds }

// sumFolds returns the sums of each fold.
func sumFolds(ctx context.Context, m *rff.Map, train rows) ([]*blas.Sums, error) {
	var all []*blas.Sums
	for f := range folds {
		acc := blas.NewAccumulator(inside.Features64(m), 1, true)
		from, to := foldRows(train.x.Rows, f)
		for at := from; at < to; at += piece {
			part := train.from(at, min(at+piece, to))
			acc.Add(blas.Engine{}, part.x, part.y, nil)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		acc.Flush(blas.Engine{})
		all = append(all, &acc.Sums)
	}
	return all, nil
}

// learner is the paper's ridge regression: on columns that are not centred, with an
// absolute λ, and with the mean of the labels for an intercept.
type learner struct {
	features *blas.Features[float64]
	weight   []float64             // of every column
	coef     blas.General[float64] // columns × λ, of the features without weights
	mean     float64
}

// fit solves (ZᵀZ + λI)β = Zᵀ(y−ȳ) for every λ over the rows of the sums together.
func (l *learner) fit(sums []*blas.Sums, lambdas []float64) error {
	s := len(l.weight)
	g, right := blas.NewGeneral[float64](s, s), make([]float64, s)
	var n, y float64
	for _, part := range sums {
		n, y = n+part.W, y+part.Y[0]
	}
	l.mean, l.coef = y/n, blas.NewGeneral[float64](s, len(lambdas))
	a, b := blas.NewGeneral[float64](s, s), blas.NewGeneral[float64](s, 1)
	for i, w := range l.weight {
		row := g.Row(i)
		for _, part := range sums {
			for j, v := range part.G.Row(i)[i:] {
				row[i+j] += v
			}
			right[i] += part.ZY.Row(i)[0] - float64(part.Z[i]*l.mean)
		}
		right[i] *= w
		for j := i; j < s; j++ {
			row[j] *= float64(w * l.weight[j])
		}
	}
	for t, lambda := range lambdas {
		for i := range s {
			copy(a.Row(i)[i:], g.Row(i)[i:])
			a.Row(i)[i] += lambda
			b.Data[i] = right[i]
		}
		if err := blas.Cholesky(blas.Engine{}, a); err != nil {
			return err
		}
		blas.CholeskySolve(blas.Engine{}, a, b)
		for i, w := range l.weight {
			l.coef.Row(i)[t] = float64(w * b.Data[i])
		}
	}
	return nil
}

// right returns for every λ the number of rows with the right sign; 0 counts as
// positive.
func (l *learner) right(r rows) []int {
	count, intercept := make([]int, l.coef.Cols), make([]float64, l.coef.Cols)
	for t := range intercept {
		intercept[t] = l.mean
	}
	out := blas.NewGeneral[float64](r.x.Rows, l.coef.Cols)
	l.features.Predict(blas.Engine{}, out, r.x, l.coef, intercept)
	for i, y := range r.y.Data {
		for t, f := range out.Row(i) {
			if (f >= 0) == (y > 0) {
				count[t]++
			}
		}
	}
	return count
}

// choose returns the λ with the most right signs over the folds; of equal ones the
// largest.
func (l *learner) choose(ctx context.Context, train rows, sums []*blas.Sums, grid []float64) (float64, error) {
	total := make([]int, len(grid))
	for f := range sums {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		var others []*blas.Sums
		others = append(append(others, sums[:f]...), sums[f+1:]...)
		if err := l.fit(others, grid); err != nil {
			return 0, err
		}
		from, to := foldRows(train.x.Rows, f)
		for t, n := range l.right(train.from(from, to)) {
			total[t] += n
		}
	}
	best := 0
	for t, n := range total {
		if n >= total[best] { // the grid ascends
			best = t
		}
	}
	return grid[best], nil
}
