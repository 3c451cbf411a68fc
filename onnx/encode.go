package onnx

import (
	"encoding/binary"
	"math"
)

// The numbers of fields are those of onnx.proto. A message is a sequence of fields: a key, which is
// number<<3 | 0 before a whole number and number<<3 | 2 before a length and as many bytes.
//
// Reference: Protocol Buffers, "Encoding".

func (k kind) size() int {
	switch k {
	case float32s:
		return 4
	case bools:
		return 1
	}
	return 8
}

// message is an encoded message that grows.
type message []byte

func (m *message) whole(field int, v int64) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3)
	*m = binary.AppendUvarint(*m, uint64(v))
}

func (m *message) bytes(field int, v []byte) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|2)
	*m = binary.AppendUvarint(*m, uint64(len(v)))
	*m = append(*m, v...)
}

func (m *message) text(field int, v string) { m.bytes(field, []byte(v)) }

// encoded is a whole file: a ModelProto.
func encoded(g *graph, doc string, metadata [][2]string) []byte {
	var m message
	m.whole(1, irVersion)
	m.text(2, "rff")
	m.text(6, doc)
	m.bytes(7, g.encoded())
	for _, set := range []struct {
		domain  string
		version int64
	}{{"", Opset}, {mlDomain, mlOpset}} {
		var s message
		s.text(1, set.domain)
		s.whole(2, set.version)
		m.bytes(8, s)
	}
	for _, pair := range metadata {
		var p message
		p.text(1, pair[0])
		p.text(2, pair[1])
		m.bytes(14, p)
	}
	return m
}

func (g *graph) encoded() message {
	var m message
	for i := range g.nodes {
		m.bytes(1, g.nodes[i].encoded())
	}
	m.text(2, g.name)
	for i := range g.constants {
		m.bytes(5, g.constants[i].encoded())
	}
	for _, v := range g.inputs {
		m.bytes(11, v.encoded())
	}
	for _, v := range g.outputs {
		m.bytes(12, v.encoded())
	}
	return m
}

func (n *node) encoded() message {
	var m message
	for _, name := range n.in {
		m.text(1, name)
	}
	for _, name := range n.out {
		m.text(2, name)
	}
	m.text(4, n.op)
	for _, a := range n.attributes {
		m.bytes(5, a.encoded())
	}
	if n.domain != "" {
		m.text(7, n.domain)
	}
	return m
}

func (a attribute) encoded() message {
	const typeInt, typeGraph, typeInts, typeStrings = 2, 5, 7, 8
	var m message
	m.text(1, a.name)
	switch v := a.value.(type) {
	case int64:
		m.whole(3, v)
		m.whole(20, typeInt)
	case kind:
		m.whole(3, int64(v))
		m.whole(20, typeInt)
	case *graph:
		m.bytes(6, v.encoded())
		m.whole(20, typeGraph)
	case []int64:
		for _, i := range v {
			m.whole(8, i)
		}
		m.whole(20, typeInts)
	case []string:
		for _, s := range v {
			m.text(9, s)
		}
		m.whole(20, typeStrings)
	default:
		panic(errAttribute)
	}
	return m
}

const errAttribute = "onnx: an attribute of a type that has no encoding"

func (c *constant) encoded() message {
	m := make(message, 0, 64+len(c.f)*c.kind.size())
	for _, n := range c.shape {
		m.whole(1, int64(n))
	}
	m.whole(2, int64(c.kind))
	m.text(8, c.name)
	if c.kind == utf8s {
		for _, s := range c.s {
			m.text(6, s)
		}
		return m
	}
	raw := make([]byte, 0, (len(c.f)+len(c.i))*c.kind.size())
	for _, v := range c.f {
		if c.kind == float32s {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
		} else {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
		}
	}
	for _, v := range c.i {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	m.bytes(9, raw)
	return m
}

func (v value) encoded() message {
	var shape, of, typ, m message
	for _, n := range v.shape {
		var d message
		if n < 0 {
			d.text(2, "rows")
		} else {
			d.whole(1, int64(n))
		}
		shape.bytes(1, d)
	}
	of.whole(1, int64(v.kind))
	of.bytes(2, shape)
	typ.bytes(1, of)
	m.text(1, v.name)
	m.bytes(2, typ)
	return m
}
