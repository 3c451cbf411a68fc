package onnx

import (
	"fmt"
	"math"
	"slices"
)

// evaluate returns the values of a graph, given those of its inputs. It knows the operations that
// this package writes. Results of float32 are rounded from those of float64, which for sums,
// products, quotients and roots is what float32 has.
func evaluate(g *graph, given map[string]*tensor) map[string]*tensor {
	values := map[string]*tensor{}
	for name, v := range given {
		values[name] = v
	}
	for i := range g.constants {
		values[g.constants[i].name] = &g.constants[i].tensor
		if t := &g.constants[i].tensor; t.kind == float32s {
			t = &tensor{kind: t.kind, shape: t.shape, f: slices.Clone(t.f)}
			for j, v := range t.f {
				t.f[j] = round(float32s, v)
			}
			values[g.constants[i].name] = t
		}
	}
	for i := range g.nodes {
		n := &g.nodes[i]
		in := make([]*tensor, len(n.in))
		for j, name := range n.in {
			in[j] = values[name]
		}
		values[n.out[0]] = n.run(in)
	}
	return values
}

// run returns the first result of an operation.
func (n *node) run(in []*tensor) *tensor {
	if f, ok := unary[n.op]; ok {
		return mapped(in[0].kind, f, in[0])
	}
	if f, ok := pairwise[n.op]; ok {
		return paired(f, in[0], in[1])
	}
	switch n.op {
	case "Identity":
		return in[0]
	case "IsNaN":
		return mapped(bools, func(v float64) float64 { return truth(v != v) }, in[0])
	case "Cast":
		return mapped(of(n, "to", float64s), func(v float64) float64 { return v }, in[0])
	case "Equal", "Greater", "GreaterOrEqual":
		return compared(n.op, in[0], in[1])
	case "Where":
		return chosen(in[0], in[1], in[2])
	case "MatMul":
		return product(in[0], in[1])
	case "Gather":
		return gathered(in[0], in[1], int(of(n, "axis", int64(0))))
	case "GatherElements":
		out := empty(in[0].kind, in[1].shape)
		for i, p := range in[1].i {
			out.set(i, in[0].at(i/out.shape[1]*in[0].shape[1]+int(p)))
		}
		return out
	case "Concat":
		return joined(in, int(of(n, "axis", int64(0))))
	case "Reshape":
		return reshaped(in[0], in[1].i)
	case "Unsqueeze":
		shape := slices.Clone(in[0].shape)
		return in[0].as(slices.Insert(shape, int(in[1].i[0]), 1))
	case "Shape":
		return &tensor{kind: int64s, shape: []int{1}, i: []int64{int64(in[0].shape[0])}}
	case "Expand":
		t := &tensor{kind: in[0].kind, shape: []int{int(in[1].i[0]), int(in[1].i[1])}}
		t.f = slices.Repeat(in[0].f, t.shape[0]*t.shape[1])
		return t
	case "LabelEncoder":
		return n.encodedLabels(in[0])
	case "Scan":
		return n.scan(in)
	}
	return n.along(in)
}

var unary = map[string]func(float64) float64{"Sin": math.Sin, "Exp": math.Exp, "Tanh": math.Tanh, "Sqrt": math.Sqrt, "Abs": math.Abs,
	"Sign": func(v float64) float64 { return truth(v > 0) - truth(v < 0) }}

var pairwise = map[string]func(a, b float64) float64{
	"Add": func(a, b float64) float64 { return a + b }, "Sub": func(a, b float64) float64 { return a - b },
	"Mul": func(a, b float64) float64 { return a * b }, "Div": func(a, b float64) float64 { return a / b },
	"Max": math.Max, "Min": math.Min}

func truth(v bool) float64 {
	if v {
		return 1
	}
	return 0
}

