package main

import (
	"fmt"
	"math"
	"math/big"
)

// exp2 prints the coefficients of asm/section.go: 2^−f on [−½, ½] as 1 + Σ cᵢfⁱ of
// that many terms, by interpolation of (2^−f − 1)/f in Chebyshev points, whose error
// is about twice the least.
func exp2(name string, terms int, bits uint) {
	f := func(x *big.Float) *big.Float { // (2^−x − 1)/x by its series in −x·ln 2
		t := mul(x, log2())
		t.Neg(t)
		sum, term := zero(), num(1)
		for k := 1; k < 120; k++ {
			term = quo(term, num(float64(k)))
			sum = add(sum, term)
			term = mul(term, t)
		}
		sum = mul(sum, log2())
		return sum.Neg(sum)
	}
	a := make([][]*big.Float, terms)
	for i := range a {
		x := num(0.5 * math.Cos(math.Pi*(2*float64(i)+1)/float64(2*terms)))
		a[i] = make([]*big.Float, terms+1)
		for j := range terms {
			a[i][j] = power(x, j)
		}
		a[i][terms] = f(x)
	}
	c := solve(a)
	worst := func(c []*big.Float) float64 { // of 1 + Σ, relative to 2^−x
		most := 0.0
		for i := -1000; i <= 1000; i++ {
			x := num(float64(i) / 2000)
			e := f(x)
			for j := range c {
				e = sub(e, mul(c[j], power(x, j)))
			}
			v, _ := mul(e, x).Float64()
			most = max(most, math.Abs(v)*math.Exp2(float64(i)/2000))
		}
		return most
	}
	rounded := make([]*big.Float, terms)
	for i := range c {
		rounded[i] = zero().Set(new(big.Float).SetPrec(bits).Set(c[i]))
	}
	fmt.Printf("%s: interpolated %.2g, rounded %.2g\n\t", name, worst(c), worst(rounded))
	for _, c := range rounded {
		v, _ := c.Float64()
		fmt.Printf("%x, ", v)
	}
	fmt.Println()
}

// log2 is ln 2 = Σ 1/(k·2ᵏ).
func log2() *big.Float {
	sum, p := zero(), num(1)
	for k := 1; k < 320; k++ {
		p = quo(p, num(2))
		sum = add(sum, quo(p, num(float64(k))))
	}
	return sum
}
