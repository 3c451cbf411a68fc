package krr_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

const int12, int8 krr.Precision = "int12", "int8"

var exact = []krr.Precision{int12, int8}

// picked returns some rows of r, in that order.
func picked(r *rows, order []int) *rows {
	p := &rows{x: blas.NewGeneral[float64](len(order), r.x.Cols), y: blas.NewGeneral[float64](len(order), r.y.Cols), batch: r.batch}
	for k, i := range order {
		copy(p.x.Row(k), r.x.Row(i))
		copy(p.y.Row(k), r.y.Row(i))
	}
	return p
}

// withMeans returns rows whose targets have other sizes and means.
func withMeans(n int) *rows {
	r := synthetic(11, n, 3, 2, 0.1)
	for i := range n {
		r.y.Row(i)[0] += 100
		r.y.Row(i)[1] *= 1e-3
	}
	return r
}

// coefficients returns those of a model.
func coefficients(m *krr.Model) []float64 {
	c, _ := m.Coefficients()
	return c.RawMatrix().Data
}

// sameSums compares the sums and the solution of two Grams.
func sameSums(t *testing.T, what string, g, want *krr.Gram) {
	t.Helper()
	a, _ := hook.Sums(g)
	b, _ := hook.Sums(want)
	if a.Rows != b.Rows || a.W != b.W || !slices.Equal(a.G.Data, b.G.Data) || !slices.Equal(a.ZY.Data, b.ZY.Data) ||
		!slices.Equal(a.Z, b.Z) || !slices.Equal(a.Y, b.Y) || !slices.Equal(a.YY, b.YY) {
		t.Errorf("%s: other sums", what)
	}
	m, err := g.Solve(t.Context(), 1e-4)
	n, err2 := want.Solve(t.Context(), 1e-4)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	if !slices.Equal(coefficients(m), coefficients(n)) {
		t.Errorf("%s: another solution", what)
	}
}

