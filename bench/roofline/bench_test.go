package roofline

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// shapes are those of the papers' data sets and of the solvers, per operation.
var shapes = map[string][]Case{
	"features": {{N: 10000, D: 14, S: 1792}, {N: 59535, D: 8, S: 1024}, {N: 20000, D: 54, S: 3456}, {N: 10000, D: 784, S: 4096}, {N: 100000, D: 10, S: 256}, {N: 9973, D: 13, S: 1786}},
	"scores":   {{N: 7488, D: 14, S: 3584}},
	"gram":     {{N: 10080, D: 14, S: 1024}, {N: 10080, D: 14, S: 1792}, {N: 4032, D: 14, S: 4096}},
	"fit":      {{N: 10000, D: 14, S: 1792}, {N: 100000, D: 10, S: 256}},
	"backward": {{N: 10000, D: 14, S: 1792}},
	"predict":  {{N: 1, D: 14, S: 1792}, {N: 10000, D: 14, S: 1792}},
	"gemm":     {{N: 2000, D: 2000, S: 2000}, {N: 10000, D: 123, S: 1792}},
	"syrk":     {{N: 504, D: 1, S: 1024}, {N: 504, D: 1, S: 1792}, {N: 504, D: 1, S: 4096}},
	"cholesky": {{N: 1, D: 1, S: 1024}, {N: 1, D: 1, S: 4096}},
	"hadamard": {{N: 64, D: 1, S: 1024}},
	"sections": {{N: 10000, D: 14, S: 1792}, {N: 10000, D: 784, S: 4096}},
}

// Benchmark has one benchmark per operation × shape × path, benchstat-ready:
// go test -bench 'op=gram/.*backend=native' -count 5 ./roofline, in bench
func Benchmark(b *testing.B) {
	for _, op := range Ops {
		for _, c := range shapes[op.Name] {
			for _, c.DType = range []string{"f64", "f32"} {
				formsOf := []string{DefaultForm(op.Name)}
				if op.Name == "features" {
					formsOf = append(formsOf, "cos")
				}
				for _, c.Form = range formsOf {
					for _, c.Backend = range Paths() {
						for _, c.Workers = range []int{1, 2} {
							c.Op = op.Name
							name := fmt.Sprintf("op=%s/n=%d/d=%d/s=%d/dtype=%s/form=%s/backend=%s/workers=%d", c.Op, c.N, c.D, c.S, c.DType, c.Form, c.Backend, c.Workers)
							b.Run(name, func(b *testing.B) { benchmark(b, c) })
						}
					}
				}
			}
		}
	}
}

func benchmark(b *testing.B, c Case) {
	r, err := New(c)
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for range b.N {
		if r.job.prepare != nil {
			b.StopTimer()
			r.job.prepare()
			b.StartTimer()
		}
		r.job.run()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/r.job.values, "ns/value")
	b.ReportMetric(2*r.job.slots*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

// TestEveryOperation: each operation runs on each path in each type and its
// residual is that of the arithmetic: at most the number of terms of its
// longest sum times eps. The share of the roof is only positive here: on a machine
// that others use, the roof itself may be measured too low.
func TestEveryOperation(t *testing.T) {
	for _, op := range Ops {
		for dtype, eps := range map[string]float64{"f64": 0x1p-52, "f32": 0x1p-23} {
			for _, path := range Paths() {
				c := Case{Op: op.Name, N: 70, D: 5, S: 64, DType: dtype, Workers: 2, Form: DefaultForm(op.Name), Backend: path}
				r, err := New(c)
				if err != nil {
					t.Fatal(err)
				}
				res, err := Measure(context.Background(), []*Runner{r}, 5)
				if err != nil {
					t.Fatal(err)
				}
				if got := res[0]; !(got.Residual <= 70*eps) || got.SecondsMin <= 0 || got.SecondsMin > got.SecondsMedian || !(got.RoofPercent > 0) || got.Op != op.Name {
					t.Errorf("%+v", got)
				}
			}
		}
	}
}

// TestResidualSeesErrors: a wrong result has a large residual.
func TestResidualSeesErrors(t *testing.T) {
	for _, op := range []string{"features", "gemm", "syrk", "cholesky", "predict"} {
		r, err := New(Case{Op: op, N: 70, D: 5, S: 64, DType: "f64", Workers: 1, Form: "cos", Backend: "native"})
		if err != nil {
			t.Fatal(err)
		}
		r.Once()
		if good := r.job.residual(); good > 1e-13 {
			t.Errorf("%s: residual %g of a right result", op, good)
		}
	}
	if e := dotError(2, 3, func(int) (float64, float64) { return 1, 1 }); e != 0.5 {
		t.Errorf("dotError is %g, want |3−2|/2", e)
	}
}

func TestCaseErrors(t *testing.T) {
	good := Case{Op: "gram", N: 1, D: 1, S: 2, DType: "f64", Workers: 1, Form: "pair", Backend: "native"}
	for name, change := range map[string]func(*Case){
		"op": func(c *Case) { c.Op = "gramm" }, "dtype": func(c *Case) { c.DType = "f16" }, "form": func(c *Case) { c.Form = "sin" },
		"n": func(c *Case) { c.N = 0 }, "d": func(c *Case) { c.D = -1 }, "s": func(c *Case) { c.S = 3 }, "workers": func(c *Case) { c.Workers = 0 },
	} {
		c := good
		change(&c)
		var e *CaseError
		if _, err := New(c); !errors.As(err, &e) || e.Name != name {
			t.Errorf("%s: got %v", name, err)
		}
	}
	c := good
	c.Backend = "mkl"
	if _, err := New(c); err == nil {
		t.Error("an unknown backend gave no error")
	}
}
