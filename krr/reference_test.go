package krr_test

import (
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/require"
	"github.com/rffgo/rff/krr"
)

// moved returns the rows with an offset on every target.
func moved(r *rows, by float64) *rows {
	m := *r
	m.y = blas.NewGeneral[float64](r.y.Rows, r.y.Cols)
	for i, v := range r.y.Data {
		m.y.Data[i] = v + by
	}
	return &m
}

// dyadic rounds targets to multiples of 2⁻²⁰, so that an offset of up to 2³² moves
// them exactly.
func dyadic(r *rows) *rows {
	for i, v := range r.y.Data {
		r.y.Data[i] = math.Round(v*0x1p20) * 0x1p-20
	}
	return r
}

// statistics are the numbers of a fit that an offset of the targets must not change.
func statistics(r *krr.Report) []float64 {
	var out []float64
	out = append(out, r.Train.R2...)
	out = append(out, r.Train.RMSE...)
	for _, p := range r.Path {
		out = append(out, p.Error...)
		out = append(out, p.StdErr, p.Freedom)
	}
	return append(out, krr.InfoOf(r).Lambda...)
}

// An offset of the targets moves the intercept and nothing else. As targets and
// offsets are such that y + offset is exact, so is y less the first row's, and every
// number of the fit has the same bits.
func TestOffset(t *testing.T) {
	ctx := context.Background()
	few, many := dyadic(synthetic(3, 90, 3, 2, 0.1)), dyadic(synthetic(3, 1300, 3, 2, 0.1))
	for i := range many.x.Rows {
		many.w = append(many.w, float64(i%4)/2)
	}
	m := gaussianMap(t, 1, 3, 100, 1.5)
	for _, c := range []struct {
		name string
		r    *rows
		s    krr.Settings
	}{
		{"dual", few, krr.Settings{}},
		{"crossvalidation", many, krr.Settings{ClipPredictions: true, PerTarget: true}},
		{"gcv", many, krr.Settings{Criterion: krr.GCV, Lambdas: []float64{1e-4, 1e-3, 1e-2, 1e-1}}},
		{"leave-one-out", many, krr.Settings{Criterion: krr.LeaveOneOut}},
		{"variance", many, krr.Settings{Lambdas: []float64{1e-5}, Uncertainty: "variance"}},
		{"cg", many, krr.Settings{Passes: &krr.Passes{}, Lambdas: []float64{1e-4, 1e-3, 1e-2}, ClipPredictions: true}},
	} {
		for p, rounding := range map[krr.Precision]float64{krr.Float64: 0, krr.Float32: 1e-6} {
			for _, offset := range []float64{1 << 20, 1 << 32, -(1 << 30)} {
				c.s.Precision = p
				want, a, err := krr.Fit(ctx, m, c.r, c.s)
				if err != nil {
					t.Fatal(c.name, err)
				}
				got, b, err := krr.Fit(ctx, m, moved(c.r, offset), c.s)
				if err != nil {
					t.Fatal(c.name, err)
				}
				if x, y := statistics(a), statistics(b); fmt.Sprint(x) != fmt.Sprint(y) {
					t.Errorf("%s, %v, offset %g: statistics %v\nwithout %v", c.name, p, offset, y, x)
				}
				x, i := want.Coefficients()
				y, j := got.Coefficients()
				if !mat.Equal(x, y) {
					t.Errorf("%s, %v, offset %g: other coefficients", c.name, p, offset)
				}
				for k := range i {
					// One rounding of each intercept.
					if d := math.Abs(j[k] - offset - i[k]); d > 0x1p-52*math.Abs(offset) {
						t.Errorf("%s, %v, offset %g: intercept off by %g", c.name, p, offset, d)
					}
				}
				var u, v mat.Dense
				if err := want.Predict(&u, dense(c.r.x)); err != nil {
					t.Fatal(err)
				}
				if err := got.Predict(&v, dense(c.r.x)); err != nil {
					t.Fatal(err)
				}
				for k := range v.RawMatrix().Data {
					v.RawMatrix().Data[k] -= offset
				}
				// A prediction is intercept plus a sum of at most 2·100·Σ|β|/√100: rounded like
				// the offset in float64, like itself in float32.
				if d := maxDiff(&u, &v); d > 4*0x1p-52*math.Abs(offset)+1e-12*mat.Max(absolute{x})+rounding*mat.Max(absolute{x}) {
					t.Errorf("%s, %v, offset %g: predictions differ by %g", c.name, p, offset, d)
				}
			}
		}
	}
}

