package sampling_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/sampling"
)

// independent lists the samplers that look at no data, in every form.
func independent(t *testing.T) map[string]rff.Sampler {
	t.Helper()
	all := map[string]rff.Sampler{}
	for _, name := range []string{"rff", "orf", "sorf", "fastfood", "halton", "sobol"} {
		for _, form := range []string{"", ":form=phase"} {
			all[name+form] = byName(t, name+form)
		}
	}
	for _, name := range []string{"rff-phase", "compact", "compact:projection=gaussian,base=orf", "compact:projection=hadamard,pool=2,base=sobol"} {
		all[name] = byName(t, name)
	}
	return all
}

func byName(t testing.TB, name string) rff.Sampler {
	t.Helper()
	s, err := sampling.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func kernelsFor(d int) []rff.Stationary {
	s := math.Sqrt(float64(d))
	ard := make([]float64, d)
	for j := range ard {
		ard[j] = s * (0.7 + 0.6*float64(j)/float64(d))
	}
	return []rff.Stationary{rff.NewGaussian(s), rff.NewGaussian(ard...), rff.NewLaplacian(float64(d)), rff.NewCauchy(s),
		rff.NewMatern(0.5, ard...), rff.NewMatern(1.5, s), rff.NewMatern(2.5, s)}
}

func takesProducts(name string) bool {
	for _, isotropic := range []string{"orf", "sorf", "fastfood", "compact:projection=gaussian,base=orf"} {
		if name == isotropic || name == isotropic+":form=phase" {
			return false
		}
	}
	return true
}

// pairsOf returns 2·pairs rows: pairs of points at growing distances.
func pairsOf(pairs, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 99))
	x := mat.NewDense(2*pairs, d, nil)
	for p := range pairs {
		for j := range d {
			v := rng.NormFloat64()
			x.Set(2*p, j, v)
			x.Set(2*p+1, j, v+rng.NormFloat64()*2*float64(p+1)/float64(pairs))
		}
	}
	return x
}

// bias returns, in standard errors, the largest deviation over pairs of rows of
// the mean estimate of reps independent maps from k, and the largest standard
// error. The standard error is that of the reps estimates themselves, so the
// deviations follow Student's t with reps−1 degrees of freedom.
func bias(t *testing.T, s rff.Sampler, k rff.Kernel, x *mat.Dense, features, reps int) (worst, largest float64) {
	t.Helper()
	n, d := x.Dims()
	sum, squares := make([]float64, n/2), make([]float64, n/2)
	var z mat.Dense
	for r := range reps {
		m, err := s.Sample(context.Background(), rff.Request{Kernel: k, Dim: d, Features: features, Rand: rand.NewPCG(uint64(r), 1234)})
		if err != nil {
			t.Fatal(err)
		}
		if in, out := m.Dims(); in != d || out != features {
			t.Fatalf("a map of %d inputs and %d columns, want %d and %d", in, out, d, features)
		}
		if err := m.Transform(&z, x); err != nil {
			t.Fatal(err)
		}
		for p := range sum {
			e := mat.Dot(z.RowView(2*p), z.RowView(2*p+1)) - k.Eval(x.RawRowView(2*p), x.RawRowView(2*p+1))
			sum[p] += e
			squares[p] += e * e
		}
	}
	n64 := float64(reps)
	for p := range sum {
		mean := sum[p] / n64
		se := math.Sqrt(math.Max(0, squares[p]/n64-mean*mean)/(n64-1)) + 1e-13
		worst = math.Max(worst, math.Abs(mean)/se)
		largest = math.Max(largest, se)
	}
	return worst, largest
}

// For t with 47 degrees of freedom 10⁴ tests exceed 6.5 with probability 5e-4.
const tBound = 6.5

// variance bounds that of an estimate from s columns. Independent frequencies
// give at most 1/F = 2/s (CosSin) or 3/2F (CosBias), a projection to l columns
// adds at most 2/l; doubled for Fastfood's dependent frequencies (Le et al.,
// theorem 9). Orthogonal and stratified ones stay below independent ones.
func variance(features int) float64 { return 8 / float64(features) }

func TestSamplersAreUnbiased(t *testing.T) {
	dims := []int{1, 2, 7, 16}
	if !testing.Short() {
		dims = append(dims, 123, 784)
	}
	for name, s := range independent(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // drawing is on one worker
			for _, d := range dims {
				x := pairsOf(10, d, uint64(d))
				for i, k := range kernelsFor(d) {
					if (d >= 123 && i%2 == 1) || (!takesProducts(name) && (i == 2 || i == 3)) {
						continue
					}
					// In 784 dimensions, where a map is dear: points that have numbers of their own in
					// each, with one law of radii and one with a bandwidth per input, which the many
					// coordinates must reach.
					if d == 784 && (name != "halton" && name != "sobol" || i != 0 && i != 4) {
						continue
					}
					const features, reps = 64, 48
					worst, se := bias(t, s, k, x, features, reps)
					if worst > tBound {
						t.Errorf("%v, d = %d: the mean of %d estimates is %.1f standard errors off", k, d, reps, worst)
					}
					if limit := math.Sqrt(variance(features) / reps * 2); se > limit {
						t.Errorf("%v, d = %d: standard error %.4f above %.4f", k, d, se, limit)
					}
				}
			}
		})
	}
}

// Samplers see a wrong bandwidth as plain Monte Carlo does.
func TestSamplersSeeAWrongBandwidth(t *testing.T) {
	for name, s := range independent(t) {
		for _, d := range []int{2, 16} {
			x := pairsOf(10, d, uint64(d))
			wrong := math.Sqrt(float64(d)) * math.Sqrt2
			exact := rff.NewGaussian(math.Sqrt(float64(d)))
			if worst, _ := bias(t, relabelled{s, rff.NewGaussian(wrong)}, exact, x, 64, 48); worst < tBound {
				t.Errorf("%s, d = %d: a bandwidth √2 too wide passes with %.1f standard errors", name, d, worst)
			}
		}
	}
}

