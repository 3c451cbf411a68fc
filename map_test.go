package rff

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

func randomDense(r, c int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 5))
	m := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			m.Set(i, j, rng.NormFloat64())
		}
	}
	return m
}

func testMap(t *testing.T, d, s int, form Form) *Map {
	t.Helper()
	m, err := New(NewGaussian(1.5), d, s, rand.NewPCG(3, 4), form)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The features by the formula of the docstring, with package math.
func direct(m *Map, x []float64) []float64 {
	s := m.full().Clone()
	f := s.Frequencies()
	z := make([]float64, len(s.Weight))
	for i := range f {
		t := 0.0
		for j, w := range s.W.Row(i) {
			t += w * x[j]
		}
		if s.Phase != nil {
			t += s.Phase[i]
		}
		z[i] = s.Weight[i] * math.Cos(t)
		if s.Func == asm.CosSin {
			z[f+i] = s.Weight[f+i] * math.Sin(t)
		}
	}
	return z
}

func TestTransformFollowsTheFormula(t *testing.T) {
	for _, form := range []Form{CosSin, CosBias} {
		for _, n := range []int{1, 5, 700} {
			m := testMap(t, 6, 34, form)
			x := randomDense(n, 6, 1)
			var z mat.Dense
			if err := m.Transform(&z, x); err != nil {
				t.Fatal(err)
			}
			x32 := blas32.General{Rows: n, Cols: 6, Stride: 6, Data: make([]float32, 6*n)}
			for i, v := range x.RawMatrix().Data {
				x32.Data[i] = float32(v)
			}
			var z32 blas32.General
			if err := m.Transform32(&z32, x32); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				row := make([]float64, 34)
				if err := m.TransformVec(row, x.RawRowView(i)); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(row, z.RawRowView(i)) {
					t.Fatalf("%v: TransformVec and Transform differ in row %d", form, i)
				}
				for j, want := range direct(m, x.RawRowView(i)) {
					// |t| stays below 20: rounding of its 6 terms, 20·2⁻⁵⁰, with room.
					if math.Abs(row[j]-want) > 1e-13 {
						t.Fatalf("%v: feature (%d, %d) is %g, want %g", form, i, j, row[j], want)
					}
					// Likewise 20·2⁻²¹ of x's and w's rounding to float32.
					if got := float64(z32.Data[i*z32.Stride+j]); math.Abs(got-want) > 2e-5 {
						t.Fatalf("%v: float32 feature (%d, %d) is %g, want %g", form, i, j, got, want)
					}
				}
				if form == CosSin {
					if k := NewLinear().Eval(row, row); math.Abs(k-1) > 1e-14 {
						t.Fatalf("z(x)ᵀz(x) = %g", k)
					}
				}
			}
		}
	}
}

// Every way of handing over the same numbers gives the same bits, and nothing
// outside the result is touched.
func TestTransformViews(t *testing.T) {
	const n, d, s = 2500, 5, 22
	m := testMap(t, d, s, CosSin)
	x := randomDense(n, d, 2)
	var want mat.Dense
	if err := m.Transform(&want, x); err != nil {
		t.Fatal(err)
	}
	wide := randomDense(n+2, d+9, 3)
	wide.Slice(1, n+1, 4, 4+d).(*mat.Dense).Copy(x)
	transposed := mat.DenseCopyOf(x.T())
	for name, in := range map[string]mat.Matrix{
		"strided": wide.Slice(1, n+1, 4, 4+d), "transpose": transposed.T(), "no raw view": opaque{x}, "transpose of no raw view": opaque{transposed}.T(),
	} {
		big := mat.NewDense(n+2, s+3, nil)
		for i := range n + 2 {
			for j := range s + 3 {
				big.Set(i, j, math.NaN())
			}
		}
		dst := big.Slice(1, n+1, 2, 2+s).(*mat.Dense)
		if err := m.Transform(dst, in); err != nil {
			t.Fatal(name, err)
		}
		if !mat.Equal(dst, &want) {
			t.Errorf("%s: other features", name)
		}
		for i := range n + 2 {
			for j := range s + 3 {
				if inside := i >= 1 && i <= n && j >= 2 && j < 2+s; !inside && !math.IsNaN(big.At(i, j)) {
					t.Fatalf("%s: wrote outside dst at (%d, %d)", name, i, j)
				}
			}
		}
	}
}