// sumsOf computes Σwz(y−r), Σw(y−r), Σw(y−r)² in big floats from the features in
// float64.
func sumsOf(z *mat.Dense, r *rows, ref []float64) (zy *mat.Dense, y, yy []float64) {
	n, s := z.Dims()
	t := r.y.Cols
	zy, y, yy = mat.NewDense(s, t, nil), make([]float64, t), make([]float64, t)
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }
	for k := range t {
		sy, syy := num(0), num(0)
		szy := make([]*big.Float, s)
		for j := range szy {
			szy[j] = num(0)
		}
		for i := range n {
			w := num(1)
			if r.w != nil {
				w = num(r.w[i])
			}
			d := num(0).Sub(num(r.y.Row(i)[k]), num(ref[k]))
			wd := num(0).Mul(w, d)
			sy.Add(sy, wd)
			syy.Add(syy, num(0).Mul(wd, d))
			for j := range szy {
				szy[j].Add(szy[j], num(0).Mul(wd, num(z.At(i, j))))
			}
		}
		y[k], _ = sy.Float64()
		yy[k], _ = syy.Float64()
		for j := range szy {
			v, _ := szy[j].Float64()
			zy.Set(j, k, v)
		}
	}
	return zy, y, yy
}

// checkSums compares the sums of g with those of big floats, to a rounding for every
// one of its rows of sums of absolute values.
func checkSums(t *testing.T, name string, m *rff.Map, g *krr.Gram, r *rows) {
	t.Helper()
	ref := g.Reference()
	zy, y, yy := sumsOf(features(t, m, r.x), r, ref)
	s := g.Sums()
	for k := range ref {
		var size, square float64
		for i := range r.y.Rows {
			w := 1.0
			if r.w != nil {
				w = r.w[i]
			}
			d := math.Abs(r.y.Row(i)[k] - ref[k])
			size += w * d
			square += w * d * d
		}
		eps := float64(r.y.Rows+10) * 0x1p-52
		if d := math.Abs(s.Y[k] - y[k]); d > eps*size {
			t.Errorf("%s: Σw(y−r) of target %d is off by %g of %g", name, k, d, size)
		}
		if d := math.Abs(s.YY[k] - yy[k]); d > eps*square {
			t.Errorf("%s: Σw(y−r)² of target %d is off by %g of %g", name, k, d, square)
		}
		for j := range s.ZY.Rows {
			if d := math.Abs(s.ZY.Row(j)[k] - zy.At(j, k)); d > eps*size {
				t.Errorf("%s: Σwz(y−r) of feature %d is off by %g of %g", name, j, d, size)
			}
		}
	}
}

