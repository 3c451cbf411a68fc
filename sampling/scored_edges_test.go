package sampling

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/portable"
)

// onData are the samplers that look at data, labels saying which need targets.
func onData() map[string]struct {
	s      rff.Sampler
	labels bool
} {
	return map[string]struct {
		s      rff.Sampler
		labels bool
	}{
		"leverage":             {Leverage{}, false},
		"leverage multinomial": {Leverage{Pool: Pool{Pick: pickMultinomial, Importance: true}}, false},
		"leverage float32":     {Leverage{Pool: Pool{Importance: true}, Precision: "float32"}, false},
		"surrogate":            {Surrogate{}, true},
		"surrogate ridged":     {Surrogate{Ridged: true}, true},
		"surrogate raw top":    {Surrogate{Pool: Pool{Pick: pickTop}, Raw: true}, true},
		"eerf":                 {EERF{Fraction: 0.5}, true},
		"lkrf":                 {LKRF{}, true},
		"lkrf keep":            {LKRF{Keep: true}, true},
		"ses":                  {SES{}, false},
		"tefm-g":               {TEFM{}, false},
		"tefm-s":               {TEFM{Hadamard: true}, false},
		"published leverage":   {Leverage{Published: true}, false},
		"published surrogate":  {Surrogate{Published: true}, true},
	}
}

// The map is the same, bit for bit, on every instruction set, for any number of
// workers and any cut of the rows into batches; another seed gives another.
// TestGolden says which it is.
func TestScoredSameBits(t *testing.T) {
	ctx, k := context.Background(), rff.NewGaussian(0.8)
	const d, features = 3, 24
	whole := weightedWaves()
	want := map[string]string{}
	native := rff.Engine{Backend: "native"}
	for name, s := range onData() {
		m, err := s.s.Sample(ctx, rff.Request{Kernel: k, Dim: d, Features: features, Data: whole, Rand: rand.NewPCG(1, 2), Engine: native})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want[name] = m.Fingerprint()
		if in, out := m.Dims(); in != d || (out != features && name != "leverage multinomial") {
			t.Errorf("%s: %d → %d", name, in, out)
		}
		if m, err = s.s.Sample(ctx, rff.Request{Kernel: k, Dim: d, Features: features, Data: whole, Rand: rand.NewPCG(1, 3), Engine: native}); err != nil || m.Fingerprint() == want[name] {
			t.Errorf("%s: another seed gives the same map (%v)", name, err)
		}
	}
	cuts := [][]int{{7, 500, 1, 300}, {504}, {505}, {1}}
	trial := 0
	for _, isa := range []string{"go", "avx2", "avx512", "neon"} {
		if _, err := blas.Lookup("native:" + isa); err != nil {
			t.Logf("%s: not here", isa)
			continue
		}
		for _, workers := range []int{1, 2, 5} {
			pieces := *whole
			pieces.cut = cuts[trial%len(cuts)]
			trial++
			for name, s := range onData() {
				m, err := s.s.Sample(ctx, rff.Request{Kernel: k, Dim: d, Features: features, Data: &pieces, Rand: rand.NewPCG(1, 2), Engine: rff.Engine{Backend: "native:" + isa, Workers: workers}})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if m.Fingerprint() != want[name] {
					t.Errorf("%s: another map on %s with %d workers in batches of %v", name, isa, workers, pieces.cut)
				}
			}
			if testing.Short() {
				break
			}
		}
	}
}

