package blas

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rffgo/rff/asm"
)

func TestSumsBits(t *testing.T) {
	t.Run("float64", testSumsBits[float64])
	t.Run("float32", testSumsBits[float32])
}

func testSumsBits[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(21, 2))
	all, first := specs(r), testedISAs()[0]
	for at, name := range slices.Sorted(maps.Keys(all)) {
		s, n := all[name], RowBlock+77
		if name == "cos" {
			n += RowBlock // with two blocks, none would show in which order they are added
		}
		x := randomGeneral[T](r, n, s.Dim, 1)
		z := refFeatures(s, x)
		for of, targets := range []int{1, 3, manyTargets} {
			if testing.Short() && of != at%3 {
				continue // an emulated processor has one number of targets for each map
			}
			y := randomGeneral[T](r, n, targets, 1)
			weight := make([]T, n)
			for i := range weight {
				weight[i] = T(r.IntN(4)) / 2
			}
			if targets == 1 {
				weight = nil
			}
			for _, gram := range []bool{true, false} {
				if gram && targets == manyTargets || testing.Short() && gram != (targets == 3) {
					continue // one of the two per number of targets will do
				}
				want := refSumsOf(z, y, weight, gram)
				t.Run(fmt.Sprintf("%s/targets=%d/gram=%v", name, targets, gram), func(t *testing.T) {
					m := Pack[T](s)
					// How rows are shared out is the same for all kernels: those beside the first
					// have one number of workers here and the other at the next map or sums.
					workers := 1
					if gram == ((at+targets/2)%2 == 0) {
						workers = 3
					}
					onExact(t, func(t *testing.T, e Engine) {
						if e.Workers != workers && e.Backend.(*nativeBackend).f64.ISA != first {
							return
						}
						a := NewAccumulator(m, targets, gram)
						// In pieces of random sizes.
						pieces := rand.New(rand.NewPCG(uint64(e.Workers), 9))
						for i := 0; i < n; {
							j := min(n, i+1+pieces.IntN(2*RowBlock))
							var w []T
							if weight != nil {
								w = weight[i:j]
							}
							a.Add(e, x.RowRange(i, j), y.RowRange(i, j), w)
							i = j
						}
						a.Flush(e)
						sameSums(t, &a.Sums, want)
					})
				})
			}
		}
	}
}

// A worker that stops for a while, as an operating system makes it, changes no bit and
// stops no other one for good.
func TestSlowWorker(t *testing.T) {
	t.Run("float64", testSlowWorker[float64])
	t.Run("float32", testSlowWorker[float32])
}

func testSlowWorker[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(23, 2))
	const n = 3 * RowBlock
	for _, name := range []string{"cos", "cossin"} {
		s := specs(r)[name]
		x, y := randomGeneral[T](r, n, s.Dim, 1), randomGeneral[T](r, n, 2, 1)
		want := refSums(s, x, y, nil, true)
		for slow := range 4 { // the features that one worker stops before
			kern := *oddKernels[T](64, 1, 6, 4) // fewer tasks for a row block than workers
			features, calls := kern.Features, new(atomic.Int32)
			kern.Features = func(f asm.Func, p *asm.Projection[T], o *asm.Output[T]) {
				if int(calls.Add(1)) == slow+1 {
					time.Sleep(20 * time.Millisecond)
				}
				features(f, p, o)
			}
			a := NewAccumulator(Pack[T](s), 2, true)
			a.Add(Engine{Backend: slowBackend(&kern), Workers: 8, eager: true}, x, y, nil)
			a.Flush(Engine{Backend: slowBackend(&kern)})
			sameSums(t, &a.Sums, want)
		}
	}
}

// Sums have the same bits however many workers there are to each row block, also where
// some of its parts have no rows.
func TestSumsOfManyWorkers(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 2))
	for _, s := range specs(r) {
		m := Pack[float64](s)
		for _, n := range []int{37, RowBlock + 101} {
			x, y := randomGeneral[float64](r, n, s.Dim, 1), randomGeneral[float64](r, n, 1, 1)
			weight := slices.Repeat([]float64{2}, n)
			sums := func(workers int) *Sums {
				a := NewAccumulator(m, 1, true)
				e := Engine{Workers: workers, eager: true}
				a.blocks(e, x, y, weight) // as Flush, of more rows than a row block
				return &a.Sums
			}
			want := sums(1)
			for _, workers := range []int{2, 3, 5, 8, 16, 33, 64} {
				sameSums(t, sums(workers), want)
			}
		}
	}
}