// Grams whose first rows differ merge and subtract as if all rows had been added to
// the first: sums against big floats, analysis against that of one pass, at the
// offset and without it.
func TestMergeReferences(t *testing.T) {
	ctx := context.Background()
	for _, offset := range []float64{0, 1 << 30} {
		r := moved(dyadic(synthetic(5, 900, 3, 2, 0.1)), offset)
		for i := range r.x.Rows {
			r.w = append(r.w, float64(1+i%3))
			r.y.Row(i)[1] += float64(i / 100) // parts differ in their means
		}
		m := gaussianMap(t, 1, 3, 24, 1.5)
		part := func(from, to int) *rows {
			p := *r
			p.x, p.y, p.w = r.x.RowRange(from, to), r.y.RowRange(from, to), r.w[from:to]
			return &p
		}
		whole := gram(t, m, r, krr.Float64)
		checkSums(t, "one pass", m, whole, r)
		merged := gram(t, m, part(0, 200), krr.Float64)
		for _, at := range [][2]int{{200, 555}, {555, 900}} {
			if err := merged.Merge(gram(t, m, part(at[0], at[1]), krr.Float64)); err != nil {
				t.Fatal(err)
			}
		}
		if fmt.Sprint(merged.Reference()) != fmt.Sprint(r.y.Row(0)) {
			t.Errorf("reference %v, the first row has %v", merged.Reference(), r.y.Row(0))
		}
		checkSums(t, "merged", m, merged, r)
		// From the other end: the reference of the last part.
		reverse := krr.NewGram(m, 2, krr.GramSettings{})
		for _, at := range [][2]int{{555, 900}, {0, 200}, {200, 555}} {
			if err := reverse.Merge(gram(t, m, part(at[0], at[1]), krr.Float64)); err != nil {
				t.Fatal(err)
			}
		}
		checkSums(t, "reverse", m, reverse, r)
		saved, err := reverse.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var loaded krr.Gram
		if err := loaded.UnmarshalBinary(saved); err != nil {
			t.Fatal(err)
		}
		if err := loaded.Subtract(gram(t, m, part(200, 555), krr.Float64)); err != nil {
			t.Fatal(err)
		}
		if err := loaded.Merge(gram(t, m, part(200, 555), krr.Float64)); err != nil {
			t.Fatal(err)
		}
		want, err := whole.Analyze(ctx, []float64{1e-4, 1e-2})
		if err != nil {
			t.Fatal(err)
		}
		wantRSS := krr.RSSOf(whole, 1e-4, 1e-2)
		for name, g := range map[string]*krr.Gram{"merged": merged, "reverse": reverse, "saved, less and again": &loaded} {
			got, err := g.Analyze(ctx, []float64{1e-4, 1e-2})
			if err != nil {
				t.Fatal(err)
			}
			rss := krr.RSSOf(g, 1e-4, 1e-2)
			for l := range got {
				for k := range 2 {
					for what, v := range map[string][2]float64{
						"RSS": {rss[l][k], wantRSS[l][k]}, "noise": {got[l].Noise[k], want[l].Noise[k]},
						"GCV": {got[l].Error[k], want[l].Error[k]}, "evidence": {got[l].LogEvidence[k], want[l].LogEvidence[k]}} {
						// κ·n·eps: the system of λ = 1e-4 has a condition of about 1e4.
						if relative(v[0], v[1]) > 1e-8 {
							t.Errorf("offset %g, %s: %s %g, one pass %g", offset, name, what, v[0], v[1])
						}
					}
				}
			}
			a, err := g.Solve(ctx, 1e-3)
			if err != nil {
				t.Fatal(err)
			}
			b, err := whole.Solve(ctx, 1e-3)
			if err != nil {
				t.Fatal(err)
			}
			_, i := a.Coefficients()
			_, j := b.Coefficients()
			for k := range i {
				if math.Abs(i[k]-j[k]) > 1e-9+4*0x1p-52*math.Abs(offset) {
					t.Errorf("offset %g, %s: intercepts %v, %v", offset, name, i, j)
				}
			}
		}
	}
}

// A regression that is stopped and goes on keeps its reference.
func TestResumeOffset(t *testing.T) {
	m := gaussianMap(t, 1, 3, 32, 1)
	r := moved(synthetic(1, 3000, 3, 2, 0.1), 1e8)
	s := krr.Settings{ClipPredictions: true}
	want, a, err := krr.Fit(context.Background(), m, r, s)
	if err != nil {
		t.Fatal(err)
	}
	s.Checkpoint = krr.Checkpoint{Path: filepath.Join(t.TempDir(), "check"), Every: 1}
	broken := errors.New("broken")
	if _, _, err := krr.Fit(context.Background(), m, failing{r, 1800, broken}, s); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	got, b, err := krr.Fit(context.Background(), m, r, s)
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := got.Range()
	lo0, hi0 := want.Range()
	if b.Resumed < 1000 || !models(t, got, want) || fmt.Sprint(statistics(a)) != fmt.Sprint(statistics(b)) ||
		fmt.Sprint(lo, hi) != fmt.Sprint(lo0, hi0) {
		t.Errorf("resumed at %d: another fit", b.Resumed)
	}
}

// The reference is in the file, which is refused without it.
func TestReferenceInFile(t *testing.T) {
	m := gaussianMap(t, 1, 3, 16, 1)
	r := synthetic(1, 600, 3, 2, 0.1)
	g := gram(t, m, r, krr.Float64)
	file, _ := g.MarshalBinary()
	var same krr.Gram
	if err := same.UnmarshalBinary(file); err != nil || fmt.Sprint(same.Reference()) != fmt.Sprint(r.y.Row(0)) {
		t.Fatalf("%v: reference %v", err, same.Reference())
	}
	var fe *krr.FileError
	for _, bad := range [][]float64{nil, {math.NaN(), 0}, {1, math.Inf(1)}, {1}} {
		if err := new(krr.Gram).UnmarshalBinary(krr.MarshalWith(g, "reference", bad)); !errors.As(err, &fe) {
			t.Errorf("reference %v: %v", bad, err)
		}
	}
}

