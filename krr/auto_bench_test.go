package krr_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// BenchmarkAutoWide is a search with a budget of 3 s on few rows of many inputs.
func BenchmarkAutoWide(b *testing.B) {
	for _, size := range [][2]int{{80, 2000}, {500, 10000}, {400, 500}} {
		n, d := size[0], size[1]
		rng := rand.New(rand.NewPCG(1, 2))
		x, y := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
		for i := range n {
			for j := range d {
				x.Set(i, j, rng.NormFloat64())
			}
			y.Set(i, 0, math.Sin(x.At(i, 0))+.3*x.At(i, 1)*x.At(i, 2)+.1*rng.NormFloat64())
		}
		data, err := rff.FromMatrix(x, y)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%dx%d", n, d), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := krr.Auto(context.Background(), data, krr.AutoSettings{Budget: 3 * time.Second}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