func TestScoredEdges(t *testing.T) {
	ctx, k := context.Background(), rff.NewGaussian(0.8)
	for name, s := range onData() {
		sample := func(dim, features int, data rff.Source) (*rff.Map, error) {
			return s.s.Sample(ctx, rff.Request{Kernel: k, Dim: dim, Features: features, Data: data, Rand: rand.NewPCG(1, 2)})
		}
		for _, c := range []struct{ n, d, features int }{
			{200, 1, 6},   // one dimension
			{200, 7, 10},  // features not a multiple of d
			{100, 5, 2},   // one frequency
			{60, 16, 48},  // a pool larger than the number of rows
			{505, 130, 4}, // more than a block of rows, many dimensions
		} {
			m, err := sample(c.d, c.features, waves(c.n, c.d, 1))
			if err != nil {
				t.Errorf("%s %+v: %v", name, c, err)
				continue
			}
			if in, out := m.Dims(); in != c.d || (out != c.features && name != "leverage multinomial") {
				t.Errorf("%s %+v: map %d → %d", name, c, in, out)
			}
		}
		_, err := sample(2, 4, nil)
		if e := (*rff.ParameterError)(nil); !errors.As(err, &e) {
			t.Errorf("%s without data: %v", name, err)
		}
		_, err = sample(3, 4, waves(50, 2, 1))
		if e := (*rff.ShapeError)(nil); !errors.As(err, &e) {
			t.Errorf("%s with data of another dimension: %v", name, err)
		}
		_, err = sample(2, 4, waves(0, 2, 1))
		if e := (*rff.DegenerateDataError)(nil); !errors.As(err, &e) {
			t.Errorf("%s on no rows: %v", name, err)
		}
		odd := waves(100, 2, 1)
		_, err = sample(2, 5, odd)
		if e := (*rff.ParameterError)(nil); (name == "tefm-g" || name == "tefm-s") == errors.As(err, &e) {
			t.Errorf("%s with an odd number of columns: %v", name, err)
		}
		bad := waves(100, 2, 1)
		bad.x.Row(57)[1] = math.NaN()
		bad.cut = []int{13}
		_, err = sample(2, 4, bad)
		if e := (*rff.ValueError)(nil); !errors.As(err, &e) || e.Row != 57 || e.Column != "input 2" {
			t.Errorf("%s with a NaN in row 58: %v", name, err)
		}
		done, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := s.s.Sample(done, rff.Request{Kernel: k, Dim: 2, Features: 4, Data: waves(100, 2, 1), Rand: rand.NewPCG(1, 2)}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s cancelled: %v", name, err)
		}
		if !s.labels {
			if _, err := sample(2, 4, waves(100, 2, 0)); err != nil {
				t.Errorf("%s without targets: %v", name, err)
			}
			continue
		}
		_, err = sample(2, 4, waves(100, 2, 0))
		if e := (*rff.DegenerateDataError)(nil); !errors.As(err, &e) {
			t.Errorf("%s without targets: %v", name, err)
		}
		inf := waves(100, 2, 1)
		inf.y.Row(57)[0] = math.Inf(-1)
		_, err = sample(2, 4, inf)
		if e := (*rff.ValueError)(nil); !errors.As(err, &e) || e.Row != 57 || e.Column != "target 1" {
			t.Errorf("%s with an infinite target: %v", name, err)
		}
		raw := name == "surrogate raw top" || name == "published surrogate"
		for what, value := range map[string]float64{"zero": 0, "one class": 0.1, "huge": 1e200} {
			flat := waves(100, 2, 1)
			for i := range flat.y.Data {
				flat.y.Data[i] = value
				if what == "huge" && i%2 == 0 {
					flat.y.Data[i] = -value
				}
			}
			_, err = sample(2, 4, flat)
			if e := (*rff.DegenerateDataError)(nil); errors.As(err, &e) == (raw && what == "one class") {
				t.Errorf("%s with %s labels: %v", name, what, err)
			}
		}
	}
}

