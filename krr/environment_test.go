package krr_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// entries are the first calls of a program that can return an error.
var entries = map[string]func() error{
	"rff.New": func() error {
		_, err := rff.New(rff.NewGaussian(1), 3, 8, rand.NewPCG(1, 2))
		return err
	},
	"rff.FromFrequencies": func() error {
		_, err := rff.FromFrequencies(mat.NewDense(2, 3, nil), nil, nil, rff.CosSin)
		return err
	},
	"sampling": func() error {
		_, err := sampling.MonteCarlo{}.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 3, Features: 8, Rand: rand.NewPCG(1, 2)})
		return err
	},
	"krr.Auto": func() error {
		x, y := mat.NewDense(40, 2, nil), mat.NewDense(40, 1, nil)
		for i := range 40 {
			x.SetRow(i, []float64{float64(i), float64(i * i % 7)})
			y.Set(i, 0, float64(i%5))
		}
		data, err := rff.FromMatrix(x, y)
		if err != nil {
			return err
		}
		_, _, err = krr.Auto(context.Background(), data, krr.AutoSettings{})
		return err
	},
	"blas.Lookup":       func() error { _, err := blas.Lookup(""); return err },
	"blas.Engine.Check": func() error { return blas.Engine{}.Check() },
}

// TestEnvironment: a word of RFF_CPU that cannot be obeyed, or a backend of
// RFF_BACKEND that is not there, is an error of the first call that can return
// one, and a call that cannot neither panics nor falls to other kernels.
func TestEnvironment(t *testing.T) {
	if os.Getenv("RFF_TEST_ENVIRONMENT") != "" {
		reportEnvironment()
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ variable, words, bad string }{
		{"RFF_CPU", "noavx51", "noavx51"},
		{"RFF_CPU", "go+avx2", "go+avx2"},
		{"RFF_CPU", "noavx2,noneon,go,avx512", "avx512"},
		{"RFF_BACKEND", "openblaz", "openblaz"},
		{"RFF_BACKEND", "Native", "Native"},
	} {
		t.Run(c.variable+"="+c.words, func(t *testing.T) {
			cmd := exec.Command(exe, "-test.run", "^TestEnvironment$")
			cmd.Env = append(os.Environ(), "RFF_CPU=", "RFF_BACKEND=", "RFF_TEST_ENVIRONMENT=1", c.variable+"="+c.words)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			lines := 0
			for line := range strings.Lines(string(out)) {
				name, text, ok := strings.Cut(strings.TrimSpace(line), "\t")
				if !ok {
					continue
				}
				lines++
				if name == "kernels" {
					if text != asm.All[float64]()[0].ISA && os.Getenv("RFF_CPU") == "" {
						t.Errorf("a call without an error ran on %s", text)
					}
					continue
				}
				for _, part := range []string{c.variable, `"` + c.bad + `"`} {
					if !strings.Contains(text, part) {
						t.Errorf("%s: error %q does not name %s", name, text, part)
					}
				}
			}
			if lines != len(entries)+1 {
				t.Errorf("%d lines, want %d:\n%s", lines, len(entries)+1, out)
			}
		})
	}
}

// reportEnvironment prints the error of each entry, if it is one of the
// environment, and the kernels of a call that cannot return one.
func reportEnvironment() {
	for name, call := range entries {
		err := call()
		var environment *asm.SelectError
		if !errors.As(err, &environment) {
			fmt.Printf("%s\tno error of the environment: %v\n", name, err)
			continue
		}
		fmt.Printf("%s\t%v\n", name, err)
	}
	one := blas.General[float64]{Rows: 1, Cols: 1, Stride: 1, Data: []float64{3}}
	blas.Gemm(blas.Engine{}, false, false, 1, one, one, 0, blas.NewGeneral[float64](1, 1))
	fmt.Printf("kernels\t%s\n", asm.Native[float64]().ISA)
}
