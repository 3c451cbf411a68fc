package blas

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/rffgo/rff/asm"
)

// specs are maps of every kind, small enough for the reference.
func specs(r *rand.Rand) map[string]*Spec {
	dense := func(f asm.Func, d, n int) *Spec {
		s := &Spec{Dim: d, W: randomGeneral[float64](r, n, d, 1), Func: f, Weight: make([]float64, n*f.Outputs())}
		for i := range s.Weight {
			s.Weight[i] = 0.5 + r.Float64()
		}
		if f != asm.CosSin {
			s.Phase = make([]float64, n)
			for i := range s.Phase {
				s.Phase[i] = 6 * r.Float64()
			}
		}
		return s
	}
	blocks := func(f asm.Func, d int, perm bool, keep ...int) *Spec {
		size := 1
		for size < d {
			size *= 2
		}
		s := &Spec{Dim: d, Func: f}
		for _, k := range keep {
			b := Block{Size: size, Keep: k, D: make([][]float64, 3)}
			if perm {
				b.D = b.D[:2]
				b.Perm = r.Perm(size)
			}
			for i := range b.D {
				b.D[i] = make([]float64, size)
				for j := range b.D[i] {
					b.D[i][j] = float64(1 - 2*r.IntN(2))
					if perm {
						b.D[i][j] *= r.NormFloat64()
					}
				}
			}
			for range k {
				b.Scale = append(b.Scale, r.Float64())
			}
			s.Blocks = append(s.Blocks, b)
		}
		for range s.Frequencies() * f.Outputs() {
			s.Weight = append(s.Weight, 0.5+r.Float64())
		}
		return s
	}
	same := func(s *Spec, w float64) *Spec {
		for i := range s.Weight {
			s.Weight[i] = w
		}
		return s
	}
	project := func(s *Spec, l int) *Spec {
		s.Product = randomGeneral[float64](r, len(s.Weight), l, 2)
		return s
	}
	section := func(f asm.Func, d, n int) *Spec {
		s := dense(f, d, n)
		s.Phase, s.Shift, s.Scale = nil, make([]float64, d), make([]float64, d)
		for j := range d {
			s.Shift[j], s.Scale[j] = r.NormFloat64(), 0.2+r.Float64()
		}
		return s
	}
	of := func(terms asm.Terms, s *Spec) *Spec {
		s.Terms = terms
		return s
	}
	walsh := func(s *Spec, l int) *Spec {
		w := &Walsh{D: make([]float64, len(s.Weight))}
		for i := range w.D {
			w.D[i] = r.NormFloat64()
		}
		w.Columns = r.Perm(w.Size())[:l]
		s.Walsh = w
		return s
	}
	withTrees := func(s *Spec, at, depth, count, keep int) *Spec {
		size := 1
		for size < max(s.Dim, keep) {
			size *= 2
		}
		b := Block{Size: size, Keep: keep, Trees: &Trees{Depth: depth, Tanh: keep%2 == 1, Value: randomGeneral[float64](r, count<<depth, keep, 1)}}
		all := count * depth
		if depth > 2 {
			for i := range count * depth { // every second depth has a comparison for each node
				b.Trees.Width = append(b.Trees.Width, 1<<(i%depth*(i%depth%2)))
				all += b.Trees.Width[i] - 1
			}
		}
		for range all {
			b.Trees.Input, b.Trees.Threshold = append(b.Trees.Input, r.IntN(s.Dim)), append(b.Trees.Threshold, r.NormFloat64())
		}
		for range keep {
			b.Scale = append(b.Scale, r.Float64())
		}
		for range keep * s.Func.Outputs() {
			s.Weight = append(s.Weight, 0.5+r.Float64())
		}
		s.Blocks = slices.Insert(s.Blocks, at, b)
		return s
	}
	return map[string]*Spec{
		"walsh":     walsh(dense(asm.CosSin, 5, 37), 41),
		"walshall":  walsh(dense(asm.Cos, 5, 64), 64),
		"walshone":  walsh(dense(asm.Cos, 2, 1), 1),
		"walshsorf": walsh(blocks(asm.CosSin, 6, false, 8, 5), 9),
		"section":   section(asm.SectionGaussian, 5, 71),
		"section1":  section(asm.SectionExponential, 1, 1),
		"section3":  section(asm.SectionMatern3, 13, 40),
		"section5":  section(asm.SectionMatern5, 3, 9),
		"cauchy":    section(asm.SectionCauchy, 4, 33),
		"nystrom":   project(section(asm.SectionGaussian, 6, 37), 37),
		"l1":        of(asm.Differences, section(asm.SectionGaussian, 5, 71)),
		"l1one":     of(asm.Differences, section(asm.SectionMatern3, 1, 1)),
		"l1nystrom": of(asm.Differences, project(section(asm.SectionGaussian, 6, 37), 37)),
		"powers":    of(asm.ThreeHalves, section(asm.SectionGaussian, 5, 71)),
		"powersone": of(asm.ThreeHalves, section(asm.SectionExponential, 1, 1)),
		"cos":       dense(asm.Cos, 5, 19),
		"cossin":    dense(asm.CosSin, 7, 37),
		"cossin1":   dense(asm.CosSin, 1, 1),
		"linear":    dense(asm.Linear, 3, 8),
		"arccos0":   dense(asm.ArcCos0, 4, 13),
		"arccos1":   dense(asm.ArcCos1, 4, 13),
		"arccos2":   dense(asm.ArcCos2, 4, 13),
		"sorf":      blocks(asm.CosSin, 6, false, 8, 8, 3),
		"fastfood":  blocks(asm.Cos, 11, true, 16, 5),
		"onedim":    blocks(asm.CosSin, 1, true, 1, 1),
		"projected": project(dense(asm.CosSin, 4, 33), 21),
		"compact":   project(blocks(asm.CosSin, 6, false, 8, 5), 9),
		"one":       same(dense(asm.Cos, 5, 71), 0.1),
		"onepair":   same(dense(asm.CosSin, 3, 35), 0.7),
		"negative":  same(dense(asm.CosSin, 3, 9), -0.7),
		"zero":      same(dense(asm.Cos, 3, 9), 0),
		"onelinear": same(dense(asm.Linear, 3, 9), 0.5),
		"onesorf":   same(blocks(asm.CosSin, 6, false, 8, 3), 0.5),
		"trees":     withTrees(&Spec{Dim: 5, Func: asm.Linear}, 0, 3, 9, 2),
		"treeone":   withTrees(&Spec{Dim: 1, Func: asm.Linear}, 0, 1, 1, 1),
		"treesmany": withTrees(withTrees(&Spec{Dim: 3, Func: asm.Linear}, 0, 6, 4, 19), 0, 2, 7, 4),
		"treessorf": withTrees(withTrees(blocks(asm.CosSin, 6, false, 8, 8), 1, 4, 5, 8), 2, 2, 3, 3),
		"treesproj": project(withTrees(&Spec{Dim: 4, Func: asm.Cos}, 0, 2, 5, 6), 3),
		"longinner": project(dense(asm.CosSin, 2, BlockK/2+9), 18),
	}
}

