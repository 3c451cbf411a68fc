package blas

import "github.com/rffgo/rff/internal/optional"

// Sums are the sufficient statistics of a stream of rows for ridge regression
// on features z with targets y and row weights w, all in float64:
//
//	G = Σ w·zzᵀ (upper triangle; zeros below)  ZY = Σ w·zyᵀ  Z = Σ w·z  Y = Σ w·y  YY = Σ w·y²  W = Σ w
//
// On an exact backend, rows z, y have element type T and come in blocks of RowBlock rows, in
// order. With weights, z' = √w·z and y' = √w·y are rounded to T. For each block, an element of
// G, ZY or Z adds in float64 the fused chain in T, from 0, of z'ᵢz'ⱼ, y'z' or √w·z' over the
// rows of the block. Without G, ZY and Z add the chains of (w·y)·z and w·z, so they are the
// same only if all weights are 1. Y, YY and W add w·y, (w·y)·y and w row by row in float64.
type Sums struct {
	Rows int64
	W    float64
	G    General[float64] // s×s; empty when only scores are wanted
	ZY   General[float64] // s×t
	Z    []float64        // s
	Y    []float64        // t
	YY   []float64        // t

	// Eps is the spacing of T at 1, 2⁻⁵² or 2⁻²³; 0 stands for 2⁻⁵². The rounding errors of
	// G have a norm of at most Eps·tr G, unless Noise is set.
	Eps float64
	// Noise is about the norm of the rounding errors of G if it is more than Eps·tr G, and
	// otherwise 0.
	Noise float64

	// Unit is what features are multiples of in sums of integers (NewIntegers), and otherwise 0.
	// A target then has Parts columns in ZY, Y and YY. Bias is the variance of the rounding
	// errors of features: W·Bias is what they add to the diagonal of G.
	Unit, Bias float64
}

// NewSums returns zero sums for s columns and t targets, with or without G.
func NewSums(s, targets int, gram bool) *Sums {
	u := &Sums{ZY: NewGeneral[float64](s, targets), Z: make([]float64, s), Y: make([]float64, targets), YY: make([]float64, targets)}
	if gram {
		u.G = NewGeneral[float64](s, s)
	}
	return u
}

// Merge adds sign times o to s. sign is 1 to add the rows of o, and −1 to take them out of s.
// If s has no G, that of o is left out. Merge panics if the sizes or units differ or only s has G.
func (s *Sums) Merge(o *Sums, sign float64) {
	if s.Unit != o.Unit || len(s.Z) != len(o.Z) || len(s.Y) != len(o.Y) || (s.G.Rows > 0 && s.G.Rows != o.G.Rows) {
		panic(errShape)
	}
	s.Rows += int64(sign) * o.Rows
	s.W += float64(sign * o.W)
	s.Eps, s.Noise, s.Bias = max(s.Eps, o.Eps), s.Noise+o.Noise, max(s.Bias, o.Bias)
	add := func(a, b []float64) {
		for i, v := range b {
			a[i] += float64(sign * v)
		}
	}
	for i := range s.G.Rows {
		add(s.G.Row(i)[i:], o.G.Row(i)[i:])
	}
	for i := range s.ZY.Rows {
		add(s.ZY.Row(i), o.ZY.Row(i))
	}
	add(s.Z, o.Z)
	add(s.Y, o.Y)
	add(s.YY, o.YY)
}

// Accumulator adds rows to Sums, RowBlock rows at a time, whatever the sizes of the pieces in
// which they come. So the result depends only on the order of the rows. Besides the sums it
// holds RowBlock rows of x and y (or more: see Hold), and during Add the features of one or,
// with several workers, two blocks. One goroutine at a time may use it.
type Accumulator[T Float] struct {
	Sums
	features *Features[T]
	x, y     General[T] // pending rows
	weight   []T
	weighted bool // some pending row has a weight other than 1
	pending  int
	most     int // pending rows that are added together: whole row blocks
}

// NewAccumulator returns an empty accumulator for that many targets. If gram is false it leaves
// out G, the expensive part, and stores the features of at most a few rows.
func NewAccumulator[T Float](m *Features[T], targets int, gram bool) *Accumulator[T] {
	in, s := m.Dims()
	a := &Accumulator[T]{Sums: *NewSums(s, targets, gram), features: m, most: RowBlock,
		x: General[T]{Cols: in, Stride: in}, y: General[T]{Cols: targets, Stride: targets}}
	a.Eps = 0x1p-52
	if _, single := any(T(0)).(float32); single {
		a.Eps = 0x1p-23
	}
	return a
}

