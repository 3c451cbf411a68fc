package blas

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/golden"
)

// TestGolden compares digests of the bits of every operation, on every
// instruction set that runs here and for 1…8 workers, with those the reference kernels
// gave on amd64.
func TestGolden(t *testing.T) {
	plain := Engine{Backend: &nativeBackend{asm.Reference[float64](), asm.Reference[float32]()}, Workers: 1}
	want := golden.Want(t, func() map[string]string { return goldenDigests(t, plain) })
	f32 := asm.All[float32]()
	for i, k := range asm.All[float64]() {
		for workers := 1; workers <= 8; workers++ {
			if testing.Short() && workers != 1 && workers != 3 && workers != 8 {
				continue
			}
			e := Engine{Backend: &nativeBackend{k, f32[i]}, Workers: workers, eager: true}
			name := fmt.Sprintf("%s,%d", k.ISA, workers)
			t.Run(name, func(t *testing.T) { golden.Compare(t, name, goldenDigests(t, e), want) })
			if t.Failed() {
				return // the rest would say the same
			}
		}
	}
}

// uniform returns a matrix of numbers in (−1, 1) that are the same everywhere.
func uniform[T Float](r *rand.Rand, rows, cols int) General[T] {
	m := NewGeneral[T](rows, cols)
	for i := range m.Data {
		m.Data[i] = T(float64(r.Int64N(1<<24)-1<<23) * 0x1p-23)
	}
	return m
}

// goldenSpecs are one map of each kind; none has a size that is round.
func goldenSpecs(r *rand.Rand) map[string]*Spec {
	weight := func(n int) []float64 { return uniform[float64](r, 1, n).Data }
	all := map[string]*Spec{
		"phase":   {Dim: 5, W: uniform[float64](r, 37, 5), Func: asm.Cos, Phase: weight(37), Weight: weight(37)},
		"pair":    {Dim: 11, W: uniform[float64](r, 19, 11), Func: asm.CosSin, Weight: weight(38)},
		"arccos1": {Dim: 3, W: uniform[float64](r, 17, 3), Func: asm.ArcCos1, Weight: weight(17)},
		"compact": {Dim: 4, W: uniform[float64](r, 20, 4), Func: asm.CosSin, Weight: weight(40), Product: uniform[float64](r, 40, 13)},
	}
	signs := func(n int) []float64 {
		d := make([]float64, n)
		for i := range d {
			d[i] = float64(1 - 2*r.IntN(2))
		}
		return d
	}
	all["sorf"] = &Spec{Dim: 6, Func: asm.CosSin, Weight: weight(2 * 13), Blocks: []Block{
		{Size: 8, Keep: 8, D: [][]float64{signs(8), signs(8), signs(8)}, Scale: weight(8)},
		{Size: 8, Keep: 5, D: [][]float64{signs(8), signs(8), signs(8)}, Scale: weight(5)}}}
	all["fastfood"] = &Spec{Dim: 20, Func: asm.Cos, Weight: weight(30), Phase: weight(30), Blocks: []Block{
		{Size: 32, Keep: 30, D: [][]float64{weight(32), signs(32)}, Perm: r.Perm(32), Scale: weight(30)}}}
	one := func(n int) []float64 { return slices.Repeat([]float64{0.23}, n) }
	all["onephase"] = &Spec{Dim: 9, W: uniform[float64](r, 43, 9), Func: asm.Cos, Phase: weight(43), Weight: one(43)}
	all["onepair"] = &Spec{Dim: 6, W: uniform[float64](r, 29, 6), Func: asm.CosSin, Weight: one(58)}
	all["walsh"] = &Spec{Dim: 4, W: uniform[float64](r, 20, 4), Func: asm.CosSin, Weight: weight(40), Walsh: &Walsh{D: weight(40), Columns: r.Perm(64)[:13]}}
	return all
}

func goldenDigests(t testing.TB, e Engine) map[string]string {
	all := map[string]string{}
	for name, s := range goldenSpecs(rand.New(rand.NewPCG(1, 99))) {
		mapDigests[float64](all, name, s, e)
		mapDigests[float32](all, name, s, e)
		integerDigests(all, name, s, e)
	}
	denseDigests[float64](t, all, e)
	denseDigests[float32](t, all, e)
	return all
}

