// Command gonum compares gonum's BLAS and LAPACK with the drop-in blas/gonumblas, with OpenBLAS if it
// is built with the tag openblas, and with GoMLX's backend in Go if -gomlx says where the program in
// folder gomlx is, at orders 64 to 4096 on one processor:
//
//	go -C bench run -tags openblas ./gonum -gomlx gonum/gomlx -o RESULTS-gonum.md
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

// library is one that operations are taken from. factor is its Cholesky factorisation. apart is a
// program that has products alone.
type library struct {
	name   string
	f64    gblas.Float64Level3
	f32    gblas.Float32Level3
	factor func(n int, a []float64) bool
	apart  *program
}

func libraries() []library {
	plain, native := gonum.Implementation{}, gonumblas.Native{Workers: 1}
	all := []library{
		{name: "gonum", f64: plain, f32: plain, factor: func(n int, a []float64) bool {
			blas64.Use(plain)
			return lapack.Implementation{}.Dpotrf(gblas.Upper, n, a, n)
		}},
		{name: "gonumblas", f64: native, f32: native, factor: func(n int, a []float64) bool {
			return gonumblas.LAPACK{Workers: 1}.Dpotrf(gblas.Upper, n, a, n)
		}},
	}
	if b, err := blas.Lookup("openblas"); err == nil {
		o := onEngine{e: blas.Engine{Backend: b, Workers: 1}}
		all = append(all, library{name: "OpenBLAS", f64: o, f32: o})
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

// timed runs an operation so many times and returns the processor time of all.
type timed func(times int) (seconds float64, err error)

// here times what this process does.
func here(run func()) timed {
	return func(times int) (float64, error) {
		begin := cputime.Seconds()
		for range times {
			run()
		}
		return cputime.Seconds() - begin, nil
	}
}

// enough is the processor time of the runs of an operation, in seconds. Tests read no rates.
var enough = .1

// seconds is the least processor time of a run, of so many that they take enough.
func seconds(run timed) (float64, error) {
	least := math.Inf(1)
	for total, times := 0., 1; total < enough; {
		took, err := run(times)
		if err != nil {
			return 0, err
		}
		if took < .005 { // too little for the clock of processor time
			times *= 2
			continue
		}
		least = min(least, took/float64(times))
		total += took
	}
	return least, nil
}

func main() {
	out := flag.String("o", "", "`file` to write the table to (default: standard output)")
	orders := flag.String("orders", "64,128,256,512,1024,2048,4096", "`orders` of the matrices")
	gomlx := flag.String("gomlx", "", "`folder` of the program that runs GoMLX's backend, gonum/gomlx from bench (default: without it)")
	flag.Parse()
	text, err := table(*orders, *gomlx)
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
func table(orders, gomlx string) ([]byte, error) {
	runtime.GOMAXPROCS(1)
	all := libraries()
	if gomlx != "" {
		p, err := start(gomlx)
		if err != nil {
			return nil, err
		}
		defer p.end()
		all = append(all, library{name: "GoMLX", apart: p})
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# gonum's BLAS and its drop-in\n\nMade by `go -C bench run -tags openblas ./gonum -gomlx gonum/gomlx -o RESULTS-gonum.md` on %s.\n\n", report.Machine())
	fmt.Fprintf(&b, "Billions of multiply-adds per second of one processor, of square matrices of order n: the best run, by processor time, so that other work on the machine counts little; it takes caches and shares of a processor's units all the same. OpenBLAS is called through cgo, on one thread; where it has no cell, this program has no binding of it. GoMLX is its backend in Go, `simplego` of the version in `gonum/gomlx/go.mod`, on one thread, which has products alone. Dpotrf is `lapack64`'s.\n")
	for _, op := range operations {
		if err := op.rows(&b, all, orders); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// rows writes the table of an operation.
func (op operation) rows(b *bytes.Buffer, all []library, orders string) error {
	fmt.Fprintf(b, "\n| %s, n |", op.name)
	for _, l := range all {
		fmt.Fprintf(b, " %s |", l.name)
	}
	fmt.Fprintf(b, " gonumblas / gonum |\n|---|%s---|\n", strings.Repeat("---|", len(all)))
	for _, text := range strings.Split(orders, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("-orders: %q is no order", text)
		}
		rates, err := measure(all, op, n)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "| %d |", n)
		for _, r := range rates {
			if r == 0 {
				fmt.Fprint(b, " |")
			} else {
				fmt.Fprintf(b, " %.2f |", r)
			}
		}
		fmt.Fprintf(b, " %.1f |\n", rates[1]/rates[0])
		fmt.Fprintf(os.Stderr, "%s %d %.2f\n", op.name, n, rates)
	}
	return nil
}

// measure returns the rate of each library, in 10⁹ multiply-adds a second, or 0.
func measure(all []library, op operation, n int) ([]float64, error) {
	rates, runs := make([]float64, len(all)), make([]timed, len(all))
	var order []int
	for i, l := range all {
		if l.apart != nil {
			runs[i] = l.apart.runs(op.name, n)
		} else if run := op.make(l, n); run != nil {
			runs[i] = here(run)
		}
		if runs[i] != nil {
			order = append(order, i)
		}
	}
	back := slices.Clone(order)
	slices.Reverse(back)
	cube := float64(n) * float64(n) * float64(n)
	for _, i := range slices.Concat(order, back) {
		took, err := seconds(runs[i])
		if err != nil {
			return nil, fmt.Errorf("%s of %s, order %d: %w", op.name, all[i].name, n, err)
		}
		rates[i] = max(rates[i], op.work*cube/took/1e9)
	}
	return rates, nil
}
