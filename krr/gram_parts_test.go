package krr_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr"
)

// Two shards with equal rows merge once they have forgotten that they were saved.
func TestForgetParts(t *testing.T) {
	m, err := rff.New(rff.NewGaussian(1), 1, 4, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	saved := func() *krr.Gram {
		g := krr.NewGram(m, 1, krr.GramSettings{})
		one := blas.General[float64]{Rows: 1, Cols: 1, Stride: 1, Data: []float64{2}}
		if err := g.Add(context.Background(), rff.Batch{X: one, Y: one}); err != nil {
			t.Fatal(err)
		}
		data, err := g.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		back := new(krr.Gram)
		if err := back.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		return back
	}
	a, b := saved(), saved()
	if err := a.Merge(b); err == nil {
		t.Fatal("parts that are equal were added")
	}
	a.ForgetParts()
	b.ForgetParts()
	if err := a.Merge(b); err != nil || a.Rows() != 2 {
		t.Fatalf("%d rows, %v", a.Rows(), err)
	}
}
