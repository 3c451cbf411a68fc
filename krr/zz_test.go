package krr_test
import ("testing";"math/rand/v2";"context"
"github.com/rffgo/rff";"github.com/rffgo/rff/blas";"github.com/rffgo/rff/krr"
"gonum.org/v1/gonum/mat")
func benchFit(b *testing.B, n,d,s int, p krr.Precision, w int) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		for j := range d { x.Set(i, j, rng.NormFloat64()) }
		y.Set(i, 0, x.At(i, 0)+rng.NormFloat64())
	}
	src, err := rff.FromMatrix(x, y)
	if err != nil { b.Fatal(err) }
	m, err := rff.New(rff.NewGaussian(3), d, s, rand.NewPCG(3, 4))
	if err != nil { b.Fatal(err) }
	b.ReportAllocs()
	for b.Loop() {
		_, _, err := krr.Fit(context.Background(), m, src, krr.Settings{Lambda:1e-4, Precision: p, Engine: blas.Engine{Workers: w}})
		if err != nil { b.Fatal(err) }
	}
}
func BenchmarkZZ64(b *testing.B) { benchFit(b,300,14,256,krr.Float64,1) }
func BenchmarkZZ32(b *testing.B) { benchFit(b,300,14,256,krr.Float32,1) }
func BenchmarkZZ642(b *testing.B) { benchFit(b,300,14,256,krr.Float64,2) }
