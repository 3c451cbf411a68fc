package asm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// factorPlain and invertPlain are the definitions of Factor and Invert.
func factorPlain(u *Square, n int) (int, float64) {
	for i := range n {
		for j := i; j < n; j++ {
			for l := range i {
				u[i][j] = math.FMA(-u[l][i], u[l][j], u[i][j])
			}
		}
		p := u[i][i]
		if !(p > 0) || math.IsInf(p, 1) {
			return i, p
		}
		u[i][i] = math.Sqrt(p)
		for j := i + 1; j < n; j++ {
			u[i][j] /= u[i][i]
		}
	}
	return -1, 0
}

func invertPlain(v, u *Square, n int) {
	for i := n - 1; i >= 0; i-- {
		v[i][i] = 1 / u[i][i]
		for j := i + 1; j < n; j++ {
			s := 0.
			for l := i + 1; l <= j; l++ {
				s = math.FMA(u[i][l], v[l][j], s)
			}
			v[i][j] = -s / u[i][i]
		}
	}
}

// squareOf returns a square whose upper triangle of n rows has numbers of many sizes, and
// a diagonal for which few pivots are not positive. What is beside it is NaN, which must
// not be read.
func squareOf(r draws[float64], n int, diagonal float64) *Square {
	u := new(Square)
	for i := range u {
		for j := range u[i] {
			u[i][j] = math.NaN()
			if i <= j && j < n {
				u[i][j] = r.number()
			}
		}
		if i < n {
			u[i][i] = math.Abs(u[i][i]) + diagonal
		}
	}
	return u
}

// wildAbove replaces a few elements above the diagonal by values at the limits.
func wildAbove(r draws[float64], u *Square, n int) {
	for range 1 + r.IntN(3) {
		if n < 2 {
			return
		}
		i := r.IntN(n - 1)
		r.wild(u[i][i+1 : n])
	}
}

func TestFactor(t *testing.T) { eachKernel(t, testFactor[float64], testFactor[float32]) }

// Every element is that of the definition to the bit, up to the row of a pivot that is
// not positive.
func testFactor[T Float](t *testing.T, kern *Kernels[T]) {
	r := draws[float64]{rand.New(rand.NewPCG(21, 22))}
	failed := map[int]bool{}
	for n := range SquareRows + 1 {
		for round := range 40 {
			diagonal := []float64{300, 100, 30, 5}[round%4]
			u := squareOf(r, n, diagonal)
			if round >= 20 && round < 36 {
				wildAbove(r, u, n)
			}
			if round >= 36 && n > 0 {
				i := n - 1
				if round > 36 {
					i = r.IntN(n)
				}
				u[i][i] = []float64{-1e9, 0, math.Inf(1), math.NaN()}[round-36]
			}
			want := *u
			wantRow, wantPivot := factorPlain(&want, n)
			row, pivot := kern.Factor(u, n)
			if row != wantRow || !sameNumber(pivot, wantPivot) {
				t.Fatalf("n=%d round=%d: pivot %g of row %d, want %g of row %d", n, round, pivot, row, wantPivot, wantRow)
			}
			failed[row] = true
			done := n
			if row >= 0 {
				done = row
			}
			for i := range done {
				for j := i; j < n; j++ {
					if !sameNumber(u[i][j], want[i][j]) {
						t.Fatalf("n=%d round=%d: element %d, %d is %g, want %g", n, round, i, j, u[i][j], want[i][j])
					}
				}
			}
		}
	}
	for i := -1; i < SquareRows; i++ {
		if !failed[i] {
			t.Errorf("no factorisation ended at row %d", i)
		}
	}
}

func TestInvert(t *testing.T) { eachKernel(t, testInvert[float64], testInvert[float32]) }

// Every element is that of the definition to the bit, also of triangles that have no
// inverse, and what is below the diagonal stays zero.
func testInvert[T Float](t *testing.T, kern *Kernels[T]) {
	r := draws[float64]{rand.New(rand.NewPCG(23, 24))}
	for n := range SquareRows + 1 {
		for round := range 40 {
			u := squareOf(r, n, []float64{5, 0}[round%2])
			if round >= 20 {
				wildAbove(r, u, n)
			}
			if round >= 36 && n > 0 {
				i := r.IntN(n)
				u[i][i] = []float64{0, math.Copysign(0, -1), math.Inf(-1), math.NaN()}[round-36]
			}
			var v, want Square
			invertPlain(&want, u, n)
			kern.Invert(&v, u, n)
			for i := range n {
				for j := range n {
					if !sameNumber(v[i][j], want[i][j]) {
						t.Fatalf("n=%d round=%d: element %d, %d is %g, want %g", n, round, i, j, v[i][j], want[i][j])
					}
				}
			}
		}
	}
}

func TestSquareRows(t *testing.T) {
	for _, kern := range All[float64]() {
		for _, n := range []int{-1, SquareRows + 1} {
			for _, f := range []func(){
				func() { kern.Factor(new(Square), n) },
				func() { kern.Invert(new(Square), new(Square), n) },
			} {
				if got := panicOf(f); got != errBadTile {
					t.Errorf("%s, %d rows: panic %v", kern.ISA, n, got)
				}
			}
		}
	}
}
