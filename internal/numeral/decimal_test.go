package numeral

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// agrees compares Scan and Parse with strconv, bit for bit.
func agrees(t testing.TB, s string) {
	t.Helper()
	want, err := strconv.ParseFloat(s, 64)
	if v, n := Scan([]byte(s)); n > 0 && n == len(s) && (err != nil || math.Float64bits(v) != math.Float64bits(want)) {
		t.Errorf("Scan %q: %v (%x), strconv has %v (%x) %v", s, v, math.Float64bits(v), want, math.Float64bits(want), err)
	}
	v, ok := Parse([]byte(s))
	if inf := math.IsInf(want, 0); ok != (err == nil || inf) || ok && math.Float64bits(v) != math.Float64bits(want) {
		t.Errorf("Parse %q: %v %v, strconv has %v %v", s, v, ok, want, err)
	}
}

// Every form that NumPy and pandas write, of numbers of every size.
func TestScanOfWrittenNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 30000 {
		v := math.Float64frombits(rng.Uint64())
		w := rng.NormFloat64() * math.Pow10(rng.IntN(40)-20)
		for _, x := range []float64{v, w} {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				continue
			}
			agrees(t, strconv.FormatFloat(x, 'g', -1, 64))
			agrees(t, strconv.FormatFloat(x, 'e', 18, 64))
			agrees(t, strconv.FormatFloat(x, 'e', 16, 64))
			agrees(t, strconv.FormatFloat(x, 'E', rng.IntN(22), 64))
		}
		agrees(t, strconv.FormatFloat(w, 'f', -1, 64))
		agrees(t, strconv.FormatFloat(w, 'f', rng.IntN(25), 64))
	}
}

// halfway returns the exact decimal between v and the next number above.
func halfway(v float64) *big.Float {
	sum := new(big.Float).SetPrec(2200).SetFloat64(v)
	sum.Add(sum, new(big.Float).SetFloat64(math.Nextafter(v, math.Inf(1))))
	return sum.Quo(sum, big.NewFloat(2))
}

// Values halfway between two numbers and next to that, cut to any number of digits:
// where the rounding is decided by the last ones.
func TestScanHalfway(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	at := []float64{0, math.SmallestNonzeroFloat64, 0x1p-1022, math.Nextafter(0x1p-1022, 0), 1, math.Nextafter(1, 0), 0x1p53, 0x1p53 - 1, 0x1p63, math.MaxFloat64, 1e22, 1e23}
	for range 600 {
		at = append(at, math.Abs(math.Float64frombits(rng.Uint64()&^(1<<62)|1<<61)), rng.Float64(), float64(rng.Uint64()), math.Float64frombits(rng.Uint64N(1<<52)))
	}
	for _, v := range at {
		if math.IsInf(v, 0) || math.IsNaN(v) || math.IsInf(math.Nextafter(v, math.Inf(1)), 0) {
			continue
		}
		h := halfway(v)
		for _, digits := range []int{15, 16, 17, 18, 19, 20, 25, 60, 770} {
			s := h.Text('e', digits-1)
			agrees(t, s)
			for _, by := range []byte{'0', '1', '9'} { // the last digit another
				mantissa, exp, _ := strings.Cut(s, "e")
				agrees(t, mantissa[:len(mantissa)-1]+string(by)+"e"+exp)
			}
		}
		if v > 1e-20 && v < 1e20 {
			for _, digits := range []int{5, 17, 19, 40} {
				agrees(t, h.Text('f', digits))
			}
		}
	}
	// Odd multiples of half a unit that 19 digits hold exactly.
	for range 50000 {
		m := 1<<53 | rng.Uint64N(1<<53)
		shift := rng.IntN(10)
		n := (m<<1 | 1) << shift
		if n>>shift == m<<1|1 && n < 1e19 {
			for d := -1; d <= 1; d++ {
				agrees(t, strconv.FormatUint(n+uint64(d), 10))
				agrees(t, fmt.Sprintf("%de%d", n+uint64(d), rng.IntN(40)-20))
			}
		}
	}
}