// A pool of exactly the features, and one too small.
func TestPoolSize(t *testing.T) {
	ctx, k := context.Background(), rff.NewGaussian(0.8)
	data := waves(100, 2, 1)
	for _, s := range []scorer{Leverage{Pool: Pool{Size: 10}}, Surrogate{Pool: Pool{Multiple: 1}}, EERF{Pool: Pool{Size: 10}, Fraction: 1}, LKRF{Pool: Pool{Size: 10}}} {
		r, err := s.sampleScored(ctx, rff.Request{Kernel: k, Dim: 2, Features: 10, Data: data, Rand: rand.NewPCG(1, 1)})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.Picked, []int{0, 1, 2, 3, 4}) {
			t.Errorf("%T picked %v of 5", s, r.Picked)
		}
		// Everything kept with unit weights is the plain map.
		for i, w := range inside.Spec(r.Map).Weight {
			if !close2(w, inside.Spec(r.Candidates).Weight[i], 1e-15) {
				t.Errorf("%T: amplitude %g", s, w)
			}
		}
	}
	for _, p := range []Pool{{Size: 8}, {Multiple: -1}, {Size: 11}} {
		_, err := Surrogate{Pool: p}.Sample(ctx, rff.Request{Kernel: k, Dim: 2, Features: 10, Data: data, Rand: rand.NewPCG(1, 1)})
		if e := (*rff.ParameterError)(nil); !errors.As(err, &e) {
			t.Errorf("pool %+v: %v", p, err)
		}
	}
}

// Repeated draws become one column with amplitude √(count/F): the kernel of the
// map is that of the F draws, exactly.
func TestRepeatedDrawsMerge(t *testing.T) {
	data := waves(200, 2, 1)
	r := scored(t, Surrogate{Pool: Pool{Size: 24, Pick: pickMultinomial}}, 2, 24, data, 3)
	draws, f := 0, len(r.Picked)
	if f == 12 {
		t.Fatal("no repeats among 12 draws from 12")
	}
	for i, c := range r.Count {
		draws += c
		for o := range 2 {
			if w := inside.Spec(r.Map).Weight[o*f+i]; math.Abs(w-math.Sqrt(float64(c)/12)) > 1e-15 {
				t.Errorf("amplitude %.17g for %d of 12 draws", w, c)
			}
		}
	}
	if draws != 12 || !slices.IsSorted(r.Picked) || len(slices.Compact(slices.Clone(r.Picked))) != f {
		t.Errorf("picked %v, %v times", r.Picked, r.Count)
	}
}

// Draws follow the probabilities: each count is binomial.
func TestPickDistribution(t *testing.T) {
	src := rand.NewPCG(5, 5)
	prob := []float64{0.4, 0, 0.3, 0.2, 0.1, 0}
	const n = 100000
	picked, count := multinomial(prob, n, src)
	for i, c := range picked {
		if p := prob[c]; math.Abs(float64(count[i])-n*p) > 5*math.Sqrt(n*p*(1-p)) {
			t.Errorf("candidate %d of probability %g drawn %d times in %d", c, p, count[i], n)
		}
	}
	if len(picked) != 4 {
		t.Errorf("picked %v", picked)
	}
	// Two without replacement from (a, b, c): P(a in) = p_a + Σ_j p_j·p_a/(1−p_j).
	p3 := []float64{0.6, 0.3, 0.1}
	in := make([]float64, 3)
	const trials = 20000
	for range trials {
		two, err := withoutReplacement("", p3, 2, src)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range two {
			in[c]++
		}
	}
	for i := range in {
		want := p3[i]
		for j := range p3 {
			if j != i {
				want += p3[j] * p3[i] / (1 - p3[j])
			}
		}
		if math.Abs(in[i]/trials-want) > 5*math.Sqrt(want*(1-want)/trials) {
			t.Errorf("candidate %d in %.4f of the picks, want %.4f", i, in[i]/trials, want)
		}
	}
	if _, err := withoutReplacement("x", []float64{1, 0}, 2, src); err == nil {
		t.Error("two picked of one")
	}
	if _, _, err := draw(pickTop, "x", []float64{1, 0}, 2, src); err == nil {
		t.Error("top two of one")
	}
	if best, _, _ := draw(pickTop, "", []float64{0.1, 0.3, 0.3, 0.3}, 2, src); !slices.Equal(best, []int{1, 2}) {
		t.Errorf("ties: %v", best)
	}
}