func TestTransformBits(t *testing.T) {
	t.Run("float64", testTransformBits[float64])
	t.Run("float32", testTransformBits[float32])
}

func testTransformBits[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(11, 2))
	for name, s := range specs(r) {
		m := Pack[T](s)
		in, out := m.Dims()
		for _, n := range []int{1, 2, 61} {
			x := randomGeneral[T](r, n, in, 1)
			want := randomGeneral[T](r, n, out, 3)
			z := refFeatures(s, x)
			guard := clone(want)
			for i := range n {
				copy(want.Row(i), z.Row(i))
			}
			coef := randomGeneral[T](r, out, 2, 1)
			t.Run(fmt.Sprintf("%s/n=%d", name, n), func(t *testing.T) {
				onExact(t, func(t *testing.T, e Engine) {
					got := clone(guard)
					m.Transform(e, got, x)
					sameBits(t, "Transform", got.Data, want.Data)
					// Predictions: batch, one by one, and the definition.
					y, y1 := NewGeneral[T](n, 2), NewGeneral[T](n, 2)
					m.Predict(e, y, x, coef, []T{3, 4})
					for i := range n {
						m.Predict(e, y1.RowRange(i, i+1), x.RowRange(i, i+1), coef, []T{3, 4})
					}
					sameBits(t, "Predict of one row", y1.Data, y.Data)
					for i := range n {
						for c := range 2 {
							col := make([]T, out)
							for j := range col {
								col[j] = coef.Data[j*coef.Stride+c]
							}
							y1.Data[i*2+c] = refDot(z.Row(i), col) + T(3+c)
						}
					}
					sameBits(t, "Predict", y.Data, y1.Data)
				})
			})
		}
	}
}

