package sampling_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/sampling"
)

func sample(s rff.Sampler, k rff.Kernel, d, features int, seed uint64) (*rff.Map, error) {
	return s.Sample(context.Background(), rff.Request{Kernel: k, Dim: d, Features: features, Rand: rand.NewPCG(seed, 42)})
}

// Exactly the columns asked for, whatever the block sizes: numbers of
// frequencies around multiples of d and of powers of two, and one.
func TestColumnsAreExact(t *testing.T) {
	for name, s := range independent(t) {
		for _, d := range []int{1, 2, 3, 8, 13, 33} {
			for _, features := range []int{2, 4, 2 * d, 2*d + 2, 6*d - 2, 64, 66, 130} {
				m, err := sample(s, rff.NewMatern(1.5, 2), d, features, 1)
				if err != nil {
					t.Fatalf("%s, d = %d, %d columns: %v", name, d, features, err)
				}
				if in, out := m.Dims(); in != d || out != features {
					t.Errorf("%s: %d inputs and %d columns, want %d and %d", name, in, out, d, features)
				}
				if m.Kernel() == nil {
					t.Errorf("%s: the map does not know its kernel", name)
				}
			}
		}
	}
	for _, name := range []string{"arccos", "linear"} {
		for _, features := range []int{1, 7, 64} {
			if m, err := sample(byName(t, name), nil, 5, features, 1); err != nil {
				t.Error(name, err)
			} else if _, out := m.Dims(); out != features {
				t.Errorf("%s: %d columns, want %d", name, out, features)
			}
		}
	}
}

