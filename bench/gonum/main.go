// Command gonum compares gonum's BLAS and LAPACK with the drop-in blas/gonumblas and, with the
// tag openblas, with OpenBLAS, at orders 64 to 4096 on one processor:
//
//	go -C bench run -tags openblas ./gonum -o RESULTS-gonum.md
//
// It takes processor time, not that of the clock, and goes through the libraries forward and
// backward again, so that a machine with other work at hand slows all of them alike.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	lapack "gonum.org/v1/gonum/lapack/gonum"

	"github.com/rffgo/rff/bench/cputime"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/blas/gonumblas"
	"github.com/rffgo/rff/cmd/rff/report"
)

// library is one that operations are taken from. factor is its Cholesky factorisation.
type library struct {
	name   string
	f64    gblas.Float64Level3
	f32    gblas.Float32Level3
	factor func(n int, a []float64) bool
}

func libraries() []library {
	plain, native := gonum.Implementation{}, gonumblas.Native{Workers: 1}
	all := []library{
		{"gonum", plain, plain, func(n int, a []float64) bool {
			blas64.Use(plain)
			return lapack.Implementation{}.Dpotrf(gblas.Upper, n, a, n)
		}},
		{"gonumblas", native, native, func(n int, a []float64) bool {
			return gonumblas.LAPACK{Workers: 1}.Dpotrf(gblas.Upper, n, a, n)
		}},
	}
	if b, err := blas.Lookup("openblas"); err == nil {
		o := onEngine{e: blas.Engine{Backend: b, Workers: 1}}
		all = append(all, library{"OpenBLAS", o, o, nil})
	}
	return all
}

// operation is timed at order n. Its work is a share of n³ multiply-adds.
type operation struct {
	name string
	work float64
	make func(l library, n int) func()
}

var operations = []operation{
	{"Dgemm", 1, func(l library, n int) func() {
		a, b, c := random[float64](n), random[float64](n), make([]float64, n*n)
		return func() { l.f64.Dgemm(gblas.NoTrans, gblas.NoTrans, n, n, n, 1, a, n, b, n, 0, c, n) }
	}},
	{"Sgemm", 1, func(l library, n int) func() {
		a, b, c := random[float32](n), random[float32](n), make([]float32, n*n)
		return func() { l.f32.Sgemm(gblas.NoTrans, gblas.NoTrans, n, n, n, 1, a, n, b, n, 0, c, n) }
	}},
	{"Dsyrk", .5, func(l library, n int) func() {
		a, c := random[float64](n), make([]float64, n*n)
		return func() { l.f64.Dsyrk(gblas.Upper, gblas.Trans, n, n, 1, a, n, 0, c, n) }
	}},
	{"Dtrsm", .5, func(l library, n int) func() {
		a, b, x := random[float64](n), random[float64](n), make([]float64, n*n)
		for i := range n {
			a[i*n+i] += float64(n)
		}
		return func() {
			copy(x, b)
			l.f64.Dtrsm(gblas.Left, gblas.Upper, gblas.Trans, gblas.NonUnit, n, n, 1, a, n, x, n)
		}
	}},
	{"Dpotrf", 1. / 6, func(l library, n int) func() {
		if l.factor == nil {
			return nil
		}
		a, u := random[float64](n), make([]float64, n*n)
		for i := range n {
			a[i*n+i] += float64(n)
		}
		return func() {
			copy(u, a)
			if !l.factor(n, u) {
				panic("a dominant diagonal has no factor")
			}
		}
	}},
}

func random[T blas.Float](n int) []T {
	r, x := rand.New(rand.NewPCG(uint64(n), 1)), make([]T, n*n)
	for i := range x {
		x[i] = T(r.Float64() - .5)
	}
	return x
}

// seconds is the least processor time of a run, of so many that they take .1 s.
func seconds(run func()) float64 {
	least := math.Inf(1)
	for total := 0.; total < .1; {
		begin, took, runs := cputime.Seconds(), 0., 0
		for ; took < .005; took = cputime.Seconds() - begin {
			run()
			runs++
		}
		least = min(least, took/float64(runs))
		total += took
	}
	return least
}

func main() {
	out := flag.String("o", "", "`file` to write the table to (default: standard output)")
	orders := flag.String("orders", "64,128,256,512,1024,2048,4096", "`orders` of the matrices")
	flag.Parse()
	text, err := table(*orders)
	if err == nil && *out != "" {
		err = os.WriteFile(*out, text, 0o666)
	} else if err == nil {
		_, err = os.Stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gonum:", err)
		os.Exit(1)
	}
}

// table measures everything.
func table(orders string) ([]byte, error) {
	runtime.GOMAXPROCS(1)
	all := libraries()
	var b bytes.Buffer
	fmt.Fprintf(&b, "# gonum's BLAS and its drop-in\n\nMade by `go -C bench run -tags openblas ./gonum -o RESULTS-gonum.md` on %s.\n\n", report.Machine())
	fmt.Fprintf(&b, "Billions of multiply-adds per second of one processor, of square matrices of order n: the best run, by processor time, so that other work on the machine counts little; it takes caches and shares of a processor's units all the same. OpenBLAS is called through cgo, on one thread; where it has no cell, this program has no binding of it. Dpotrf is `lapack64`'s.\n")
	for _, op := range operations {
		fmt.Fprintf(&b, "\n| %s, n |", op.name)
		for _, l := range all {
			fmt.Fprintf(&b, " %s |", l.name)
		}
		fmt.Fprintf(&b, " gonumblas / gonum |\n|---|%s---|\n", strings.Repeat("---|", len(all)))
		for _, text := range strings.Split(orders, ",") {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("-orders: %q is no order", text)
			}
			rates := measure(all, op, n)
			fmt.Fprintf(&b, "| %d |", n)
			for _, r := range rates {
				if r == 0 {
					fmt.Fprint(&b, " |")
				} else {
					fmt.Fprintf(&b, " %.2f |", r)
				}
			}
			fmt.Fprintf(&b, " %.1f |\n", rates[1]/rates[0])
			fmt.Fprintf(os.Stderr, "%s %d %.2f\n", op.name, n, rates)
		}
	}
	return b.Bytes(), nil
}

// measure returns the rate of each library, in 10⁹ multiply-adds a second, or 0.
func measure(all []library, op operation, n int) []float64 {
	rates, runs := make([]float64, len(all)), make([]func(), len(all))
	var order []int
	for i, l := range all {
		if runs[i] = op.make(l, n); runs[i] != nil {
			order = append(order, i)
		}
	}
	back := slices.Clone(order)
	slices.Reverse(back)
	cube := float64(n) * float64(n) * float64(n)
	for _, i := range slices.Concat(order, back) {
		rates[i] = max(rates[i], op.work*cube/seconds(runs[i])/1e9)
	}
	return rates
}
