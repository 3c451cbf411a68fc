// Package numeral reads and writes the numbers of text files.
package numeral

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Powers of ten that are exact in float64.
var pow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

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

// Whole returns the digits of a whole number that b has, behind a minus if it is negative, without
// zeros before them. It returns nil for other texts, also for 1.0 and 1e3.
func Whole(b []byte) []byte {
	digits := bytes.TrimLeft(bytes.TrimLeft(b, "+-"), "0")
	for _, c := range digits {
		if c-'0' > 9 {
			return nil
		}
	}
	if len(digits) > 0 && b[0] == '-' {
		return append([]byte{'-'}, digits...)
	}
	return digits
}

// Exact returns all digits of a finite number of 10⁶ or more that Parse takes, in the form that Append
// has for such numbers: 9.007199254740993e+15 for 9007199254740993.0.
func Exact(b []byte) []byte {
	mantissa, exponent, _ := bytes.Cut(bytes.ToLower(b), []byte{'e'})
	whole, part, _ := bytes.Cut(bytes.TrimLeft(mantissa, "+-"), []byte{'.'})
	digits := bytes.TrimLeft(slices.Concat(whole, part), "0")
	e, _ := strconv.Atoi(string(exponent)) // none is 0
	e += len(digits) - len(part) - 1
	var out []byte
	if b[0] == '-' {
		out = append(out, '-')
	}
	out = append(out, digits[0])
	if rest := bytes.TrimRight(digits[1:], "0"); len(rest) > 0 {
		out = append(append(out, '.'), rest...)
	}
	return fmt.Appendf(out, "e%+03d", e)
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
