package onnx

import (
	"math"
	"slices"
	"strings"
)

// filled puts in what stands for missing values, and NaN for those that the model does not resolve.
// It returns a column of truth values as well: of the rows that have no prediction.
func (b *builder) filled(m *model, x string) (filled, without string) {
	if m.fill != nil {
		x = b.op("Where", b.op("IsNaN", x), b.reals(m.fill), x)
	}
	for _, p := range m.parts {
		middle, width := p.limits.Box()
		beyond := b.op("GreaterOrEqual", b.op("Abs", b.op("Sub", x, b.reals(middle))), b.reals(width))
		x = b.op("Where", beyond, b.reals([]float64{math.NaN()}), x)
	}
	return x, b.any(b.op("IsNaN", b.op("Sub", x, x)))
}

// scaled adds the scaling of the inputs.
func (b *builder) scaled(m *part, x string) string {
	if m.points != nil {
		x = b.bent(m, x)
	}
	if m.shift != nil {
		x = b.op("Sub", x, b.reals(m.shift))
	}
	if m.scale != nil {
		x = b.op("Div", x, b.reals(m.scale))
	}
	return x
}

// bent takes columns through their points: the number of points at or before a value is the piece
// that it lies on, and a piece is height + (x − start)·share·rise, with share 1/(end − start).
func (b *builder) bent(m *part, x string) string {
	most := slices.Max(m.points)
	pieces := most + 1
	places := make([]float64, m.inputs*most)
	var tables [4][]float64 // start, length, height, rise
	for i := range tables {
		tables[i] = make([]float64, m.inputs*pieces)
	}
	offset, first := make([]int64, m.inputs), 0
	for j, k := range m.points {
		offset[j] = int64(j * pieces)
		from, to := m.from[first:first+k], m.to[first:first+k]
		first += k
		for i := range most {
			places[j*most+i] = math.Inf(1)
		}
		copy(places[j*most:], from)
		for i := range pieces {
			at := j*pieces + i
			tables[1][at] = 1
			switch {
			case k == 0:
				tables[3][at] = 1 // x itself
			case i == 0:
				tables[2][at] = to[0]
			case i >= k:
				tables[2][at] = to[k-1]
			default:
				tables[0][at], tables[1][at] = from[i-1], from[i]-from[i-1]
				tables[2][at], tables[3][at] = to[i-1], to[i]-to[i-1]
			}
		}
	}
	passed := b.op("GreaterOrEqual", b.op("Unsqueeze", x, b.ints(2)), b.reals(places, 1, m.inputs, most))
	count := b.op("ReduceSum", b.cast(int64s, passed), b.ints(2))
	b.nodes[len(b.nodes)-1].attributes = []attribute{{"keepdims", int64(0)}}
	piece := b.op("Add", count, b.constant(tensor{kind: int64s, shape: []int{1, m.inputs}, i: offset}))
	var of [4]string
	for i, t := range tables {
		of[i] = b.op("Gather", b.reals(t, len(t)), piece)
	}
	share := b.op("Div", b.op("Sub", x, of[0]), of[1])
	return b.op("Add", of[2], b.op("Mul", share, of[3]))
}

// features adds f(p) of the scaled inputs. Weights and products are in the coefficients.
func (b *builder) features(m *part, x string) string {
	if m.landmarks.Data != nil {
		return b.section(m, x)
	}
	var p string
	if m.w.Data != nil {
		wt := make([]float64, len(m.w.Data))
		for i := range m.w.Rows {
			for j := range m.inputs {
				wt[j*m.w.Rows+i] = m.w.Data[i*m.w.Stride+j]
			}
		}
		p = b.times(x, wt, m.inputs, m.w.Rows)
	}
	if m.hasTrees() {
		p = b.trees(m, p, x)
	}
	phased := func(more float64) string {
		phase := make([]float64, m.w.Rows)
		for i := range phase {
			if m.phase != nil {
				phase[i] = m.phase[i]
			}
			phase[i] += more
		}
		if m.phase == nil && more == 0 {
			return p
		}
		return b.op("Add", p, b.reals(phase))
	}
	// Early versions of onnxruntime have no cosine of float64.
	switch m.function {
	case "cos":
		return b.op("Sin", phased(math.Pi/2))
	case "cossin":
		return b.op("Sin", b.beside(phased(math.Pi/2), phased(0)))
	case "arccos0":
		return b.op("Mul", b.op("Add", b.op("Sign", phased(0)), b.reals([]float64{1})), b.reals([]float64{0.5}))
	case "arccos1":
		return b.op("Max", phased(0), b.reals([]float64{0}))
	case "arccos2":
		r := b.op("Max", phased(0), b.reals([]float64{0}))
		return b.op("Mul", r, r)
	}
	return phased(0)
}

