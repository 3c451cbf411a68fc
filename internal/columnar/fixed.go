package columnar

import (
	"encoding/binary"
	"math"
	"strconv"
)

// Fixed says how numbers of a fixed width are stored, in the notation of NumPy. It is f, i or u, for
// floating-point numbers, signed and unsigned integers, and the number of their bytes. The lowest
// byte is stored first. n8 is i8 of nanoseconds, which become microseconds.
type Fixed string

// Size returns the bytes of a number.
func (f Fixed) Size() int { return int(f[1] - '0') }

// Known reports whether Convert knows numbers that are stored so.
func (f Fixed) Known() bool {
	switch f {
	case "f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1":
		return true
	}
	return false
}

// Convert writes the numbers that begin in b at multiples of stride bytes to out.
func (f Fixed) Convert(out []float64, b []byte, stride int) {
	little := binary.LittleEndian
	each := func(number func(at int) float64) { // inlined, with number
		for i := range out {
			out[i] = number(i * stride)
		}
	}
	switch f {
	case "f8":
		each(func(at int) float64 { return math.Float64frombits(little.Uint64(b[at:])) })
	case "f4":
		each(func(at int) float64 { return float64(math.Float32frombits(little.Uint32(b[at:]))) })
	case "f2":
		each(func(at int) float64 { return Float16(little.Uint16(b[at:])) })
	case "i8":
		each(func(at int) float64 { return float64(int64(little.Uint64(b[at:]))) })
	case "n8":
		each(func(at int) float64 { return Micros(int64(little.Uint64(b[at:]))) })
	case "i4":
		each(func(at int) float64 { return float64(int32(little.Uint32(b[at:]))) })
	case "i2":
		each(func(at int) float64 { return float64(int16(little.Uint16(b[at:]))) })
	case "i1":
		each(func(at int) float64 { return float64(int8(b[at])) })
	case "u8":
		each(func(at int) float64 { return float64(little.Uint64(b[at:])) })
	case "u4":
		each(func(at int) float64 { return float64(little.Uint32(b[at:])) })
	case "u2":
		each(func(at int) float64 { return float64(little.Uint16(b[at:])) })
	case "u1":
		each(func(at int) float64 { return float64(b[at]) })
	}
}

// Digits is Convert to the decimals of n integers of 64 bits. It returns nil for other numbers.
func (f Fixed) Digits(n int, b []byte, stride int) []string {
	if f != "i8" && f != "u8" {
		return nil
	}
	out := make([]string, n)
	for i := range out {
		if v := binary.LittleEndian.Uint64(b[i*stride:]); f == "i8" {
			out[i] = strconv.FormatInt(int64(v), 10)
		} else {
			out[i] = strconv.FormatUint(v, 10)
		}
	}
	return out
}

// Micros returns the whole microseconds of nanoseconds, rounded down as the digits of a text are.
func Micros(nanos int64) float64 {
	micros := nanos / 1000
	if nanos%1000 < 0 {
		micros--
	}
	return float64(micros)
}

// Float16 returns the number that these bits are in half precision.
func Float16(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	var v float64
	switch exponent {
	case 0:
		v = math.Ldexp(fraction, -24)
	case 31:
		if v = math.Inf(1); fraction != 0 {
			v = math.NaN()
		}
	default:
		v = math.Ldexp(1024+fraction, exponent-25)
	}
	return math.Copysign(v, 1-2*float64(bits>>15))
}
