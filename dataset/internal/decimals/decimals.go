// Package decimals turns the decimals of files that store columns into numbers.
package decimals

import (
	"math"
	"math/big"
)

// MostDigits is the number of digits after the point, and of bytes of an integer, beyond
// which a decimal says nothing to a float64.
const MostDigits = 400

// Decimal turns integers over a power of ten into the nearest float64.
type Decimal struct {
	scale int
	power float64  // 10^scale, exact to 10²²
	whole *big.Int // the same number as an integer
}

// New returns the decimals of a scale, which is from 0 to MostDigits.
func New(scale int) Decimal {
	return Decimal{scale, math.Pow10(scale), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)}
}

// Int64 returns the float64 nearest to n/10^scale.
func (d Decimal) Int64(n int64) float64 {
	if d.scale <= 22 && n < 1<<53 && n > -1<<53 {
		return float64(n) / d.power // Both are exact, so the quotient is rounded only once.
	}
	return d.Int(big.NewInt(n))
}

// Int returns the float64 nearest to n/10^scale.
func (d Decimal) Int(n *big.Int) float64 {
	v, _ := new(big.Rat).SetFrac(n, d.whole).Float64()
	return v
}

// Bytes returns the float64 nearest to n/10^scale, where n is a big-endian integer in two's
// complement of at most MostDigits bytes.
func (d Decimal) Bytes(b []byte) float64 {
	if len(b) <= 8 {
		n := int64(0)
		for i, c := range b {
			if i == 0 {
				n = int64(int8(c))
			} else {
				n = n<<8 | int64(c)
			}
		}
		return d.Int64(n)
	}
	return d.Int(integer(b))
}

// Text returns the digits of the number of Bytes, with as many after the point as the scale has.
func (d Decimal) Text(b []byte) string {
	return new(big.Rat).SetFrac(integer(b), d.whole).FloatString(d.scale)
}

// integer returns the big-endian integer in two's complement that b is.
func integer(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}
