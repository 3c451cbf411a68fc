package blastest_test

import (
	"testing"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/blas/blastest"
)

func TestNative(t *testing.T) {
	for _, k := range asm.All[float64]() {
		t.Run(k.ISA, func(t *testing.T) {
			b, err := blas.Lookup("native:" + k.ISA)
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