func TestOddColumns(t *testing.T) {
	for name, s := range independent(t) {
		m, err := sample(s, rff.NewGaussian(1), 3, 7, 1)
		if strings.Contains(name, "phase") || strings.HasPrefix(name, "compact") {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		var p *rff.ParameterError
		if m != nil || !errors.As(err, &p) || p.Name != "features" || !strings.Contains(err.Error(), "even") {
			t.Errorf("%s: 7 columns give %v", name, err)
		}
	}
}

func TestSamplersRefuse(t *testing.T) {
	for name, s := range independent(t) {
		for _, bad := range []struct {
			what        string
			k           rff.Kernel
			d, features int
		}{{"no columns", rff.NewGaussian(1), 3, 0}, {"negative columns", rff.NewGaussian(1), 3, -2}, {"no inputs", rff.NewGaussian(1), 0, 8},
			{"σ = 0", rff.NewGaussian(0), 3, 8}, {"two bandwidths for three inputs", rff.NewGaussian(1, 2), 3, 8}} {
			var p *rff.ParameterError
			if m, err := sample(s, bad.k, bad.d, bad.features, 1); m != nil || !errors.As(err, &p) {
				t.Errorf("%s, %s: %v", name, bad.what, err)
			}
		}
		for _, k := range []rff.Kernel{nil, rff.NewLinear(), rff.NewArcCosine(1)} {
			m, err := sample(s, k, 3, 8, 1)
			switch draws := k != nil && (name == "rff" || name == "compact"); {
			case draws && (err != nil || m.Kernel() != k):
				t.Errorf("%s, kernel %v: %v", name, k, err)
			case !draws && (m != nil || !refusesKernel(err) && k == nil || err == nil):
				t.Errorf("%s, kernel %v: %v", name, k, err)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if m, err := s.Sample(ctx, rff.Request{Kernel: rff.NewGaussian(1), Dim: 3, Features: 8, Rand: rand.NewPCG(1, 1)}); m != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v after cancelling", name, err)
		}
		for _, k := range []rff.Kernel{rff.NewLaplacian(1), rff.NewCauchy(1)} {
			m, err := sample(s, k, 3, 8, 1)
			if refused := refusesKernel(err); refused == takesProducts(name) || (m == nil) != refused {
				t.Errorf("%s, %v: %v", name, k, err)
			} else if refused && !strings.Contains(err.Error(), "axes") {
				t.Errorf("%s: the error does not say why: %v", name, err)
			}
		}
	}
	if _, err := sample(sampling.SORF{Published: true}, rff.NewMatern(1.5, 1), 3, 8, 1); !refusesKernel(err) {
		t.Errorf("published SORF of Matérn: %v", err)
	}
	for _, s := range []rff.Sampler{byName(t, "arccos"), byName(t, "linear")} {
		if _, err := sample(s, rff.NewGaussian(1), 3, 8, 1); !refusesKernel(err) {
			t.Errorf("%T of a Gaussian: %v", s, err)
		}
		if inside.KernelFor(s, rff.NewGaussian(1)) == nil {
			t.Errorf("%T has no kernel of its own", s)
		}
		var p *rff.ParameterError
		if _, err := sample(s, nil, 3, 0, 1); !errors.As(err, &p) {
			t.Error(err)
		}
	}
	var p *rff.ParameterError
	for _, order := range []int{3, -1} {
		if _, err := sample(sampling.MonteCarlo{}, rff.NewArcCosine(order), 3, 8, 1); !refusesKernel(err) {
			t.Error(err)
		}
	}
	for _, form := range []rff.Form{rff.CosSin, rff.CosBias, "9"} {
		if _, err := sample(sampling.MonteCarlo{Form: form}, rff.NewLinear(), 3, 8, 1); !errors.As(err, &p) || p.Name != "form" {
			t.Errorf("coordinates in the form %s: %v", form, err)
		}
	}
	// The kernel is asked for as that of the sampler's name, and gives the same bits.
	for name, k := range map[string]rff.Kernel{"arccos": rff.NewArcCosine(1), "arccos:order=2": rff.NewArcCosine(2), "linear": rff.NewLinear()} {
		a, errA := sample(byName(t, name), nil, 3, 8, 1)
		b, errB := sample(sampling.MonteCarlo{}, k, 3, 8, 1)
		if errA != nil || errB != nil || a.Fingerprint() != b.Fingerprint() || b.Kernel() != k {
			t.Errorf("%s: %v, %v", name, errA, errB)
		}
	}
	for _, s := range []sampling.Compact{{Multiple: -1}, {Projection: "none"}, {Base: sampling.Compact{}}} {
		if _, err := sample(s, rff.NewGaussian(1), 3, 8, 1); !errors.As(err, &p) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

func TestManyDimensions(t *testing.T) {
	var e *rff.ParameterError
	for _, form := range []rff.Form{rff.CosSin, rff.CosBias} {
		limit := 125
		if form == rff.CosBias {
			limit = 124 // the phase is a coordinate
		}
		if _, err := sample(sampling.Halton{Form: form, Published: true}, rff.NewGaussian(9), limit, 8, 1); err != nil {
			t.Error(err)
		}
		if _, err := sample(sampling.Halton{Form: form, Published: true}, rff.NewGaussian(9), limit+1, 8, 1); !errors.As(err, &e) || !strings.Contains(err.Error(), "701") {
			t.Errorf("published Halton in %d dimensions: %v", limit+1, err)
		}
	}
	if _, err := sample(sampling.Halton{}, rff.NewGaussian(9), 500, 64, 1); err != nil {
		t.Error(err)
	}
	if _, err := sample(sampling.Sobol{}, rff.NewGaussian(99), 21201, 4, 1); err != nil {
		t.Error(err)
	}
	// Matérn takes one coordinate more.
	if _, err := sample(sampling.Sobol{}, rff.NewMatern(1.5, 99), 21201, 4, 1); !errors.As(err, &e) {
		t.Error(err)
	}
}

func TestMillionCandidates(t *testing.T) {
	if testing.Short() {
		t.Skip("a million columns take seconds")
	}
	for _, name := range []string{"rff", "sorf", "fastfood", "sobol"} {
		m, err := sample(byName(t, name), rff.NewGaussian(2), 4, 1_000_000, 1)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, out := m.Dims(); out != 1_000_000 {
			t.Errorf("%s: %d columns", name, out)
		}
	}
}

// One seed gives one map, another seed another, and workers and instruction sets do
// not matter; TestGolden says which map it is.
func TestSeeds(t *testing.T) {
	k := rff.NewMatern(1.5, 1, 2, .5, 3, 1.5)
	check := func(name string, s rff.Sampler, k rff.Kernel) {
		t.Helper()
		prints := make([]string, 3)
		for i, seed := range []uint64{7, 7, 8} {
			m, err := sample(s, k, 5, 64, seed)
			if err != nil {
				t.Fatal(name, err)
			}
			prints[i] = m.Fingerprint()
		}
		if prints[0] != prints[1] {
			t.Errorf("%s: the same seed gives another map", name)
		}
		if prints[0] == prints[2] {
			t.Errorf("%s: another seed gives the same map", name)
		}
	}
	for name, s := range independent(t) {
		check(name, s, k)
	}
	for _, name := range []string{"arccos:order=0", "linear"} {
		check(name, byName(t, name), nil)
	}
	check("sorf published", sampling.SORF{Published: true}, rff.NewGaussian(1))
	// Large enough that products are shared out among workers.
	var want string
	for _, e := range engines(t) {
		m, err := sampling.ORF{}.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(3), Dim: 200, Features: 700, Rand: rand.NewPCG(7, 42), Engine: rff.Engine{Backend: "native:" + e.isa, Workers: e.Workers}})
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = m.Fingerprint()
		}
		if m.Fingerprint() != want {
			t.Errorf("orf: another map on %s with %d workers", e.isa, e.Workers)
		}
	}
}

type namedEngine struct {
	blas.Engine
	isa string
}

// engines are the instruction sets of this machine, each with several numbers of workers.
func engines(t *testing.T) []namedEngine {
	var all []namedEngine
	for _, isa := range []string{"go", "avx2", "avx512", "neon"} {
		backend, err := blas.Lookup("native:" + isa)
		if err != nil {
			t.Logf("%s: not here", isa)
			continue
		}
		for _, workers := range []int{1, 2, 3, 7} {
			all = append(all, namedEngine{blas.Engine{Backend: backend, Workers: workers}, isa})
		}
	}
	return all
}

// Every sampler by name: the map, and its features in float64 and float32, have
// the same bits on every instruction set and for any number of workers.
func TestFeaturesSameBits(t *testing.T) {
	const n, d = 200, 5
	rng := rand.New(rand.NewPCG(8, 8))
	x, y := blas.NewGeneral[float64](n, d), blas.NewGeneral[float64](n, 1)
	x32 := blas.NewGeneral[float32](n, d)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
		x32.Data[i] = float32(x.Data[i])
	}
	for i := range n {
		y.Data[i] = x.Row(i)[0]
	}
	data, err := rff.FromMatrix(mat.NewDense(x.Rows, x.Cols, x.Data), mat.NewDense(y.Rows, y.Cols, y.Data))
	if err != nil {
		t.Fatal(err)
	}
	all := engines(t)
	for _, name := range inside.Samplers() {
		s := byName(t, name)
		m, err := s.Sample(context.Background(), rff.Request{Kernel: inside.KernelFor(s, rff.NewGaussian(2)), Dim: d, Features: 66, Data: data, Rand: rand.NewPCG(1, 2)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var want []float64
		var want32 []float32
		for i, e := range all {
			z, z32 := blas.NewGeneral[float64](n, 66), blas.NewGeneral[float32](n, 66)
			inside.Features64(m).Transform(e.Engine, z, x)
			inside.Features32(m).Transform(e.Engine, z32, x32)
			if i == 0 {
				want, want32 = z.Data, z32.Data
			}
			same := slices.EqualFunc(z.Data, want, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
			same32 := slices.EqualFunc(z32.Data, want32, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) })
			if !same || !same32 {
				t.Errorf("%s: other features on %s with %d workers", name, e.isa, e.Workers)
			}
		}
	}
}

func TestByNameErrors(t *testing.T) {
	for spec, want := range map[string]string{
		"":                        "must be one of rff,",
		"RFF":                     "must be one of rff,",
		"trees":                   "krr.Auto alone grows trees",
		"orf:forms=pair":          "option of orf is \"forms\": must be one of form",
		"orf:form=both":           "form of orf is \"both\": must be one of pair, phase",
		"orf:":                    "key=value",
		"orf:form":                "key=value",
		"orf:form=pair,":          "key=value",
		"orf:form=":               "key=value",
		"orf:form=pair,form=pair": "must be given once",
		"linear:x=1":              "no options",
		"arccos:order=3":          "must be a whole number from 0 to 2",
		"arccos:order=1.5":        "must be a whole number from 0 to 2",
		"compact:pool=0":          "must be a whole number from 1",
		"compact:base=leverage":   "must be one of rff,",
		"sorf:published=maybe":    "must be one of no, yes",
	} {
		s, err := sampling.ByName(spec)
		var e *rff.ParameterError
		if s != nil || !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want …%s…", spec, err, want)
		}
	}
	want := []string{"rff", "rff-phase", "orf", "sorf", "fastfood", "halton", "sobol", "leverage", "surrogate", "eerf", "lkrf", "ses", "tefm-g", "tefm-s", "compact", "arccos", "linear", "metric", "refined", "nystrom"}
	names := inside.Samplers()
	for _, w := range want {
		if !slices.Contains(names, w) {
			t.Errorf("%s is missing", w)
		}
		if summary, _ := inside.Summary(w); summary == "" {
			t.Errorf("%s has no summary", w)
		}
		if _, err := sampling.ByName(w); err != nil {
			t.Errorf("%s: %v", w, err)
		}
	}
	if s, o := inside.Summary("nobody"); s+o != "" {
		t.Error(s, o)
	}
}

// refusesKernel reports whether err says that a sampler cannot be used with a kernel.
func refusesKernel(err error) bool {
	var p *rff.ParameterError
	return errors.As(err, &p) && p.Name == "kernel" && p.Need != ""
}