func TestScanForms(t *testing.T) {
	for _, s := range []string{"", ".", "-", "+", "e", "e5", ".e5", "1e", "1e+", "1e-", "1E", "1e5", "1.e5", ".5e-3", "+.5E+3", "-0e0", "0e999", "0e99999", "-0.000e-5",
		"1e-9999", "1e9999", "1e99999", "1e00005", "1e0000005", "1e22", "1e23", "9007199254740993", "9007199254740992", "18446744073709551615", "18446744073709551616", "9999999999999999999", "99999999999999999999",
		"0.00000000000000000000000012345678901234567", "000000000000000000000000000001", "0000000000000000000000.1234567890123456789", "1e400", "4.9e-324", "2.47e-324", "2.4703282292062328e-324",
		"1.7976931348623157e308", "1.7976931348623159e308", "2.2250738585072011e-308", "2.2250738585072014e-308", "123456789.12345678", "0.12345678", "0.1234567x", "12345678.12345678e1x", "1.2.3", "1..2", "1e5.5", "1_0",
		"0.1234567/", "0.1234567:", "0.12345678901234567/", "0.1234567\xff89", "1.00000000000000011102230246251565404236316680908203125", "1.00000000000000011102230246251565404236316680908203124", "1.00000000000000011102230246251565404236316680908203126"} {
		agrees(t, strings.ReplaceAll(s, "_", ""))
	}
	for in, want := range map[string]int{"1,2": 1, "1e,": 1, "1e5,": 3, "1.5;": 3, "12345678.12345678,1": 17, "0.12345678901234567,": 19, "x": 0, "-": 0, "1e99999,": 0, "12345678901234567890,": 0} {
		if _, n := Scan([]byte(in)); n != want {
			t.Errorf("%q: took %d bytes, want %d", in, n, want)
		}
	}
}

// The table's entries are what their names say, the last bit rounded down.
func TestPowersOfTen(t *testing.T) {
	for q := leastTen; q <= mostTen; q++ {
		got := new(big.Int).SetUint64(tens[q-leastTen][0])
		got.Lsh(got, 64).Add(got, new(big.Int).SetUint64(tens[q-leastTen][1]))
		if got.BitLen() != 128 {
			t.Fatalf("10^%d: %d bits", q, got.BitLen())
		}
		exact := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(q, -q))), nil))
		if q < 0 {
			exact.Inv(exact)
		}
		// got·2ᵉ ≤ 10^q < (got+1)·2ᵉ with e = ⌊q·log₂10⌋ − 127.
		e := 217706*q>>16 - 127
		scale := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e))))
		if e < 0 {
			scale.Inv(scale)
		}
		below := new(big.Rat).Mul(new(big.Rat).SetInt(got), scale)
		above := new(big.Rat).Mul(new(big.Rat).SetInt(new(big.Int).Add(got, big.NewInt(1))), scale)
		if below.Cmp(exact) > 0 || above.Cmp(exact) <= 0 {
			t.Errorf("10^%d is wrong", q)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{"0.12345678901234567", "1e5", "-1.5e-300", "9007199254740993", "1.2345678901234567890e+00", "00000000000000000000.1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, n := Scan([]byte(s))
		if n == 0 {
			return
		}
		want, err := strconv.ParseFloat(s[:n], 64)
		if err != nil || math.Float64bits(v) != math.Float64bits(want) {
			t.Errorf("%q: %v of %q, strconv has %v %v", s, v, s[:n], want, err)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, form := range []struct {
		name   string
		format func(float64) string
	}{
		{"digits=1", func(v float64) string { return strconv.Itoa(rng.IntN(10)) }},
		{"digits=6", func(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }},
		{"digits=17", func(v float64) string { return strconv.FormatFloat(v, 'g', 17, 64) }},
		{"digits=19e", func(v float64) string { return strconv.FormatFloat(v, 'e', 18, 64) }},
	} {
		text := make([][]byte, 4096)
		size := 0
		for i := range text {
			text[i] = []byte(form.format(rng.NormFloat64()) + ",")
			size += len(text[i])
		}
		b.Run(form.name, func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				for _, s := range text {
					if _, n := Scan(s); n == 0 {
						b.Fatal(string(s))
					}
				}
			}
		})
	}
}
