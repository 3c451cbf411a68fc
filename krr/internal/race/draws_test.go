package race

import (
	"context"
	"testing"

	"github.com/rffgo/rff"
)

// Features of bandwidths that share a draw are those of a draw of their own, bit for bit, and the
// random numbers of a step are drawn once for bandwidths that differ by a power of two.
func TestDrawsShared(t *testing.T) {
	kernels := []rff.Stationary{rff.NewGaussian(), rff.NewMatern(2.5), rff.NewMatern(1.5), rff.NewLaplacian(), rff.NewMatern(0.5)}
	r := begun(t, waves(60, 0.1), Settings{Seed: 4, Kernels: kernels})
	for k := range kernels {
		for exponent := -5; exponent <= 4; exponent++ {
			c := candidate{kernel: k, exponent: exponent}
			alone, _, err := r.sampled(context.Background(), r.engine, c, 30, 0, r.rows, nil)
			if err != nil {
				t.Fatal(err)
			}
			if m, err := r.drawnMap(context.Background(), r.engine, c, 30); err != nil || m.Fingerprint() != alone.Fingerprint() {
				t.Errorf("%v, exponent %d: other features than alone, %v", kernels[k], exponent, err)
			}
		}
	}
	if len(r.draws.of) != 2*len(kernels) {
		t.Errorf("%d draws for %d kernels", len(r.draws.of), len(kernels))
	}
	r.draws.used = drawBytes // no room for more
	c := candidate{exponent: 1}
	alone, _, _ := r.sampled(context.Background(), r.engine, c, 40, 0, r.rows, nil)
	if m, err := r.drawnMap(context.Background(), r.engine, c, 40); err != nil || m.Fingerprint() != alone.Fingerprint() || len(r.draws.of) != 2*len(kernels) {
		t.Errorf("without room: %v, %d draws", err, len(r.draws.of))
	}
	r.draws.forget()
	if r.draws.used != 0 || len(r.draws.of) != 0 {
		t.Error("draws of a step before are kept")
	}
}
