package decimals

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// A decimal is the number that its digits would be in a CSV file.
func TestDecimal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{1, 2, 7, 8, 9, 16, 32} {
		for _, scale := range []int{0, 1, 2, 18, 22, 23, 38, MostDigits} {
			d := New(scale)
			for range 50 {
				b := make([]byte, size)
				for i := range b {
					b[i] = byte(r.Uint32())
				}
				n := new(big.Int).SetBytes(b)
				if b[0] >= 0x80 {
					n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*size)))
				}
				want, err := strconv.ParseFloat(n.String()+"e-"+strconv.Itoa(scale), 64)
				if err != nil {
					t.Fatal(err)
				}
				if r, ok := new(big.Rat).SetString(d.Text(b)); !ok || r.Cmp(new(big.Rat).SetFrac(n, d.whole)) != 0 {
					t.Fatalf("%v/10^%d: %s", n, scale, d.Text(b))
				}
				got := []float64{d.Bytes(b), d.Int(n)}
				if n.IsInt64() {
					got = append(got, d.Int64(n.Int64()))
				}
				if slices.ContainsFunc(got, func(v float64) bool { return v != want }) {
					t.Fatalf("%v/10^%d: %v, want %v", n, scale, got, want)
				}
			}
		}
	}
	if New(3).Bytes(nil) != 0 || New(2).Text(nil) != "0.00" || New(0).Text([]byte{0xff}) != "-1" {
		t.Error("no bytes are not 0")
	}
}
