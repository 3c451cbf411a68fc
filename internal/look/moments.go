package look

import (
	"math"
	"math/big"
	"math/bits"
)

// Moments has the range, the sum and the sum of squares of numbers. The sums are exact, so they
// do not depend on the order of the numbers, and mean and deviation are rounded once.
type Moments struct {
	N        int64
	Min, Max float64 // 0 where N is 0

	// A number v = ±m·2^(e−1075), with m < 2⁵³ and 1 ≤ e ≤ 2046, is added to bin e/8, as
	// the whole number M = m·2^(e mod 8) in units of 2^(8·(e/8)−1075).
	First int
	Bins  []Bin // those of e/8 from First on
}

// Bin has the sum of whole numbers below 2⁶⁰ and the sum of their squares, in two's complement,
// the lowest word first. It has room for 2⁶⁴ numbers.
type Bin struct {
	Sum     [2]uint64
	Squares [3]uint64
}

// Add adds a finite number.
func (m *Moments) Add(v float64) {
	v += 0 // −0 is 0
	if m.N == 0 || v < m.Min {
		m.Min = v
	}
	if m.N == 0 || v > m.Max {
		m.Max = v
	}
	m.N++
	if v == 0 {
		return
	}
	b := math.Float64bits(v)
	e, x := int(b>>52)&0x7ff, b&(1<<52-1)
	if e == 0 {
		e = 1
	} else {
		x |= 1 << 52
	}
	x <<= e & 7
	hi, lo := bits.Mul64(x, x)
	sign := uint64(int64(b) >> 63) // 0, or all ones
	i := e>>3 - m.First
	if uint(i) >= uint(len(m.Bins)) {
		i = m.Grow(e >> 3)
	}
	m.Bins[i].Add([2]uint64{x ^ sign + sign&1, sign}, [3]uint64{lo, hi, 0})
}

// Add adds a sum and a sum of squares.
func (b *Bin) Add(sum [2]uint64, squares [3]uint64) {
	var c uint64
	b.Sum[0], c = bits.Add64(b.Sum[0], sum[0], 0)
	b.Sum[1], _ = bits.Add64(b.Sum[1], sum[1], c)
	b.Squares[0], c = bits.Add64(b.Squares[0], squares[0], 0)
	b.Squares[1], c = bits.Add64(b.Squares[1], squares[1], c)
	b.Squares[2], _ = bits.Add64(b.Squares[2], squares[2], c)
}

// Grow makes room for bin k and returns its index.
func (m *Moments) Grow(k int) int {
	if len(m.Bins) == 0 {
		m.First = k
	}
	if before := m.First - k; before > 0 {
		m.Bins, m.First = append(make([]Bin, before, before+len(m.Bins)), m.Bins...), k
	}
	if after := k - m.First - len(m.Bins) + 1; after > 0 {
		m.Bins = append(m.Bins, make([]Bin, after)...)
	}
	return k - m.First
}

// sums returns the sum in units of 2^(8·first−1075), and that of the squares in units of the
// square of this.
func (m *Moments) sums() (sum, squares *big.Int) {
	sum, squares = new(big.Int), new(big.Int)
	for i := len(m.Bins) - 1; i >= 0; i-- {
		sum.Add(sum.Lsh(sum, 8), Whole(m.Bins[i].Sum[:]))
		squares.Add(squares.Lsh(squares, 16), Whole(m.Bins[i].Squares[:]))
	}
	return sum, squares
}

// Whole returns the number of two's complement words.
func Whole(words []uint64) *big.Int {
	n := new(big.Int)
	for i := len(words) - 1; i >= 0; i-- {
		n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(words[i]))
	}
	if words[len(words)-1]>>63 == 1 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(64*len(words))))
	}
	return n
}

// digits is the precision of a quotient in bits. It is enough for one that is rounded to a
// float64 afterwards.
const digits = 256

// Mean returns the mean, or 0 of no numbers.
func (m *Moments) Mean() float64 {
	if m.Min == m.Max {
		return m.Min
	}
	sum, _ := m.sums()
	return float(quotient(sum, big.NewInt(m.N)), m.unit())
}

// unit returns the exponent of 2 that the first bin counts in.
func (m *Moments) unit() int { return 8*m.First - 1075 }

// Std returns the root of the sum of the squares of deviations from the mean over n.
func (m *Moments) Std(n int64) float64 {
	if m.Min == m.Max {
		return 0
	}
	// (Σx² − (Σx)²/N)/n = (NΣx² − (Σx)²)/(Nn)
	q := quotient(m.Spread(), new(big.Int).Mul(big.NewInt(m.N), big.NewInt(n)))
	return float(q.Sqrt(q), m.unit())
}

// Spread returns NΣx² − (Σx)², in units of the square of 2^unit.
func (m *Moments) Spread() *big.Int {
	sum, squares := m.sums()
	return squares.Mul(squares, big.NewInt(m.N)).Sub(squares, sum.Mul(sum, sum))
}

// quotient returns a/b.
func quotient(a, b *big.Int) *big.Float {
	return new(big.Float).SetPrec(digits).Quo(new(big.Float).SetInt(a), new(big.Float).SetInt(b))
}

// float returns q·2^e.
func float(q *big.Float, e int) float64 {
	v, _ := q.SetMantExp(q, e).Float64()
	return v
}
