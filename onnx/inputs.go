package onnx

import (
	"math"
	"slices"
	"strconv"
)

// rows adds what turns the inputs of the graph into rows of inputs of the map, n×d. A missing value
// is NaN there, and what the model refuses is infinite.
func (b *builder) rows(m *model, io kind) string {
	if !m.texts {
		b.inputs = []value{{"x", io, []int{-1, len(m.cells)}}}
		if !slices.ContainsFunc(m.cells, func(c cell) bool { return c.words != nil }) {
			return b.number("x", io)
		}
	}
	var parts []string
	for i := range m.cells {
		c, x := &m.cells[i], ""
		if m.texts {
			k := io
			if c.texts {
				k = utf8s
			}
			b.inputs = append(b.inputs, value{c.name, k, []int{-1, 1}})
			x = c.name
		} else {
			x = b.column("x", i)
		}
		switch {
		case c.texts:
			x = b.texts(x, c.words, m.unseen)
		case c.words != nil:
			x = b.numerals(b.number(x, io), c.words, io, m.unseen)
		default:
			x = b.number(x, io)
		}
		parts = append(parts, x)
	}
	return b.beside(parts...)
}

// number converts numbers of the caller's kind to those that are computed with.
func (b *builder) number(x string, from kind) string {
	if from == b.real {
		return x
	}
	return b.cast(b.real, x)
}

// texts turns a column of texts into inputs. unseen is the number that a text adds to all of them
// that is none of the words.
func (b *builder) texts(x string, words []string, unseen float64) string {
	k := int64(len(words))
	n := node{op: "LabelEncoder", domain: mlDomain, in: []string{x}, out: []string{b.name()}}
	var keys []string
	var places []int64
	add := func(key string, place int64) {
		if !slices.Contains(keys, key) {
			keys, places = append(keys, key), append(places, place)
		}
	}
	for i, w := range words {
		add(w, int64(i))
	}
	for i, w := range words { // numbers as they are often written, and whole ones as pandas does beside missing ones
		if v, ok := numberOf(w); ok {
			add(strconv.FormatFloat(v, 'f', -1, 64), int64(i))
			if v == math.Trunc(v) {
				add(strconv.FormatFloat(v, 'f', 1, 64), int64(i))
			}
		}
	}
	add("", k)
	n.attributes = []attribute{{"keys_strings", keys}, {"values_int64s", places}, {"default_int64", k + 1}}
	b.nodes = append(b.nodes, n)
	added := make([]float64, k+2)
	added[k], added[k+1] = math.NaN(), unseen
	row := make([]int64, k)
	for i := range row {
		row[i] = int64(i)
	}
	hot := b.op("Equal", n.out[0], b.constant(tensor{kind: int64s, shape: []int{1, int(k)}, i: row}))
	return b.op("Add", b.cast(b.real, hot), b.op("Gather", b.reals(added, int(k)+2), n.out[0]))
}

// numerals is texts for a column of numbers. The words are rounded as the caller's numbers were.
func (b *builder) numerals(x string, words []string, io kind, unseen float64) string {
	v := make([]float64, len(words))
	for i, w := range words {
		v[i], _ = numberOf(w)
		v[i] = round(io, v[i])
	}
	hot := b.op("Equal", x, b.reals(v))
	added := b.reals([]float64{0})
	if unseen != 0 {
		added = b.op("Where", b.any(hot), added, b.reals([]float64{unseen}))
	}
	finite := b.op("Sub", x, x)
	added = b.op("Where", b.op("IsNaN", finite), b.op("Abs", x), added)
	return b.op("Add", b.cast(b.real, hot), added)
}
