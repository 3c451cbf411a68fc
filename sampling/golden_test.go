package sampling

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/golden"
)

// TestGolden compares fingerprints of the maps that every sampler without
// data draws, for every stationary kernel, with those drawn on amd64. The
// samplers that look at data have theirs in TestScoredSameBits.
func TestGolden(t *testing.T) {
	maps := func() map[string]string {
		all := map[string]string{}
		for kernel, k := range map[string]rff.Kernel{
			"gaussian": rff.NewGaussian(0.7), "laplacian": rff.NewLaplacian(2), "cauchy": rff.NewCauchy(1.1),
			"matern12": rff.NewMatern(0.5, 1), "matern32": rff.NewMatern(1.5, 1), "matern52": rff.NewMatern(2.5, 1),
		} {
			for _, s := range independentSamplers() {
				sampler, err := ByName(s.name)
				if err != nil {
					t.Fatal(err)
				}
				m, err := sampler.Sample(context.Background(), KernelFor(sampler, k), 6, 26, nil, rand.NewPCG(3, 4))
				if err != nil {
					continue // not for this kernel; on no platform, as Compare sees
				}
				all[s.name+"/"+kernel] = m.Fingerprint().String()
			}
		}
		for name, f := range learnedMaps(t, blas.Engine{}) {
			all[name] = f
		}
		return all
	}
	golden.Compare(t, "maps", maps(), golden.Want(t, maps))
}