// Sums of integers of parts, in any order of rows, split anywhere, saved and read, on any number
// of workers and merged as any tree, have the bits of one pass, and rows that are subtracted
// leave the bits of never having been added.
func TestExactGrams(t *testing.T) {
	const n = 1500
	data := withMeans(n)
	structured, err := sampling.SORF{}.Sample(t.Context(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 3, Features: 80, Rand: rand.NewPCG(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(2, 3))
	for i, precision := range slices.Repeat(exact, 2) {
		m := gaussianMap(t, 1, 3, 80, 1)
		if i > 1 {
			m = structured
		}
		sum := func(rows []int, workers int) *krr.Gram {
			e := rff.Engine{Workers: workers}
			if workers == 3 { // integers of other engines are those of the native one
				e.Backend = "gonum"
			}
			on, err := m.On(e)
			if err != nil {
				t.Fatal(err)
			}
			g := krr.NewGram(on, 2, krr.GramSettings{Precision: precision})
			for len(rows) > 0 {
				k := 1 + r.IntN(len(rows))
				if err := g.AddSource(t.Context(), picked(data, rows[:k])); err != nil {
					t.Fatal(err)
				}
				rows = rows[k:]
			}
			return g
		}
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		want := sum(all, 1)
		for trial := range 4 {
			order := r.Perm(n)
			a, b := 1+r.IntN(n/2), n/2+r.IntN(n/2)
			parts := []*krr.Gram{sum(order[:a], 1), sum(order[a:b], 2), sum(order[b:], 3)}
			for i, g := range parts {
				var file bytes.Buffer
				if _, err := g.WriteTo(&file); err != nil {
					t.Fatal(err)
				}
				read, err := krr.ReadGram(&file)
				if err != nil {
					t.Fatal(err)
				}
				parts[i] = read
			}
			tree := r.Perm(3)
			total, second := parts[tree[0]], parts[tree[1]]
			if trial%2 == 0 { // (a + b) + c, or a + (b + c)
				err := total.Merge(second)
				if err := errors.Join(err, total.Merge(parts[tree[2]])); err != nil {
					t.Fatal(err)
				}
			} else if err := errors.Join(second.Merge(parts[tree[2]]), total.Merge(second)); err != nil {
				t.Fatal(err)
			}
			sameSums(t, string(precision), total, want)

			gone := sum(order[:a], 1)
			forgetParts(total)
			if err := total.Subtract(gone); err != nil {
				t.Fatal(err)
			}
			sameSums(t, string(precision)+" after rows were taken out", total, sum(order[a:], 2))
		}
	}
}

// forgetParts lets a test subtract rows that were summed apart.
func forgetParts(g *krr.Gram) { hook.ForgetParts(g) }

// A fit has the bits of its Gram, whatever the order of rows, with one λ and with folds.
func TestExactFits(t *testing.T) {
	const n = 900
	data := withMeans(n)
	m := gaussianMap(t, 1, 3, 60, 1)
	r := rand.New(rand.NewPCG(4, 4))
	for _, precision := range exact {
		g := gram(t, m, data, precision)
		for _, lambdas := range [][]float64{{1e-4}, {1e-6, 1e-4, 1e-2}} {
			var want []float64
			for range 2 {
				model, report, err := krr.Fit(t.Context(), m, picked(data, r.Perm(n)), krr.Settings{Precision: precision, Lambdas: lambdas})
				if err != nil || krr.InfoOf(report).Precision != precision {
					t.Fatal(err, report)
				}
				got := coefficients(model)
				if want == nil {
					want = got
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s: other bits in another order of rows", precision)
				}
				solved, err := g.Solve(t.Context(), model.Info().Lambda...)
				if err != nil || !slices.Equal(coefficients(solved), got) {
					t.Errorf("%s: the fit differs from its Gram: %v", precision, err)
				}
			}
		}
	}
}

// Parts that saw other classes take those of all, exactly.
func TestExactClasses(t *testing.T) {
	m := gaussianMap(t, 1, 2, 40, 1)
	for _, precision := range exact {
		data := classes(1, 300, 2, "a", "b", "c")
		whole := krr.NewGram(m, 3, krr.GramSettings{Precision: precision, Schema: data.Schema()})
		if err := whole.AddSource(t.Context(), data); err != nil {
			t.Fatal(err)
		}
		part := krr.NewGram(m, 3, krr.GramSettings{Precision: precision, Schema: data.Schema()})
		if err := part.AddSource(t.Context(), data); err != nil {
			t.Fatal(err)
		}
		s := part.Settings()
		s.Schema.Target.Classes = []string{"a", "b", "c", "d"}
		if err := part.Set(s); err != nil {
			t.Fatal(err)
		}
		a, _ := hook.Sums(whole)
		b, _ := hook.Sums(part)
		if !slices.Equal(a.G.Data, b.G.Data) || b.ZY.Cols != 4 || b.YY[3] != 300 {
			t.Fatalf("%s: %+v", precision, b.YY)
		}
		for i := range a.Z {
			for k := range 3 {
				if a.ZY.Row(i)[k] != b.ZY.Row(i)[k] {
					t.Fatalf("%s: ZY[%d,%d] is %v, want %v", precision, i, k, b.ZY.Row(i)[k], a.ZY.Row(i)[k])
				}
			}
			if b.ZY.Row(i)[3] != -a.Z[i] {
				t.Fatalf("%s: the column of a class without rows", precision)
			}
		}
	}
}

// Sums of many classes from which all rows were taken out go on like new ones.
func TestExactClassesAnew(t *testing.T) {
	labels := make([]string, 70)
	for i := range labels {
		labels[i] = fmt.Sprint(i)
	}
	r := classes(1, 700, 3, labels...)
	m := gaussianMap(t, 9, 3, 4, 2)
	sum := func() *krr.Gram {
		g := krr.NewGram(m, len(labels), krr.GramSettings{Precision: "int12", Schema: r.Schema()})
		if err := g.AddSource(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		return g
	}
	g := sum()
	if err := errors.Join(g.Subtract(g), g.Merge(sum())); err != nil {
		t.Fatal(err)
	}
	sameSums(t, "anew", g, sum())
}

// Features are rounded to δ with errors of variance δ²/12, which are taken off the diagonal, so
// predictions stay within the noise of the rounding of those in float64.
func TestExactIsNear(t *testing.T) {
	data := withMeans(2000)
	m := gaussianMap(t, 1, 3, 100, 1)
	for _, lambda := range []float64{1e-3, 1e-5} {
		_, want, err := krr.Fit(t.Context(), m, data, krr.Settings{Lambdas: []float64{lambda}})
		if err != nil {
			t.Fatal(err)
		}
		for precision, most := range map[krr.Precision]float64{int12: 1e-4, int8: 1e-2} {
			_, got, err := krr.Fit(t.Context(), m, data, krr.Settings{Lambdas: []float64{lambda}, Precision: precision})
			if err != nil {
				t.Fatal(err)
			}
			if d := math.Abs(got.Train.RMSE[0]/want.Train.RMSE[0] - 1); d > most {
				t.Errorf("%s, λ = %g: the error differs by %.2g", precision, lambda, d)
			}
		}
	}
}

// A fit of targets far from 0 is that of targets about 0, to within the rounding of the targets:
// of a deviation of 1 at 10⁸, which has digits to 2⁻²⁶, and of 10⁻⁵ at 10⁵. Its errors are those of
// float64, to the noise of the rounding of features. Rows in another order give the same bits, with
// one λ and with folds.
func TestExactFarTargets(t *testing.T) {
	const n = 700
	near := synthetic(5, n, 3, 1, 0.1)
	m := gaussianMap(t, 1, 3, 60, 1)
	r := rand.New(rand.NewPCG(1, 9))
	for _, precision := range exact {
		for _, c := range []struct{ at, scale float64 }{{1e8, 1}, {1e5, 1e-5}, {-1e9, 1e3}} {
			far, same := picked(near, r.Perm(n)), picked(near, r.Perm(n))
			for _, rows := range []*rows{far, same} {
				for i := range n {
					rows.y.Row(i)[0] = c.at + c.scale*rows.y.Row(i)[0]
				}
			}
			for _, lambdas := range [][]float64{{1e-4}, {1e-6, 1e-4, 1e-2}} {
				set := krr.Settings{Precision: precision, Lambdas: lambdas}
				_, want, err := krr.Fit(t.Context(), m, near, set)
				model, got, err2 := krr.Fit(t.Context(), m, far, set)
				again, _, err3 := krr.Fit(t.Context(), m, same, set)
				_, float, err4 := krr.Fit(t.Context(), m, near, krr.Settings{Lambdas: lambdas})
				if err := errors.Join(err, err2, err3, err4); err != nil {
					t.Fatal(err)
				}
				if d := got.Train.RMSE[0] / c.scale / float.Train.RMSE[0]; math.Abs(d-1) > 0.02 {
					t.Errorf("%s, %g: RMSE is %g of that in float64", precision, c.at, d)
				}
				for i, p := range got.Path {
					if d := p.Error[0] / (c.scale * c.scale) / float.Path[i].Error[0]; math.Abs(d-1) > 0.05 {
						t.Errorf("%s, %g: the error of λ = %g is %g of that in float64", precision, c.at, p.Lambda, d)
					}
				}
				if !slices.Equal(coefficients(model), coefficients(again)) {
					t.Errorf("%s, %g: other bits in another order of rows", precision, c.at)
				}
				slack := 0x1p-53*math.Abs(c.at)/c.scale + 1e-9 // of a target
				if d := math.Abs(got.Train.RMSE[0]/c.scale - want.Train.RMSE[0]); d > slack || got.Train.R2[0] < want.Train.R2[0]-1e-5 {
					t.Errorf("%s, %g: RMSE %v and R² %v, want %v and %v", precision, c.at, got.Train.RMSE[0]/c.scale, got.Train.R2[0], want.Train.RMSE[0], want.Train.R2[0])
				}
				solved, err := gram(t, m, far, precision).Solve(t.Context(), model.Info().Lambda...)
				if err != nil || !slices.Equal(coefficients(solved), coefficients(model)) {
					t.Errorf("%s, %g: the fit differs from its Gram: %v", precision, c.at, err)
				}
			}
		}
	}
}

// A λ that rounding errors hide is fitted in a finer precision, to the bits of a fit that asks for
// it; with a checkpoint it is raised, as that of a Gram. Other λ stay.
func TestExactGoesUp(t *testing.T) {
	data, m := withMeans(600), gaussianMap(t, 1, 3, 60, 1)
	for _, c := range []struct {
		asked, fitted krr.Precision
		lambdas       []float64
	}{
		{int8, int8, []float64{1e-5}}, {int8, int12, []float64{1e-9}}, {int8, krr.Float64, []float64{1e-13}}, {int12, krr.Float64, []float64{1e-13, 1e-12}},
		{int12, int12, []float64{1e-7}},
	} {
		set := krr.Settings{Precision: c.asked, Lambdas: c.lambdas}
		model, report, err := krr.Fit(t.Context(), m, data, set)
		if err != nil {
			t.Fatal(err)
		}
		if got := krr.InfoOf(report); got.Precision != c.fitted || model.Info().Precision != c.fitted || got.Solved.Jitter != 0 {
			t.Errorf("%s, λ = %g: fitted in %s, %v", c.asked, c.lambdas, got.Precision, got.Solved)
		}
		set.Precision = c.fitted
		want, _, err := krr.Fit(t.Context(), m, data, set)
		if err != nil || !slices.Equal(coefficients(model), coefficients(want)) {
			t.Errorf("%s, λ = %g: other bits than those of %s, %v", c.asked, c.lambdas, c.fitted, err)
		}
		set.Precision, set.Checkpoint = c.asked, krr.Checkpoint{Path: filepath.Join(t.TempDir(), "fit")}
		kept, _, err := krr.Fit(t.Context(), m, data, set)
		if err != nil {
			t.Fatal(err)
		}
		if i := kept.Info(); i.Precision != c.asked || (i.Solved.Jitter > 0) != (c.asked != c.fitted) {
			t.Errorf("%s, λ = %g, with a checkpoint: %s, %v", c.asked, c.lambdas, i.Precision, i.Solved)
		}
	}
}

// Sums in another unit, as of a version of rff that chose it otherwise, are refused.
func TestExactUnitOfAFile(t *testing.T) {
	g := gram(t, gaussianMap(t, 1, 3, 20, 1), withMeans(50), int8)
	g.DoubleUnit()
	var file bytes.Buffer
	if _, err := g.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	var refused *krr.FileError
	if _, err := krr.ReadGram(&file); !errors.As(err, &refused) || !strings.Contains(err.Error(), "sum the rows again") {
		t.Error(err)
	}
}

// What sums of integers cannot hold is refused with a remedy, or fitted in the precision that
// the report names.
func TestExactRefusals(t *testing.T) {
	ctx, data := t.Context(), classes(1, 200, 2, "a", "b")
	m, err := sampling.MonteCarlo{}.Sample(ctx, rff.Request{Kernel: rff.NewArcCosine(1), Dim: 2, Features: 40, Rand: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	_, report, err := krr.Fit(ctx, m, data, krr.Settings{Precision: int12})
	if err != nil || krr.InfoOf(report).Precision != krr.Float32 {
		t.Errorf("features that are no cosines: %v, %+v", err, report)
	}
	cosines := gaussianMap(t, 1, 2, 40, 1)
	one := func(y, w float64) error {
		r := synthetic(1, 1, 2, 1, 0)
		r.y.Row(0)[0], r.w = y, []float64{w}
		return krr.NewGram(cosines, 1, krr.GramSettings{Precision: int8}).AddSource(ctx, r)
	}
	for _, refused := range []struct {
		err  error
		need string
	}{{one(1, 2), "leave weights out"}, {one(1, 0.5), "leave weights out"}, {one(0x1p31, 1), "rescale the targets"}, {one(1, 1), ""}} {
		if text := ""; refused.err != nil {
			if text = refused.err.Error(); refused.need == "" || !strings.Contains(text, refused.need) {
				t.Errorf("%v, want %q", refused.err, refused.need)
			}
		} else if refused.need != "" {
			t.Errorf("nothing says %q", refused.need)
		}
	}
}

// Auto takes exact sums, also of rows that are alike, which its sample counts by weights.
func TestAutoExact(t *testing.T) {
	data := classes(1, 600, 2, "a", "b")
	for i := range 300 {
		copy(data.x.Row(i+300), data.x.Row(i))
		copy(data.y.Row(i+300), data.y.Row(i))
		data.class[i+300] = data.class[i]
	}
	model, _, err := krr.Auto(t.Context(), data, krr.AutoSettings{Fit: krr.Settings{Precision: int8}, Budget: -1})
	if err != nil || model.Info().Precision != int8 {
		t.Errorf("%v, %v", err, model)
	}
}

// Sums stay exact up to the number of rows that is promised, and more rows are refused.
func TestExactUpToTheBound(t *testing.T) {
	data, m := withMeans(1100), gaussianMap(t, 1, 3, 8, 1)
	for _, precision := range exact {
		g := gram(t, m, data, precision)
		first, _ := hook.Sums(g)
		diagonal, rows := first.G.Row(2)[2], float64(g.Rows())
		for {
			var file bytes.Buffer
			if _, err := g.WriteTo(&file); err != nil {
				t.Fatal(err)
			}
			h, err := krr.ReadGram(&file)
			if err != nil {
				t.Fatal(err)
			}
			forgetParts(h)
			if err := g.Merge(h); err != nil {
				var refused *rff.ParameterError
				if !errors.As(err, &refused) || refused.Name != "rows" || 2*g.Rows() <= blas.ExactRows {
					t.Errorf("%s, %d rows: %v", precision, g.Rows(), err)
				}
				break
			}
		}
		last, _ := hook.Sums(g)
		if times := float64(g.Rows()) / rows; last.G.Row(2)[2] != times*diagonal {
			t.Errorf("%s: after %g times as many rows the sum is %v, want %v", precision, times, last.G.Row(2)[2], times*diagonal)
		}
	}
}
