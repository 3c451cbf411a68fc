package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const compareFMA = `package main

import (
	"fmt"
	. "math"
	"math/rand/v2"
	"os"
)

func FMAGo(x, y, z float64) float64 { exact++; return FMA(x, y, z) }

var exact int

func main() {
	r := rand.New(rand.NewPCG(1, 2))
	edges := []float64{0, Copysign(0, -1), 1, -1, NaN(), Inf(1), Inf(-1), MaxFloat64, SmallestNonzeroFloat64, 0x1p-1022, 0x1p900, 0x1p-900, 1 + 0x1p-52}
	number := func(spread int) float64 { // few digits, or all; often with halves to round
		f := Float64frombits(r.Uint64()>>12|0x3ff0000000000000)
		if r.IntN(3) == 0 {
			f = Float64frombits(Float64bits(f) &^ (1<<(20+r.IntN(32)) - 1))
		}
		return Copysign(Ldexp(f, r.IntN(2*spread+1)-spread), float64(r.IntN(2))-.5)
	}
	check := func(x, y, z float64) {
		got, want := soft(x, y, z), FMA(x, y, z)
		if Float64bits(got) != Float64bits(want) && !(IsNaN(got) && IsNaN(want)) {
			fmt.Printf("FMA(%x, %x, %x) is %x, want %x\n", x, y, z, got, want)
			os.Exit(1)
		}
	}
	for range 3000000 {
		x, y := number(3), number(3)
		check(x, y, number(120))
		check(x, y, -x*y*(1+Ldexp(float64(r.IntN(5)-2), -r.IntN(54)))) // cancels
	}
	// Next to the middle between two numbers, where the last digits decide.
	for i := range 81 {
		for k := range 9 {
			x, y, z := 1+float64(i%9-4)*0x1p-52, 1+float64(i/9-4)*0x1p-52, 1+float64(k)*0x1p-52
			check(Ldexp(x, -53), y, z)
			check(Ldexp(x, -53), -y, z)
			check(Ldexp(x, -54), y, -z)
		}
	}
	for range 1000 {
		x := 1 + r.Float64()
		for _, to := range []float64{1 - 0x1p-53, 1, 1 + 0x1p-52} { // products within half a digit of it
			check(Ldexp(x, -53), to/x, 1+0x1p-52)
			check(Ldexp(x, -53), to/x, -1-0x1p-52)
		}
	}
	before := exact
	// Where errors underflow and parts overflow, and all but errors cancels.
	for e := 880; e < 1020; e++ {
		for range 2000 {
			x, y := number(3), number(3)
			check(Ldexp(x, -e/2), Ldexp(y, e/2-e), -Ldexp(x*y, -e))
			check(Ldexp(x, e), Ldexp(y, -20), -Ldexp(x*y, e-20))
			check(Ldexp(x, -e), Ldexp(y, 20), -Ldexp(x*y, 20-e))
		}
	}
	for range 1000000 {
		check(number(1020), number(1020), number(1020))
		check(edges[r.IntN(len(edges))], edges[r.IntN(len(edges))], edges[r.IntN(len(edges))])
		check(edges[r.IntN(len(edges))], number(60), edges[r.IntN(len(edges))])
	}
	fmt.Println(before == 0, exact > 0)
}
`

// The page's multiply-add rounds as that of processors does, and leaves to Go's what could over-
// or underflow, and only that.
func TestFMA(t *testing.T) {
	code, err := os.ReadFile("_overlay/fma.go")
	if err != nil {
		t.Fatal(err)
	}
	_, soft, found := strings.Cut(string(code), "func FMA(")
	if !found {
		t.Fatal("_overlay/fma.go has no FMA")
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(compareFMA+"\nfunc soft("+soft), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "run", file).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "true true" {
		t.Errorf("%v: %s", err, out)
	}
}
