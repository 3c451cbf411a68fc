package blas

import "math"

// Sums are the sufficient statistics of a stream of rows for ridge regression
// on features z with targets y and row weights w, all in float64:
//
//	G = Σ w·zzᵀ (upper triangle)  ZY = Σ w·zyᵀ  Z = Σ w·z  Y = Σ w·y  YY = Σ w·y²  W = Σ w
type Sums struct {
	Rows int64
	W    float64
	G    General[float64] // s×s; empty when only scores are wanted
	ZY   General[float64] // s×t
	Z    []float64        // s
	Y    []float64        // t
	YY   []float64        // t
}

// Accumulator adds rows to Sums, RowBlock rows at a time whatever the sizes of
// the pieces they come in, so the result depends on the order of the rows only.
// One goroutine at a time may use it.
type Accumulator[T Float] struct {
	Sums
	features *Features[T]
	x, y     General[T] // pending rows
	weight   []T
	pending  int
}

// NewAccumulator returns an empty accumulator for t targets; with gram unset it
// leaves out G, the expensive part.
func NewAccumulator[T Float](m *Features[T], targets int, gram bool) *Accumulator[T] {
	in, s := m.Dims()
	a := &Accumulator[T]{features: m, x: NewGeneral[T](RowBlock, in), y: NewGeneral[T](RowBlock, targets), weight: make([]T, RowBlock)}
	a.Sums = Sums{ZY: NewGeneral[float64](s, targets), Z: make([]float64, s), Y: make([]float64, targets), YY: make([]float64, targets)}
	if gram {
		a.G = NewGeneral[float64](s, s)
	}
	return a
}

// Add adds the rows of x (n×d) with targets y (n×t) and weights (n ≥ 0, or nil
// for ones). Up to RowBlock−1 rows stay pending until Flush.
func (a *Accumulator[T]) Add(e Engine, x, y General[T], weight []T) {
	if x.Rows != y.Rows || x.Cols != a.x.Cols || y.Cols != a.y.Cols || (weight != nil && len(weight) != x.Rows) {
		panic(errShape)
	}
	for i := range x.Rows {
		copy(a.x.Row(a.pending), x.Row(i))
		copy(a.y.Row(a.pending), y.Row(i))
		a.weight[a.pending] = 1
		if weight != nil {
			a.weight[a.pending] = weight[i]
		}
		a.pending++
		if a.pending == RowBlock {
			a.Flush(e)
		}
	}
}

// Pending returns the number of rows that Flush would add.
func (a *Accumulator[T]) Pending() int { return a.pending }

// Flush adds the pending rows to the sums as one block.
func (a *Accumulator[T]) Flush(e Engine) {
	n := a.pending
	if n == 0 {
		return
	}
	a.pending = 0
	_, s := a.features.Dims()
	z := NewGeneral[T](n, s)
	a.features.Transform(e, z, a.x.RowRange(0, n))
	targets := a.y.Cols
	block := Sums{ZY: NewGeneral[float64](s, targets)}
	for r := range n {
		w := float64(a.weight[r])
		root := T(math.Sqrt(w))
		row := z.Row(r)
		for j := range row {
			row[j] *= root
			a.Z[j] += float64(row[j]) * float64(root)
		}
		for t, y := range a.y.Row(r) {
			a.Y[t] += w * float64(y)
			a.YY[t] += w * float64(y) * float64(y)
			for j := range row {
				block.ZY.Data[j*targets+t] = math.FMA(float64(row[j]), float64(y*root), block.ZY.Data[j*targets+t])
			}
		}
		a.W += w
	}
	for i, v := range block.ZY.Data {
		a.ZY.Data[i] += v
	}
	if a.G.Data != nil {
		for i := range s {
			for j := i; j < s; j++ {
				var c float64
				for r := range n {
					c = math.FMA(float64(z.Data[r*s+i]), float64(z.Data[r*s+j]), c)
				}
				a.G.Data[i*s+j] += c
			}
		}
	}
	a.Rows += int64(n)
}