// Hold lets that many row blocks of rows wait, to be added together. Rows that come one by one
// then keep as many workers busy as rows that come in large pieces. Hold changes no sum. It
// panics unless blocks ≥ 1 and no row is pending.
func (a *Accumulator[T]) Hold(blocks int) {
	if blocks < 1 || a.pending > 0 {
		panic(errShape)
	}
	a.most = blocks * RowBlock
}

// Waiting returns the rows that Flush would add, until the next call of any method.
func (a *Accumulator[T]) Waiting() (x, y General[T], weight []T) {
	return a.x.RowRange(0, a.pending), a.y.RowRange(0, a.pending), a.weight[:a.pending]
}

// reserve makes room for n pending rows.
func (a *Accumulator[T]) reserve(n int) {
	if n <= len(a.weight) {
		return
	}
	n = min(a.most, max(n, 2*len(a.weight), 64))
	for _, m := range []*General[T]{&a.x, &a.y} {
		old := *m
		*m = NewGeneral[T](n, old.Cols)
		copy(m.Data, old.Data)
	}
	a.weight = append(make([]T, 0, n), a.weight...)[:n]
}

// Add adds the rows of x (n×d) with targets y (n×t) and weights (n, each ≥ 0,
// or nil for ones). Rows that do not fill a row block stay pending until Flush.
func (a *Accumulator[T]) Add(e Engine, x, y General[T], weight []T) {
	if a.checkRows(x, y); weight != nil && len(weight) != x.Rows {
		panic(errShape)
	}
	if a.pending > 0 {
		n := a.keep(x, y, weight)
		if a.pending < a.most {
			return
		}
		a.Flush(e)
		x, y, weight = x.RowRange(n, x.Rows), y.RowRange(n, y.Rows), optional.Range(weight, n, x.Rows)
	}
	if n := x.Rows / RowBlock * RowBlock; n > 0 {
		a.blocks(e, x.RowRange(0, n), y.RowRange(0, n), optional.Range(weight, 0, n))
		x, y, weight = x.RowRange(n, x.Rows), y.RowRange(n, y.Rows), optional.Range(weight, n, x.Rows)
	}
	a.keep(x, y, weight)
}

// keep copies rows to the pending ones while there is room, and returns how many it copied.
func (a *Accumulator[T]) keep(x, y General[T], weight []T) int {
	n := min(x.Rows, a.most-a.pending)
	a.reserve(a.pending + n)
	for i := range n {
		copy(a.x.Row(a.pending), x.Row(i))
		copy(a.y.Row(a.pending), y.Row(i))
		a.weight[a.pending] = 1
		if weight != nil {
			a.weight[a.pending] = weight[i]
			a.weighted = a.weighted || weight[i] != 1
		}
		a.pending++
	}
	return n
}

// Last is Add without weights, and then Flush, but copies no row. It panics if a row is pending.
func (a *Accumulator[T]) Last(e Engine, x, y General[T]) {
	if a.checkRows(x, y); a.pending > 0 {
		panic(errShape)
	}
	a.blocks(e, x, y, nil)
}

func (a *Accumulator[T]) checkRows(x, y General[T]) {
	x.check()
	y.check()
	if x.Rows != y.Rows || x.Cols != a.x.Cols || y.Cols != a.y.Cols {
		panic(errShape)
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
	var weight []T
	if a.weighted {
		weight = a.weight[:n]
	}
	a.pending, a.weighted = 0, false
	a.blocks(e, a.x.RowRange(0, n), a.y.RowRange(0, n), weight)
}

// blocks adds rows, the last block of which may be short.
func (a *Accumulator[T]) blocks(e Engine, x, y General[T], weight []T) {
	a.Rows += int64(x.Rows)
	if a.Unit != 0 {
		if weight != nil || a.G.Data == nil {
			panic(errShape)
		}
		for r := range y.Rows {
			addParts(a.Y, a.YY, any(y.Row(r)).([]float32))
		}
		a.W += float64(x.Rows)
		operationsOf[T](e.exact()).add(e, &a.Sums, a.features, x, y, nil)
		return
	}
	for r := range x.Rows {
		w := 1.0
		if weight != nil {
			w = float64(weight[r])
		}
		for t, v := range y.Row(r) {
			wy := float64(w * float64(v))
			a.Y[t] += wy
			a.YY[t] += float64(wy * float64(v))
		}
		a.W += w
	}
	operationsOf[T](e).add(e, &a.Sums, a.features, x, y, weight)
}
