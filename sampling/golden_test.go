package sampling

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/golden"
)

// TestGolden compares digests of the maps that every sampler draws, on every
// instruction set that runs here, with those the reference kernels gave on amd64.
func TestGolden(t *testing.T) {
	engine := func(isa string, workers int) rff.Engine {
		return rff.Engine{Backend: "native:" + isa, Workers: workers}
	}
	want := golden.Want(t, func() map[string]string { return goldenMaps(t, engine("go", 1)) })
	fastest := asm.All[float64]()[0].ISA
	for _, k := range asm.All[float64]() {
		for _, workers := range []int{1, 5} {
			if testing.Short() && (workers == 1 || k.ISA != fastest) {
				continue // an emulated processor has to give the pinned bits once
			}
			if workers == 1 && k.ISA != fastest {
				continue // who shares out the work does not know the instruction set
			}
			golden.Compare(t, fmt.Sprintf("%s, %d workers", k.ISA, workers), goldenMaps(t, engine(k.ISA, workers)), want)
		}
	}
}

func goldenMaps(t *testing.T, e rff.Engine) map[string]string {
	all := map[string]string{}
	add := func(name string, m *rff.Map, err error) {
		if err != nil {
			t.Fatal(name, err)
		}
		all[strings.ReplaceAll(name, " ", "-")] = m.Fingerprint()[:32]
	}
	ctx := context.Background()
	// Every sampler without data, for every stationary kernel it takes.
	for kernel, k := range map[string]rff.Kernel{
		"gaussian": rff.NewGaussian(0.7), "laplacian": rff.NewLaplacian(2), "cauchy": rff.NewCauchy(1.1),
		"matern12": rff.NewMatern(0.5, 1), "matern32": rff.NewMatern(1.5, 1), "matern52": rff.NewMatern(2.5, 1),
		"power": rff.NewExponentialPower(1.5, 0.9, 2), "power32": rff.NewExponentialPower(1.5, 1.5, 2),
	} {
		for _, s := range independentSamplers() {
			sampler, err := ByName(s.name)
			if err != nil {
				t.Fatal(err)
			}
			m, err := sampler.Sample(ctx, rff.Request{Kernel: kernelFor(sampler, k), Dim: 6, Features: 26, Rand: rand.NewPCG(3, 4)})
			if err != nil {
				continue // not for this kernel; on no platform, as Compare sees
			}
			add(s.name+"/"+kernel, m, nil)
		}
	}
	// Their options, for a kernel with a bandwidth per dimension.
	option := func(name string, s rff.Sampler, k rff.Kernel, d, features int) {
		m, err := s.Sample(ctx, rff.Request{Kernel: k, Dim: d, Features: features, Rand: rand.NewPCG(7, 42), Engine: e})
		add("options/"+name, m, err)
	}
	k := rff.NewMatern(1.5, 1, 2, .5, 3, 1.5)
	for _, name := range []string{"rff", "rff:form=phase", "rff-phase", "orf", "orf:form=phase", "sorf", "sorf:form=phase", "fastfood", "fastfood:form=phase",
		"halton", "halton:form=phase", "sobol", "sobol:form=phase", "compact", "compact:projection=gaussian,base=orf", "compact:projection=hadamard,pool=2,base=sobol",
		"arccos:order=0", "linear"} {
		s, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		features := 64
		if strings.Contains(name, "phase") || strings.HasPrefix(name, "compact") || name == "linear" || name == "arccos:order=0" {
			features = 63
		}
		option(name, s, kernelFor(s, k), 5, features)
	}
	option("rff product", MonteCarlo{}, rff.NewCauchy(1, 2, 3, 4, 5), 5, 64)
	option("sobol product", Sobol{}, rff.NewCauchy(1, 2, 3, 4, 5), 5, 64)
	option("sorf published", SORF{Published: true}, rff.NewGaussian(1), 5, 64)
	option("halton published", Halton{Published: true}, rff.NewGaussian(1), 5, 64)
	// Large enough that products are shared out among workers.
	option("orf 200", ORF{}, rff.NewGaussian(3), 200, 700)
	// The samplers that look at data.
	for name, s := range onData() {
		m, err := s.s.Sample(ctx, rff.Request{Kernel: rff.NewGaussian(0.8), Dim: 3, Features: 24, Data: weightedWaves(), Rand: rand.NewPCG(1, 2), Engine: e})
		add("data/"+name, m, err)
	}
	// The sampler that learns; package learn has digests of more.
	m, err := (Metric{Fast: true, Base: SORF{}}).Sample(ctx, rff.Request{Kernel: rff.NewGaussian(), Dim: 5, Features: 24, Data: fewPlanted(), Rand: rand.NewPCG(3, 4), Engine: e})
	add("learned/metric", m, err)
	// Bandwidths per input of few sections and of more than there are rows to learn them on, of an
	// ℓ₁ distance and of another.
	curved := planted(120, 5, func(x []float64, _ *rand.Rand) []float64 {
		return []float64{float64(x[0]*x[0]) + float64(x[0]*x[1])} // math.Sin may have other bits elsewhere
	})
	for _, k := range []rff.Kernel{rff.NewMatern(1.5, 3), rff.NewLaplacian(5), rff.NewExponentialPower(1.5, 1.5, 3)} {
		for _, features := range []int{24, 110} {
			m, err := (Nystrom{Metric: true}).Sample(ctx, rff.Request{Kernel: k, Dim: 5, Features: features, Data: curved, Rand: rand.NewPCG(3, 4), Engine: e})
			if err == nil && fmt.Sprint(m.Kernel()) == fmt.Sprint(k) {
				t.Fatalf("%v: no bandwidths are learned", k)
			}
			add(fmt.Sprintf("learned/nystrom %v, %d", k, features), m, err)
		}
	}
	return all
}

// weightedWaves are rows of two targets and three weights.
func weightedWaves() *cutSource {
	const n = 1200
	data := waves(n, 3, 2)
	data.weight = make([]float64, n)
	for i := range data.weight {
		data.weight[i] = 1 + float64(i%3)
	}
	return data
}
