package asm

import (
	"fmt"
	"testing"
	"time"
	"unsafe"
)

// BenchmarkSyrk is ZᵀZ of one row block from panels, upper triangle: the
// blocking that package blas uses, without its workers. roof% compares with the
// multiply-adds per second of the same kernels' Peak, run in turn.
func BenchmarkSyrk(b *testing.B) {
	for _, s := range []int{1024, 1792, 4096} {
		for _, k := range All[float64]() {
			benchSyrk(b, k, s)
		}
		for _, k := range All[float32]() {
			benchSyrk(b, k, s)
		}
	}
}

// syrkGroup panels of 64 KB and as many of the next group fit a second-level
// cache of 1 MB.
const syrkGroup = 6

func benchSyrk[T Float](b *testing.B, kern *Kernels[T], s int) {
	const rows = 504
	if kern.ISA == "go" {
		return
	}
	b.Run(fmt.Sprintf("isa=%s/type=%T/s=%d", kern.ISA, T(0), s), func(b *testing.B) {
		panels := (s + kern.Panel - 1) / kern.Panel
		z := make([]T, panels*rows*kern.Panel+kern.Panel)
		for i := range z {
			z[i] = T(i%7) - 3
		}
		c := make([]float64, s*s)
		roof, best := 0.0, time.Duration(1<<62)
		for b.Loop() {
			roof = max(roof, fmaRate(kern))
			start := time.Now()
			syrkPanels(kern, z, rows, s, c)
			best = min(best, time.Since(start))
		}
		rate := float64(s) * float64(s+1) / 2 * rows / best.Seconds()
		b.ReportMetric(100*rate/roof, "roof%")
		b.ReportMetric(2e-9*rate, "GFLOP/s")
	})
}

func fmaRate[T Float](kern *Kernels[T]) float64 {
	start := time.Now()
	n := kern.Peak(40000)
	return float64(n) / time.Since(start).Seconds()
}

func syrkPanels[T Float](kern *Kernels[T], z []T, rows, s int, c []float64) {
	panel, mr, size := kern.Panel, kern.MR, rows*kern.Panel
	panels := (s + panel - 1) / panel
	lines := rows / 4 * 64 / int(unsafe.Sizeof(T(0))) // elements fetched ahead per panel
	for q0 := 0; q0 < panels; q0 += syrkGroup {
		q1 := min(panels, q0+syrkGroup)
		end, following := min(s, q1*panel), q1*size
		for p := range q1 {
			for h := 0; h < panel && p*panel+h < s; h += mr {
				q := max(p, q0)
				// The strips of a panel fetch the next one, those on the
				// diagonal the next group.
				ahead := (p+1)*size + h/mr*(q1-q)*lines
				if p >= q0 {
					ahead = following
					following += (q1 - q) * lines
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
