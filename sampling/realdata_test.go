package sampling_test

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/stat"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/require"
	"github.com/rffgo/rff/internal/scaling"
	"github.com/rffgo/rff/sampling"
)

// The experiments of the papers on their data, cut down to a test's time. Their
// ridge regression centres the targets and not the features.

func realData(t *testing.T, name string) *dataset.Table {
	t.Helper()
	if testing.Short() {
		t.Skip("experiments on real data take minutes")
	}
	return tableOf(t, name)
}

// tableOf reads letter, which is built in, or a data set of the folder that RFF_DATA names.
func tableOf(t *testing.T, name string) *dataset.Table {
	t.Helper()
	if name == "letter" {
		return dataset.Letter()
	}
	options, files := dataset.Options{Task: dataset.Classification}, []string{name + ".csv.gz"}
	switch name {
	case "adult":
		options.Width, files = 123, []string{"a9a.gz", "a9a.t.gz"}
	case "cod-rna":
		files = []string{"cod-rna.train.csv.gz", "cod-rna.test.csv.gz"}
	case "covtype":
		files[0] = "covtype-sample.csv.gz"
	case "cpuact":
		options.Task = dataset.Regression
	}
	folder := require.Data(t)
	for i, f := range files {
		files[i] = filepath.Join(folder, name, f)
	}
	f, err := dataset.Open(t.Context(), options, files...)
	if err != nil {
		t.Fatal(err)
	}
	table, err := f.Table(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// scaleBoth scales both parts as fitted on the first.
func scaleBoth(by dataset.Scale, train, held rows) {
	s := dataset.FitScaling(by, train.x)
	scaling.BentRows(nil, nil, s.Shift, s.Scale, train.x, train.x)
	scaling.BentRows(nil, nil, s.Shift, s.Scale, held.x, held.x)
}

// rows is part of a data set with one target.
type rows struct {
	x blas.General[float64]
	y []float64
}

// split cuts the rows of a table, with classes as ±1, in random order: n for
// training and as many as are left, or n too if fewer are wanted, for testing.
func split(t *dataset.Table, n, test int, src rand.Source) (train, held rows) {
	perm := rand.New(src).Perm(t.Len())
	part := func(index []int) rows {
		r := rows{x: blas.NewGeneral[float64](len(index), t.X.Cols)}
		for i, j := range index {
			copy(r.x.Row(i), t.X.Row(j))
			r.y = append(r.y, targetOf(t, j))
		}
		return r
	}
	return part(perm[:n]), part(perm[n:min(n+test, len(perm))])
}

func targetOf(t *dataset.Table, i int) float64 {
	if len(t.Coding.Classes) == 2 {
		return 2*t.Y[i] - 1
	}
	return t.Y[i]
}

func (r rows) source(t *testing.T) rff.Source {
	s, err := rff.FromMatrix(mat.NewDense(r.x.Rows, r.x.Cols, r.x.Data), mat.NewVecDense(len(r.y), r.y))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// gram returns the sums of rows [from, to).
func (r rows) gram(m *rff.Map, from, to int) *blas.Sums {
	acc := blas.NewAccumulator(inside.Features64(m), 1, true)
	acc.Add(blas.Engine{}, r.x.RowRange(from, to), blas.General[float64]{Rows: to - from, Cols: 1, Stride: 1, Data: r.y[from:to]}, nil)
	acc.Flush(blas.Engine{})
	return &acc.Sums
}

// model is f(x) = z(x)ᵀβ + ȳ.
type model struct {
	m    *rff.Map
	beta blas.General[float64]
	mean float64
}

// solve returns β = (ZᵀZ + ridge·I)⁻¹Zᵀ(y−ȳ) of the rows in total but not in
// minus, which may be nil. ridge is absolute.
func solve(t *testing.T, m *rff.Map, total, minus *blas.Sums, ridge float64) model {
	t.Helper()
	s := total.G.Rows
	a, b := blas.NewGeneral[float64](s, s), blas.NewGeneral[float64](s, 1)
	n, y := total.W, total.Y[0]
	if minus != nil {
		n, y = n-minus.W, y-minus.Y[0]
	}
	for i := range s {
		copy(a.Row(i), total.G.Row(i))
		zy, z := total.ZY.Row(i)[0], total.Z[i]
		if minus != nil {
			for j, v := range minus.G.Row(i)[i:] {
				a.Row(i)[i+j] -= v
			}
			zy, z = zy-minus.ZY.Row(i)[0], z-minus.Z[i]
		}
		a.Row(i)[i] += ridge
		b.Row(i)[0] = zy - z*y/n
	}
	if err := blas.Cholesky(blas.Engine{}, a); err != nil {
		t.Fatal(err)
	}
	blas.CholeskySolve(blas.Engine{}, a, b)
	return model{m, b, y / n}
}

// predictions returns those of every fit of one map.
func predictions(x blas.General[float64], fits ...model) [][]float64 {
	f := fits[0]
	beta, means, p := blas.NewGeneral[float64](f.beta.Rows, len(fits)), make([]float64, len(fits)), blas.NewGeneral[float64](x.Rows, len(fits))
	for i, f := range fits {
		means[i] = f.mean
		for j, v := range f.beta.Data {
			beta.Row(j)[i] = v
		}
	}
	inside.Features64(f.m).Predict(blas.Engine{}, p, x, beta, means)
	out := make([][]float64, len(fits))
	for i := range p.Rows {
		for j, v := range p.Row(i) {
			out[j] = append(out[j], v)
		}
	}
	return out
}

// wrong is the share of signs that are not those of y; 0 counts as positive.
func wrong(p, y []float64) float64 {
	e := 0.0
	for i, v := range p {
		if (v >= 0) != (y[i] > 0) {
			e += 1 / float64(len(y))
		}
	}
	return e
}

// sumsOf returns the sums of contiguous folds, and those of all rows.
func sumsOf(m *rff.Map, train rows, folds int) (parts []*blas.Sums, total *blas.Sums) {
	n := len(train.y)
	_, s := inside.Features64(m).Dims()
	total = blas.NewSums(s, 1, true)
	for f := range folds {
		part := train.gram(m, n*f/folds, n*(f+1)/folds)
		parts = append(parts, part)
		total.Merge(part, 1)
	}
	return parts, total
}

// chosenLoss fits with the best of the absolute ridges by cross-validation over the contiguous folds
// that parts are the sums of, and returns the loss on held.
func chosenLoss(t *testing.T, m *rff.Map, parts []*blas.Sums, total *blas.Sums, train, held rows, ridges []float64, loss func(p, y []float64) float64) float64 {
	t.Helper()
	n, folds := len(train.y), len(parts)
	best, chosen := math.Inf(1), 0.0
	losses := make([]float64, len(ridges))
	for f, part := range parts {
		from, to := n*f/folds, n*(f+1)/folds
		fits := make([]model, len(ridges))
		for i, r := range ridges {
			fits[i] = solve(t, m, total, part, r)
		}
		for i, p := range predictions(train.x.RowRange(from, to), fits...) { // each row's features once
			losses[i] += loss(p, train.y[from:to])
		}
	}
	for i, l := range losses {
		if l <= best { // ties: the larger
			best, chosen = l, ridges[i]
		}
	}
	return loss(predictions(held.x, solve(t, m, total, nil, chosen))[0], held.y)
}

func sampleMap(t *testing.T, s rff.Sampler, k rff.Kernel, features int, data rows, seed uint64) *rff.Map {
	t.Helper()
	m, err := s.Sample(context.Background(), rff.Request{Kernel: k, Dim: data.x.Cols, Features: features, Data: data.source(t), Rand: rand.NewPCG(seed, 99)})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Shahrampour et al., Figure 1, Adult at M = 100 phase features, M₀ = 2000, 5 %
// of the rows, columns standardised and the 50th-neighbour bandwidth 8.17: the
// paper prints 17.37 % (random features), 16.16 % (EERF) and 16.34 % (LKRF). The
// errors of six seeds have a standard deviation of about 0.3, their mean one of 0.1.
func TestPaperEERFAdult(t *testing.T) {
	table := realData(t, "adult")
	const first = 32561 // rows of a9a, the training part
	var train, held rows
	train.x, held.x = table.X.RowRange(0, first), table.X.RowRange(first, table.Len())
	for i := range table.Len() {
		if i < first {
			train.y = append(train.y, targetOf(table, i))
		} else {
			held.y = append(held.y, targetOf(table, i))
		}
	}
	scaleBoth(dataset.Standard, train, held)
	k := rff.NewGaussian(8.17)
	phase := sampling.MonteCarlo{Form: rff.CosBias}
	pool := sampling.Pool{Base: phase, Size: 2000}
	const seeds = 6
	mean := map[string]float64{}
	for _, c := range []struct {
		name string
		s    rff.Sampler
		want float64 // reproduced; percent
	}{
		{"random", phase, 17.6},
		{"eerf", sampling.EERF{Pool: pool, Fraction: 0.05}, 16.3},
		{"eerf raw", sampling.EERF{Pool: pool, Fraction: 0.05, Raw: true}, 18.0},
		{"lkrf", sampling.LKRF{Pool: pool, Fraction: 0.05}, 16.5},
	} {
		for seed := range uint64(seeds) {
			m := sampleMap(t, c.s, k, 100, train, seed)
			ridge := 1e-4 * float64(len(train.y))
			mean[c.name] += 100 * wrong(predictions(held.x, solve(t, m, train.gram(m, 0, len(train.y)), nil, ridge))[0], held.y) / seeds
		}
		t.Logf("%s: %.2f %%", c.name, mean[c.name])
		if math.Abs(mean[c.name]-c.want) > 0.4 {
			t.Errorf("%s: error %.2f %%, reproduced before at %.1f ± 0.4", c.name, mean[c.name], c.want)
		}
	}
	if !(mean["eerf"] < mean["random"]-0.5 && mean["eerf raw"] > mean["random"]-0.2) {
		t.Error("centred labels should gain more than half a point and raw ones nothing")
	}
}

// standardizeRows gives every row mean 0 and standard deviation 1 over its
// columns, as the code of Liu et al. did (MATLAB's mapstd on rows).
func standardizeRows(x blas.General[float64]) {
	for i := range x.Rows {
		row := x.Row(i)
		var mean, ss float64
		for _, v := range row {
			mean += v / float64(len(row))
		}
		for _, v := range row {
			ss += (v - mean) * (v - mean)
		}
		sd := math.Sqrt(ss / float64(len(row)-1))
		for j := range row {
			row[j] = (row[j] - mean) / sd
		}
	}
}

// table3 is the protocol of Liu et al., Table 3: half of the rows, at most limit,
// for training, as many for testing, frequencies N(0, I), s = 2F columns, absolute
// ridges by threefold cross-validation. It returns accuracies in percent, mean
// over seeds, of the paper's four methods (plain, Halton, leverage, surrogate) and
// of plain features with the ridge divided by s, and the largest standard error.
func table3(t *testing.T, table *dataset.Table, multiple, seeds, limit int) (mean [5]float64, se float64) {
	t.Helper()
	features := 2 * multiple * table.X.Cols
	ridges := []float64{0.05, 0.1, 0.5, 1}
	divided := make([]float64, len(ridges))
	for i, r := range ridges {
		divided[i] = r / float64(features)
	}
	var accuracy [5][]float64
	for seed := range uint64(seeds) {
		n := min(table.Len()/2, limit)
		train, held := split(table, n, limit, rand.NewPCG(seed, 5))
		for i, s := range []rff.Sampler{sampling.MonteCarlo{}, sampling.Halton{Published: true}, sampling.Leverage{Published: true}, sampling.Surrogate{Published: true}} {
			m := sampleMap(t, s, rff.NewGaussian(1), features, train, seed)
			parts, total := sumsOf(m, train, 3)
			right := func(grid []float64) float64 {
				return 100 * (1 - chosenLoss(t, m, parts, total, train, held, grid, wrong))
			}
			accuracy[i] = append(accuracy[i], right(ridges))
			if i == 0 { // the same map and sums
				accuracy[4] = append(accuracy[4], right(divided))
			}
		}
	}
	for i, a := range accuracy {
		m, sd := stat.MeanStdDev(a, nil)
		if seeds == 1 {
			sd = 0
		}
		mean[i], se = m, max(se, sd/math.Sqrt(float64(seeds)))
	}
	return mean, se
}

// Liu et al., Table 3. What is printed there is held to the bands within which it
// reproduces: ±0.3 on magic04, ±0.5 on eeg, where the surrogate is 0.6 to 1.0 low
// (1.1 ± 0.13 here, so to 1.3). At 128d, too long for a test, one seed on eeg gave
// 80.20, 79.64, 90.03 and 90.55 against 79.79, 79.51, 90.01 and 91.02.
// On cod-rna the paper's test rows are not at hand and 20,000 rows each of the two files
// stand for them: the targets there are results of this test itself, but for 94.0, the
// paper's best figure. In all of them plain features with the ridge
// divided by s gain as much as the published methods, which is what the table
// rests on.
func TestPaperPublishedTable3(t *testing.T) {
	for _, c := range []struct {
		set                    string
		multiple, seeds, limit int
		want                   [4]float64 // plain, Halton, leverage, surrogate
		low, high              [4]float64 // got − want
	}{
		// Plain and Halton at 32d are not known from print: earlier results.
		{"eeg", 32, 4, 1e6, [4]float64{78.6, 78.6, 88.05, 89.38}, [4]float64{-.5, -.5, -.5, -1.3}, [4]float64{.5, .5, .5, .5}},
		{"magic04", 64, 2, 1e6, [4]float64{80.91, 80.85, 82.39, 82.37}, [4]float64{-.3, -.3, -.3, -.3}, [4]float64{.3, .3, .3, .3}},
		{"cod-rna", 16, 2, 20000, [4]float64{89.0, 89.0, 94.0, 94.0}, [4]float64{-.3, -.3, -.3, -.3}, [4]float64{.3, .3, .3, .3}},
	} {
		t.Run(c.set, func(t *testing.T) {
			table := realData(t, c.set)
			standardizeRows(table.X)
			got, se := table3(t, table, c.multiple, c.seeds, c.limit)
			t.Logf("%dd: plain %.2f, Halton %.2f, leverage %.2f, surrogate %.2f, plain with λ/s %.2f; standard error to %.2f",
				c.multiple, got[0], got[1], got[2], got[3], got[4], se)
			for i, want := range c.want {
				if d := got[i] - want; d < c.low[i] || d > c.high[i] {
					t.Errorf("method %d: %.2f %%, want %.2f%+.1f to %+.1f", i, got[i], want, c.low[i], c.high[i])
				}
			}
			for _, i := range []int{2, 3} {
				if d := got[i] - got[4]; math.Abs(d) > .6 {
					t.Errorf("method %d is %.2f points from plain features with λ/s", i, d)
				}
			}
		})
	}
}

// Chen et al., Figure 2, cpuact at l = 100: projecting 4l columns onto l gives the
// kernel error of 4l plain columns, which by the Monte Carlo rate is half that of
// l; the paper prints .142 and .062.
func TestPaperTEFMCPU(t *testing.T) {
	table := realData(t, "cpuact")
	train, held := split(table, 6500, table.Len(), rand.NewPCG(1, 5))
	scaleBoth(dataset.Standard, train, held)
	const l, seeds = 100, 5
	k := rff.NewGaussian(4) // where plain features have the paper's error
	x := train.x.RowRange(0, 400)
	exact := blas.NewGeneral[float64](x.Rows, x.Rows)
	for i := range x.Rows {
		for j := range x.Rows {
			exact.Row(i)[j] = k.Eval(x.Row(i), x.Row(j))
		}
	}
	mean := map[string]float64{}
	for seed := range uint64(seeds) {
		for name, s := range map[string]rff.Sampler{"plain": sampling.MonteCarlo{}, "tefm-g": sampling.TEFM{}, "tefm-s": sampling.TEFM{Hadamard: true}} {
			mean[name] += kernelError(t, sampleMap(t, s, k, l, train, seed), exact, x) / seeds
		}
		mean["plain 4l"] += kernelError(t, sampleMap(t, sampling.MonteCarlo{}, k, 4*l, train, seed), exact, x) / seeds
	}
	t.Log(mean)
	if math.Abs(mean["plain"]-0.142) > 0.02 {
		t.Errorf("plain features: kernel error %.4f, the paper has .142", mean["plain"])
	}
	for _, name := range []string{"tefm-g", "tefm-s"} {
		if r := mean[name] / mean["plain"]; r < 0.37 || r > 0.63 {
			t.Errorf("%s: error %.2f of that of plain features, reproduced before in [.37, .63]", name, r)
		}
		if r := mean[name] / mean["plain 4l"]; r < 0.85 || r > 1.15 {
			t.Errorf("%s: error %.2f of that of 4l plain features", name, r)
		}
	}
}

// kernelError is ‖K̃−K‖_F/‖K‖_F on the rows of x.
func kernelError(t *testing.T, m *rff.Map, exact, x blas.General[float64]) float64 {
	t.Helper()
	_, s := m.Dims()
	z, approx := blas.NewGeneral[float64](x.Rows, s), blas.NewGeneral[float64](x.Rows, x.Rows)
	inside.Features64(m).Transform(blas.Engine{}, z, x)
	blas.Gemm(blas.Engine{}, false, true, 1, z, z, 0, approx)
	var e, norm float64
	for i, v := range exact.Data {
		e += (approx.Data[i] - v) * (approx.Data[i] - v)
		norm += v * v
	}
	return math.Sqrt(e / norm)
}
