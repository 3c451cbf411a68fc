package onnx

import (
	"fmt"
	"slices"
)

// kind is the type of the elements of a tensor, by its number in ONNX.
type kind int

const (
	float32s kind = 1
	int64s   kind = 7
	utf8s    kind = 8
	bools    kind = 9
	float64s kind = 11
)

// tensor is a constant of a graph, or a value while one is evaluated. Numbers with a fraction are
// in f, as float64 whatever the kind, whole numbers and truth values (0 and 1) in i, texts in s.
type tensor struct {
	kind  kind
	shape []int
	f     []float64
	i     []int64
	s     []string
}

// value declares an input or an output of a graph. A size below 0 is that of the rows.
type value struct {
	name  string
	kind  kind
	shape []int
}

// attribute is an int64, a kind, []int64, []string or *graph with a name.
type attribute struct {
	name  string
	value any
}

type node struct {
	op, domain string
	in, out    []string
	attributes []attribute
}

type constant struct {
	name string
	tensor
}

type graph struct {
	name            string
	nodes           []node
	inputs, outputs []value
	constants       []constant
}

// builder adds operations to a graph. The names that it makes begin with mark.
type builder struct {
	graph
	real kind // of the numbers that are computed with
	mark string
}

func (b *builder) name() string { return fmt.Sprintf("%s%d", b.mark, len(b.nodes)+len(b.constants)) }

// op adds an operation and returns the name of its result.
func (b *builder) op(op string, in ...string) string { return b.with(nil, op, in...) }

func (b *builder) with(attributes []attribute, op string, in ...string) string {
	out := b.name()
	b.nodes = append(b.nodes, node{op: op, in: in, out: []string{out}, attributes: attributes})
	return out
}

// cast converts to a kind.
func (b *builder) cast(to kind, in string) string {
	return b.with([]attribute{{"to", to}}, "Cast", in)
}

// constant adds a tensor and returns its name.
func (b *builder) constant(t tensor) string {
	name := b.name()
	b.constants = append(b.constants, constant{name, t})
	return name
}

// reals adds a tensor of the numbers that are computed with. Without a shape it is a row.
func (b *builder) reals(v []float64, shape ...int) string {
	if shape == nil {
		shape = []int{1, len(v)}
	}
	return b.constant(tensor{kind: b.real, shape: shape, f: v})
}

// whole adds a tensor of integers of a shape.
func (b *builder) whole(v []int64, shape ...int) string {
	return b.constant(tensor{kind: int64s, shape: shape, i: v})
}

func (b *builder) ints(v ...int64) string { return b.whole(v, len(v)) }

// column returns column j of a matrix, as one.
func (b *builder) column(x string, j int) string {
	return b.with([]attribute{{"axis", int64(1)}}, "Gather", x, b.ints(int64(j)))
}

// beside puts matrices beside each other.
func (b *builder) beside(parts ...string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	return b.with([]attribute{{"axis", int64(1)}}, "Concat", parts...)
}

// any returns for each row, as a column of truth values, whether one of the row is true.
func (b *builder) any(x string) string {
	most := b.with([]attribute{{"axes", []int64{1}}, {"keepdims", int64(1)}}, "ReduceMax", b.cast(b.real, x))
	return b.cast(bools, most)
}

// flat makes a vector of a column.
func (b *builder) flat(x string) string { return b.op("Reshape", x, b.ints(-1)) }

// output names a result of the graph.
func (b *builder) output(name, of string, k kind, shape ...int) {
	b.nodes = append(b.nodes, node{op: "Identity", in: []string{of}, out: []string{name}})
	b.outputs = append(b.outputs, value{name, k, shape})
}

// size returns the bytes of the constants.
func (g *graph) size() (n int) {
	for _, c := range g.constants {
		n += (len(c.f) + len(c.i)) * c.kind.size()
	}
	return n
}

// of returns the value of an attribute of a node, or otherwise.
func of[T any](n *node, name string, otherwise T) T {
	i := slices.IndexFunc(n.attributes, func(a attribute) bool { return a.name == name })
	if i < 0 {
		return otherwise
	}
	return n.attributes[i].value.(T)
}

// round rounds a number to a kind.
func round(k kind, v float64) float64 {
	if k == float32s {
		return float64(float32(v))
	}
	return v
}

// Opset is the version of the operators of a graph, which was run in onnxruntime 1.20 to 1.32.
const Opset = 17

const (
	irVersion = 8
	mlDomain  = "ai.onnx.ml"
	mlOpset   = 3
)
