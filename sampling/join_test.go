package sampling_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/learn"
	"github.com/rffgo/rff/sampling"
)

// Joined maps have the frequencies of both, so that the kernel is the mean of theirs by
// their numbers: two thirds of one with twice as many frequencies.
func TestJoin(t *testing.T) {
	one := func(s rff.Sampler, features int) *rff.Map {
		m, err := s.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 2, Features: features, Rand: rand.NewPCG(uint64(features), 1)})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	a, b := one(sampling.MonteCarlo{}, 128), one(sampling.MonteCarlo{}, 64)
	both, err := learn.Join(a, b)
	if err != nil {
		t.Fatal(err)
	}
	value := func(m *rff.Map) (sum float64) {
		_, s := m.Dims()
		x, y := make([]float64, s), make([]float64, s)
		inside.Features64(m).TransformRow(inside.Engine(m), x, []float64{0.3, -1})
		inside.Features64(m).TransformRow(inside.Engine(m), y, []float64{0.9, 0.5})
		for i, v := range x {
			sum += v * y[i]
		}
		return sum
	}
	if got, want := value(both), (2*value(a)+value(b))/3; math.Abs(got-want) > 1e-12 || value(a) == value(b) {
		t.Errorf("a kernel of %v, the mean is %v", got, want)
	}
	blocks := one(sampling.SORF{}, 64)
	if len(inside.Spec(blocks).Blocks) == 0 {
		t.Fatal("a map of Hadamard blocks has none")
	}
	for _, pair := range [][2]*rff.Map{{a, blocks}, {blocks, a}} {
		if _, err := learn.Join(pair[0], pair[1]); err == nil {
			t.Error("blocks are joined with frequencies")
		}
	}
}