// times adds the product of rows of d values by a d×n matrix. That of one value is no MatMul:
// where x is itself a product by one number, as scaled rows of one input are, onnxruntime
// makes this number a float32 of the MatMul (FusedMatMul), also between float64.
func (b *builder) times(x string, matrix []float64, d, n int) string {
	if d == 1 {
		return b.op("Mul", x, b.reals(matrix, 1, n))
	}
	return b.op("MatMul", x, b.reals(matrix, d, n))
}

// section adds the kernel between rows and landmarks.
func (b *builder) section(m *part, x string) string {
	rows, d := m.landmarks.Rows, m.inputs
	x = b.op("Mul", b.op("Sub", x, b.reals(m.mapShift)), b.reals(m.mapScale))
	c := make([]float64, rows*d)
	for i := range rows {
		for j := range d {
			c[i*d+j] = float64((m.landmarks.Data[i*m.landmarks.Stride+j] - m.mapShift[j]) * m.mapScale[j])
		}
	}
	var u string
	name, ok := strings.CutPrefix(m.function, "l1 ")
	if ok {
		u = b.scanned(x, c, rows, false)
	} else if name, ok = strings.CutPrefix(m.function, "l3/2 "); ok {
		u = b.scanned(x, c, rows, true)
	} else {
		u = b.squared(x, c, rows)
	}
	one := func() string { return b.reals([]float64{1}) }
	a := func() string { return b.op("Mul", b.op("Sqrt", u), b.reals([]float64{math.Ln2})) }
	exp := func(a string) string { return b.op("Exp", b.op("Mul", a, b.reals([]float64{-1}))) }
	switch name {
	case "gaussian section":
		return exp(b.op("Mul", u, b.reals([]float64{math.Ln2})))
	case "exponential section":
		return exp(a())
	case "matern 3/2 section":
		a := a()
		return b.op("Mul", b.op("Add", a, one()), exp(a))
	case "matern 5/2 section":
		a := a()
		third := b.op("Div", b.op("Mul", a, a), b.reals([]float64{3}))
		return b.op("Mul", b.op("Add", b.op("Add", a, one()), third), exp(a))
	}
	return b.op("Div", one(), b.op("Add", u, one()))
}

// squared adds ‖x − c‖² = ‖x‖² + ‖c‖² − 2xᵀc.
func (b *builder) squared(x string, c []float64, rows int) string {
	d := len(c) / rows
	turned, norms := make([]float64, len(c)), make([]float64, rows)
	for i := range rows {
		for j, v := range c[i*d : (i+1)*d] {
			turned[j*rows+i] = -2 * v
			norms[i] += float64(v * v)
		}
	}
	own := b.op("ReduceSum", b.op("Mul", x, x), b.ints(1))
	b.nodes[len(b.nodes)-1].attributes = []attribute{{"keepdims", int64(1)}}
	sum := b.op("Add", b.op("Add", own, b.reals(norms)), b.times(x, turned, d, rows))
	return b.op("Max", sum, b.reals([]float64{0}))
}

// scanned adds Σⱼ |xⱼ − cⱼ|, or with powers Σⱼ |xⱼ − cⱼ|^{3/2}, one input after the other: n×rows
// values at a time, where all inputs at once would be d times as many.
func (b *builder) scanned(x string, c []float64, rows int, powers bool) string {
	body := &builder{real: b.real, mark: b.mark + "scan "}
	body.graph.name = "distance"
	sum, xj, cj := body.mark+"sum", body.mark+"x", body.mark+"c"
	body.inputs = []value{{sum, b.real, []int{-1, rows}}, {xj, b.real, []int{-1}}, {cj, b.real, []int{rows}}}
	off := body.op("Abs", body.op("Sub", body.op("Unsqueeze", xj, body.ints(1)), cj))
	if powers {
		off = body.op("Mul", off, body.op("Sqrt", off))
	}
	body.output(body.mark+"out", body.op("Add", sum, off), b.real, -1, rows)
	n := b.with([]attribute{{"start", int64(0)}, {"end", int64(1)}}, "Shape", x)
	shape := b.with([]attribute{{"axis", int64(0)}}, "Concat", n, b.ints(int64(rows)))
	zero := b.op("Expand", b.reals([]float64{0}), shape)
	return b.with([]attribute{{"body", &body.graph}, {"num_scan_inputs", int64(2)}, {"scan_input_axes", []int64{1, 1}}},
		"Scan", zero, x, b.reals(c, rows, len(c)/rows))
}