// relabelled samples another kernel than it is asked for.
type relabelled struct {
	rff.Sampler
	k rff.Kernel
}

func (s relabelled) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	r.Kernel = s.k
	return s.Sampler.Sample(ctx, r)
}

// Arc-cosine and linear features against their kernels.
func TestDotProductFeaturesAreUnbiased(t *testing.T) {
	for _, d := range []int{1, 2, 7, 16} {
		x := pairsOf(10, d, 5)
		for _, name := range []string{"arccos:order=0", "arccos:order=1", "arccos:order=2", "linear", "compact:base=linear"} {
			s := byName(t, name)
			k := inside.KernelFor(s, rff.NewGaussian(1))
			if worst, _ := bias(t, s, k, x, 64, 200); worst > tBound {
				t.Errorf("%s, d = %d: %.1f standard errors off", name, d, worst)
			}
		}
	}
}

// SORF at small orders: the bias that its documentation gives for orders below
// 32 is gone. The mean of 2¹⁸ frequencies has standard error 0.7·2⁻⁹ = 0.0014 at
// most, the bias of order 32 is 0.002 (at 3σ along a diagonal).
func TestSORFHasNoBias(t *testing.T) {
	const maps, f = 32, 1 << 13
	for _, d := range []int{2, 3, 8, 16} {
		k := rff.NewGaussian(1)
		zero, z := make([]float64, d), make([]float64, 2*f)
		var mean [3]float64 // at 1, 2 and 3σ
		at := func(i int) []float64 {
			delta := make([]float64, d)
			delta[0], delta[1] = float64(i+1)/math.Sqrt2, float64(i+1)/math.Sqrt2
			return delta
		}
		for seed := range uint64(maps) {
			m, err := sampling.SORF{}.Sample(context.Background(), rff.Request{Kernel: k, Dim: d, Features: 2 * f, Rand: rand.NewPCG(seed, 5)})
			if err != nil {
				t.Fatal(err)
			}
			for i := range mean {
				if err := m.TransformVec(z, at(i)); err != nil {
					t.Fatal(err)
				}
				for _, c := range z[:f] {
					mean[i] += c / math.Sqrt(f) / maps
				}
			}
		}
		for i, v := range mean {
			if e := math.Abs(v - k.Eval(at(i), zero)); e > 5*.0014+.002 {
				t.Errorf("d = %d, r = %d: off by %.4f", d, i+1, e)
			}
		}
	}
}

// Published forms have the constants their papers print.
func TestSORFPublishedRadius(t *testing.T) {
	m, err := sampling.SORF{Published: true}.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(2), Dim: 16, Features: 64, Rand: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	// At x = c·e₁ every projection is ±√16/2·c·(an entry of an orthogonal
	// matrix); the squares of a block's 16 entries sum to c²·16/4.
	for _, b := range inside.Spec(m).Blocks {
		if b.Size != 16 {
			t.Fatalf("order %d", b.Size)
		}
	}
	x := mat.NewDense(1, 16, nil)
	x.Set(0, 3, 1e-3)
	var z mat.Dense
	if err := m.Transform(&z, x); err != nil {
		t.Fatal(err)
	}
	for block := range 2 {
		var sum float64
		for i := range 16 {
			angle := math.Asin(z.At(0, 32+16*block+i) * math.Sqrt(32))
			sum += angle * angle
		}
		if want := 1e-6 * 16 / 4; math.Abs(sum-want) > 1e-9*want {
			t.Errorf("block %d: Σt² = %g, want %g", block, sum, want)
		}
	}
}

// ORF's rows are orthogonal within blocks, and their lengths have the radial law.
func TestORFIsOrthogonal(t *testing.T) {
	for _, d := range []int{1, 2, 7, 16, 123} {
		const f = 300
		m, err := sampling.ORF{}.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(1), Dim: d, Features: 2 * f, Rand: rand.NewPCG(3, 3)})
		if err != nil {
			t.Fatal(err)
		}
		w := inside.Spec(m).W
		var norms float64
		for i := range f {
			norms += rff.NewLinear().Eval(w.Row(i), w.Row(i)) / f
			for j := i / d * d; j < i; j++ {
				a, b := w.Row(i), w.Row(j)
				c := rff.NewLinear().Eval(a, b) / math.Sqrt(rff.NewLinear().Eval(a, a)*rff.NewLinear().Eval(b, b))
				if math.Abs(c) > 1e-13 {
					t.Fatalf("d = %d: frequencies %d and %d have cosine %g", d, i, j, c)
				}
			}
		}
		// ‖ω‖² is χ²(d), of variance 2d.
		if math.Abs(norms-float64(d)) > 5*math.Sqrt(2*float64(d)/f) {
			t.Errorf("d = %d: mean squared length %g", d, norms)
		}
	}
}

func ExampleByName() {
	s, err := sampling.ByName("orf:form=phase")
	if err != nil {
		panic(err)
	}
	m, err := s.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(2), Dim: 16, Features: 512, Rand: rand.NewPCG(1, 2)})
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Dims())
	_, err = sampling.ByName("orff")
	fmt.Println(err)
	// Output:
	// 16 512
	// rff: sampler is "orff": must be one of rff, rff-phase, orf, sorf, fastfood, halton, sobol, compact, arccos, linear, leverage, surrogate, eerf, lkrf, ses, tefm-g, tefm-s, nystrom, metric, refined
}
