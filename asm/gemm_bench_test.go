package asm

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// BenchmarkSyrk is ZᵀZ of one row block from panels, upper triangle: the
// blocking that package blas uses; with two workers, two such products at once.
// roof-% is the median share of the multiply-adds per second that Peak reaches on
// as many workers before and after, in as much time: short bursts of it would see
// another clock than a long product.
func BenchmarkSyrk(b *testing.B) {
	for _, s := range []int{1024, 1792, 4096} {
		for workers := 1; workers <= min(2, runtime.GOMAXPROCS(0)); workers++ {
			for _, k := range All[float64]() {
				benchSyrk(b, k, s, workers)
			}
			for _, k := range All[float32]() {
				benchSyrk(b, k, s, workers)
			}
		}
	}
}

// syrkGroup times the width of a tile, 64 KB each, as many of the next group and
// those that pass fit a second-level cache of 1 MB, as in package blas.
const syrkGroup = 5

func benchSyrk[T Float](b *testing.B, kern *Kernels[T], s, workers int) {
	const rows = 504
	if kern.ISA == "go" {
		return
	}
	b.Run(fmt.Sprintf("isa=%s/type=%T/s=%d/workers=%d", kern.ISA, T(0), s, workers), func(b *testing.B) {
		panels := (s + kern.Panel - 1) / kern.Panel
		z, c := make([][]T, workers), make([][]float64, workers)
		for w := range workers {
			z[w], c[w] = make([]T, panels*rows*kern.Panel+kern.Panel), make([]float64, s*s)
			for i := range z[w] {
				z[w][i] = T(i%7) - 3
			}
		}
		all := func(f func(w int) int) (sum int) {
			parts := make([]int, workers)
			var wg sync.WaitGroup
			for w := 1; w < workers; w++ {
				wg.Add(1)
				go func() {
					defer wg.Done()
					parts[w] = f(w)
				}()
			}
			parts[0] = f(0)
			wg.Wait()
			for _, n := range parts {
				sum += n
			}
			return sum
		}
		work := s * (s + 1) / 2 * rows
		half := work / 2 / (kern.Peak(1000) / 1000)
		var shares []float64
		best := time.Duration(1 << 62)
		for b.Loop() {
			t0 := time.Now()
			n := all(func(int) int { return kern.Peak(half) })
			t1 := time.Now()
			all(func(w int) int {
				syrkPanels(kern, z[w], rows, s, c[w])
				return 0
			})
			t2 := time.Now()
			n += all(func(int) int { return kern.Peak(half) })
			t3 := time.Now()
			took, roof := t2.Sub(t1), t3.Sub(t0)-t2.Sub(t1)
			best = min(best, took)
			shares = append(shares, float64(workers*work)/took.Seconds()/(float64(n)/roof.Seconds()))
		}
		slices.Sort(shares)
		b.ReportMetric(0, "ns/op") // of both: of no use
		b.ReportMetric(100*shares[len(shares)/2], "roof-%")
		b.ReportMetric(2e-9*float64(workers*work)/best.Seconds(), "GFLOP/s")
	})
}

func syrkPanels[T Float](kern *Kernels[T], z []T, rows, s int, c []float64) {
	panel, mr, size := kern.Panel, kern.MR, rows*kern.Panel
	panels := (s + panel - 1) / panel
	group := syrkGroup * kern.Width / panel
	lines := rows / 4 * 64 / int(unsafe.Sizeof(T(0))) // elements fetched ahead per tile
	for q0 := 0; q0 < panels; q0 += group {
		q1 := min(panels, q0+group)
		end, following := min(s, q1*panel), q1*size
		for p := range q1 {
			for h := 0; h < panel && p*panel+h < s; h += mr {
				q := max(p, q0)
				// The strips of a panel fetch the next one, those on the
				// diagonal the next group.
				fetch := ((q1-q)*panel + kern.Width - 1) / kern.Width * lines
				ahead := (p+1)*size + h/mr*fetch
				if p >= q0 {
					ahead = following
					following += fetch
				}
				next := z[min(ahead, len(z)-1):]
				strip := func(j int) { // from column j on
					if j < end {
						kern.Accumulate(min(mr, s-p*panel-h), end-j, rows, z[p*size+h:], panel, z[j/panel*size+j%panel:], size,
							c[(p*panel+h)*s+j:], s, next)
					}
				}
				if p < q0 || h == 0 {
					strip(q * panel)
					continue
				}
				// On the diagonal, what is left of the panel and then the rest.
				j, m := p*panel+h, min(mr, s-p*panel-h)
				kern.Accumulate(m, min(panel-h, s-j), rows, z[p*size+h:], panel, z[p*size+h:], size, c[j*s+j:], s, nil)
				strip((p + 1) * panel)
			}
		}
	}
}