// slowBackend is the native backend with these kernels.
func slowBackend[T Float](kern *asm.Kernels[T]) Backend {
	b := &nativeBackend{asm.Reference[float64](), asm.Reference[float32]()}
	switch k := any(kern).(type) {
	case *asm.Kernels[float64]:
		b.f64 = k
	case *asm.Kernels[float32]:
		b.f32 = k
	}
	return b
}

func sameSums(t *testing.T, got, want *Sums) {
	t.Helper()
	if got.Rows != want.Rows || got.W != want.W {
		t.Fatalf("rows %d, weight %g; want %d, %g", got.Rows, got.W, want.Rows, want.W)
	}
	sameBits(t, "G", got.G.Data, want.G.Data)
	sameBits(t, "ZY", got.ZY.Data, want.ZY.Data)
	sameBits(t, "Z", got.Z, want.Z)
	sameBits(t, "Y", got.Y, want.Y)
	sameBits(t, "YY", got.YY, want.YY)
}

func TestMergeSubtract(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 2))
	s := specs(r)["cossin"]
	m := Pack[float64](s)
	x, y := randomGeneral[float64](r, 300, s.Dim, 0), randomGeneral[float64](r, 300, 2, 0)
	sums := func(i, j int) *Sums {
		a := NewAccumulator(m, 2, true)
		a.Add(Engine{}, x.RowRange(i, j), y.RowRange(i, j), nil)
		a.Flush(Engine{})
		return &a.Sums
	}
	total, part := sums(0, 300), sums(0, 100)
	total.Merge(part, -1)
	rest := sums(100, 300)
	near := func(what string, got, want []float64) {
		for i := range got {
			// Sums of 300 terms of size at most 1.5²·|y|: 300·eps·10 is plenty.
			if math.Abs(got[i]-want[i]) > 1e-11 {
				t.Fatalf("%s: element %d is %g, want %g", what, i, got[i], want[i])
			}
		}
	}
	near("G", total.G.Data, rest.G.Data)
	near("ZY", total.ZY.Data, rest.ZY.Data)
	near("Z", total.Z, rest.Z)
	if total.Rows != 200 || total.W != 200 {
		t.Fatalf("%d rows of weight %g left", total.Rows, total.W)
	}
	total.Merge(part, 1)
	if all := sums(0, 300); total.Rows != all.Rows {
		t.Fatalf("%d rows after Merge", total.Rows)
	}
}

// Rows that have a single target each, as classes coded as 2 and 0 do, have the sums of
// all their targets, to the bit.
func TestLoneTargets(t *testing.T) {
	t.Run("float64", testLoneTargets[float64])
	t.Run("float32", testLoneTargets[float32])
}

func testLoneTargets[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(23, 2))
	const n, targets = RowBlock + 77, leastLone
	for _, name := range []string{"cossin", "cos"} {
		s := specs(r)[name]
		x := randomGeneral[T](r, n, s.Dim, 1)
		z := refFeatures(s, x)
		for _, weighted := range []bool{false, true} {
			y, weight := NewGeneral[T](n, targets), []T(nil)
			for i := range n {
				if at := r.IntN(targets + 1); at < targets {
					y.Row(i)[at] = 2
				}
				if weighted {
					weight = append(weight, T(r.IntN(4))/3)
					y.Row(i)[0] *= T(r.NormFloat64())
				}
			}
			if loneTargets(y, nil) == nil {
				t.Fatal("the targets are not lone")
			}
			want := refSumsOf(z, y, weight, true)
			m := Pack[T](s)
			onExact(t, func(t *testing.T, e Engine) {
				a := NewAccumulator(m, targets, true)
				a.Add(e, x, y, weight)
				a.Flush(e)
				sameSums(t, &a.Sums, want)
			})
		}
	}
	y := NewGeneral[T](2, targets)
	y.Row(1)[3], y.Row(1)[5] = 1, 1
	if loneTargets(y, nil) != nil {
		t.Error("a row with two targets that are not zero")
	}
}
