package main

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

// resident returns the peak resident memory of this process in MiB (Linux).
func resident() float64 {
	b, _ := os.ReadFile("/proc/self/status")
	_, after, _ := bytes.Cut(b, []byte("VmHWM:"))
	var kib float64
	fmt.Sscan(string(after), &kib)
	return kib / 1024
}

// occupied returns the resident memory now, and has resident count from there.
func occupied() float64 {
	// Writing 5 resets the peak (Linux).
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	return resident()
}

// repeated reads a source several times over.
type repeated struct {
	rff.Source
	times int
}

func (r repeated) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		var first int64
		for range r.times {
			var rows int64
			for b, err := range r.Source.Batches(ctx) {
				rows += int64(b.X.Rows)
				b.First += first
				if !yield(b, err) || err != nil {
					return
				}
			}
			first += rows
		}
	}
}

// stream fits a file that is read as a stream and reports peak resident memory.
func stream(path string, times, features, workers int, record string) error {
	ctx := context.Background()
	files, err := dataset.Open(ctx, dataset.Options{}, path)
	if err != nil {
		return err
	}
	src := repeated{files.Source(dataset.NewCoding([]string{"-1", "1"}), 0), times}
	d, _ := src.Schema().Dims()
	m, err := rff.New(rff.NewGaussian(10), d, features, rand.NewPCG(1, 2))
	if err != nil {
		return err
	}
	begin := time.Now()
	_, report, err := krr.Fit(ctx, m, src, krr.Settings{Lambdas: []float64{1e-6}, Engine: rff.Engine{Workers: workers}})
	if err != nil {
		return err
	}
	if err := (result{Stream: filepath.Base(path), Times: times, Rows: report.Train.Rows, Features: features, Workers: workers, Ours: time.Since(begin).Seconds(), MiB: resident()}).append(record); err != nil {
		return err
	}
	fmt.Printf("%s ×%d: %d rows × %d, s = %d: %.1f s (read %.1f, solve %.2f), peak resident %.0f MiB\n",
		filepath.Base(path), times, report.Train.Rows, d, features, time.Since(begin).Seconds(), report.Took["rows"].Seconds(), report.Took["solve"].Seconds(), resident())
	return nil
}

// accuracy fits half of the rows of a binary set by one solver and scores the other half.
func accuracy(path string, solver string, features, workers int, memory int64, lambda float64, precision krr.Precision, record string) error {
	ctx := context.Background()
	files, err := dataset.Open(ctx, dataset.Options{}, path)
	if err != nil {
		return err
	}
	src := files.Source(dataset.NewCoding([]string{"-1", "1"}), 0)
	d, _ := src.Schema().Dims()
	var x, y []float64
	for b, err := range src.Batches(ctx) {
		if err != nil {
			return err
		}
		for i := range b.X.Rows {
			x = append(x, b.X.Row(i)...)
			y = append(y, b.Y.Row(i)...)
		}
	}
	n := len(y)
	rng := rand.New(rand.NewPCG(5, 6))
	order := rng.Perm(n)
	half := n / 2
	part := func(at []int) (blas.General[float64], blas.General[float64]) {
		px, py := blas.NewGeneral[float64](len(at), d), blas.NewGeneral[float64](len(at), 1)
		for i, j := range at {
			copy(px.Row(i), x[j*d:(j+1)*d])
			py.Data[i] = y[j]
		}
		return px, py
	}
	tx, ty := part(order[:half])
	vx, vy := part(order[half:])
	scaling := dataset.FitScaling(dataset.MinMax, tx)
	train, err := rff.FromMatrix(mat.NewDense(tx.Rows, tx.Cols, tx.Data), mat.NewDense(ty.Rows, ty.Cols, ty.Data))
	if err != nil {
		return err
	}
	if train, err = rff.WithSchema(train, src.Schema()); err != nil {
		return err
	}
	m, err := rff.New(rff.NewGaussian(0.5), d, features, rand.NewPCG(1, 2))
	if err != nil {
		return err
	}
	x, y = nil, nil
	debug.FreeOSMemory()
	before := occupied()
	begin := time.Now()
	var passes *krr.Passes
	if solver == "cg" {
		passes = &krr.Passes{Memory: memory}
	}
	model, report, err := krr.Fit(ctx, m, train, krr.Settings{Lambdas: []float64{lambda}, Passes: passes, Precision: precision,
		Scaling: scaling, Engine: rff.Engine{Workers: workers}})
	if err != nil {
		return err
	}
	took := time.Since(begin).Seconds()
	after := resident()
	var p mat.Dense
	if err := model.Predict(&p, mat.NewDense(vx.Rows, vx.Cols, vx.Data)); err != nil {
		return err
	}
	right := 0
	for i, v := range vy.Data {
		if (p.At(i, 0) >= 0) == (v > 0) {
			right++
		}
	}
	if err := (result{Accuracy: filepath.Base(path), Rows: report.Train.Rows, Features: features, Lambda: lambda, Solver: solver, Dtype: string(precision), Workers: workers,
		Percent: 100 * float64(right) / float64(vy.Rows), Ours: took, MiB: after - before, Budget: memory, Solved: model.Info().Solved.String()}).append(record); err != nil {
		return err
	}
	fmt.Printf("%s, %s %v, s = %d, λ = %g: accuracy %.3f %%, %.1f s, peak resident %.0f MiB (before the fit %.0f); %v\n",
		filepath.Base(path), solver, precision, features, lambda, 100*float64(right)/float64(vy.Rows), took, after, before, model.Info().Solved)
	return nil
}