// Predictions of more columns than are multiplied at a time are those of one column.
func TestPredictManyColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 12))
	s := specs(r)["cossin"]
	m := Pack[float64](s)
	in, out := m.Dims()
	columns := 2*predictBytes(asm.Native[float64]())/(8*out) + 3
	x, coef := randomGeneral[float64](r, 5, in, 1), randomGeneral[float64](r, out, columns, 1)
	intercept := make([]float64, columns)
	for i := range intercept {
		intercept[i] = r.NormFloat64()
	}
	e := Engine{Workers: 1}
	got, one := NewGeneral[float64](5, columns), NewGeneral[float64](5, 1)
	m.Predict(e, got, x, coef, intercept)
	by, turned := NewGeneral[float64](5, columns), NewGeneral[float64](columns, out)
	transpose(turned, coef)
	m.PredictBy(e, by, x, turned, intercept)
	sameBits(t, "PredictBy", by.Data, got.Data)
	for c := 0; c < columns; c += max(1, columns/50) {
		m.Predict(e, one, x, General[float64]{Rows: out, Cols: 1, Stride: coef.Stride, Data: coef.Data[c:]}, intercept[c:c+1])
		for i := range 5 {
			if got.Row(i)[c] != one.Row(i)[0] {
				t.Fatalf("row %d, column %d: %g for %g", i, c, got.Row(i)[c], one.Row(i)[0])
			}
		}
	}
}

func refDot[T Float](x, y []T) T {
	var lane [32]T
	for i := range x {
		lane[i%32] = fma(x[i], y[i], lane[i%32])
	}
	for h := 16; h > 0; h /= 2 {
		for l := range h {
			lane[l] += lane[l+h]
		}
	}
	return lane[0]
}

// raceDetector is set where sync.Pool drops items at random.
var raceDetector bool

func TestRowsAllocate(t *testing.T) {
	if raceDetector {
		t.Skip("pools are not pools under the race detector")
	}
	r := rand.New(rand.NewPCG(12, 2))
	for _, name := range []string{"cossin", "sorf", "projected", "treesmany"} {
		m := Pack[float64](specs(r)[name])
		in, out := m.Dims()
		x, z := NewGeneral[float64](1, in), make([]float64, out)
		e := Engine{Workers: 1}
		for _, targets := range []int{1, 3} {
			for _, rows := range []int{1, 2, 7} {
				x, y, coef := NewGeneral[float64](rows, in), NewGeneral[float64](rows, targets), randomGeneral[float64](r, out, targets, 0)
				if n := testing.AllocsPerRun(100, func() { m.Predict(e, y, x, coef, nil) }); n != 0 {
					t.Errorf("%s: Predict of %d rows allocates %v times for %d targets", name, rows, n, targets)
				}
			}
		}
		if n := testing.AllocsPerRun(100, func() { m.TransformRow(e, z, x.Data) }); n != 0 {
			t.Errorf("%s: TransformRow allocates %v times", name, n)
		}
	}
}

func TestFeaturesConcurrently(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 2))
	s := specs(r)["compact"]
	m := Pack[float64](s)
	in, out := m.Dims()
	x := randomGeneral[float64](r, 50, in, 0)
	want := refFeatures(s, x)
	var wg sync.WaitGroup
	for _, b := range exactBackends() {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 5 {
				got := NewGeneral[float64](50, out)
				m.Transform(Engine{Backend: b, Workers: 2, eager: true}, got, x)
				sameBits(t, "Transform", got.Data, want.Data)
			}
		}()
	}
	wg.Wait()
}
