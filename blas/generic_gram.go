package blas

import (
	"math"

	"github.com/rffgo/rff/internal/schedule"
)

// genericGram adds row blocks to G, ZY and Z on the products of a generic backend. It is a
// pipeline: one step prepares the features of a row block in chunks of rows, and the next uses
// them in tiles of G. Workers divide the tiles among themselves, so results do not depend on
// the number of workers.
type genericGram[T Float] struct {
	*genericMap[T]
	into   *Sums
	x, y   General[T]
	weight []T

	block, chunk int // rows of a row block and of a task that makes features
	tiles        []gramTile
	bufs         int
	z, targets   []T
	sums         []T // (t+1)×s
	sums64       []float64
}

// gramTile is rows i0 … i1−1 and columns j0 … j1−1 of G.
type gramTile struct{ i0, i1, j0, j1 int }

// tilesOfTriangle lists the tiles of the upper triangle of an s×s matrix.
func tilesOfTriangle(s, workers int) (tiles []gramTile) {
	size := genericTile
	if workers > 1 { // a few tiles give every worker some; more would cost packing
		size = min(size, max(genericLeast, ceil(s, 2)))
	}
	for i := 0; i < s; i += size {
		for j := i; j < s; j += size {
			tiles = append(tiles, gramTile{i, min(s, i+size), j, min(s, j+size)})
		}
	}
	return tiles
}

func (o genericOperations[T]) add(e Engine, sums *Sums, m *Features[T], x, y General[T], weight []T) {
	n, s, t := x.Rows, len(sums.Z), len(sums.Y)
	g := &genericGram[T]{genericMap: o.mapOf(m), into: sums, x: x, y: y, weight: weight, block: min(n, RowBlock)}
	g.chunk = min(g.genericMap.chunk(), max(1, ceil(g.block, e.workers())))
	if sums.G.Data != nil {
		g.tiles = tilesOfTriangle(s, e.workers())
	}
	workers := e.workersFor(float64(g.block)*float64(s)*float64(s)/2, max(len(g.tiles), ceil(g.block, g.chunk)))
	g.bufs = schedule.Buffers(workers)
	z := borrow[T](g.bufs * g.block * s)
	defer z.giveBack()
	g.z, g.targets = z.data, make([]T, g.bufs*g.block*(t+1))
	g.sums, g.sums64 = make([]T, (t+1)*s), make([]float64, (t+1)*s)
	p := schedule.Pipeline{Stages: ceil(n, RowBlock), Prepare: g.prepare, Use: g.use,
		Prepares: func(stage int) int { r0, r1 := g.rows(stage); return ceil(r1-r0, g.chunk) },
		Uses:     func(int) int { return len(g.tiles) + 1 }}
	p.Run(workers)
}

// rows returns the rows of a stage.
func (g *genericGram[T]) rows(stage int) (int, int) {
	return stage * RowBlock, min(g.x.Rows, (stage+1)*RowBlock)
}

// buffers returns the buffers of a stage: features and targets.
func (g *genericGram[T]) buffers(stage int) (z General[T], targets []T) {
	r0, r1 := g.rows(stage)
	s, b := len(g.into.Z), stage%g.bufs
	z = General[T]{Rows: r1 - r0, Cols: s, Stride: s, Data: g.z[b*g.block*s:][:(r1-r0)*s]}
	return z, g.targets[b*g.block*(g.y.Cols+1):]
}

// prepare makes the features of some rows.
func (g *genericGram[T]) prepare(_, stage, task int) {
	r0, r1 := g.rows(stage)
	i0 := task * g.chunk
	i1 := min(i0+g.chunk, r1-r0)
	z, targets := g.buffers(stage)
	z = z.RowRange(i0, i1)
	g.generate(z, g.x.RowRange(r0+i0, r0+i1))
	var factor []T
	if g.weight != nil {
		factor = make([]T, i1-i0)
		for r := range factor {
			factor[r] = g.weight[r0+i0+r]
			if g.into.G.Data == nil {
				continue
			}
			factor[r] = T(math.Sqrt(float64(factor[r])))
			for j := range z.Row(r) {
				z.Row(r)[j] *= factor[r]
			}
		}
	}
	targetBlock(targets[i0*(g.y.Cols+1):], g.y.RowRange(r0+i0, r0+i1), factor)
}

// use adds the targets' sums (task 0) or a tile.
func (g *genericGram[T]) use(_, stage, task int) {
	z, targets := g.buffers(stage)
	if task > 0 {
		g.addTile(g.tiles[task-1], z)
		return
	}
	s, n := len(g.into.Z), g.y.Cols+1
	left := General[T]{Rows: z.Rows, Cols: n, Stride: n, Data: targets}
	g.ops.Gemm(true, false, 1, left, z, 0, General[T]{Rows: n, Cols: s, Stride: s, Data: g.sums})
	round(g.sums64, g.sums)
	g.into.addTargets(g.sums64, s, 0, s, g.y.Cols)
}

// addTile adds a tile of ZᵀZ to G. In float64 the product is added to G directly; in float32
// it goes through a tile of its own.
func (g *genericGram[T]) addTile(t gramTile, z General[T]) {
	c := g.into.G.view(t.i0, t.i1, t.j0, t.j1)
	left, right := z.view(0, z.Rows, t.i0, t.i1), z.view(0, z.Rows, t.j0, t.j1)
	diagonal := t.i0 == t.j0
	multiply := func(beta T, to General[T]) {
		if diagonal {
			g.ops.Syrk(true, true, 1, left, beta, to)
		} else {
			g.ops.Gemm(true, false, 1, left, right, beta, to)
		}
	}
	if direct, ok := any(c).(General[T]); ok { // float64
		multiply(1, direct)
		return
	}
	w := borrow[T](c.Rows * c.Cols)
	defer w.giveBack()
	part := General[T]{Rows: c.Rows, Cols: c.Cols, Stride: c.Cols, Data: w.data}
	multiply(0, part)
	for i := range c.Rows {
		from := 0
		if diagonal {
			from = i
		}
		to, row := c.Row(i), part.Row(i)
		for j := from; j < len(row); j++ {
			to[j] += float64(row[j])
		}
	}
}