// Targets and weights whose squares leave the range of the numbers are refused
// by name; just inside, every statistic is the scaled one.
func TestTargetRange(t *testing.T) {
	ctx := context.Background()
	m := gaussianMap(t, 1, 3, 24, 1.5)
	scaled := func(n int, by float64) *rows {
		r := synthetic(2, n, 3, 1, 0.1)
		for i := range r.y.Data {
			r.y.Data[i] *= by
		}
		return r
	}
	var row *rff.ValueError
	var setting *rff.ParameterError
	for _, n := range []int{20, 700} {
		for _, s := range []krr.Settings{{}, {Criterion: krr.GCV}, {Passes: &krr.Passes{}, Lambdas: []float64{1e-3}}, {Precision: krr.Float32}} {
			if s.Criterion == krr.GCV && n == 20 {
				continue
			}
			small, large := 0x1p-438, 0x1p437
			if s.Precision == krr.Float32 {
				small, large = 0x1p-78, 0x1p77
			}
			_, want, err := krr.Fit(ctx, m, scaled(n, 1), s)
			if err != nil {
				t.Fatal(err)
			}
			for _, by := range []float64{small, large} {
				_, got, err := krr.Fit(ctx, m, scaled(n, by), s)
				if err != nil {
					t.Fatalf("%d rows, %v by %g: %v", n, s.Passes, by, err)
				}
				// A power of two changes no bit of what does not underflow.
				if krr.InfoOf(got).Lambda[0] != krr.InfoOf(want).Lambda[0] || (want.Train.R2 != nil && relative(got.Train.R2[0], want.Train.R2[0]) > 1e-12) || (want.Train.RMSE != nil && relative(got.Train.RMSE[0]/by, want.Train.RMSE[0]) > 1e-12) {
					t.Errorf("%d rows by %g: λ %v, R² %v, RMSE %v; want %v, %v, %v", n, by, krr.InfoOf(got).Lambda, got.Train.R2, got.Train.RMSE, krr.InfoOf(want).Lambda, want.Train.R2, want.Train.RMSE)
				}
			}
			_, _, err = krr.Fit(ctx, m, scaled(n, large*64), s)
			if !errors.As(err, &row) || row.Column != "target 1" {
				t.Errorf("%d rows, too large: %v", n, err)
			}
			_, _, err = krr.Fit(ctx, m, scaled(n, small/64), s)
			if !errors.As(err, &setting) || setting.Name != "the range of target 1" {
				t.Errorf("%d rows, too small: %v", n, err)
			}
			heavy := scaled(n, 1)
			heavy.w = make([]float64, n)
			for i := range heavy.w {
				heavy.w[i] = 1
			}
			heavy.w[11] = large * large
			_, _, err = krr.Fit(ctx, m, heavy, s)
			if !errors.As(err, &row) || row.Row != 11 || row.Column != "weight" {
				t.Errorf("%d rows, a heavy one: %v", n, err)
			}
		}
	}
	// A constant target is one, however large.
	r := scaled(300, 1)
	for i := range r.y.Data {
		r.y.Data[i] = 1e200
	}
	model, report, err := krr.Fit(ctx, m, r, krr.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if _, b := model.Coefficients(); b[0] != 1e200 || report.Train.RMSE[0] != 0 {
		t.Errorf("constant: intercept %g, RMSE %g", b[0], report.Train.RMSE[0])
	}
	// Parts that are each in range and not together.
	a, b := gram(t, m, scaled(30, 1), krr.Float64), gram(t, m, moved(scaled(30, 1), 1e200), krr.Float64)
	before, _ := a.MarshalBinary()
	if err := a.Merge(b); !errors.As(err, &setting) {
		t.Errorf("merged: %v", err)
	}
	if after, _ := a.MarshalBinary(); string(before) != string(after) {
		t.Error("a merge that fails changes the Gram")
	}
}

// cpuact: the real targets with an offset, as prices in cents or ids have one.
func TestOffsetRealData(t *testing.T) {
	r := cpuact(t)
	in, _ := r.Schema().Dims()
	m := gaussianMap(t, 1, in, 300, 4)
	for _, s := range []krr.Settings{{}, {Criterion: krr.GCV}, {Passes: &krr.Passes{}, Lambdas: []float64{1e-5, 1e-4, 1e-3}}} {
		for _, c := range []struct {
			p      krr.Precision
			offset float64
		}{{krr.Float32, 1e6}, {krr.Float32, 1e8}, {krr.Float64, 1e8}, {krr.Float64, 1e12}} {
			s.Precision = c.p
			want, a, err := krr.Fit(context.Background(), m, r, s)
			if err != nil {
				t.Fatal(err)
			}
			got, b, err := krr.Fit(context.Background(), m, moved(r, c.offset), s)
			if err != nil {
				t.Fatal(err)
			}
			// The targets are whole numbers: the offset is exact.
			if x, y := statistics(a), statistics(b); fmt.Sprint(x) != fmt.Sprint(y) {
				t.Errorf("%v + %g: %v\nwithout %v", c.p, c.offset, y, x)
			}
			// The intercept is rounded to eps·offset, and so is every prediction.
			if x, y := rmse(t, want, r), rmse(t, got, moved(r, c.offset)); math.Abs(x-y) > 4*0x1p-52*c.offset {
				t.Errorf("%v + %g: RMSE %g, without %g", c.p, c.offset, y, x)
			}
		}
	}
}

func rmse(t *testing.T, m *krr.Model, r *rows) float64 {
	t.Helper()
	var p mat.Dense
	if err := m.Predict(&p, dense(r.x)); err != nil {
		t.Fatal(err)
	}
	var sum float64
	for i := range r.y.Rows {
		d := p.At(i, 0) - r.y.Row(i)[0]
		sum += d * d
	}
	return math.Sqrt(sum / float64(r.y.Rows))
}

// cpuact returns the real data set, inputs standardised.
func cpuact(t *testing.T) *rows {
	t.Helper()
	f, err := os.Open(filepath.Join(require.Data(t), "cpuact", "cpuact.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	lines = lines[1:]
	d := len(lines[0]) - 1
	r := &rows{x: blas.NewGeneral[float64](len(lines), d), y: blas.NewGeneral[float64](len(lines), 1), batch: 1000}
	for i, line := range lines {
		for j, text := range line {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			if j < d {
				r.x.Row(i)[j] = v
			} else {
				r.y.Row(i)[0] = v
			}
		}
	}
	for j := range d {
		var mean, ss float64
		for i := range lines {
			mean += r.x.Row(i)[j] / float64(len(lines))
		}
		for i := range lines {
			ss += (r.x.Row(i)[j] - mean) * (r.x.Row(i)[j] - mean)
		}
		for i := range lines {
			r.x.Row(i)[j] = (r.x.Row(i)[j] - mean) / math.Sqrt(ss/float64(len(lines)))
		}
	}
	return r
}

// R² and RMSE are those of the model's own predictions of the training rows, by two
// passes over the targets, with weights and a large mean; noise adds nλ‖β‖².
func TestReportedErrors(t *testing.T) {
	ctx := context.Background()
	for _, n := range []int{60, 500} { // dual, primal
		r := moved(dyadic(synthetic(4, n, 3, 2, 0.3)), 1<<20)
		var sum float64
		for i := range n {
			r.w = append(r.w, float64(1+i%4)/2)
			sum += r.w[i]
		}
		for _, lambda := range []float64{1e-4, 1e-1} {
			for _, variance := range []bool{false, true} {
				model, report, err := krr.Fit(ctx, gaussianMap(t, 1, 3, 80, 1.5), r, krr.Settings{Lambdas: []float64{lambda}, Uncertainty: uncertainty(variance)})
				if err != nil {
					t.Fatal(err)
				}
				if krr.InfoOf(report).Solved.Dual() != (n < 80 && !variance) || krr.WeightOf(report) != sum {
					t.Errorf("%d rows: %+v", n, report)
				}
				var p mat.Dense
				if err := model.Predict(&p, dense(r.x)); err != nil {
					t.Fatal(err)
				}
				coef, _ := model.Coefficients()
				for k := range 2 {
					var mean, rss, total float64
					for i := range n {
						mean += r.w[i] * r.y.Row(i)[k] / sum
					}
					for i := range n {
						d, e := r.y.Row(i)[k]-mean, r.y.Row(i)[k]-p.At(i, k)
						total += r.w[i] * d * d
						rss += r.w[i] * e * e
					}
					// Predictions near 2²⁰ are rounded to 2⁻³³, residuals of 0.05 at least.
					if relative(report.Train.RMSE[k], math.Sqrt(rss/sum)) > 1e-6 || math.Abs(report.Train.R2[k]-(1-rss/total)) > 1e-6 {
						t.Errorf("%d rows, λ=%g: RMSE %v, R² %v; predictions give %g, %g", n, lambda, report.Train.RMSE, report.Train.R2, math.Sqrt(rss/sum), 1-rss/total)
					}
					if variance {
						var bb float64
						for j := range 80 {
							bb += coef.At(j, k) * coef.At(j, k)
						}
						if want := (rss + sum*lambda*bb) / float64(n-1); relative(model.Info().Noise[k], want) > 1e-6 {
							t.Errorf("%d rows, λ=%g: noise %g, want %g", n, lambda, model.Info().Noise[k], want)
						}
					}
				}
			}
		}
	}
}
