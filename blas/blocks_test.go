package blas

import (
	"math/rand/v2"
	"slices"
	"testing"
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
	reference, err := NativeOn("go")
	if err != nil {
		t.Fatal(err)
	}
	features := func(blocks ...Block) General[float64] {
		s := &Spec{Dim: d, Func: Linear, Blocks: blocks}
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
