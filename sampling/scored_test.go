package sampling

import (
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/portable"
)

// cutSource serves rows in batches of the given sizes, over and over.
type cutSource struct {
	x, y   blas.General[float64]
	weight []float64
	cut    []int
}

func (s *cutSource) Schema() rff.Schema {
	return rff.Schema{Inputs: make([]rff.Column, s.x.Cols), Target: rff.Target{Columns: s.y.Cols}}
}

func (s *cutSource) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		for i, b := 0, 0; i < s.x.Rows; b++ {
			n := s.x.Rows
			if len(s.cut) > 0 {
				n = s.cut[b%len(s.cut)]
			}
			to := min(i+n, s.x.Rows)
			batch := rff.Batch{First: int64(i), X: s.x.RowRange(i, to), Y: s.y.RowRange(i, to)}
			if s.weight != nil {
				batch.Weight = s.weight[i:to]
			}
			if !yield(batch, ctx.Err()) {
				return
			}
			i = to
		}
	}
}

// waves has n rows uniform on [−1, 1]^d and targets with a hump in one
// coordinate and an offset that centring must remove, the same on every platform.
func waves(n, d, targets int) *cutSource {
	src := rand.NewPCG(7, uint64(n*1000+d))
	s := &cutSource{x: blas.NewGeneral[float64](n, d), y: blas.NewGeneral[float64](n, targets)}
	for i := range s.x.Data {
		s.x.Data[i] = 2*portable.Uniform(src) - 1
	}
	for i := range n {
		x := s.x.Row(i)
		for t := range targets {
			at := float64(2*x[0]) - 0.3*float64(t)
			s.y.Row(i)[t] = 3 + 2*at/(1+float64(at*at)) + float64(0.3*x[(t+1)%d]) + float64(0.1*portable.Uniform(src))
		}
	}
	return s
}

func denseOf(t *testing.T, m *rff.Map, x blas.General[float64]) *mat.Dense {
	t.Helper()
	var z mat.Dense
	if err := m.Transform(&z, mat.NewDense(x.Rows, x.Cols, x.Data)); err != nil {
		t.Fatal(err)
	}
	return &z
}

