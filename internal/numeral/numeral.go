// Package numeral reads and writes the numbers of text files.
package numeral

import (
	"bytes"
	"math"
	"strconv"
)

// Powers of ten that are exact in float64.
var pow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// Scan reads a plain decimal at the start of b — sign, digits, point,
// digits — and returns it with the bytes it took. It takes none when the number
// needs more care than one exact division: then strconv decides. The digits
// make an integer m < 10¹⁵ < 2⁵³ and m/10ᵏ, k ≤ 15, is one rounding of exact
// operands, hence the correctly rounded value (Clinger 1990).
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
	digits, frac := i-start, 0
	if i < len(b) && b[i] == '.' {
		i++
		start = i
		for i < len(b) && b[i]-'0' <= 9 {
			m = m*10 + uint64(b[i]-'0')
			i++
		}
		frac = i - start
		digits += frac
	}
	if digits == 0 || digits > 15 {
		return 0, 0
	}
	v = float64(m)
	if frac > 0 {
		v /= pow10[frac]
	}
	if neg {
		v = -v
	}
	return v, i
}

// Parse reads all of b as a number, spaces around it allowed: a decimal
// with or without exponent, or inf, infinity or nan in any case. Go's hexadecimal
// numbers and underscores are not numbers here.
func Parse(b []byte) (float64, bool) {
	b = bytes.TrimSpace(b)
	if v, n := Scan(b); n > 0 && n == len(b) {
		return v, true
	}
	if !Plain(b) {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil && !math.IsInf(v, 0) { // out of range counts as the infinity it rounds to
		return 0, false
	}
	return v, true
}

// Plain reports whether b can be a number to Parse: it keeps from
// strconv what only Go writes.
func Plain(b []byte) bool {
	for _, c := range b {
		switch {
		case c-'0' <= 9, c == '.', c == '+', c == '-', c == 'e', c == 'E':
		default:
			return special(bytes.TrimLeft(b, "+-"))
		}
	}
	return len(b) > 0
}

// special reports whether b names an infinity or NaN.
func special(b []byte) bool {
	return bytes.EqualFold(b, []byte("inf")) || bytes.EqualFold(b, []byte("infinity")) || bytes.EqualFold(b, []byte("nan"))
}

// Format returns the shortest decimal of v; both zeros are "0".
func Format(v float64) string { return string(Append(nil, v)) }

// Append appends Format(v) to b.
func Append(b []byte, v float64) []byte {
	if v == 0 {
		v = 0 // not −0
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}