// size returns the number of elements.
func size(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

func (t *tensor) as(shape []int) *tensor {
	return &tensor{kind: t.kind, shape: shape, f: t.f, i: t.i, s: t.s}
}

func (t *tensor) at(i int) float64 {
	if t.f != nil {
		return t.f[i]
	}
	return float64(t.i[i])
}

// empty returns a tensor of zeros.
func empty(k kind, shape []int) *tensor {
	t := &tensor{kind: k, shape: shape}
	switch k {
	case float32s, float64s:
		t.f = make([]float64, size(shape))
	case utf8s:
		t.s = make([]string, size(shape))
	default:
		t.i = make([]int64, size(shape))
	}
	return t
}

func (t *tensor) set(i int, v float64) {
	if t.f != nil {
		t.f[i] = round(t.kind, v)
	} else {
		t.i[i] = int64(v)
	}
}

func mapped(k kind, f func(float64) float64, in *tensor) *tensor {
	t := empty(k, in.shape)
	for i := range size(in.shape) {
		t.set(i, f(in.at(i)))
	}
	return t
}

// broadcast calls f for each element of the common shape of tensors, with the places of the
// elements of each that stand there, and returns the shape.
func broadcast(f func(i int, at []int), in ...*tensor) []int {
	rank := 0
	for _, t := range in {
		rank = max(rank, len(t.shape))
	}
	shape, steps := make([]int, rank), make([][]int, len(in))
	for k, t := range in {
		steps[k] = make([]int, rank)
		step := 1
		for j := len(t.shape) - 1; j >= 0; j-- {
			to := rank - len(t.shape) + j
			if t.shape[j] != 1 {
				steps[k][to], shape[to] = step, t.shape[j]
			}
			shape[to] = max(shape[to], 1)
			step *= t.shape[j]
		}
	}
	if f == nil {
		return shape
	}
	at := make([]int, len(in))
	for i := range size(shape) {
		clear(at)
		for j, rest := rank-1, i; j >= 0; j-- {
			place := rest % shape[j]
			rest /= shape[j]
			for k := range in {
				at[k] += place * steps[k][j]
			}
		}
		f(i, at)
	}
	return shape
}

func paired(f func(a, b float64) float64, a, b *tensor) *tensor {
	t := empty(a.kind, broadcast(nil, a, b))
	broadcast(func(i int, at []int) { t.set(i, f(a.at(at[0]), b.at(at[1]))) }, a, b)
	return t
}

func compared(op string, a, b *tensor) *tensor {
	t := empty(bools, broadcast(nil, a, b))
	broadcast(func(i int, at []int) {
		x, y := a.at(at[0]), b.at(at[1])
		t.i[i] = int64(truth(x == y && op != "Greater" || x > y && op != "Equal"))
	}, a, b)
	return t
}

func chosen(c, a, b *tensor) *tensor {
	t := empty(a.kind, broadcast(nil, c, a, b))
	broadcast(func(i int, at []int) {
		if c.i[at[0]] != 0 {
			t.set(i, a.at(at[1]))
		} else {
			t.set(i, b.at(at[2]))
		}
	}, c, a, b)
	return t
}

func product(a, b *tensor) *tensor {
	n, d, m := a.shape[0], a.shape[1], b.shape[1]
	t := empty(a.kind, []int{n, m})
	for i := range n {
		row := t.f[i*m : (i+1)*m]
		for j := range d {
			v := a.f[i*d+j]
			for k, w := range b.f[j*m : (j+1)*m] {
				row[k] = round(t.kind, row[k]+round(t.kind, float64(v*w)))
			}
		}
	}
	return t
}

// gathered takes whole slices along an axis.
func gathered(t, places *tensor, axis int) *tensor {
	inner := size(t.shape[axis+1:])
	shape := slices.Concat(t.shape[:axis], places.shape, t.shape[axis+1:])
	out := empty(t.kind, shape)
	at := 0
	for o := range size(t.shape[:axis]) {
		for _, p := range places.i {
			from := (o*t.shape[axis] + int(p)) * inner
			for k := range inner {
				if t.s != nil {
					out.s[at] = t.s[from+k]
				} else {
					out.set(at, t.at(from+k))
				}
				at++
			}
		}
	}
	return out
}

func joined(in []*tensor, axis int) *tensor {
	shape := slices.Clone(in[0].shape)
	for _, t := range in[1:] {
		shape[axis] += t.shape[axis]
	}
	out, at := empty(in[0].kind, shape), 0
	for o := range size(shape[:axis]) {
		for _, t := range in {
			inner := size(t.shape[axis:])
			for k := range inner {
				out.set(at, t.at(o*inner+k))
				at++
			}
		}
	}
	return out
}

func reshaped(t *tensor, to []int64) *tensor {
	shape, known := make([]int, len(to)), 1
	for i, n := range to {
		if shape[i] = int(n); n > 0 {
			known *= int(n)
		}
	}
	if i := slices.Index(shape, -1); i >= 0 {
		shape[i] = size(t.shape) / known
	}
	return t.as(shape)
}

func (n *node) encodedLabels(in *tensor) *tensor {
	keys, places := of[[]string](n, "keys_strings", nil), of[[]int64](n, "values_int64s", nil)
	out := empty(int64s, in.shape)
	for i, s := range in.s {
		out.i[i] = of(n, "default_int64", int64(-1))
		if k := slices.Index(keys, s); k >= 0 {
			out.i[i] = places[k]
		}
	}
	return out
}

// scan runs the body for each column of the two matrices that it takes.
func (n *node) scan(in []*tensor) *tensor {
	body := of[*graph](n, "body", nil)
	state := in[0]
	for j := range in[1].shape[1] {
		given := map[string]*tensor{body.inputs[0].name: state}
		for k, t := range in[1:] {
			column := gathered(t, &tensor{kind: int64s, i: []int64{int64(j)}}, 1)
			given[body.inputs[1+k].name] = column
		}
		state = evaluate(body, given)[body.outputs[0].name]
	}
	return state
}

// along runs an operation on each run of elements along an axis, the last but for sums.
func (n *node) along(in []*tensor) *tensor {
	t := in[0]
	axis := len(t.shape) - 1
	if n.op == "ReduceSum" {
		axis = int(in[1].i[0])
	}
	width, inner := t.shape[axis], size(t.shape[axis+1:])
	shape := slices.Clone(t.shape)
	var out *tensor
	switch n.op {
	case "Softmax", "TopK":
		out = empty(t.kind, shape)
	case "ArgMax":
		out = empty(int64s, shape[:axis])
	case "ReduceMax":
		shape[axis] = 1
		out = empty(t.kind, shape)
	case "ReduceSum":
		if shape[axis] = 1; of(n, "keepdims", int64(1)) == 0 {
			shape = slices.Delete(shape, axis, axis+1)
		}
		out = empty(t.kind, shape)
	default:
		panic(fmt.Sprintf("onnx: an operation that is not evaluated: %s", n.op))
	}
	for o := range size(t.shape[:axis]) * inner {
		row := make([]float64, width)
		for j := range row {
			row[j] = t.at((o/inner*width+j)*inner + o%inner)
		}
		most := slices.Index(row, slices.Max(row))
		switch n.op {
		case "TopK":
			slices.Sort(row)
			copy(out.f[o*width:], row)
		case "ArgMax":
			out.i[o] = int64(max(most, 0))
		case "ReduceMax":
			out.set(o, slices.Max(row))
		case "ReduceSum":
			sum := 0.0
			for _, v := range row {
				sum = round(t.kind, sum+v)
			}
			out.set(o, sum)
		case "Softmax":
			sum, top := 0.0, slices.Max(row)
			for j, v := range row {
				row[j] = round(t.kind, math.Exp(v-top))
				sum = round(t.kind, sum+row[j])
			}
			for j, v := range row {
				out.set(o*width+j, v/sum)
			}
		}
	}
	return out
}
