package numeral

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
)

// Scan reads a decimal at the start of b — sign, digits, point, digits, exponent —
// and returns it, correctly rounded, with the bytes it took. It takes none where
// strconv must decide: more than 19 significant digits, exponents beyond tens, a value
// halfway between two numbers, or none. A word such as 1e is the number 1 of one byte.
//
// References: Clinger, "How to read floating point numbers accurately" (1990), for
// integers below 2⁵³ and powers of ten that are exact; Lemire, "Number parsing at a
// gigabyte per second" (2021), for the others.
func Scan(b []byte) (v float64, n int) {
	i := 0
	neg := false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		neg = b[i] == '-'
		i++
	}
	var m uint64
	start := i
	for i < len(b) && b[i]-'0' <= 9 {
		m = m*10 + uint64(b[i]-'0')
		i++
	}
	digits, fraction := i-start, 0
	if i < len(b) && b[i] == '.' {
		i++
		if len(b)-i >= 8 && areDigits(binary.LittleEndian.Uint64(b[i:])) {
			return scanLong(b)
		}
		start = i
		for i < len(b) && b[i]-'0' <= 9 {
			m = m*10 + uint64(b[i]-'0')
			i++
		}
		fraction = i - start
		digits += fraction
	}
	if digits == 0 || digits > 15 || i < len(b) && b[i]|0x20 == 'e' {
		return scanLong(b)
	}
	// m < 10¹⁵ < 2⁵³, and one division of exact operands is one rounding.
	v = float64(m)
	if fraction > 0 {
		v /= pow10[fraction]
	}
	if neg {
		v = -v
	}
	return v, i
}

// scanLong is Scan for numbers with many digits or an exponent.
func scanLong(b []byte) (v float64, n int) {
	i := 0
	neg := false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		neg = b[i] == '-'
		i++
	}
	start := i
	var m uint64
	for i < len(b) && b[i]-'0' <= 9 {
		m = m*10 + uint64(b[i]-'0')
		i++
	}
	digits, exp := i-start, 0
	if i < len(b) && b[i] == '.' {
		i++
		point := i
		for len(b)-i >= 8 {
			w := binary.LittleEndian.Uint64(b[i:])
			if !areDigits(w) {
				break
			}
			m = m*1e8 + eightDigits(w)
			i += 8
		}
		for i < len(b) && b[i]-'0' <= 9 {
			m = m*10 + uint64(b[i]-'0')
			i++
		}
		exp = point - i
		digits += i - point
	}
	if digits == 0 {
		return 0, 0
	}
	if digits > 19 && !significant(b[start:i]) {
		return 0, 0
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		e, n := exponent(b[i+1:])
		if n < 0 {
			return 0, 0
		} else if n > 0 {
			i += 1 + n
			exp += e
		}
	}
	switch {
	case m < 1<<53 && exp == 0:
		v = float64(m)
	case m < 1<<53 && -22 <= exp && exp < 0:
		v = float64(m) / pow10[-exp]
	case m < 1<<53 && 0 < exp && exp <= 22:
		v = float64(m) * pow10[exp]
	case m == 0:
	default:
		var ok bool
		if v, ok = rounded(m, exp); !ok {
			return 0, 0
		}
	}
	if neg {
		v = -v
	}
	return v, i
}

// areDigits reports whether eight bytes are decimal digits.
func areDigits(w uint64) bool {
	const sixes, high = 0x0606060606060606, 0xf0f0f0f0f0f0f0f0
	return w&high|(w+sixes)&high>>4 == 0x3333333333333333
}

// eightDigits returns the number that eight decimal digits make, the first in the lowest
// byte. Pairs of digits, then of pairs and of fours are added in one multiplication each.
func eightDigits(w uint64) uint64 {
	w -= 0x3030303030303030
	w = w*10 + w>>8
	const pairs = 0x000000ff000000ff
	return ((w&pairs)*(100+1000000<<32) + (w>>16&pairs)*(1+10000<<32)) >> 32
}

// significant reports whether at most 19 of the digits follow the first that is not 0.
func significant(number []byte) bool {
	n := 0
	for _, c := range number {
		if c != '.' && (n > 0 || c != '0') {
			n++
		}
	}
	return n <= 19
}

// exponent reads sign and digits at the start of b, and returns the bytes it took: none
// if there are no digits, −1 for more than four.
func exponent(b []byte) (e, n int) {
	neg := false
	if n < len(b) && (b[n] == '-' || b[n] == '+') {
		neg = b[n] == '-'
		n++
	}
	start := n
	for n < len(b) && b[n]-'0' <= 9 && n-start <= 4 {
		e = e*10 + int(b[n]-'0')
		n++
	}
	switch {
	case n == start:
		return 0, 0
	case n-start > 4:
		return 0, -1
	}
	if neg {
		e = -e
	}
	return e, n
}

// The exponents of ten that rounded knows: those of 19 digits from 10⁻⁹⁰ to 10⁷⁸.
const leastTen, mostTen = -108, 60

// tens holds the upper 128 bits of the powers of ten, high and low.
var tens = powersOfTen()

func powersOfTen() (out [mostTen - leastTen + 1][2]uint64) {
	low := new(big.Int).SetUint64(math.MaxUint64)
	for i := range out {
		q := i + leastTen
		p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(q, -q))), nil)
		if q < 0 {
			p.Quo(new(big.Int).Lsh(big.NewInt(1), uint(127+p.BitLen())), p)
		} else if n := p.BitLen(); n > 128 {
			p.Rsh(p, uint(n-128))
		} else {
			p.Lsh(p, uint(128-n))
		}
		out[i] = [2]uint64{new(big.Int).Rsh(p, 64).Uint64(), new(big.Int).And(p, low).Uint64()}
	}
	return out
}

// rounded returns m·10^q, m > 0, rounded to nearest, ties to even; false where the 128
// bits of the power do not settle it, or q is out of their range.
//
// The power's bits are rounded down, by less than one unit of their last: the product
// is at most m short of the true one in its last word, which matters only where a carry
// of that would reach the bits that are kept.
func rounded(m uint64, q int) (float64, bool) {
	if q < leastTen || q > mostTen {
		return 0, false
	}
	ten := &tens[q-leastTen]
	zeros := bits.LeadingZeros64(m)
	m <<= uint(zeros)
	// ⌊q·log₂10⌋ + 64 is the exponent of the product's first bit.
	exp := uint64(217706*q>>16+64+1023) - uint64(zeros)
	hi, lo := bits.Mul64(m, ten[0])
	if hi&0x1ff == 0x1ff && lo+m < m {
		h, l := bits.Mul64(m, ten[1])
		sum, carry := bits.Add64(lo, h, 0)
		if high := hi + carry; high&0x1ff == 0x1ff && sum+1 == 0 && l+m < m {
			return 0, false
		} else {
			hi, lo = high, sum
		}
	}
	top := hi >> 63
	mantissa := hi >> (top + 9) // 54 bits
	exp -= 1 ^ top
	if lo == 0 && hi&0x1ff == 0 && mantissa&3 == 1 {
		return 0, false // perhaps halfway
	}
	mantissa = (mantissa + mantissa&1) >> 1
	if mantissa>>53 > 0 {
		mantissa >>= 1
		exp++
	}
	return math.Float64frombits(exp<<52 | mantissa&(1<<52-1)), true
}