// opaque hides everything but the interface mat.Matrix.
type opaque struct{ m mat.Matrix }

func (o opaque) Dims() (r, c int)    { return o.m.Dims() }
func (o opaque) At(i, j int) float64 { return o.m.At(i, j) }
func (o opaque) T() mat.Matrix       { return mat.Transpose{Matrix: o} }

func TestTransformRefusals(t *testing.T) {
	m := testMap(t, 4, 8, CosSin)
	x := randomDense(10, 4, 4)
	untouched := func(name string, dst *mat.Dense) {
		t.Helper()
		for _, v := range dst.RawMatrix().Data {
			if v != 7 {
				t.Fatalf("%s: dst was written", name)
			}
		}
	}
	sevens := func(r, c int) *mat.Dense {
		d := mat.NewDense(r, c, nil)
		d.Apply(func(int, int, float64) float64 { return 7 }, d)
		return d
	}
	for name, dst := range map[string]*mat.Dense{"rows": sevens(9, 8), "columns": sevens(10, 9)} {
		var e *ShapeError
		if err := m.Transform(dst, x); !errors.As(err, &e) || e.Name != "dst" {
			t.Errorf("%s: %v", name, err)
		}
		untouched(name, dst)
	}
	var e *ShapeError
	if err := m.Transform(sevens(10, 8), randomDense(10, 5, 1)); !errors.As(err, &e) || e.Name != "x" || e.WantCols != 4 {
		t.Errorf("width: %v", err)
	}
	if err := m.TransformVec(make([]float64, 8), make([]float64, 3)); !errors.As(err, &e) {
		t.Error(err)
	}
	if err := m.TransformVec(make([]float64, 7), make([]float64, 4)); !errors.As(err, &e) {
		t.Error(err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, at := range [][2]int{{0, 0}, {9, 3}, {4, 2}} {
			y := mat.DenseCopyOf(x)
			y.Set(at[0], at[1], bad)
			for _, in := range []mat.Matrix{y, opaque{y}} {
				dst := sevens(10, 8)
				var e *ValueError
				if err := m.Transform(dst, in); !errors.As(err, &e) || e.Row != int64(at[0]) || e.Column != fmt.Sprintf("input %d", at[1]+1) {
					t.Errorf("%g at %v: %v", bad, at, err)
				}
				untouched("not finite", dst)
				var empty mat.Dense
				if m.Transform(&empty, in); !empty.IsEmpty() {
					t.Error("an empty dst was sized in spite of the error")
				}
			}
			row := []float64{7, 7, 7, 7, 7, 7, 7, 7}
			if err := m.TransformVec(row, y.RawRowView(at[0])); err == nil || row[0] != 7 || row[7] != 7 {
				t.Errorf("TransformVec: %v, %v", err, row)
			}
		}
	}
	x32 := blas32.General{Rows: 1, Cols: 4, Stride: 4, Data: []float32{1, 2, float32(math.NaN()), 3}}
	dst32 := blas32.General{Rows: 1, Cols: 8, Stride: 8, Data: []float32{7, 7, 7, 7, 7, 7, 7, 7}}
	var nf *ValueError
	if err := m.Transform32(&dst32, x32); !errors.As(err, &nf) || nf.Column != "input 3" || dst32.Data[0] != 7 {
		t.Errorf("float32: %v", err)
	}
	x32.Data = x32.Data[:3]
	var p *ParameterError
	if err := m.Transform32(&dst32, x32); !errors.As(err, &p) {
		t.Errorf("short float32 data: %v", err)
	}
}

func TestTransformAliasing(t *testing.T) {
	m := testMap(t, 4, 8, CosSin)
	big := randomDense(20, 30, 4)
	var e *ParameterError
	for name, v := range map[string][2]mat.Matrix{
		"same rows":         {big.Slice(0, 10, 0, 8), big.Slice(0, 10, 4, 8)},
		"one column shared": {big.Slice(0, 10, 0, 8), big.Slice(0, 10, 7, 11)},
		"last row":          {big.Slice(0, 10, 0, 8), big.Slice(9, 19, 0, 4)},
		"transpose":         {big.Slice(0, 10, 0, 8), big.Slice(0, 4, 0, 10).T()},
	} {
		if err := m.Transform(v[0].(*mat.Dense), v[1]); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, v := range map[string][2]mat.Matrix{
		"columns beside": {big.Slice(0, 10, 0, 8), big.Slice(0, 10, 8, 12)},
		"columns before": {big.Slice(0, 10, 20, 28), big.Slice(0, 10, 4, 8)},
		"rows below":     {big.Slice(0, 10, 0, 8), big.Slice(10, 20, 0, 4)},
	} {
		if err := m.Transform(v[0].(*mat.Dense), v[1]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	buf := make([]float64, 11)
	if err := m.TransformVec(buf[3:], buf[:4]); !errors.As(err, &e) {
		t.Errorf("vectors: %v", err)
	}
}

func TestFeatureCounts(t *testing.T) {
	for _, s := range []int{-2, 0, 1, 3, 7} {
		_, err := New(NewGaussian(1), 2, s, rand.NewPCG(1, 1))
		var p *ParameterError
		if !errors.As(err, &p) || p.Name != "features" {
			t.Errorf("%d columns: %v", s, err)
		}
		if s > 0 && !strings.Contains(err.Error(), "even") {
			t.Errorf("the error on odd features does not say what to do: %v", err)
		}
	}
	for _, s := range []int{1, 3} {
		if m, err := New(NewGaussian(1), 2, s, rand.NewPCG(1, 1), CosBias); err != nil {
			t.Error(err)
		} else if _, out := m.Dims(); out != s {
			t.Errorf("%d columns, want %d", out, s)
		}
	}
	if _, err := New(NewGaussian(1), 2, 4, rand.NewPCG(1, 1), Form("9")); err == nil {
		t.Error("an unknown form passes")
	}
}

// What Spec hands out is not the map's own: changing it changes nothing.
func TestSpecIsACopy(t *testing.T) {
	dense := blas.Spec{Dim: 2, Func: asm.Cos, W: blas.General[float64]{Rows: 2, Cols: 2, Stride: 3, Data: []float64{1, 2, 99, 3, 4}},
		Phase: []float64{1, 2}, Weight: []float64{3, 4}, Product: blas.General[float64]{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1, 2}}}
	blocks := blas.Spec{Dim: 2, Func: asm.CosSin, Weight: []float64{1, 2, 3, 4}, Blocks: []blas.Block{{Size: 2, Keep: 2,
		D: [][]float64{{1, 2}, {3, 4}}, Perm: []int{1, 0}, Scale: []float64{5, 6}}}}
	for name, s := range map[string]*blas.Spec{"dense": &dense, "blocks": &blocks} {
		m, err := fromSpec(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := fingerprint(m.spec)
		c := m.full().Clone()
		if fingerprint(c) != want {
			t.Errorf("%s: the copy differs", name)
		}
		for _, v := range [][]float64{c.W.Data, c.Phase, c.Weight, c.Product.Data} {
			for i := range v {
				v[i] = -7
			}
		}
		for i := range c.Blocks {
			b := &c.Blocks[i]
			b.D[0][0], b.Perm[0], b.Scale[0] = -7, 7, -7
			b.D[1] = nil
		}
		if len(c.Blocks) > 0 {
			c.Blocks[0].Keep = 1
		}
		if fingerprint(m.spec) != want {
			t.Errorf("%s: the map changed with its copy", name)
		}
	}
}

// Cosines without weights have those of their form; other functions need weights.
func TestFromSpecWeights(t *testing.T) {
	w := randomDense(3, 2, 1)
	for form, fn := range map[Form]asm.Func{CosSin: asm.CosSin, CosBias: asm.Cos} {
		var phase []float64
		if form == CosBias {
			phase = []float64{0, 1, 2}
		}
		want, err := FromFrequencies(w, phase, nil, form)
		if err != nil {
			t.Fatal(err)
		}
		got, err := fromSpec(&blas.Spec{Dim: 2, W: general(w.RawMatrix()), Phase: phase, Func: fn}, nil)
		if err != nil || got.Fingerprint() != want.Fingerprint() {
			t.Errorf("%v: %v", form, err)
		}
	}
	var e *ParameterError
	if _, err := fromSpec(&blas.Spec{Dim: 2, W: general(w.RawMatrix()), Func: asm.Linear}, nil); !errors.As(err, &e) || e.Name != "weight" {
		t.Errorf("linear features without weights: %v", err)
	}
	if _, err := fromSpec(&blas.Spec{Dim: 2, W: blas.General[float64]{Rows: math.MaxInt, Cols: 2, Stride: 2}, Func: asm.Cos}, nil); !errors.As(err, &e) || e.Name != "frequencies" {
		t.Errorf("a matrix without its elements: %v", err)
	}
}

func TestFromFrequencies(t *testing.T) {
	w := randomDense(3, 2, 1)
	m, err := FromFrequencies(w, nil, nil, CosSin)
	if err != nil {
		t.Fatal(err)
	}
	before := m.Fingerprint()
	w.Set(0, 0, 99)
	if m.full().Clone().W.Data[0] == 99 {
		t.Error("the map shares the caller's memory")
	}
	if same, err := fromSpec(m.full().Clone(), NewGaussian(1)); err != nil || same.Fingerprint() != before {
		t.Error("equal specifications have different fingerprints")
	}
	if c, err := FromFrequencies(w, []float64{0, 1, 2}, []float64{1, 2, 3}, CosBias); err != nil {
		t.Error(err)
	} else if c.full().Clone().Weight[2] != 3 || c.full().Clone().Phase[1] != 1 {
		t.Error("phase or weight lost")
	}
	if c, err := FromFrequencies(w, nil, []float64{1, 2, 3}, CosSin); err != nil {
		t.Error(err)
	} else if !slices.Equal(c.full().Clone().Weight, []float64{1, 2, 3, 1, 2, 3}) {
		t.Errorf("weights %v", c.full().Clone().Weight)
	}
	nan := randomDense(3, 2, 1)
	nan.Set(1, 1, math.NaN())
	for name, f := range map[string]func() (*Map, error){
		"phase with CosSin":     func() (*Map, error) { return FromFrequencies(w, make([]float64, 3), nil, CosSin) },
		"no phase with CosBias": func() (*Map, error) { return FromFrequencies(w, nil, nil, CosBias) },
		"short weight":          func() (*Map, error) { return FromFrequencies(w, nil, make([]float64, 2), CosSin) },
		"NaN":                   func() (*Map, error) { return FromFrequencies(nan, nil, nil, CosSin) },
		"form":                  func() (*Map, error) { return FromFrequencies(w, nil, nil, "7") },
		"empty":                 func() (*Map, error) { return FromFrequencies(&mat.Dense{}, nil, nil, CosSin) },
	} {
		if m, err := f(); err == nil || m != nil {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
}

func TestFromSpecRefusesWhatPackingWouldPanicOn(t *testing.T) {
	good := func() *blas.Spec {
		return &blas.Spec{Dim: 2, W: blas.General[float64]{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 2, 3, 4}},
			Func: asm.CosSin, Weight: []float64{1, 1, 1, 1}, Phase: []float64{0, 1},
			Product: blas.General[float64]{Rows: 4, Cols: 1, Stride: 1, Data: []float64{1, 2, 3, 4}}}
	}
	structured := func() *blas.Spec {
		return &blas.Spec{Dim: 3, Func: asm.Cos, Weight: []float64{1, 1, 1}, Blocks: []blas.Block{{Size: 4, Keep: 3,
			D: [][]float64{{1, 1, 1, 1}, {1, -1, 1, 1}}, Perm: []int{3, 1, 0, 2}, Scale: []float64{1, 2, 3}}}}
	}
	trees := func() *blas.Spec {
		return &blas.Spec{Dim: 2, Func: asm.Linear, Weight: []float64{1}, Blocks: []blas.Block{{Size: 2, Keep: 1, Scale: []float64{1}, Trees: &blas.Trees{
			Depth: 1, Input: []int{0, 1}, Threshold: []float64{5, 6}, Value: blas.General[float64]{Rows: 4, Cols: 1, Stride: 1, Data: []float64{1, 2, 3, 4}}}}}}
	}
	for _, s := range []*blas.Spec{good(), structured(), trees()} {
		if _, err := fromSpec(s, nil); err != nil {
			t.Fatal(err)
		}
	}
	prints := map[string]string{}
	record := func(name string, s *blas.Spec) {
		m, err := fromSpec(s, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		if other, taken := prints[m.Fingerprint()]; taken {
			t.Errorf("%s and %s have one fingerprint", name, other)
		}
		prints[m.Fingerprint()] = name
	}
	record("dense", good())
	record("structured", structured())
	for name, change := range map[string]func(s *blas.Spec){
		"w": func(s *blas.Spec) { s.W.Data[3] = 5 }, "phase": func(s *blas.Spec) { s.Phase[1] = 2 },
		"no phase": func(s *blas.Spec) { s.Phase = nil }, "weight": func(s *blas.Spec) { s.Weight[0] = 2 },
		"product": func(s *blas.Spec) { s.Product.Data[0] = 9 }, "no product": func(s *blas.Spec) { s.Product = blas.General[float64]{} },
	} {
		s := good()
		change(s)
		record(name, s)
	}
	for name, change := range map[string]func(s *blas.Spec){
		"d": func(s *blas.Spec) { s.Blocks[0].D[0][0] = -1 }, "perm": func(s *blas.Spec) { s.Blocks[0].Perm = []int{0, 1, 2, 3} },
		"func":    func(s *blas.Spec) { s.Func = asm.Linear },
		"no perm": func(s *blas.Spec) { s.Blocks[0].Perm = nil }, "scale": func(s *blas.Spec) { s.Blocks[0].Scale[0] = 4 },
	} {
		s := structured()
		change(s)
		record("structured "+name, s)
	}
	record("trees", trees())
	for name, change := range map[string]func(b *blas.Block, t *blas.Trees){
		"depth": func(_ *blas.Block, t *blas.Trees) { t.Depth = 2 }, "input": func(_ *blas.Block, t *blas.Trees) { t.Input[1] = 0 },
		"threshold": func(_ *blas.Block, t *blas.Trees) { t.Threshold[1] = 7 }, "value": func(_ *blas.Block, t *blas.Trees) { t.Value.Data[3] = 5 },
		"scale": func(b *blas.Block, _ *blas.Trees) { b.Scale[0] = 2 },
	} {
		s := trees()
		change(&s.Blocks[0], s.Blocks[0].Trees)
		record("trees "+name, s)
	}
	refuse := func(name string, s *blas.Spec) {
		t.Helper()
		m, err := fromSpec(s, nil)
		var p *ParameterError
		if m != nil || !errors.As(err, &p) {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	refuse("nil", nil)
	for name, change := range map[string]func(s *blas.Spec){
		"dim 0": func(s *blas.Spec) { s.Dim = 0 }, "dim": func(s *blas.Spec) { s.Dim = 3 }, "func": func(s *blas.Spec) { s.Func = 77 },
		"no frequencies": func(s *blas.Spec) { s.W = blas.General[float64]{} },
		"both":           func(s *blas.Spec) { s.Blocks = structured().Blocks },
		"short w":        func(s *blas.Spec) { s.W.Data = s.W.Data[:3] }, "stride": func(s *blas.Spec) { s.W.Stride = 1 },
		"w not finite": func(s *blas.Spec) { s.W.Data[1] = math.Inf(1) }, "phase": func(s *blas.Spec) { s.Phase = s.Phase[:1] },
		"phase NaN": func(s *blas.Spec) { s.Phase[0] = math.NaN() }, "weight": func(s *blas.Spec) { s.Weight = s.Weight[:2] },
		"weight NaN": func(s *blas.Spec) { s.Weight[3] = math.NaN() }, "product rows": func(s *blas.Spec) { s.Product.Rows = 3 },
		"product columns": func(s *blas.Spec) { s.Product.Cols = 0 }, "product NaN": func(s *blas.Spec) { s.Product.Data[0] = math.NaN() },
	} {
		s := good()
		change(s)
		refuse(name, s)
	}
	for name, change := range map[string]func(b *blas.Block){
		"size": func(b *blas.Block) { b.Size = 3 }, "small": func(b *blas.Block) { b.Size = 2 }, "keep 0": func(b *blas.Block) { b.Keep = 0 },
		"keep": func(b *blas.Block) { b.Keep = 5 }, "scale": func(b *blas.Block) { b.Scale = b.Scale[:2] },
		"long scale": func(b *blas.Block) { b.Scale = append(b.Scale, 1) },
		"scale NaN":  func(b *blas.Block) { b.Scale[0] = math.NaN() }, "no diagonal": func(b *blas.Block) { b.D = nil },
		"diagonal": func(b *blas.Block) { b.D[1] = b.D[1][:3] }, "diagonal NaN": func(b *blas.Block) { b.D[0][2] = math.NaN() },
		"perm length": func(b *blas.Block) { b.Perm = b.Perm[:3] }, "perm twice": func(b *blas.Block) { b.Perm[0] = 1 },
		"perm range": func(b *blas.Block) { b.Perm[0] = 4 },
	} {
		s := structured()
		change(&s.Blocks[0])
		refuse("block: "+name, s)
	}
	beyond := trees()
	beyond.Blocks[0].Trees.Input[0] = 2
	refuse("trees", beyond)
}

func TestMapIsSafeForConcurrentUse(t *testing.T) {
	m := testMap(t, 3, 16, CosSin)
	x := randomDense(50, 3, 1)
	var want mat.Dense
	if err := testMap(t, 3, 16, CosSin).Transform(&want, x); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var z mat.Dense
			if err := m.on(blas.Engine{Workers: w%3 + 1}).Transform(&z, x); err != nil || !mat.Equal(&z, &want) {
				t.Errorf("worker %d: %v", w, err)
			}
			m.Fingerprint()
		}()
	}
	wg.Wait()
}

func TestSources(t *testing.T) {
	const n, d = 5000, 3
	x, y := randomDense(n, d, 1), randomDense(n, 2, 2)
	vec := mat.NewVecDense(n, mat.Col(nil, 1, y))
	xt := mat.DenseCopyOf(x.T())
	for name, c := range map[string]struct {
		x, y mat.Matrix
		want mat.Matrix
	}{
		"dense": {x, y, y}, "vector": {x, vec, vec}, "column of a matrix": {x, y.ColView(1), vec}, "opaque": {opaque{x}, opaque{y}, y},
		"transpose": {xt.T(), y, y}, "no targets": {x, nil, nil},
	} {
		s, err := FromMatrix(c.x, c.y)
		if err != nil {
			t.Fatal(name, err)
		}
		for pass := range 2 {
			row := 0
			for b, err := range s.Batches(context.Background()) {
				if err != nil || b.First != int64(row) || b.Weight != nil || b.Y.Rows != b.X.Rows {
					t.Fatal(name, pass, err, b.First, row)
				}
				for i := range b.X.Rows {
					if !slices.Equal(b.X.Row(i), x.RawRowView(row)) {
						t.Fatalf("%s: row %d differs", name, row)
					}
					for j := range b.Y.Cols {
						if b.Y.Data[i*b.Y.Stride+j] != c.want.At(row, j) {
							t.Fatalf("%s: target of row %d differs", name, row)
						}
					}
					row++
				}
			}
			if row != n {
				t.Fatalf("%s: %d rows", name, row)
			}
		}
	}
	var e *ShapeError
	if _, err := FromMatrix(x, randomDense(n-1, 1, 1)); !errors.As(err, &e) {
		t.Error(err)
	}
	s, err := FromMatrix(&mat.Dense{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range s.Batches(context.Background()) {
		t.Error("a batch of no rows")
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, _ = FromMatrix(x, nil)
	count := 0
	for _, err := range s.Batches(ctx) {
		if count++; count == 2 {
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		cancel()
	}
	if count != 2 {
		t.Errorf("%d batches after cancelling in the first", count)
	}
}

func TestTransformVecDoesNotAllocate(t *testing.T) {
	for _, form := range []Form{CosSin, CosBias} {
		m := testMap(t, 6, 256, form)
		x, z := make([]float64, 6), make([]float64, 256)
		run := func() {
			if err := m.TransformVec(z, x); err != nil {
				t.Fatal(err)
			}
		}
		run() // packs the map
		if n := testing.AllocsPerRun(200, run); n > 0 {
			t.Errorf("%v: %g allocations", form, n)
		}
	}
}

// Phases cover the circle: their mean and the share beyond π are those of a uniform
// angle, within five standard deviations.
func TestPhasesCoverTheCircle(t *testing.T) {
	const f = 4096
	phases := testMap(t, 2, f, CosBias).full().Clone().Phase
	var mean, beyond float64
	for _, b := range phases {
		if !(b > 0 && b < 2*math.Pi) {
			t.Fatalf("phase %g", b)
		}
		mean += b / f
		if b > math.Pi {
			beyond += 1. / f
		}
	}
	if sd := 2 * math.Pi / math.Sqrt(12*f); math.Abs(mean-math.Pi) > 5*sd {
		t.Errorf("mean phase %g", mean)
	}
	if math.Abs(beyond-0.5) > 5*0.5/math.Sqrt(f) {
		t.Errorf("%.3f of the phases are beyond π", beyond)
	}
}

// A map keeps nothing of the slices it was made from.
func TestFromFrequenciesCopies(t *testing.T) {
	for _, form := range []Form{CosSin, CosBias} {
		w, weight := randomDense(2, 3, 1), []float64{1, 2}
		var phase []float64
		if form == CosBias {
			phase = []float64{0.5, 0.25}
		} else {
			weight = append(weight, 3, 4) // one per column
		}
		m, err := FromFrequencies(w, phase, weight, form)
		if err != nil {
			t.Fatal(err)
		}
		w.Set(1, 2, 99)
		weight[1] = 99
		if phase != nil {
			phase[0] = 99
		}
		s := m.full().Clone()
		if s.W.Row(1)[2] == 99 || s.Weight[1] != 2 || (phase != nil && s.Phase[0] != 0.5) {
			t.Errorf("%v: the map shares the caller's memory", form)
		}
	}
}

// float32 resolves inputs 2²⁹ times smaller than float64 does, and its rows are refused from there on.
func TestResolvedInFloat32(t *testing.T) {
	m, err := New(NewGaussian(1), 1, 64, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	for x, resolved := range map[float64][2]bool{1e3: {true, true}, 1e10: {true, false}, 1e18: {false, false}} {
		_, out := m.Dims()
		err64 := m.Transform(mat.NewDense(1, out, nil), mat.NewDense(1, 1, []float64{x}))
		err32 := m.Transform32(&blas32.General{Rows: 1, Cols: out, Stride: out, Data: make([]float32, out)}, blas32.General{Rows: 1, Cols: 1, Stride: 1, Data: []float32{float32(x)}})
		if (err64 == nil) != resolved[0] || (err32 == nil) != resolved[1] {
			t.Errorf("%g: %v in float64, %v in float32", x, err64, err32)
		}
	}
}

// Errors about a map that users ask for name what they gave.
func TestErrorsNameWhatWasGiven(t *testing.T) {
	for want, make := range map[string]func() (*Map, error){
		"frequencies row 1[0]": func() (*Map, error) {
			return FromFrequencies(mat.NewDense(2, 1, []float64{1, math.NaN()}), nil, nil, CosSin)
		},
		"phase[1]": func() (*Map, error) {
			return FromFrequencies(mat.NewDense(2, 1, nil), []float64{1, math.Inf(1)}, nil, CosBias)
		},
		"weight": func() (*Map, error) {
			return FromFrequencies(mat.NewDense(2, 1, nil), nil, []float64{1, 2, 3}, CosSin)
		},
		"landmarks": func() (*Map, error) { return Nystrom(NewGaussian(1), mat.NewDense(2, 1, []float64{0, 1e12})) },
	} {
		var e *ParameterError
		if _, err := make(); !errors.As(err, &e) || e.Name != want {
			t.Errorf("%v, want an error that names %s", err, want)
		}
	}
}

// Features in float32 whose frequencies float32 does not hold were NaN, without an error.
func TestTransform32RefusesHugeFrequencies(t *testing.T) {
	m, err := New(NewGaussian(1e-40), 1, 8, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	var e *ValueError
	if err := m.Transform32(new(blas32.General), blas32.General{Rows: 1, Cols: 1, Stride: 1, Data: []float32{0}}); !errors.As(err, &e) || !strings.Contains(e.Need, "frequencies") {
		t.Errorf("%v", err)
	}
}
