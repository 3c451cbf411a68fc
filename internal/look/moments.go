package look

import (
	"encoding/json"
	"errors"
	"fmt"
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
	first int
	bins  []bin // those of e/8 from first on
}

// bin has the sum of whole numbers below 2⁶⁰ and the sum of their squares, in two's complement,
// the lowest word first. It has room for 2⁶⁴ numbers.
type bin struct {
	sum     [2]uint64
	squares [3]uint64
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
	i := e>>3 - m.first
	if uint(i) >= uint(len(m.bins)) {
		i = m.grow(e >> 3)
	}
	m.bins[i].add([2]uint64{x ^ sign + sign&1, sign}, [3]uint64{lo, hi, 0})
}

// add adds a sum and a sum of squares.
func (b *bin) add(sum [2]uint64, squares [3]uint64) {
	var c uint64
	b.sum[0], c = bits.Add64(b.sum[0], sum[0], 0)
	b.sum[1], _ = bits.Add64(b.sum[1], sum[1], c)
	b.squares[0], c = bits.Add64(b.squares[0], squares[0], 0)
	b.squares[1], c = bits.Add64(b.squares[1], squares[1], c)
	b.squares[2], _ = bits.Add64(b.squares[2], squares[2], c)
}

// grow makes room for bin k and returns its index.
func (m *Moments) grow(k int) int {
	if len(m.bins) == 0 {
		m.first = k
	}
	if before := m.first - k; before > 0 {
		m.bins, m.first = append(make([]bin, before, before+len(m.bins)), m.bins...), k
	}
	if after := k - m.first - len(m.bins) + 1; after > 0 {
		m.bins = append(m.bins, make([]bin, after)...)
	}
	return k - m.first
}

func (m *Moments) merge(o *Moments) {
	if o.N == 0 {
		return
	}
	if m.N == 0 {
		m.Min, m.Max = o.Min, o.Max
	}
	m.N, m.Min, m.Max = m.N+o.N, min(m.Min, o.Min), max(m.Max, o.Max)
	for i, b := range o.bins {
		m.bins[m.grow(o.first+i)].add(b.sum, b.squares)
	}
}

// sums returns the sum in units of 2^(8·first−1075), and that of the squares in units of the
// square of this.
func (m *Moments) sums() (sum, squares *big.Int) {
	sum, squares = new(big.Int), new(big.Int)
	for i := len(m.bins) - 1; i >= 0; i-- {
		sum.Add(sum.Lsh(sum, 8), whole(m.bins[i].sum[:]))
		squares.Add(squares.Lsh(squares, 16), whole(m.bins[i].squares[:]))
	}
	return sum, squares
}

// whole returns the number of two's complement words.
func whole(words []uint64) *big.Int {
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
func (m *Moments) unit() int { return 8*m.first - 1075 }

// Std returns the root of the sum of the squares of deviations from the mean over n.
func (m *Moments) Std(n int64) float64 {
	if m.Min == m.Max {
		return 0
	}
	// (Σx² − (Σx)²/N)/n = (NΣx² − (Σx)²)/(Nn)
	q := quotient(m.spread(), new(big.Int).Mul(big.NewInt(m.N), big.NewInt(n)))
	return float(q.Sqrt(q), m.unit())
}

// spread returns NΣx² − (Σx)², in units of the square of 2^unit.
func (m *Moments) spread() *big.Int {
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

// The form of Moments in a file. A bin with nothing in it is left out.
type momentsFile struct {
	N    int64     `json:"n"`
	Min  float64   `json:"min"`
	Max  float64   `json:"max"`
	Bins []binFile `json:"bins"`
}

type binFile struct {
	At      int      `json:"at"`
	Sum     *big.Int `json:"sum"`
	Squares *big.Int `json:"squares"`
}

// MarshalJSON writes m.
func (m Moments) MarshalJSON() ([]byte, error) {
	f := momentsFile{m.N, m.Min, m.Max, []binFile{}}
	for i, b := range m.bins {
		if b != (bin{}) {
			f.Bins = append(f.Bins, binFile{m.first + i, whole(b.sum[:]), whole(b.squares[:])})
		}
	}
	return json.Marshal(f)
}

// UnmarshalJSON reads m.
func (m *Moments) UnmarshalJSON(data []byte) error {
	var f momentsFile
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*m = Moments{N: f.N, Min: f.Min, Max: f.Max}
	for _, b := range f.Bins {
		if b.At < 0 || b.At > 2046>>3 || b.Sum == nil || b.Squares == nil || b.Sum.BitLen() > 127 || b.Squares.Sign() < 0 || b.Squares.BitLen() > 191 {
			return fmt.Errorf("bin %d of a sum is damaged", b.At)
		}
		var in bin
		words(in.sum[:], b.Sum)
		words(in.squares[:], b.Squares)
		m.bins[m.grow(b.At)].add(in.sum, in.squares)
	}
	// Without numbers there must be no sum, and with numbers the variance must not be below 0.
	if m.N <= 0 && (len(m.bins) > 0 || m.Min != 0 || m.Max != 0) || m.Min > m.Max || m.spread().Sign() < 0 {
		return errors.New("a sum is damaged")
	}
	return nil
}

// words writes a whole number in two's complement.
func words(to []uint64, n *big.Int) {
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), uint(64*len(to))))
	}
	low, mask := new(big.Int), new(big.Int).SetUint64(math.MaxUint64)
	for i := range to {
		to[i] = low.And(n, mask).Uint64()
		n = new(big.Int).Rsh(n, 64)
	}
}
