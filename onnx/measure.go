package onnx

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/krr"
)

// The graph is compared on at most mostRows random rows, and on fewer where these would take more
// than mostWork multiply-adds, a second or so.
const (
	mostRows  = 256
	leastRows = 4
	mostWork  = 2e8
)

// sample returns n random rows as inputs of the graph and as inputs of the map. Of the map's 2n, the
// first have the values that are left in the type of the graph's inputs, the others those before.
func sample(m *model, n int, io kind) (map[string]*tensor, *mat.Dense) {
	random := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(2*n, m.inputs, nil)
	given := map[string]*tensor{}
	all := empty(io, []int{n, len(m.cells)})
	share := make([]float64, n) // of the ranges: half of the rows have all, and half less, as most of real data have
	for i := range share {
		if share[i] = 1; i%2 == 1 {
			share[i] = random.Float64()
		}
	}
	for j, c := range m.cells {
		column := empty(io, []int{n, 1})
		if c.texts {
			column = empty(utf8s, []int{n, 1})
		}
		for i := range n {
			if c.words != nil {
				k := random.IntN(len(c.words))
				x.Set(i, c.first+k, 1)
				x.Set(n+i, c.first+k, 1)
				if c.texts {
					column.s[i] = c.words[k]
					continue
				}
				v, _ := numberOf(c.words[k])
				column.set(i, v)
			} else {
				low, middle, high := m.rangeOf(c.first)
				end := low
				if random.IntN(2) == 1 {
					end = high
				}
				v := middle + float64(share[i]*random.Float64()*(end-middle))
				column.set(i, v)
				x.Set(i, c.first, column.f[i])
				x.Set(n+i, c.first, v)
			}
			all.f[i*len(m.cells)+j] = column.f[i]
		}
		if m.texts {
			given[c.name] = column
		}
	}
	if !m.texts {
		given["x"] = all
	}
	return given, x
}

// rangeOf returns the ends from which an input is drawn, and what is between them: those of the rows
// of the fit, or two units of the scaling around its centre.
func (m *model) rangeOf(j int) (low, middle, high float64) {
	p, scale := m.parts[0], 1.0
	if p.shift != nil {
		middle = p.shift[j]
	}
	if p.scale != nil {
		scale = p.scale[j]
	}
	if m.columnLow == nil || !(m.columnLow[j] <= m.columnEnd[j]) {
		return middle - 2*scale, middle, middle + 2*scale
	}
	low, high = m.columnLow[j], m.columnEnd[j]
	if p.shift == nil || p.points != nil || !(low <= middle && middle <= high) {
		middle = float64(low/2) + float64(high/2)
	}
	return low, middle, high
}

// measured compares the graph with the model. own is the largest difference that the arithmetic
// makes, and all is that with what is lost of the inputs in their type.
func measured(g *graph, m *model, from *krr.Model, io kind) (own, all float64, rows int, err error) {
	work := 0.0
	for _, p := range m.parts {
		work += float64(float64(max(p.w.Rows, p.landmarks.Rows)) * float64(m.inputs+2*m.targets))
		for _, b := range p.blocks {
			if t := b.Trees; t != nil {
				work += float64(20 * float64(t.Count()*(t.Depth+p.w.Rows))) // evaluate reads every number by its place
			}
		}
	}
	rows = int(max(leastRows, min(mostRows, mostWork/work)))
	given, x := sample(m, rows, io)
	var want mat.Dense
	if err := from.Predict(&want, x); err != nil {
		return 0, 0, 0, err
	}
	name := "y"
	if m.classes != nil {
		name = "scores"
	}
	have := evaluate(g, given)[name]
	for i := range rows {
		for k := range m.targets {
			off := func(v float64) float64 { return math.Abs(have.f[i*m.targets+k]-v) / max(1, math.Abs(v)) }
			own = max(own, off(want.At(i, k)))
			all = max(all, own, off(want.At(rows+i, k)))
		}
	}
	return own, all, rows, nil
}
