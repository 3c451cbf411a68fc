package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr"
)

// short is an operation of microseconds to milliseconds, timed count in a row and beside
// NumPy.
type short struct {
	op      string // an operation of rival.py
	a, b, c int    // its sizes
	count   int
}

// shortCases are operations of milliseconds, by themselves and beside a busy process.
var shortCases = func() []Case {
	var all []Case
	add := func(subject, wanted string, workers int, busy bool, shapes ...short) {
		for _, s := range shapes {
			all = append(all, s.cases(subject, wanted, workers, busy)...)
		}
	}
	var features []short
	for _, s := range []int{2, 4, 10} {
		for _, d := range []int{2, 14} {
			features = append(features, short{"features", 10000, d, s, 100})
		}
	}
	add("Small shapes", "≤ 1 × NumPy", 1, false, short{"cholesky", 64, 0, 0, 2000}, short{"cholesky", 128, 0, 0, 500}, short{"cholesky", 192, 0, 0, 300}, short{"cholesky", 256, 0, 0, 150}, short{"fit", 300, 14, 256, 40})
	add("Few columns", "≤ 1 × NumPy", 1, false, features...)
	ops := []short{{"cholesky", 1024, 0, 0, 15}, {"cholesky", 1792, 0, 0, 4}, {"product", 300, 300, 300, 150}, {"product", 1000, 1000, 1000, 5}, {"features", 20000, 8, 256, 40}}
	fits := []short{{"fit", 5000, 14, 512, 4}, {"fit", 100000, 10, 256, 1}, {"fit", 10000, 14, 1792, 1}}
	add("Short work on one worker", "", 1, false, slices.Concat(ops, fits)...)
	add("Short work on two workers", "", 2, false, ops...)
	add("Short work on two workers", "≤ .95 × NumPy", 2, false, fits...)
	add("Short work beside a busy process", "no slower than one worker", 1, true, slices.Concat(ops, fits)...)
	add("Short work on two workers beside a busy process", "no slower than one worker beside it", 2, true, slices.Concat(ops, fits)...)
	add("Batches of 64 rows", "", 1, false, short{"features", 64, 784, 4096, 40})
	return all
}()

// cases are the operation in both element types, each with NumPy's.
func (s short) cases(subject, wanted string, workers int, busy bool) []Case {
	var all []Case
	for _, dtype := range []string{"float64", "float32"} {
		name := fmt.Sprintf("%s %d", s.op, s.a)
		if s.b > 0 {
			name += fmt.Sprintf(",%d,%d", s.b, s.c)
		}
		name += " " + dtype
		if s.count > 1 {
			name = fmt.Sprintf("%d × %s", s.count, name)
		}
		if workers > 1 {
			name += fmt.Sprintf(" by %d", workers)
		}
		if busy {
			name += ", crowded"
		}
		own := Case{Name: name, Subject: subject, Wanted: wanted, Unit: "NumPy " + name, Workers: workers, Repeat: 7, Busy: busy}
		own.prepare = func(side *side) (func() error, error) {
			if dtype == "float32" {
				return prepare[float32](s, krr.Float32, side.workers)
			}
			return prepare[float64](s, krr.Float64, side.workers)
		}
		rival := Case{Name: own.Unit, Subject: subject, Workers: workers, Busy: busy}
		rival.cell = func() (Cell, error) { return s.rival(dtype, own.Repeat) }
		all = append(all, own, rival)
	}
	return all
}

// prepare returns count runs of the operation in a row.
func prepare[T blas.Float](s short, precision krr.Precision, workers int) (func() error, error) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(rows, cols int) blas.General[T] {
		m := blas.NewGeneral[T](rows, cols)
		for i := range m.Data {
			m.Data[i] = T(r.Float64())
		}
		return m
	}
	e := blas.Engine{Workers: workers}
	var once func() error
	switch s.op {
	case "cholesky":
		a, u := random(s.a, s.a), blas.NewGeneral[T](s.a, s.a)
		for i := range s.a {
			a.Data[i*s.a+i] += T(s.a)
		}
		once = func() error {
			copy(u.Data, a.Data)
			return blas.Cholesky(e, u)
		}
	case "product":
		a, b, c := random(s.a, s.b), random(s.b, s.c), blas.NewGeneral[T](s.a, s.c)
		once = func() error {
			blas.Gemm(e, false, false, 1, a, b, 0, c)
			return nil
		}
	case "features":
		spec := &blas.Spec{Dim: s.b, Func: asm.CosSin, Weight: make([]float64, s.c), W: blas.NewGeneral[float64](s.c/2, s.b)}
		for i := range spec.Weight {
			spec.Weight[i] = math.Sqrt(2 / float64(s.c))
		}
		for i := range spec.W.Data {
			spec.W.Data[i] = r.NormFloat64() / 3
		}
		m, x, z := blas.Pack[T](spec), random(s.a, s.b), blas.NewGeneral[T](s.a, s.c)
		once = func() error {
			m.Transform(e, z, x)
			return nil
		}
	default:
		src, m, err := problem(shape{s.a, s.b, s.c})
		if err != nil {
			return nil, err
		}
		once = func() error {
			_, _, err := krr.Fit(context.Background(), m, src, krr.Settings{Engine: rff.Engine{Workers: workers}, Precision: precision, Lambdas: []float64{1e-4}})
			return err
		}
	}
	return func() error {
		for range s.count {
			if err := once(); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

//go:embed rival.py
var rivalProgram string

// rival measures NumPy.
func (s short) rival(dtype string, repeat int) (Cell, error) {
	number := strconv.Itoa
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import numpy, scipy").Run() != nil {
			continue
		}
		var problems bytes.Buffer
		c := exec.Command(python, "-c", rivalProgram, s.op, number(s.a), number(s.b), number(s.c), dtype, number(s.count), number(repeat))
		c.Stderr = &problems
		text, err := c.Output()
		if err != nil {
			return Cell{}, fmt.Errorf("%w\n%s", err, problems.String())
		}
		var cell Cell
		return cell, json.Unmarshal(text, &cell)
	}
	return Cell{}, fmt.Errorf("%w: no Python here has NumPy and SciPy (Debian: python3-scipy)", errAbsent)
}
