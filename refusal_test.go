package rff_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/quality"
)

// outcome runs f and returns its error, or what it panicked with.
func outcome(f func() error) (panicked any, err error) {
	defer func() { panicked = recover() }()
	return nil, f()
}

// What a program gets wrong with nil, zero and absurd arguments is a typed error
// where there is one to return, otherwise a panic with a constant message; never
// a panic of the runtime, and memory is not taken first.
func TestArguments(t *testing.T) {
	ctx := context.Background()
	src := rand.NewPCG(1, 2)
	k := rff.NewGaussian(1)
	x := mat.NewDense(5, 2, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 1})
	m, err := rff.New(k, 2, 4, src)
	if err != nil {
		t.Fatal(err)
	}
	var noDense *mat.Dense
	var noVec *mat.VecDense
	var noMap *rff.Map
	const huge = math.MaxInt
	first := func(_ any, err error) error { return err }
	type pair struct{ A, B float64 }
	schema := rff.Schema{Inputs: rff.Columns("A", "B")}
	encode, err := schema.Encoder()
	if err != nil {
		t.Fatal(err)
	}
	encodeOf, err := rff.EncoderOf[pair](schema)
	if err != nil {
		t.Fatal(err)
	}

	for name, f := range map[string]func() error{
		"New kernel":                func() error { return first(rff.New(nil, 2, 4, src)) },
		"New src":                   func() error { return first(rff.New(k, 2, 4, nil)) },
		"New two forms":             func() error { return first(rff.New(k, 2, 4, src, rff.CosSin, rff.CosSin)) },
		"New dim 0":                 func() error { return first(rff.New(k, 0, 4, src)) },
		"New dim -1":                func() error { return first(rff.New(k, -1, 4, src)) },
		"New dim huge":              func() error { return first(rff.New(k, huge, 4, src)) },
		"New features 0":            func() error { return first(rff.New(k, 2, 0, src)) },
		"New features -2":           func() error { return first(rff.New(k, 2, -2, src)) },
		"New features huge":         func() error { return first(rff.New(k, 2, huge-1, src)) },
		"New features many":         func() error { return first(rff.New(k, 1<<20, 1<<30, src)) },
		"New product":               func() error { return first(rff.New(k, 1<<16, 1<<17, src)) },
		"FromFrequencies":           func() error { return first(rff.FromFrequencies(nil, nil, nil, rff.CosSin)) },
		"FromFrequencies typed nil": func() error { return first(rff.FromFrequencies(noDense, nil, nil, rff.CosSin)) },
		"FromSpec":                  func() error { return first(inside.New(nil, nil)) },
		"FromSpec zero":             func() error { return first(inside.New(&blas.Spec{}, nil)) },
		"FromMatrix":                func() error { return first(rff.FromMatrix(nil, nil)) },
		"FromMatrix typed nil":      func() error { return first(rff.FromMatrix(noDense, nil)) },
		"FromMatrix typed nil y":    func() error { return first(rff.FromMatrix(x, noVec)) },
		"FromRows":                  func() error { return first(rff.FromRows(2, 1, nil)) },
		"MedianDistance":            func() error { return first(rff.MedianDistance(nil, 5, src)) },
		"MedianDistance typed nil":  func() error { return first(rff.MedianDistance(noDense, 5, src)) },
		"MedianDistance sample":     func() error { return first(rff.MedianDistance(x, 0, src)) },
		"MedianDistance src":        func() error { return first(rff.MedianDistance(x, 3, nil)) },
		"MedianDistance many":       func() error { return first(rff.MedianDistance(mat.NewVecDense(1<<17, nil), 1<<17, nil)) },
		"NeighbourDistance":         func() error { return first(rff.NeighbourDistance(nil, 0, 5, src)) },
		"NeighbourDistance k":       func() error { return first(rff.NeighbourDistance(x, -1, 5, src)) },
		"NeighbourDistance sample":  func() error { return first(rff.NeighbourDistance(x, 1, 0, src)) },
		"NeighbourDistance src":     func() error { return first(rff.NeighbourDistance(x, 1, 3, nil)) },
		"NeighbourDistance many": func() error {
			return first(rff.NeighbourDistance(mat.NewVecDense(1<<17, nil), 1<<16, 1<<17, nil))
		},
		"HoeffdingTail":       func() error { return first(quality.HoeffdingTail("9", 0, 0)) },
		"HoeffdingFeatures":   func() error { return first(quality.HoeffdingFeatures("9", 0.1, 0.1)) },
		"HoeffdingFeatures ε": func() error { return first(quality.HoeffdingFeatures(rff.CosSin, 1e-300, 0.1)) },
		"UniformFeatures":     func() error { return first(quality.UniformFeatures(nil, 2, 1, 0.1, 0.1)) },
		"UniformFeatures dim": func() error { return first(quality.UniformFeatures(k, -1, 1, 0.1, 0.1)) },
		"ParseKernel":         func() error { return first(rff.ParseKernel("")) },
		"Frequencies":         func() error { return first(inside.Frequencies("7", 2)) },
		"Spectrum":            func() error { return first(k.Spectrum(-1)) },
		"Check":               func() error { return inside.CheckScaling(rff.Scaling{Shift: []float64{1}}, -1) },
		"Transform dst":       func() error { return m.Transform(nil, x) },
		"Transform x":         func() error { return m.Transform(&mat.Dense{}, nil) },
		"Transform typed nil": func() error { return m.Transform(&mat.Dense{}, noDense) },
		"Transform empty":     func() error { return m.Transform(&mat.Dense{}, &mat.Dense{}) },
		"Transform32 dst": func() error {
			return m.Transform32(nil, blas32.General{Rows: 1, Cols: 2, Stride: 2, Data: make([]float32, 2)})
		},
		"Transform32 rows": func() error {
			return m.Transform32(&blas32.General{Rows: 2, Cols: 4, Stride: 4, Data: make([]float32, 8)}, blas32.General{Rows: 1, Cols: 2, Stride: 2, Data: make([]float32, 2)})
		},
		"Transform32 columns": func() error {
			return m.Transform32(&blas32.General{Rows: 1, Cols: 3, Stride: 4, Data: make([]float32, 4)}, blas32.General{Rows: 1, Cols: 2, Stride: 2, Data: make([]float32, 2)})
		},
		"Transform32 data": func() error {
			return m.Transform32(&blas32.General{Rows: 1, Cols: 4, Stride: 4, Data: make([]float32, 3)}, blas32.General{Rows: 1, Cols: 2, Stride: 2, Data: make([]float32, 2)})
		},
		"Encoder dst":          func() error { return encode(make([]float64, 1), []float64{1, 2}) },
		"EncoderOf dst":        func() error { return encodeOf(make([]float64, 3), new(pair)) },
		"Transform32 x":        func() error { return m.Transform32(&blas32.General{}, blas32.General{}) },
		"TransformVec":         func() error { return m.TransformVec(nil, nil) },
		"TransformVec dst":     func() error { return m.TransformVec(nil, []float64{1, 2}) },
		"MeasureKernel":        func() error { return first(quality.MeasureKernel(m, &mat.Dense{})) },
		"MeasureKernel inputs": func() error { return first(quality.MeasureKernel(m, mat.NewDense(1, 3, nil))) },
	} {
		panicked, err := outcome(f)
		if panicked != nil {
			t.Errorf("%s: panics with %v", name, panicked)
			continue
		}
		var parameter *rff.ParameterError
		var shape *rff.ShapeError
		var degenerate *rff.DegenerateDataError
		if !errors.As(err, &parameter) && !errors.As(err, &shape) && !errors.As(err, &degenerate) {
			t.Errorf("%s: the error %v has no type of this package", name, err)
		}
	}

	for name, f := range map[string]func(){
		"Dims of no map":     func() { noMap.Dims() },
		"Dims of a zero map": func() { new(rff.Map).Dims() },
		"Spec":               func() { inside.Spec(new(rff.Map)) },
		"Kernel":             func() { noMap.Kernel() },
		"Engine":             func() { inside.Engine(noMap) },
		"On":                 func() { _, _ = noMap.On(rff.Engine{}) },
		"Fingerprint":        func() { new(rff.Map).Fingerprint() },
		"Features64":         func() { inside.Features64(new(rff.Map)) },
		"Features32":         func() { inside.Features32(noMap) },
		"Transform":          func() { _ = noMap.Transform(&mat.Dense{}, x) },
		"TransformVec":       func() { _ = new(rff.Map).TransformVec(nil, nil) },
		"Gaussian pair":      func() { k.Eval(nil, []float64{1}) },
		"Gaussian scales":    func() { rff.NewGaussian(1, 2).Eval([]float64{1, 2, 3}, []float64{1, 2, 3}) },
		"Gaussian too many":  func() { rff.NewGaussian(1, 2).Eval([]float64{1}, []float64{1}) },
		"Laplacian scales":   func() { rff.NewLaplacian(1, 2).Eval([]float64{1, 2, 3}, []float64{1, 2, 3}) },
		"Cauchy scales":      func() { rff.NewCauchy(1, 2).Eval([]float64{1, 2, 3}, []float64{1, 2, 3}) },
		"Matern scales":      func() { rff.NewMatern(1.5, 1, 2).Eval([]float64{1, 2, 3}, []float64{1, 2, 3}) },
		"Linear pair":        func() { rff.NewLinear().Eval(nil, []float64{1}) },
		"ArcCosine pair":     func() { rff.NewArcCosine(0).Eval(nil, []float64{1}) },
	} {
		panicked, _ := outcome(func() error { f(); return nil })
		if text, ok := panicked.(string); !ok || !strings.HasPrefix(text, "rff: ") {
			t.Errorf("%s: panics with %T %v, want a constant of this package", name, panicked, panicked)
		}
	}

	// What is allowed to be nil.
	if _, err := rff.MedianDistance(x, 5, nil); err != nil {
		t.Error(err)
	}
	s, err := rff.FromMatrix(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	for b, err := range s.Batches(ctx) {
		if err != nil || b.Y.Cols != 0 {
			t.Error(err)
		}
	}
}