// smallest is a prefix of the sorted order, as a set.
func TestSmallest(t *testing.T) {
	src := rand.NewPCG(4, 4)
	for n := range 40 {
		for _, values := range []int{1, 3, 1 << 30} {
			key := make([]float64, n)
			for i := range key {
				key[i] = float64(intN(src, values))
			}
			sorted := make([]int, n)
			for i := range sorted {
				sorted[i] = i
			}
			shuffled := slices.Clone(sorted)
			sortBy(sorted, key)
			for k := range n + 1 {
				got := slices.Sorted(slices.Values(smallest(slices.Clone(shuffled), key, k)))
				if want := slices.Sorted(slices.Values(sorted[:k])); !slices.Equal(got, want) {
					t.Fatalf("smallest %d of %v: %v, want %v", k, key, got, want)
				}
			}
		}
	}
}

// Importance weights make multinomial draws unbiased for the pool's kernel: the
// mean of the map's kernel over seeds of the draw is the pool's.
func TestImportanceUnbiased(t *testing.T) {
	src := rand.NewPCG(6, 6)
	const l, draws, trials = 50, 20, 4000
	r := &Result{Prob: make([]float64, l)}
	value := make([]float64, l) // cos ωᵢᵀ(x−y)
	var sum, mean, square float64
	for i := range l {
		r.Prob[i] = 0.2 + portable.Uniform(src)
		sum += r.Prob[i]
		value[i] = 2*portable.Uniform(src) - 1
		mean += value[i] / l
	}
	for i := range r.Prob {
		r.Prob[i] /= sum
		square += value[i] * value[i] / (l * l * r.Prob[i])
	}
	var got float64
	for range trials {
		r.Picked, r.Count = multinomial(r.Prob, draws, src)
		for i, a := range (Pool{Importance: true}).amplitudes(r, draws) {
			got += a * a / l * value[r.Picked[i]] / trials
		}
	}
	if sd := math.Sqrt((square - mean*mean) / draws / trials); math.Abs(got-mean) > 5*sd {
		t.Errorf("mean kernel %.5f, pool %.5f ± %.5f", got, mean, sd)
	}
}

// A million candidates: scores, picks and memory stay linear in their number.
func TestMillionCandidates(t *testing.T) {
	if testing.Short() {
		t.Skip("a million candidates take seconds")
	}
	data := waves(20, 1, 1)
	r := scored(t, Surrogate{Pool: Pool{Size: 1 << 20}}, 1, 100, data, 3)
	if len(r.Scores) != 1<<19 || len(r.Picked) != 50 {
		t.Errorf("%d scores, %d picks", len(r.Scores), len(r.Picked))
	}
	v := make([]float64, 1_000_000)
	src := rand.NewPCG(1, 1)
	for i := range v {
		v[i] = portable.Uniform(src)
	}
	alpha, used := robustWeights(v, 1e-6, 1000)
	checkKKT(t, v, alpha, used)
}

// Structured projections written out as a matrix are what the engine evaluates.
func TestDense(t *testing.T) {
	src := rand.NewPCG(2, 2)
	diagonal := func() []float64 {
		d := make([]float64, 8)
		for i := range d {
			d[i] = 2*portable.Uniform(src) - 1
		}
		return d
	}
	spec := &blas.Spec{Dim: 5, Func: asm.Linear, Blocks: []blas.Block{
		{Size: 8, Keep: 8, D: [][]float64{diagonal(), diagonal(), diagonal()}, Scale: diagonal()},
		{Size: 8, Keep: 3, D: [][]float64{diagonal(), diagonal()}, Perm: []int{3, 1, 7, 0, 2, 6, 5, 4}, Scale: diagonal()[:3]},
	}}
	for range 11 {
		spec.Weight = append(spec.Weight, 1)
	}
	dense, err := withoutBlocks(context.Background(), blas.Engine{}, spec)
	if err != nil {
		t.Fatal(err)
	}
	w := dense.W
	x := waves(9, 5, 0).x
	for r := range x.Rows {
		at := 0
		for i := range spec.Blocks {
			b := &spec.Blocks[i]
			v := make([]float64, 8)
			copy(v, x.Row(r))
			for k := len(b.D) - 1; k >= 0; k-- {
				if k == 0 && b.Perm != nil {
					p := make([]float64, 8)
					for c, from := range b.Perm {
						p[c] = v[from]
					}
					v = p
				}
				h := make([]float64, 8)
				for c := range h {
					for j := range v {
						sign := 1.0
						for bit := c & j; bit != 0; bit &= bit - 1 {
							sign = -sign
						}
						h[c] += sign * b.D[k][j] * v[j]
					}
				}
				v = h
			}
			for c := range b.Keep {
				got := 0.0
				for j, xj := range x.Row(r) {
					got += w.Row(at)[j] * xj
				}
				if math.Abs(got-v[c]*b.Scale[c]) > 1e-13 {
					t.Fatalf("block %d, projection %d: %g, want %g", i, c, got, v[c]*b.Scale[c])
				}
				at++
			}
		}
	}
}

