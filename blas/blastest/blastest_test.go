package blastest_test

import (
	"testing"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/blas/blastest"
)

// Short tests are those of emulated processors. There the tests of package blas
// hold the twins to the assembly bit by bit, which passes here.
func TestNative(t *testing.T) {
	all := asm.All[float64]()
	for _, k := range all {
		t.Run(k.ISA, func(t *testing.T) {
			if testing.Short() && k.ISA == "go" && len(all) > 1 {
				t.Skip("short: package blas compares the twins with the assembly")
			}
			b, err := blas.NativeOn(k.ISA)
			if err != nil {
				t.Fatal(err)
			}
			blastest.Run(t, b)
		})
	}
}

func TestGonum(t *testing.T) {
	b, err := blas.Lookup("gonum")
	if err != nil {
		t.Fatal(err)
	}
	blastest.Run(t, b)
}
