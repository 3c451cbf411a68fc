// Command gomlx multiplies square matrices by the backend of GoMLX that is written in Go. bench/gonum
// starts it with -gomlx FOLDER. It is a module of its own, outside go.work, since GoMLX takes a newer
// Go than the rest of the tree.
//
// It answers each line "Dgemm 512 3" of standard input with the seconds of processor time that so
// many products of matrices of that order took, on one thread.
package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"syscall"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/simplego"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/shapes"
)

func main() {
	answers := os.Stdout
	os.Stdout = os.Stderr // the backend prints how many workers it has
	if err := run(os.Stdin, answers); err != nil {
		fmt.Fprintln(os.Stderr, "gomlx:", err)
		os.Exit(1)
	}
}

// run answers questions until there are no more.
func run(questions io.Reader, answers io.Writer) error {
	runtime.GOMAXPROCS(1)
	backend, err := simplego.New("parallelism=0")
	if err != nil {
		return err
	}
	makers := map[string]func(backends.Backend, int) (func() error, error){"Dgemm": product[float64], "Sgemm": product[float32]}
	var multiply func() error
	var made string
	for {
		var name string
		var n, times int
		if _, err := fmt.Fscan(questions, &name, &n, &times); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if key := fmt.Sprint(name, n); key != made {
			if multiply, err = makers[name](backend, n); err != nil {
				return err
			}
			made = key
		}
		begin := seconds()
		for range times {
			if err := multiply(); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintln(answers, seconds()-begin); err != nil {
			return err
		}
	}
}

// product returns a function that multiplies matrices A and B of order n. Before that it compares the
// row sums of AB with A times the row sums of B.
func product[T float32 | float64](b backends.Backend, n int) (func() error, error) {
	shape := shapes.Make(dtypes.FromGenericsType[T](), n, n)
	graph := b.Builder("product")
	var ops []backends.Op
	var inputs []backends.Buffer
	var values [][]T
	for i := range 2 {
		r, x := rand.New(rand.NewPCG(uint64(n), uint64(i))), make([]T, n*n)
		for j := range x {
			x[j] = T(r.Float64() - .5)
		}
		op, err := graph.Parameter(fmt.Sprint("x", i), shape, nil)
		if err != nil {
			return nil, err
		}
		buffer, err := b.BufferFromFlatData(0, x, shape)
		if err != nil {
			return nil, err
		}
		ops, inputs, values = append(ops, op), append(inputs, buffer), append(values, x)
	}
	dot, err := graph.DotGeneral(ops[0], []int{1}, nil, ops[1], []int{0}, nil)
	if err != nil {
		return nil, err
	}
	program, err := graph.Compile([]backends.Op{dot}, nil)
	if err != nil {
		return nil, err
	}
	multiply := func(read func(backends.Buffer) error) error {
		out, err := program.Execute(inputs, nil, 0)
		if err != nil {
			return err
		}
		return errors.Join(read(out[0]), b.BufferFinalize(out[0]))
	}
	c := make([]T, n*n)
	if err := multiply(func(x backends.Buffer) error { return b.BufferToFlatData(x, c) }); err != nil {
		return nil, err
	}
	right := sums(values[1], n)
	for i, got := range sums(c, n) {
		want := 0.
		for j, x := range values[0][i*n : (i+1)*n] {
			want += float64(float64(x) * right[j])
		}
		// Each of n entries is a sum of n products below 1/4, in the precision of T.
		if math.Abs(got-want) > float64(n*n)*1e-7 {
			return nil, fmt.Errorf("row %d of the product of order %d sums to %g, not %g", i, n, got, want)
		}
	}
	return func() error { return multiply(func(backends.Buffer) error { return nil }) }, nil
}

// sums returns the sum of each row.
func sums[T float32 | float64](x []T, n int) []float64 {
	s := make([]float64, n)
	for i := range x {
		s[i/n] += float64(x[i])
	}
	return s
}

// seconds is the processor time of this process so far.
func seconds() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return 1e-9 * float64(r.Utime.Nano()+r.Stime.Nano())
}
