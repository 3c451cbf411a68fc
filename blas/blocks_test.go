package blas

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rffgo/rff/asm"
)

// The projections of a block do not depend on the blocks around it, also where a
// block that keeps a part only comes first.
func TestPartialBlocksBeforeOthers(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	diagonal := func(n int) []float64 {
		d := make([]float64, n)
		for i := range d {
			d[i] = rng.NormFloat64()
		}
		return d
	}
	block := func(size, keep int, perm bool) Block {
		b := Block{Size: size, Keep: keep, D: [][]float64{diagonal(size), diagonal(size)}, Scale: diagonal(keep)}
		if perm {
			b.Perm = rng.Perm(size)
		}
		return b
	}
	const d, rows = 5, 3
	x := NewGeneral[float64](rows, d)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	reference, err := Lookup("native:go")
	if err != nil {
		t.Fatal(err)
	}
	features := func(blocks ...Block) General[float64] {
		s := &Spec{Dim: d, Func: asm.Linear, Blocks: blocks}
		for _, b := range blocks {
			for range b.Keep {
				s.Weight = append(s.Weight, 1)
			}
		}
		z := NewGeneral[float64](rows, len(s.Weight))
		Pack[float64](s).Transform(Engine{Backend: reference}, z, x)
		return z
	}
	for _, perm := range []bool{false, true} {
		blocks := []Block{block(8, 3, perm), block(8, 8, perm), block(8, 5, perm), block(8, 8, !perm), block(16, 2, perm), block(16, 16, perm)}
		all := features(blocks...)
		at := 0
		for i, b := range blocks {
			alone := features(b)
			for r := range rows {
				if !slices.Equal(all.Row(r)[at:at+b.Keep], alone.Row(r)) {
					t.Fatalf("perm %v, block %d, row %d: %v, alone %v", perm, i, r, all.Row(r)[at:at+b.Keep], alone.Row(r))
				}
			}
			at += b.Keep
		}
	}
}

// Coefficients may be a column of a wider matrix.
func TestPredictOfAColumn(t *testing.T) {
	const s, rows = 6, 4
	rng := rand.New(rand.NewPCG(5, 5))
	spec := &Spec{Dim: 2, Func: asm.Linear, W: NewGeneral[float64](s, 2), Weight: make([]float64, s)}
	x, wide := NewGeneral[float64](rows, 2), NewGeneral[float64](s, 3)
	for _, v := range [][]float64{spec.W.Data, spec.Weight, x.Data, wide.Data} {
		for i := range v {
			v[i] = rng.NormFloat64()
		}
	}
	column, plain := General[float64]{Rows: s, Cols: 1, Stride: 3, Data: wide.Data[1:]}, NewGeneral[float64](s, 1)
	for i := range s {
		plain.Data[i] = wide.Row(i)[1]
	}
	m := Pack[float64](spec)
	got, want := NewGeneral[float64](rows, 1), NewGeneral[float64](rows, 1)
	m.Predict(Engine{}, got, x, column, nil)
	m.Predict(Engine{}, want, x, plain, nil)
	if !slices.Equal(got.Data, want.Data) {
		t.Errorf("%v, want %v", got.Data, want.Data)
	}
}
