// Command fit computes the coefficients of asm/cos.go: polynomials of least
// maximum absolute error for sine and cosine in turns, by Remez's exchange
// algorithm at 300 bits, rounded to the format they are for.
//
// Coefficients are rounded one by one, lowest power first; after each the
// remaining ones are fitted anew, so that they take up its rounding error.
package main

import (
	"fmt"
	"math"
	"math/big"
)

const prec = 300

func num(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }
func zero() *big.Float         { return new(big.Float).SetPrec(prec) }

func mul(x, y *big.Float) *big.Float { return zero().Mul(x, y) }
func add(x, y *big.Float) *big.Float { return zero().Add(x, y) }
func sub(x, y *big.Float) *big.Float { return zero().Sub(x, y) }
func quo(x, y *big.Float) *big.Float { return zero().Quo(x, y) }

// twoPi is 2π by Machin's formula, π = 16·atan(1/5) − 4·atan(1/239).
var twoPi = func() *big.Float {
	atanInv := func(n float64) *big.Float {
		sum, term, n2 := zero(), quo(num(1), num(n)), num(n*n)
		for k := 0; k < 150; k++ {
			t := quo(term, num(float64(2*k+1)))
			if k%2 == 1 {
				t.Neg(t)
			}
			sum.Add(sum, t)
			term.Quo(term, n2)
		}
		return sum
	}
	return mul(num(2), sub(mul(num(16), atanInv(5)), mul(num(4), atanInv(239))))
}()

// sin returns sin(2πx) and cosine cos(2πx), by Taylor series, for |x| ≤ ½.
func sin(x *big.Float) *big.Float    { return taylor(x, 1) }
func cosine(x *big.Float) *big.Float { return taylor(x, 0) }

func taylor(x *big.Float, first int) *big.Float {
	t := mul(twoPi, x)
	sum, term, t2 := zero(), num(1), mul(t, t)
	if first == 1 {
		term.Set(t)
	}
	for k := first; k < first+100; k += 2 {
		sum.Add(sum, term)
		term.Mul(term, t2)
		term.Quo(term, num(float64(-(k+1)*(k+2))))
	}
	return sum
}

func power(x *big.Float, n int) *big.Float {
	p := num(1)
	for range n {
		p.Mul(p, x)
	}
	return p
}

// A problem approximates f on (0, end] by Σ cᵢ x^(first+2i), i < terms; the
// leading coefficients may be fixed beforehand.
type problem struct {
	name  string
	f     func(*big.Float) *big.Float
	end   float64
	first int // lowest power
	terms int
	fixed []*big.Float
	less  float64 // subtracted from the lowest coefficient before rounding
}

func (p *problem) eval(c []*big.Float, x *big.Float) *big.Float {
	sum, x2 := zero(), mul(x, x)
	for i := len(c) - 1; i >= 0; i-- {
		sum = add(mul(sum, x2), c[i])
	}
	return mul(sum, power(x, p.first))
}

// remez returns the coefficients with the least maximum error and that error.
func (p *problem) remez() ([]*big.Float, float64) {
	known := len(p.fixed)
	free := p.terms - known
	n := free + 1
	x := make([]*big.Float, n)
	for i := range x { // the positive extrema of an odd Chebyshev polynomial
		x[i] = num(p.end * math.Cos(math.Pi*float64(free-i)/float64(2*free+1)))
	}
	var c []*big.Float
	var worst float64
	for range 40 {
		// Σ free cⱼ x^.. + (−1)ⁱE = f(x) − fixed part
		a := make([][]*big.Float, n)
		for i := range a {
			a[i] = make([]*big.Float, n+1)
			for j := range free {
				a[i][j] = power(x[i], p.first+2*(known+j))
			}
			a[i][free] = num(float64(1 - 2*(i%2)))
			a[i][n] = sub(p.f(x[i]), p.eval(p.fixed, x[i]))
		}
		s := solve(a)
		c = append(append([]*big.Float{}, p.fixed...), s[:free]...)
		level, _ := s[free].Float64()
		x, worst = p.extrema(c, n)
		if math.Abs(worst-math.Abs(level)) <= 1e-6*worst {
			break
		}
	}
	return c, worst
}