// Arc-cosine features and coordinates as candidates. Of coordinates, EERF keeps
// those that carry the targets, each once though they were drawn many times.
func TestDotProductCandidates(t *testing.T) {
	ctx := context.Background()
	const n, d = 300, 8
	data := waves(n, d, 1)
	for i := range n {
		x := data.x.Row(i)
		data.y.Row(i)[0] = 5 + 2*x[3] - x[6]
	}
	for _, order := range []int{0, 1, 2} {
		base, k := MonteCarlo{}, rff.NewArcCosine(order)
		for _, s := range []scorer{EERF{Pool: Pool{Base: base}, Fraction: 1}, LKRF{Pool: Pool{Base: base}}, Leverage{Pool: Pool{Base: base}}, Surrogate{Pool: Pool{Base: base}}} {
			r, err := s.sampleScored(ctx, rff.Request{Kernel: k, Dim: d, Features: 7, Data: data, Rand: rand.NewPCG(1, 1)})
			if err != nil {
				t.Fatalf("%T on arc-cosine features: %v", s, err)
			}
			if inside.Spec(r.Map).Func != inside.Spec(r.Candidates).Func || len(r.Picked) != 7 || len(r.Scores) != 28 {
				t.Errorf("%T: picked %v of %d", s, r.Picked, len(r.Scores))
			}
		}
	}
	r, err := EERF{Pool: Pool{Multiple: 100}, Fraction: 1}.sampleScored(ctx, rff.Request{Kernel: rff.NewLinear(), Dim: d, Features: 2, Data: data, Rand: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	w := inside.Spec(r.Map).W
	if len(r.Scores) != d || w.Row(0)[3]+w.Row(1)[3] != 1 || w.Row(0)[6]+w.Row(1)[6] != 1 {
		t.Errorf("coordinates %v of %d candidates", w.Data, len(r.Scores))
	}
	_, err = EERF{}.sampleScored(ctx, rff.Request{Kernel: rff.NewLinear(), Dim: d, Features: 9, Data: data, Rand: rand.NewPCG(1, 1)})
	if e := (*rff.ParameterError)(nil); !errors.As(err, &e) {
		t.Errorf("nine of eight coordinates: %v", err)
	}
	if _, err = (Surrogate{Ridged: true}).Sample(ctx, rff.Request{Kernel: rff.NewArcCosine(1), Dim: d, Features: 4, Data: data, Rand: rand.NewPCG(1, 1)}); !errors.As(err, new(*rff.ParameterError)) {
		t.Errorf("q̃ without pairs: %v", err)
	}
	var kernel *rff.ParameterError
	if _, err = (SES{}).Sample(ctx, rff.Request{Kernel: rff.NewLinear(), Dim: d, Features: 4, Data: data, Rand: rand.NewPCG(1, 1)}); !errors.As(err, &kernel) || kernel.Name != "kernel" {
		t.Errorf("SES on a kernel that is not stationary: %v", err)
	}
	for _, s := range []rff.Sampler{EERF{Pool: Pool{Base: TEFM{}}}, TEFM{Base: Compact{}}} {
		if _, err = s.Sample(ctx, rff.Request{Kernel: rff.NewGaussian(1), Dim: d, Features: 4, Data: data, Rand: rand.NewPCG(1, 1)}); !errors.As(err, new(*rff.ParameterError)) {
			t.Errorf("%T on a projected base: %v", s, err)
		}
	}
}

// Candidates whose score is exactly zero, coordinates that are zero in every row,
// are never picked, and where the others do not suffice the error says so.
func TestZeroScores(t *testing.T) {
	const n, d = 100, 6
	data := waves(n, d, 1)
	for i := range n {
		x := data.x.Row(i)
		x[1], x[2], x[4], x[5] = 0, 0, 0, 0
		data.y.Row(i)[0] = x[0] - x[3]
	}
	p := Pool{Multiple: 50}
	for _, pick := range []string{pickMultinomial, pickWithout, pickTop} {
		for _, importance := range []bool{false, true} {
			p.Pick, p.Importance = pick, importance
			for _, s := range []scorer{EERF{Pool: p, Fraction: 1}, Surrogate{Pool: p}, Leverage{Pool: p}} {
				sample := func(features int) (*Result, error) {
					return s.sampleScored(context.Background(), rff.Request{Kernel: rff.NewLinear(), Dim: d, Features: features, Data: data, Rand: rand.NewPCG(1, 1)})
				}
				r, err := sample(2)
				if err != nil {
					t.Fatalf("%T, pick %s: %v", s, pick, err)
				}
				for i, c := range r.Picked {
					if r.Scores[c] == 0 {
						t.Errorf("%T, pick %s: candidate %d has score 0", s, pick, c)
					}
					if w := inside.Spec(r.Map).Weight[i]; !(w > 0) || math.IsInf(w, 0) {
						t.Errorf("%T, pick %s: amplitude %g", s, pick, w)
					}
				}
				if zeros := len(r.Scores) - 2; zeros != 4 || pick == pickMultinomial {
					continue
				}
				if _, err := sample(3); !errors.As(err, new(*rff.DegenerateDataError)) {
					t.Errorf("%T, pick %s: three of two with a score: %v", s, pick, err)
				}
			}
		}
	}
}

// Three targets: the classes share the features, so energies add up over them.
func TestThreeTargets(t *testing.T) {
	const n, d, features = 300, 3, 12
	data := waves(n, d, 3)
	for _, c := range []struct {
		s      scorer
		energy func(score float64) float64 // undoes what the sampler does to a sum of squares
	}{
		{EERF{Fraction: 1}, func(v float64) float64 { return v * v }},
		{Surrogate{}, func(v float64) float64 { return v }},
		{LKRF{}, func(v float64) float64 { return v }},
	} {
		all := scored(t, c.s, d, features, data, 3)
		if len(all.Picked) != features/2 {
			t.Errorf("%T: %d picked", c.s, len(all.Picked))
		}
		sum := make([]float64, len(all.Scores))
		for target := range 3 {
			one := *data
			one.y = blas.NewGeneral[float64](n, 1)
			for i := range n {
				one.y.Row(i)[0] = data.y.Row(i)[target]
			}
			for i, v := range scored(t, c.s, d, features, &one, 3).Scores {
				sum[i] += c.energy(v)
			}
		}
		for i, v := range all.Scores {
			if !close2(c.energy(v), sum[i], 1e-10) {
				t.Fatalf("%T: candidate %d has %.15g, the three targets alone %.15g", c.s, i, c.energy(v), sum[i])
			}
		}
	}
}

// Structured and quasi-random candidates are scored like any others.
func TestOtherBases(t *testing.T) {
	data := waves(200, 5, 1)
	for _, base := range []rff.Sampler{ORF{}, SORF{}, Fastfood{}, Halton{}, Sobol{}, Sobol{Form: rff.CosBias}} {
		for _, s := range []scorer{Leverage{Pool: Pool{Base: base}}, EERF{Pool: Pool{Base: base}, Fraction: 1}, SES{Pool: Pool{Base: base}}} {
			r := scored(t, s, 5, 12, data, 3)
			// Picked columns are those of the pool up to their amplitude and the
			// rounding of a projection evaluated another way.
			a, b := denseOf(t, r.Candidates, data.x), denseOf(t, r.Map, data.x)
			f, n := inside.Spec(r.Candidates).Frequencies(), len(r.Picked)
			for o := range inside.Spec(r.Map).Func.Outputs() {
				for i, c := range r.Picked {
					scale := inside.Spec(r.Map).Weight[o*n+i] / inside.Spec(r.Candidates).Weight[o*f+c]
					for row := range 200 {
						if math.Abs(b.At(row, o*n+i)-scale*a.At(row, o*f+c)) > 1e-12*scale {
							t.Fatalf("%T on %T: feature %d differs from candidate %d", s, base, i, c)
						}
					}
				}
			}
		}
	}
}

// Every name builds, every option reaches its field.
func TestNamesOfScored(t *testing.T) {
	for spec, want := range map[string]rff.Sampler{
		"leverage:pool=8,lambda=0.1,pick=top,weight=importance": Leverage{Pool: Pool{Multiple: 8, Base: MonteCarlo{}, Pick: pickTop, Importance: true}, Lambda: 0.1},
		"leverage:published=yes":                                Leverage{Published: true},
		"leverage:sums=float32":                                 Leverage{Pool: Pool{Base: MonteCarlo{}}, Precision: "float32"},
		"leverage:sums=float64":                                 Leverage{Pool: Pool{Base: MonteCarlo{}}},
		"surrogate:density=ridged,labels=raw":                   Surrogate{Pool: Pool{Base: MonteCarlo{}}, Ridged: true, Raw: true},
		"surrogate:published=yes":                               Surrogate{Published: true},
		"eerf:fraction=0.05,base=rff-phase":                     EERF{Pool: Pool{Base: MonteCarlo{Form: rff.CosBias}}, Fraction: 0.05},
		"lkrf:rho=3,keep=yes":                                   LKRF{Pool: Pool{Base: MonteCarlo{}}, Rho: 3, Keep: true},
		"ses:pairs=100,lambda=0.01,pool=2":                      SES{Pool: Pool{Multiple: 2, Base: MonteCarlo{}}, Pairs: 100, Lambda: 0.01},
		"tefm-g:power=1":                                        TEFM{Base: MonteCarlo{}, Power: 1},
		"tefm-s:pool=3":                                         TEFM{Hadamard: true, Base: MonteCarlo{}, Multiple: 3},
		"eerf:pick=without,labels=centred,weight=unit":          EERF{Pool: Pool{Base: MonteCarlo{}, Pick: pickWithout}},
	} {
		got, err := ByName(spec)
		if err != nil || fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want) {
			t.Errorf("%s: %#v, want %#v (%v)", spec, got, want, err)
		}
	}
	for _, spec := range []string{"surrogate:base=surrogate", "eerf:fraction=2", "lkrf:rho=-1", "leverage:lambda=0", "leverage:sums=single", "leverage:published=yes,sums=float32", "tefm-g:pick=top",
		"lkrf:keep=yes,pick=multinomial", "lkrf:weight=importance,keep=yes", "ses:pick=top", "ses:weight=importance"} {
		if s, err := ByName(spec); err == nil {
			t.Errorf("%s: %#v", spec, s)
		}
	}
}

// TestUnusedPoolSettings: what a sampler would not use is refused by name.
func TestUnusedPoolSettings(t *testing.T) {
	data := waves(60, 2, 1)
	for name, all := range map[string][]rff.Sampler{
		"pick":       {SES{Pool: Pool{Pick: pickWithout}}, SES{Pool: Pool{Pick: pickTop}}, LKRF{Pool: Pool{Pick: pickMultinomial}, Keep: true}},
		"importance": {SES{Pool: Pool{Importance: true}}, LKRF{Pool: Pool{Importance: true}, Keep: true}},
		"pool size":  {SES{Pool: Pool{Size: 16, Multiple: 2}}, EERF{Pool: Pool{Size: 16, Multiple: 2}}, TEFM{Size: 16, Multiple: 2}},
	} {
		for _, s := range all {
			var p *rff.ParameterError
			if m, err := s.Sample(t.Context(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 2, Features: 8, Data: data, Rand: rand.NewPCG(1, 2)}); m != nil || !errors.As(err, &p) || p.Name != name {
				t.Errorf("%+v: %v, want a refusal of %s", s, err, name)
			}
		}
	}
}

// A sampler without scores is refused by name, and one with scores gives its map.
func TestSampleScored(t *testing.T) {
	ctx, data := context.Background(), waves(100, 2, 1)
	var p *rff.ParameterError
	for _, s := range []rff.Sampler{nil, ORF{}, TEFM{}} {
		if r, err := SampleScored(ctx, s, rff.Request{Kernel: rff.NewGaussian(1), Dim: 2, Features: 8, Data: data, Rand: rand.NewPCG(1, 2)}); r != nil || !errors.As(err, &p) || p.Name != "sampler" {
			t.Errorf("%T: %v", s, err)
		}
	}
	for _, s := range []rff.Sampler{Leverage{}, Surrogate{}, EERF{}, LKRF{}, SES{}, Surrogate{Published: true}} {
		r, err := SampleScored(ctx, s, rff.Request{Kernel: rff.NewGaussian(1), Dim: 2, Features: 8, Data: data, Rand: rand.NewPCG(1, 2)})
		if err != nil {
			t.Fatal(err)
		}
		m, err := s.Sample(ctx, rff.Request{Kernel: rff.NewGaussian(1), Dim: 2, Features: 8, Data: data, Rand: rand.NewPCG(1, 2)})
		if err != nil || m.Fingerprint() != r.Map.Fingerprint() || len(r.Scores) == 0 {
			t.Errorf("%T: another map, %v", s, err)
		}
	}
}

// Inputs that are constant say nothing of the targets, and scores that are rounding errors pick
// no candidates. Inputs that change a little still do.
func TestConstantInputsHaveNoSignal(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 1000
	for _, vary := range []float64{0, 1e-7} {
		data := waves(n, 2, 1)
		for i := range n {
			data.x.Row(i)[0], data.x.Row(i)[1] = 0.3+vary*rng.NormFloat64(), -1.7
		}
		for name, s := range map[string]rff.Sampler{"surrogate": Surrogate{}, "lkrf": LKRF{}, "eerf": EERF{}} {
			_, err := s.Sample(t.Context(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 2, Features: 16, Data: data, Rand: rand.NewPCG(1, 2)})
			var d *rff.DegenerateDataError
			if errors.As(err, &d) != (vary == 0) || vary > 0 && err != nil {
				t.Errorf("%s, inputs that vary by %g: %v", name, vary, err)
			}
		}
	}
}

// A sampler that drew too few of the rows says how it gets more, and does.
func TestTooFewRowsRemedy(t *testing.T) {
	data := func(n int) rff.Source {
		return planted(n, 3, func(x []float64, _ *rand.Rand) []float64 { return x[:1] })
	}
	sample := func(s rff.Sampler, n int) error {
		_, err := s.Sample(t.Context(), rff.Request{Kernel: rff.NewGaussian(2), Dim: 3, Features: 4, Data: data(n), Rand: rand.NewPCG(1, 1)})
		return err
	}
	if err := sample(EERF{}, 5); err == nil || !strings.Contains(err.Error(), "raise the fraction") {
		t.Errorf("a tenth of 5 rows: %v", err)
	}
	if err := errors.Join(sample(EERF{Fraction: 1}, 5), sample(EERF{}, 200)); err != nil {
		t.Error(err)
	}
	if err := sample(EERF{Fraction: 1}, 1); err == nil || strings.Contains(err.Error(), "fraction") {
		t.Errorf("all of one row: %v", err)
	}
}