func scored(t *testing.T, s scorer, dim, features int, data rff.Source, seed uint64) *Result {
	t.Helper()
	r, err := s.sampleScored(context.Background(), rff.Request{Kernel: rff.NewGaussian(0.7), Dim: dim, Features: features, Data: data, Rand: rand.NewPCG(seed, 1)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func close2(a, b, tol float64) bool { return math.Abs(a-b) <= tol*max(1, math.Abs(a), math.Abs(b)) }

// The leverage score of a frequency is Σ z_cᵀ(K+nλI)⁻¹z_c over its columns with
// the pool's kernel matrix K, n×n; the scores sum to tr K(K+nλI)⁻¹.
func TestLeverageAgainstKernelMatrix(t *testing.T) {
	const n, d, features = 500, 3, 40
	data := waves(n, d, 1)
	for _, lambda := range []float64{1e-6, 1e-3, 0.1} {
		r := scored(t, Leverage{Lambda: lambda}, d, features, data, 3)
		z := denseOf(t, r.Candidates, data.x)
		_, s := z.Dims()
		k := mat.NewSymDense(n, nil)
		k.SymOuterK(1, z)
		for i := range n {
			k.SetSym(i, i, k.At(i, i)+n*lambda)
		}
		var eig mat.EigenSym
		if !eig.Factorize(k, true) {
			t.Fatal("no eigendecomposition")
		}
		var v, p mat.Dense
		eig.VectorsTo(&v)
		p.Mul(v.T(), z)
		values := eig.Values(nil)
		want, sum := make([]float64, s/2), 0.0
		for i, ev := range values {
			for c := range s {
				want[c%(s/2)] += p.At(i, c) * p.At(i, c) / ev
			}
			sum += (ev - n*lambda) / ev
		}
		for i, w := range want {
			if !close2(r.Scores[i], w, 1e-9) {
				t.Fatalf("λ=%g: score %d is %.15g, direct formula %.15g", lambda, i, r.Scores[i], w)
			}
		}
		if !close2(r.EffectiveDim, sum, 1e-9) {
			t.Errorf("λ=%g: effective dimension %.15g, trace %.15g", lambda, r.EffectiveDim, sum)
		}
	}
}

// |yᵀzᵢ|² is the double sum Σ_ab y_a y_b cos ωᵢᵀ(x_a−x_b), and D_K^λ the trace
// with the pool's kernel matrix.
func TestSurrogateAgainstDoubleSum(t *testing.T) {
	const n, d, features, lambda = 300, 2, 10, 1e-2
	data := waves(n, d, 2)
	for _, raw := range []bool{false, true} {
		y := make([][]float64, 2)
		for c := range y {
			mean := 0.0
			for i := range n {
				y[c] = append(y[c], data.y.Row(i)[c])
				mean += data.y.Row(i)[c] / n
			}
			for i := range y[c] {
				if !raw {
					y[c][i] -= mean
				}
			}
		}
		for _, ridged := range []bool{false, true} {
			r := scored(t, Surrogate{Raw: raw, Ridged: ridged, Lambda: lambda}, d, features, data, 4)
			w := inside.Spec(r.Candidates).W
			total, trace := 0.0, 0.0
			want := make([]float64, w.Rows)
			for i := range w.Rows {
				for c := range y {
					for a := range n {
						for b := range n {
							arg := 0.0
							for j, f := range w.Row(i) {
								arg += f * (data.x.Row(a)[j] - data.x.Row(b)[j])
							}
							want[i] += y[c][a] * y[c][b] * math.Cos(arg)
						}
					}
				}
				trace += want[i] / float64(w.Rows)
				if ridged {
					want[i] += n * n
				}
				total += want[i]
			}
			for i := range want {
				// n² terms below 20, added one by one: the rounding errors, each below
				// 2⁻⁵³ of the sum so far, add up like a random walk of n² steps.
				if math.Abs(r.Scores[i]-want[i]) > 5*n*0x1p-53*20*n*n {
					t.Fatalf("raw=%v ridged=%v: score %d is %.15g, double sum %.15g", raw, ridged, i, r.Scores[i], want[i])
				}
				if !close2(r.Prob[i], want[i]/total, 1e-9) {
					t.Fatalf("probability %d is %g, want %g", i, r.Prob[i], want[i]/total)
				}
			}
			dim := (trace + n*n) / (n * n * lambda)
			if !close2(r.SurrogateDim, dim, 1e-9) {
				t.Errorf("D_K^λ is %.15g, trace %.15g", r.SurrogateDim, dim)
			}
			if s := 16. / 3 * dim * math.Log(16*dim/0.05); !close2(r.Sufficient, s, 1e-9) {
				t.Errorf("sufficient features %g, want %g", r.Sufficient, s)
			}
		}
	}
}

// D_K^λ bounds d_K^λ: (K+nλI)⁻¹ ≼ I/(nλ) ≼ (yyᵀ+nI)/(n²λ).
func TestSurrogateDimBoundsEffectiveDim(t *testing.T) {
	data := waves(400, 2, 1)
	lev := scored(t, Leverage{Lambda: 1e-2}, 2, 20, data, 5)
	sur := scored(t, Surrogate{Lambda: 1e-2}, 2, 20, data, 5)
	if !(lev.EffectiveDim < sur.SurrogateDim) {
		t.Errorf("d = %g, D = %g", lev.EffectiveDim, sur.SurrogateDim)
	}
}

// EERF's map holds exactly the frequencies of largest |mean (y−ȳ)φ|.
func TestEERFTopSet(t *testing.T) {
	const n, d, features = 400, 3, 16
	for _, base := range []rff.Sampler{nil, MonteCarlo{Form: rff.CosBias}} {
		data := waves(n, d, 3)
		r := scored(t, EERF{Pool: Pool{Base: base, Multiple: 6}, Fraction: 1}, d, features, data, 6)
		z := denseOf(t, r.Candidates, data.x)
		outputs := inside.Spec(r.Candidates).Func.Outputs()
		f := inside.Spec(r.Candidates).Frequencies()
		energy := make([]float64, f)
		for c := range 3 {
			mean := 0.0
			for i := range n {
				mean += data.y.Row(i)[c] / n
			}
			for j := range f * outputs {
				v := 0.0
				for i := range n {
					v += (data.y.Row(i)[c] - mean) * z.At(i, j) / n
				}
				energy[j%f] += v * v
			}
		}
		order := make([]int, f)
		for i := range order {
			order[i] = i
			if !close2(r.Scores[i], math.Sqrt(energy[i]), 1e-12) {
				t.Fatalf("score %d is %g, brute force %g", i, r.Scores[i], math.Sqrt(energy[i]))
			}
		}
		slices.SortFunc(order, func(a, b int) int {
			if energy[a] > energy[b] {
				return -1
			}
			return 1
		})
		want := slices.Sorted(slices.Values(order[:features/outputs]))
		if !slices.Equal(r.Picked, want) {
			t.Fatalf("picked %v, largest are %v", r.Picked, want)
		}
		for i, c := range want {
			if !slices.Equal(inside.Spec(r.Map).W.Row(i), inside.Spec(r.Candidates).W.Row(c)) {
				t.Fatalf("frequency %d of the map is not candidate %d", i, c)
			}
		}
		// Equal weights: the map's columns have the amplitudes of a plain map.
		plain := math.Sqrt(float64(3-outputs) / float64(features/outputs))
		for _, w := range inside.Spec(r.Map).Weight {
			if !close2(w, plain, 1e-14) {
				t.Fatalf("amplitude %g, want %g", w, plain)
			}
		}
	}
}

// The published modes keep all columns, multiply column c by 1/√p_c with Σp = 1,
// and take p from uncentred targets or from leverage, per column.
func TestPublished(t *testing.T) {
	const n, d, features = 200, 3, 12
	data := waves(n, d, 1)
	for _, leverage := range []bool{false, true} {
		var s scorer = Surrogate{Published: true}
		if leverage {
			s = Leverage{Published: true, Lambda: 0.01}
		}
		r := scored(t, s, d, features, data, 3)
		z := denseOf(t, r.Candidates, data.x)
		p := make([]float64, features)
		sum := 0.0
		var a, inv mat.Dense
		a.Mul(z.T(), z)
		for c := range features {
			a.Set(c, c, a.At(c, c)+n*0.01)
		}
		if err := inv.Inverse(&a); err != nil {
			t.Fatal(err)
		}
		for c := range p {
			if leverage {
				p[c] = 1 - n*0.01*inv.At(c, c)
			} else {
				p[c] = math.Pow(mat.Dot(z.ColView(c), mat.NewVecDense(n, data.y.Data)), 2)
			}
			sum += p[c]
		}
		for c, w := range inside.Spec(r.Map).Weight {
			if want := inside.Spec(r.Candidates).Weight[c] / math.Sqrt(p[c]/sum); !close2(w, want, 1e-9) {
				t.Errorf("leverage=%v: column %d has amplitude %.12g, want %.12g", leverage, c, w, want)
			}
		}
		if r.Map.Kernel() != nil || len(r.Picked) != features/2 {
			t.Errorf("kernel %v, %d frequencies", r.Map.Kernel(), len(r.Picked))
		}
	}
}

// The rows a subsample keeps depend on their index and the seed only, and are a
// binomial number of about the fraction asked for.
func TestEERFSubsample(t *testing.T) {
	data := waves(5000, 2, 1)
	r := scored(t, EERF{}, 2, 8, data, 7)
	// Five standard deviations of Binomial(5000, 0.1).
	if math.Abs(float64(r.Rows)-500) > 5*math.Sqrt(5000*0.1*0.9) {
		t.Errorf("kept %d of 5000 rows at a fraction of 0.1", r.Rows)
	}
}

// The solution satisfies the Karush–Kuhn–Tucker conditions of
// max αᵀv, Σα = 1, α ≥ 0, ‖α−1/M‖² ≤ r: with v scaled to max 1 there are λ ≥ 0
// and θ with v − λ(α−1/M) = θ where α > 0 and ≤ θ elsewhere, λ(‖α−1/M‖²−r) = 0.
func TestRobustWeightsKKT(t *testing.T) {
	src := rand.NewPCG(8, 8)
	for _, m := range []int{1, 2, 3, 10, 100, 2000} {
		for trial := range 12 {
			v := make([]float64, m)
			for i := range v {
				u := portable.Uniform(src)
				switch trial % 4 {
				case 0:
					v[i] = u * 1e6
				case 1:
					v[i] = math.Pow(u, 12) // few large
				case 2:
					v[i] = math.Floor(3 * u) // ties and zeros
				case 3:
					v[i] = 1 + 1e-9*u // nearly equal
				}
			}
			v[m/2] = max(v[m/2], 1e-3)
			for _, radius := range []float64{1e-6, 0.005, 0.3, 2} {
				alpha, used := robustWeights(v, radius, 1)
				checkKKT(t, v, alpha, radius)
				if used != radius {
					t.Errorf("radius %g became %g", radius, used)
				}
				for _, support := range []int{m / 3, m} {
					alpha, used := robustWeights(v, radius, support)
					checkKKT(t, v, alpha, used)
					positive := 0
					for _, a := range alpha {
						if a > 0 {
							positive++
						}
					}
					if positive < support {
						t.Errorf("m=%d trial=%d r=%g: %d positive, want %d", m, trial, radius, positive, support)
					}
				}
			}
		}
	}
}

func checkKKT(t *testing.T, v, alpha []float64, radius float64) {
	t.Helper()
	const tol = 1e-8
	m := float64(len(v))
	largest := slices.Max(v)
	sum, dist := 0.0, 0.0
	first, second := -1, -1 // two positive weights with different v
	for i, a := range alpha {
		if a < 0 {
			t.Fatalf("α[%d] = %g", i, a)
		}
		sum += a
		dist += (a - 1/m) * (a - 1/m)
		if a > 0 {
			if first < 0 || v[i] > v[first] {
				first = i
			}
			if second < 0 || v[i] < v[second] {
				second = i
			}
		}
	}
	if math.Abs(sum-1) > tol || dist > radius+tol {
		t.Fatalf("infeasible: Σα = %.12g, ‖α−1/M‖² = %.12g > %.12g", sum, dist, radius)
	}
	lambda := 0.0
	if alpha[first] != alpha[second] {
		lambda = (v[first] - v[second]) / largest / (alpha[first] - alpha[second])
	}
	if lambda < 0 || lambda*math.Abs(dist-radius) > tol {
		t.Fatalf("λ = %g with ‖α−1/M‖² = %.12g of %.12g", lambda, dist, radius)
	}
	theta := v[first]/largest - lambda*(alpha[first]-1/m)
	for i, a := range alpha {
		g := v[i]/largest - lambda*(a-1/m) - theta
		if g > tol || (a > 0 && g < -tol) {
			t.Fatalf("stationarity of %d (α = %g): %g", i, a, g)
		}
	}
}

func TestLKRF(t *testing.T) {
	data := waves(300, 2, 1)
	r := scored(t, LKRF{Pool: Pool{Size: 80}, Rho: 0.5}, 2, 20, data, 9)
	checkKKT(t, r.Scores, r.Prob, 0.5/40)
	if r.Rho != 0.5 {
		t.Errorf("ρ = %g", r.Rho)
	}
	// Keeping the weights: the kernel Σ α cos over the kept ones.
	r = scored(t, LKRF{Pool: Pool{Size: 80}, Keep: true, Rho: 0.5}, 2, 20, data, 9)
	sum := 0.0
	for i, w := range inside.Spec(r.Map).Weight[:10] {
		sum += w * w
		if !close2(w*w/(inside.Spec(r.Map).Weight[0]*inside.Spec(r.Map).Weight[0]), r.Prob[r.Picked[i]]/r.Prob[r.Picked[0]], 1e-12) {
			t.Fatalf("weights are not in proportion to √α")
		}
	}
	if !close2(sum, 1, 1e-12) {
		t.Errorf("k(x, x) = %g", sum)
	}
	// A ball too large for the features asked for.
	_, err := LKRF{Pool: Pool{Size: 80}, Rho: 38}.sampleScored(context.Background(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 2, Features: 20, Data: data, Rand: rand.NewPCG(1, 1)})
	if e := (*rff.DegenerateDataError)(nil); !errors.As(err, &e) || !strings.Contains(e.Why, "10 are asked for") {
		t.Errorf("ρ at its largest: %v", err)
	}
}

// nonNegative satisfies the optimality conditions: β ≥ 0, gradient ≥ 0, and
// zero where β > 0.
func TestNonNegative(t *testing.T) {
	src := rand.NewPCG(10, 10)
	for _, m := range []int{1, 2, 7, 60} {
		for range 5 {
			a := mat.NewDense(m+3, m, nil)
			g := make([]float64, m)
			for i := range m + 3 {
				for j := range m {
					a.Set(i, j, 2*portable.Uniform(src)-1)
				}
			}
			for j := range g {
				g[j] = 2*portable.Uniform(src) - 1
			}
			var h mat.Dense
			h.Mul(a.T(), a)
			beta, err := nonNegative(context.Background(), blas.Engine{}, blas.General[float64]{Rows: m, Cols: m, Stride: m, Data: h.RawMatrix().Data}, g)
			if err != nil {
				t.Fatal(err)
			}
			scale := mat.Norm(&h, 2) * (1 + mat.Norm(mat.NewVecDense(m, beta), 2))
			for i := range beta {
				grad := -g[i]
				for j, b := range beta {
					grad += h.At(i, j) * b
				}
				if beta[i] < 0 || grad < -1e-11*scale || beta[i]*math.Abs(grad) > 1e-11*scale*scale {
					t.Fatalf("m=%d: β[%d] = %g, gradient %g", m, i, beta[i], grad)
				}
			}
		}
	}
}

// SES fits the kernel: on pairs of rows its error is below that of equal weights,
// and its weights are not negative.
func TestSESFitsKernel(t *testing.T) {
	const n, d, features = 400, 3, 60
	data := waves(n, d, 0)
	k := rff.NewGaussian(0.7)
	gain := 0.0
	for seed := range uint64(5) {
		r := scored(t, SES{}, d, features, data, 11+seed)
		if r.Map.Kernel() == nil {
			t.Error("the map approximates the kernel and does not say so")
		}
		errorOf := func(m *rff.Map) (e float64) {
			z := denseOf(t, m, data.x)
			for i := range n {
				for j := range i {
					e += math.Pow(mat.Dot(z.RowView(i), z.RowView(j))-k.Eval(data.x.Row(i), data.x.Row(j)), 2)
				}
			}
			return math.Sqrt(e * 2 / n / (n - 1))
		}
		gain += errorOf(r.Map) / errorOf(r.Candidates) / 5
		for _, b := range r.Scores {
			if b < 0 {
				t.Fatalf("weight %g", b)
			}
		}
	}
	t.Logf("error against equal weights: %.3f", gain)
	if gain > 0.6 { // 0.58 is what weights scaled to Σβ = 1 have
		t.Errorf("error is %.3f of that of equal weights", gain)
	}
}

func TestTEFM(t *testing.T) {
	const n, d = 700, 4
	data := waves(n, d, 0)
	for _, s := range []TEFM{{}, {Hadamard: true}, {Power: 2}, {Base: MonteCarlo{Form: rff.CosBias}}} {
		for _, features := range []int{1, 15, 32} {
			m, err := s.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(0.7), Dim: d, Features: features, Data: data, Rand: rand.NewPCG(12, 1)})
			if err != nil {
				t.Fatal(err)
			}
			q := inside.Spec(m).Product
			if in, out := m.Dims(); in != d || out != features || q.Rows != 4*features {
				t.Fatalf("map %d → %d over %d columns", in, out, q.Rows)
			}
			qm := mat.NewDense(q.Rows, q.Cols, q.Data)
			var gram mat.Dense
			gram.Mul(qm.T(), qm)
			for i := range features {
				gram.Set(i, i, gram.At(i, i)-1)
			}
			if e := mat.Max(&gram) - mat.Min(&gram); e > 1e-12 {
				t.Errorf("%+v features=%d: ‖QᵀQ−I‖ = %g", s, features, e)
			}
			plain := *inside.Spec(m)
			plain.Product = blas.General[float64]{}
			base, err := inside.New(&plain, nil)
			if err != nil {
				t.Fatal(err)
			}
			var g, diff mat.Dense
			f := denseOf(t, base, data.x)
			g.Mul(f, qm)
			diff.Sub(&g, denseOf(t, m, data.x))
			if e := mat.Norm(&diff, math.Inf(1)); e > 1e-12 {
				t.Errorf("‖G−FQ‖ = %g", e)
			}
			// Halko, Martinsson and Tropp (2011), Theorem 10.5: with l = k + p the
			// expected residual is at most (1 + k/(p−1)) times the tail beyond k.
			var svd mat.SVD
			if features == 32 && svd.Factorize(f, mat.SVDNone) {
				tail := 0.0
				for _, v := range svd.Values(nil)[16:] {
					tail += v * v
				}
				left := math.Pow(mat.Norm(f, 2), 2) - math.Pow(mat.Norm(&g, 2), 2)
				if left > (1+16.0/15)*tail {
					t.Errorf("%+v: residual %.3g, tail beyond 16 %.3g", s, left, tail)
				}
			}
		}
	}
}

// More columns than the rows, or the features, have dimensions.
func TestTEFMRank(t *testing.T) {
	ctx, k := context.Background(), rff.NewGaussian(1)
	few := waves(10, 2, 0)
	for _, s := range []TEFM{{}, {Hadamard: true}} {
		_, err := s.Sample(ctx, rff.Request{Kernel: k, Dim: 2, Features: 11, Data: few, Rand: rand.NewPCG(1, 1)})
		if e := (*rff.DegenerateDataError)(nil); !errors.As(err, &e) || !strings.Contains(e.Why, "saw 10 rows") {
			t.Errorf("more columns than rows: %v", err)
		}
		same := waves(50, 2, 0)
		for i := range same.x.Rows {
			copy(same.x.Row(i), same.x.Row(i%3))
		}
		_, err = s.Sample(ctx, rff.Request{Kernel: k, Dim: 2, Features: 5, Data: same, Rand: rand.NewPCG(1, 1)})
		if e := (*rff.DegenerateDataError)(nil); !errors.As(err, &e) || !strings.Contains(e.Why, "span 3 dimensions") {
			t.Errorf("three distinct rows: %v", err)
		}
	}
}
