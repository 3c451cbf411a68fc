package blas

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// A Walsh is the Product of its signs and the rows of the Walsh–Hadamard matrix, element
// (i, j) of which is (−1)^popcount(i∧j). The errors are those of a sum of s terms, each
// rounded log₂(size)+1 times at most: 2·s·eps·max|D|·max|z| is far above both.
func TestWalshIsAProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for name, s := range specs(r) {
		if s.Walsh == nil {
			continue
		}
		w := s.Walsh
		dense := s.Clone()
		dense.Walsh, dense.Product = nil, NewGeneral[float64](len(w.D), len(w.Columns))
		most := 0.0
		for i, d := range w.D {
			most = max(most, math.Abs(d*s.Weight[i]))
			for j, c := range w.Columns {
				dense.Product.Row(i)[j] = d
				if bits.OnesCount(uint(i&c))%2 != 0 {
					dense.Product.Row(i)[j] = -d
				}
			}
		}
		x := randomGeneral[float64](r, 30, s.Dim, 0)
		_, out := Pack[float64](s).Dims()
		got, want := NewGeneral[float64](30, out), NewGeneral[float64](30, out)
		Pack[float64](s).Transform(Engine{}, got, x)
		Pack[float64](dense).Transform(Engine{}, want, x)
		for i := range got.Data {
			if e := math.Abs(got.Data[i] - want.Data[i]); !(e <= 2*float64(len(w.D))*0x1p-52*most) {
				t.Fatalf("%s: element %d is %v, by the product %v", name, i, got.Data[i], want.Data[i])
			}
		}
	}
}

func TestWalshIsChecked(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for what, spoil := range map[string]func(s *Spec){
		"too few":     func(s *Spec) { s.Walsh.D = s.Walsh.D[1:] },
		"NaN":         func(s *Spec) { s.Walsh.D[3] = math.NaN() },
		"no columns":  func(s *Spec) { s.Walsh.Columns = nil },
		"beyond":      func(s *Spec) { s.Walsh.Columns[2] = s.Walsh.Size() },
		"below":       func(s *Spec) { s.Walsh.Columns[2] = -1 },
		"two of them": func(s *Spec) { s.Product = NewGeneral[float64](len(s.Weight), 3) },
	} {
		s := specs(r)["walsh"]
		if _, _, need := s.Check(); need != "" {
			t.Fatal(need)
		}
		c := s.Clone()
		if spoil(s); !s.Projected() {
			t.Fatal(what)
		}
		if _, _, need := s.Check(); need == "" {
			t.Errorf("%s: accepted", what)
		}
		if _, _, need := c.Check(); need != "" {
			t.Errorf("%s: its clone shares memory: %s", what, need)
		}
	}
}
