package rff_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// treeMap returns a map of 30 trees of three inputs with two columns, and rows, every other of which lies
// on thresholds of all inputs.
func treeMap(t *testing.T) (*rff.Map, *mat.Dense) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	of := &blas.Trees{Depth: 3, Value: blas.NewGeneral[float64](30<<3, 2)}
	for range 30 { // the last depth has a comparison for each node
		of.Width = append(of.Width, 1, 1, 4)
	}
	for i := range 180 {
		of.Input, of.Threshold = append(of.Input, i%3), append(of.Threshold, rng.NormFloat64())
	}
	for i := range of.Value.Data {
		of.Value.Data[i] = rng.NormFloat64()
	}
	m, err := inside.New(&blas.Spec{Dim: 3, Func: asm.Linear, Weight: []float64{1, 2}, Blocks: []blas.Block{{Size: 4, Keep: 2, Scale: []float64{3, 5}, Trees: of}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(60, 3, nil)
	for i := range 60 {
		for j := range 3 {
			if x.Set(i, j, rng.NormFloat64()); i%2 == 0 {
				x.Set(i, j, of.Threshold[3*rng.IntN(60)+j])
			}
		}
	}
	return m, x
}

// Inputs times a factor have the features of a map with as much larger bandwidths, whose thresholds grow
// and whose values do not. The map itself stays as it is. A power of two multiplies exactly.
func TestTreesRescale(t *testing.T) {
	m, x := treeMap(t)
	var want, got, far mat.Dense
	before := m.Fingerprint()
	wide, err := m.Rescale(4)
	if err != nil {
		t.Fatal(err)
	}
	far.Scale(4, x)
	if m.Transform(&want, x) != nil || wide.Transform(&got, &far) != nil || !mat.Equal(&got, &want) {
		t.Errorf("at 4 times the bandwidth rows have the features\n%v, want\n%v", mat.Formatted(&got), mat.Formatted(&want))
	}
	if wide.Transform(&got, x) != nil || mat.Equal(&got, &want) || m.Fingerprint() != before {
		t.Error("the bandwidth changes nothing, or the map itself")
	}
	var e *rff.ParameterError
	if huge, err := m.Rescale(1e308); !errors.As(err, &e) || huge != nil {
		t.Errorf("thresholds beyond all numbers: %v", err)
	}
}

// A row alone has the features that it has among others.
func TestTreesOfOneRow(t *testing.T) {
	m, x := treeMap(t)
	var all mat.Dense
	if err := m.Transform(&all, x); err != nil {
		t.Fatal(err)
	}
	one := make([]float64, 2)
	for i := range 60 {
		if err := m.TransformVec(one, x.RawRowView(i)); err != nil || !slices.Equal(one, all.RawRowView(i)) {
			t.Errorf("row %d has the features %v alone, %v among others: %v", i, one, all.RawRowView(i), err)
		}
	}
}

// Comparisons resolve every finite value.
func TestTreesResolveAllNumbers(t *testing.T) {
	m, _ := treeMap(t)
	least, most, zero := make([]float64, 2), make([]float64, 2), make([]float64, 2)
	if m.TransformVec(least, slices.Repeat([]float64{-9}, 3)) != nil || m.TransformVec(most, slices.Repeat([]float64{9}, 3)) != nil || m.TransformVec(zero, make([]float64, 3)) != nil {
		t.Fatal("small numbers are refused")
	}
	got := make([]float64, 2)
	for v, want := range map[float64][]float64{math.MaxFloat64: most, -math.MaxFloat64: least, math.SmallestNonzeroFloat64: zero} {
		if err := m.TransformVec(got, slices.Repeat([]float64{v}, 3)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%g: %v, want %v: %v", v, got, want, err)
		}
	}
	var z blas32.General
	if err := m.Transform32(&z, blas32.General{Rows: 1, Cols: 3, Stride: 3, Data: []float32{math.MaxFloat32, 9, 9}}); err != nil || float64(z.Data[0]-float32(most[0])) > 1e-4 {
		t.Errorf("float32: %v, want %v: %v", z.Data, most, err)
	}
	var e *rff.ValueError
	for _, v := range []float64{math.Inf(1), math.NaN()} {
		if err := m.TransformVec(got, []float64{0, v, 0}); !errors.As(err, &e) {
			t.Errorf("%g: %v", v, err)
		}
	}
}
