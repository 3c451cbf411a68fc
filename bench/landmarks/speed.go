package main

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/cputime"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

//go:embed rival.py
var rivalSource string

// speed times fits of landmarks, of random features of as many columns, and of NumPy and
// SciPy, on one worker each, in the order A B C C B A: CPU seconds, since the machine may
// have other work, and ratios of the sums over both.
func speed(ctx context.Context, w io.Writer, python string, reps int) error {
	py, err := startRival(python)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s\n\n| rows, inputs, columns | λ | landmarks s | random features s | ratio | SciPy s | ratio |\n|---|---|---|---|---|---|---|\n", py.about)
	for _, s := range [][3]int{{10000, 14, 1024}, {60000, 14, 1024}, {10000, 54, 1024}} {
		n, d, m := s[0], s[1], s[2]
		src, err := normalRows(n, d)
		if err != nil {
			return err
		}
		for _, lambda := range []float64{1e-4, 0} {
			on := blas.Engine{Workers: 1}
			fit := func(by rff.Sampler) (float64, error) {
				start := cputime.Seconds()
				f, err := by.Sample(ctx, rff.NewGaussian(math.Sqrt(float64(d))), d, m, src, rand.NewPCG(1, 1))
				if err != nil {
					return 0, err
				}
				_, _, err = krr.Fit(ctx, f, src, krr.Settings{Lambda: lambda, Engine: on})
				return cputime.Seconds() - start, err
			}
			runs := []func() (float64, error){
				func() (float64, error) { return fit(sampling.Nystrom{Engine: on}) },
				func() (float64, error) { return fit(sampling.MonteCarlo{}) },
			}
			if lambda > 0 {
				runs = append(runs, func() (float64, error) { return py.time(n, d, m) })
			}
			times := make([][]float64, 3)
			for rep := range 2 * reps {
				order := []int{0, 1, 2}[:len(runs)]
				if rep%2 == 1 {
					slices.Reverse(order)
				}
				for _, i := range order {
					t, err := runs[i]()
					if err != nil {
						return err
					}
					times[i] = append(times[i], t)
				}
			}
			ratio := func(i int) string { // the median of those of A-B-B-A
				if times[i] == nil {
					return "–"
				}
				var r []float64
				for k := 0; k < len(times[i]); k += 2 {
					r = append(r, (times[0][k]+times[0][k+1])/(times[i][k]+times[i][k+1]))
				}
				slices.Sort(r)
				return fmt.Sprintf("%.2f (%.2f … %.2f)", r[len(r)/2], r[0], r[len(r)-1])
			}
			least := func(i int) string {
				if times[i] == nil {
					return "–"
				}
				return fmt.Sprintf("%.3f", slices.Min(times[i]))
			}
			name := "1e-4"
			if lambda == 0 {
				name = "by 5 folds"
			}
			fmt.Fprintf(w, "| %d, %d, %d | %s | %s | %s | %s | %s | %s |\n", n, d, m, name, least(0), least(1), ratio(1), least(2), ratio(2))
		}
	}
	return nil
}

func normalRows(n, d int) (rff.Source, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
		y.Set(i, 0, rng.NormFloat64())
	}
	return rff.FromMatrix(x, y)
}

type rival struct {
	in    io.Writer
	out   *bufio.Scanner
	about string // versions
}

var errRival = errors.New("the Python side ended: are numpy and scipy installed?")

// startRival starts Python on one thread, with nothing else of OpenBLAS's settings.
func startRival(python string) (*rival, error) {
	cmd := exec.Command(python, "-c", rivalSource)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "OPENBLAS_") && !strings.HasPrefix(v, "OMP_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "OPENBLAS_NUM_THREADS=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r := &rival{in: in, out: bufio.NewScanner(out)}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if !r.out.Scan() {
		return nil, errRival
	}
	r.about = r.out.Text()
	return r, nil
}

// rivalBlock is the rows whose sections the rival makes at once.
const rivalBlock = 1008

func (r *rival) time(n, d, m int) (t float64, err error) {
	fmt.Fprintf(r.in, "%d %d %d %d\n", n, d, m, rivalBlock)
	if !r.out.Scan() {
		return 0, errRival
	}
	_, err = fmt.Sscan(r.out.Text(), &t)
	return t, err
}