// extrema returns n points of alternating extreme error, and its maximum.
func (p *problem) extrema(c []*big.Float, n int) ([]*big.Float, float64) {
	const grid = 4000
	var at []*big.Float
	var val []float64
	worst := 0.0
	err := make([]float64, grid+2)
	for i := 1; i <= grid; i++ {
		x := num(p.end * float64(i) / grid)
		err[i], _ = sub(p.f(x), p.eval(c, x)).Float64()
		worst = max(worst, math.Abs(err[i]))
	}
	err[grid+1] = 0
	for i := 1; i <= grid; i++ {
		e := math.Abs(err[i])
		if e < math.Abs(err[i-1]) || e < math.Abs(err[i+1]) && i < grid {
			continue
		}
		x := num(p.end * float64(i) / grid)
		if k := len(at) - 1; k >= 0 && val[k] > 0 == (err[i] > 0) {
			if e > math.Abs(val[k]) {
				at[k], val[k] = x, err[i]
			}
			continue
		}
		at, val = append(at, x), append(val, err[i])
	}
	for len(at) > n { // drop the smaller end
		if math.Abs(val[0]) < math.Abs(val[len(val)-1]) {
			at, val = at[1:], val[1:]
		} else {
			at, val = at[:len(at)-1], val[:len(val)-1]
		}
	}
	if len(at) < n {
		panic(fmt.Sprintf("%s: %d extrema, want %d", p.name, len(at), n))
	}
	return at, worst
}

// solve solves the system whose augmented rows are a, by elimination.
func solve(a [][]*big.Float) []*big.Float {
	n := len(a)
	for k := range n {
		best := k
		for i := k + 1; i < n; i++ {
			if zero().Abs(a[i][k]).Cmp(zero().Abs(a[best][k])) > 0 {
				best = i
			}
		}
		a[k], a[best] = a[best], a[k]
		for i := k + 1; i < n; i++ {
			m := quo(a[i][k], a[k][k])
			for j := k; j <= n; j++ {
				a[i][j] = sub(a[i][j], mul(m, a[k][j]))
			}
		}
	}
	x := make([]*big.Float, n)
	for i := n - 1; i >= 0; i-- {
		s := a[i][n]
		for j := i + 1; j < n; j++ {
			s = sub(s, mul(a[i][j], x[j]))
		}
		x[i] = quo(s, a[i][i])
	}
	return x
}

// fit rounds the coefficients of p one by one to 24 or 53 bits and prints them.
func (p problem) fit(bits uint) {
	_, ideal := p.remez()
	less := num(p.less)
	for len(p.fixed) < p.terms {
		i := len(p.fixed)
		c, _ := p.remez()
		v := c[i]
		if i == 0 {
			v = sub(v, less)
		}
		v = new(big.Float).SetPrec(bits).Set(v)
		v = zero().Set(v)
		if i == 0 {
			v = add(v, less)
		}
		p.fixed = append(p.fixed, v)
	}
	_, rounded := p.extrema(p.fixed, 1)
	fmt.Printf("%s: minimax %.2g, rounded %.2g\n\t", p.name, ideal, rounded)
	for i, c := range p.fixed {
		if i == 0 {
			c = sub(c, less)
		}
		v, _ := c.Float64()
		fmt.Printf("%x, ", v)
	}
	fmt.Println()
}

func main() {
	one := []*big.Float{num(1)}
	problem{name: "cosP64", f: sin, end: 0.25, first: 1, terms: 8}.fit(53)
	problem{name: "pairC64", f: cosine, end: 0.125, first: 0, terms: 7, fixed: one}.fit(53)
	problem{name: "pairS64", f: sin, end: 0.125, first: 1, terms: 7}.fit(53)
	// cosP32 leaves out 4g, which cosTurns adds exactly at the end.
	problem{name: "cosP32", f: sin, end: 0.25, first: 1, terms: 5, less: 4}.fit(24)
	problem{name: "pairC32", f: cosine, end: 0.125, first: 0, terms: 5, fixed: one}.fit(24)
	problem{name: "pairS32", f: sin, end: 0.125, first: 1, terms: 4}.fit(24)
	exp2("exp2P64", 11, 53)
	exp2("exp2P32", 6, 24)
}