// A value that the map does not resolve is an error that names row and column, in
// every entry and every kind of map, and values just within are features.
func TestUnresolvedRows(t *testing.T) {
	const d = 3
	// Frequencies of one size per input, so that limits are exact: from 2π·2⁵²/|ωⱼ| on,
	// or 2π·2²³/|ωⱼ|, all multiples of ωⱼx/2π that a number can be are integers.
	w := []float64{2, -0.5, 3}
	m, err := rff.FromFrequencies(mat.NewDense(2, d, append(w, -2, 0.5, 3)), nil, nil, rff.CosSin)
	if err != nil {
		t.Fatal(err)
	}
	var e *rff.ValueError
	z := make([]float64, 4)
	for j, w := range w[:d] {
		limit, limit32 := 2*math.Pi*0x1p52/math.Abs(w), 2*math.Pi*0x1p23/math.Abs(w)
		column := fmt.Sprintf("input %d", j+1)
		x := make([]float64, d)
		if x[j] = -0.999 * limit; m.TransformVec(z, x) != nil {
			t.Errorf("%s, just inside: refused", column)
		}
		for _, v := range []float64{1.001 * limit, -1.001 * limit, 1e100, 1e300} {
			x[j], z[0] = v, 7
			if err := m.TransformVec(z, x); !errors.As(err, &e) || e.Row != 0 || e.Column != column || e.Value != v || z[0] != 7 {
				t.Errorf("%s = %g: %v", column, v, err)
			}
			rows := mat.NewDense(4, d, nil)
			rows.SetRow(2, x)
			for _, in := range []mat.Matrix{rows, mat.DenseCopyOf(rows.T()).T()} {
				var dst mat.Dense
				if err := m.Transform(&dst, in); !errors.As(err, &e) || e.Row != 2 || e.Column != column || !dst.IsEmpty() {
					t.Errorf("%s = %g: %v", column, v, err)
				}
			}
			if !strings.Contains(fmt.Sprint(e), "row 3") {
				t.Error(e)
			}
		}
		x32 := blas32.General{Rows: 2, Cols: d, Stride: d, Data: make([]float32, 2*d)}
		if x32.Data[d+j] = float32(0.999 * limit32); m.Transform32(&blas32.General{}, x32) != nil {
			t.Errorf("%s in float32, just inside: refused", column)
		}
		for _, v := range []float32{float32(1.001 * limit32), 0x1p60, math.MaxFloat32} {
			x32.Data[d+j] = v
			if err := m.Transform32(&blas32.General{}, x32); !errors.As(err, &e) || e.Row != 1 || e.Column != column {
				t.Errorf("%s = %g in float32: %v", column, v, err)
			}
		}
	}
	// Wide kernels resolve more than float32 can hold, but no infinities.
	src := rand.NewPCG(1, 2)
	wide, err := rff.New(rff.NewGaussian(1e12), d, 4, src)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []float32{float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())} {
		x := blas32.General{Rows: 2, Cols: d, Stride: d, Data: []float32{0, 1, 0, 0, 0, bad}}
		if err := wide.Transform32(&blas32.General{}, x); !errors.As(err, &e) || e.Row != 1 || e.Column != "input 3" {
			t.Errorf("float32 %g: %v", bad, err)
		}
	}
	if err := wide.Transform32(&blas32.General{}, blas32.General{Rows: 1, Cols: d, Stride: d, Data: []float32{1e17, 0, 0}}); err != nil {
		t.Errorf("float32 1e17 of a kernel with σ = 1e12: %v", err)
	}
	// The frequencies of Hadamard blocks have the size of their row over √p: of this
	// block 5·√(1+1+1+1)·√(1+9+9+1)/√4.
	blocks := &blas.Spec{Dim: 3, Func: asm.Cos, Weight: []float64{1}, Blocks: []blas.Block{{Size: 4, Keep: 1,
		D: [][]float64{{1, -1, 1, 1}, {1, 3, -3, 1}}, Scale: []float64{-5}}}}
	h, err := inside.New(blocks, nil)
	if err != nil {
		t.Fatal(err)
	}
	limit := 2 * math.Pi * 0x1p52 / (5 * math.Sqrt(20))
	one := make([]float64, 1)
	if err := h.TransformVec(one, []float64{limit * 0.999, 0, 0}); err != nil {
		t.Error(err)
	}
	if err := h.TransformVec(one, []float64{0, limit * 1.001, 0}); !errors.As(err, &e) {
		t.Errorf("Hadamard blocks: %v", err)
	}
	// Arc-cosine features of order 2 are squares, whose squares must be finite.
	square := &blas.Spec{Dim: 1, Func: asm.ArcCos2, Weight: []float64{1}, W: blas.General[float64]{Rows: 1, Cols: 1, Stride: 1, Data: []float64{1}}}
	a, err := inside.New(square, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.TransformVec(one, []float64{1e67}); err != nil || math.IsInf(one[0]*one[0], 0) {
		t.Errorf("%v, %g", err, one[0])
	}
	if err := a.TransformVec(one, []float64{1e160}); !errors.As(err, &e) {
		t.Errorf("a square that overflows: %v, %g", err, one[0])
	}
}

// Distances that overflow are an error, not an infinite bandwidth.
func TestFarRows(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{-1.7e308, 1.7e308, -1.6e308, 1.6e308})
	var e *rff.DegenerateDataError
	if v, err := rff.MedianDistance(x, 4, nil); !errors.As(err, &e) {
		t.Errorf("median: %g, %v", v, err)
	}
	x = mat.NewDense(2, 1, []float64{-1.7e308, 1.7e308})
	if v, err := rff.NeighbourDistance(x, 1, 2, nil); !errors.As(err, &e) {
		t.Errorf("neighbour: %g, %v", v, err)
	}
}