// integerDigests records sums of integers.
func integerDigests(all map[string]string, name string, s *Spec, e Engine) {
	if !s.Bounded() {
		return
	}
	const n = RowBlock + 41
	r := rand.New(rand.NewPCG(3, 99))
	m := Pack[float32](s)
	x, y := uniform[float32](r, n, s.Dim), uniform[float64](r, n, 2)
	for bits, levels := range map[string]int{"12": 2047, "8": 127} {
		a := NewIntegers(m, 2, levels, true)
		addSplit(a, e, x, y)
		var d golden.Digest
		for _, p := range [][]float64{a.G.Data, a.ZY.Data, a.Z, a.Y, a.YY, {a.W, a.Unit}} {
			d.Add(p...)
		}
		all["integers/"+name+"/"+bits] = d.Sum()
	}
}

func record[T Float](all map[string]string, name string, parts ...[]T) {
	var d golden.Digest
	for _, p := range parts {
		golden.AddAll(&d, p)
	}
	all[fmt.Sprintf("%s/f%d", name, 8*unsafe.Sizeof(*new(T)))] = d.Sum()
}

// mapDigests records features, predictions and the sums of a stream of rows
// that ends in a partial block.
func mapDigests[T Float](all map[string]string, name string, s *Spec, e Engine) {
	r := rand.New(rand.NewPCG(2, 99))
	m := Pack[T](s)
	in, out := m.Dims()
	n := RowBlock + 41
	x, y, weight := uniform[T](r, n, in), uniform[T](r, n, 2), uniform[T](r, 1, n).Data
	for i, w := range weight {
		weight[i] = w * w
	}
	z := NewGeneral[T](70, out)
	m.Transform(e, z, x.RowRange(0, 70))
	record(all, "transform/"+name, z.Data)
	coef, intercept := uniform[T](r, out, 3), uniform[T](r, 1, 3).Data
	f := NewGeneral[T](33, 3)
	m.Predict(e, f, x.RowRange(0, 33), coef, intercept)
	record(all, "predict/"+name, f.Data)
	a := NewAccumulator(m, 2, true)
	a.Add(e, x.RowRange(0, 100), y.RowRange(0, 100), weight[:100])
	a.Add(e, x.RowRange(100, n), y.RowRange(100, n), weight[100:])
	a.Flush(e)
	var d golden.Digest
	for i := range a.G.Rows {
		d.Add(a.G.Row(i)[i:]...)
	}
	for _, p := range [][]float64{a.ZY.Data, a.Z, a.Y, a.YY, {a.W}} {
		d.Add(p...)
	}
	all[fmt.Sprintf("sums/%s/f%d", name, 8*unsafe.Sizeof(*new(T)))] = d.Sum()
}

// denseDigests records the matrix operations, at sizes beyond BlockK and blockTri.
func denseDigests[T Float](t testing.TB, all map[string]string, e Engine) {
	r := rand.New(rand.NewPCG(3, 99))
	a, b, c := uniform[T](r, 67, 523), uniform[T](r, 523, 35), uniform[T](r, 67, 35)
	Gemm(e, false, false, 0.75, a, b, -0.5, c)
	record(all, "gemm", c.Data)
	const n = 269
	k := uniform[T](r, 40, n)
	g := NewGeneral[T](n, n)
	Syrk(e, true, true, 1, k, 0, g)
	record(all, "syrk", g.Data)
	for i := range n {
		g.Row(i)[i] += 3
	}
	if err := Cholesky(e, g); err != nil {
		t.Error(err)
	}
	u := make([]T, 0, n*n)
	for i := range n {
		u = append(u, g.Row(i)[i:]...)
	}
	record(all, "cholesky", u)
	rhs := uniform[T](r, n, 5)
	CholeskySolve(e, g, rhs)
	record(all, "solve", rhs.Data)
	h := uniform[T](r, 3, 256)
	native := e.backend().(*nativeBackend)
	kern := ofType[T, *asm.Kernels[T]](native.f64, native.f32)
	for i := range h.Rows {
		kern.Hadamard(h.Row(i), nil, h.Cols)
	}
	record(all, "hadamard", h.Data)
}
