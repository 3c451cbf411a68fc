package onnx

import "math"

// predictions adds the predictions of the inputs x: the values of a regression, or the scores of a
// classification. without are the rows that have none.
func (b *builder) predictions(m *model, x, without string) string {
	var y string
	for i, p := range m.parts {
		z := b.features(p, b.scaled(p, x))
		product := b.op("MatMul", z, b.reals(p.coefficients, len(p.coefficients)/m.targets, m.targets))
		if i > 0 {
			product = b.op("Add", y, product)
		}
		y = product
	}
	y = b.op("Add", y, b.reals(m.intercept))
	switch m.link {
	case "log":
		y = b.op("Exp", y)
	case "sorted":
		levels := int64(m.levels)
		y = b.op("Reshape", y, b.ints(-1, int64(m.targets)/levels, levels))
		place := b.name() + " place"
		y = b.with([]attribute{{"axis", int64(-1)}, {"largest", int64(0)}, {"sorted", int64(1)}}, "TopK", y, b.ints(levels))
		last := &b.nodes[len(b.nodes)-1]
		last.out = append(last.out, place)
		y = b.op("Reshape", y, b.ints(-1, int64(m.targets)))
	}
	if m.low != nil {
		y = b.op("Max", b.op("Min", y, b.reals(m.high)), b.reals(m.low))
	}
	return b.op("Where", without, b.reals([]float64{math.NaN()}), y)
}

// results adds the outputs of the graph: y, or label, scores and, if the model is calibrated,
// probabilities.
func (b *builder) results(m *model, y, without string, io kind) {
	give := func(name, v string, columns int) {
		if io != b.real {
			v = b.cast(io, v)
		}
		b.output(name, v, io, -1, columns)
	}
	if m.classes == nil {
		give("y", y, m.targets)
		return
	}
	l := y
	if m.slope != nil {
		if len(m.classes) == 2 {
			l = b.op("Mul", y, b.reals([]float64{-0.5, 0.5}))
		}
		l = b.op("Add", b.op("Mul", l, b.reals(m.slope)), b.reals(m.bias))
	}
	best := b.largest(m, l)
	texts := append(append([]string{}, m.classes...), "")
	best = b.op("Where", b.flat(without), b.ints(int64(len(m.classes))), best)
	b.output("label", b.op("Gather", b.constant(tensor{kind: utf8s, shape: []int{len(texts)}, s: texts}), best), utf8s, -1)
	give("scores", y, m.targets)
	if m.slope != nil {
		k := float64(len(m.classes))
		p := b.with([]attribute{{"axis", int64(1)}}, "Softmax", l)
		p = b.op("Mul", p, b.reals([]float64{1 - float64(k*m.floor)}))
		give("probabilities", b.op("Add", p, b.reals([]float64{m.floor})), len(m.classes))
	}
}

// largest adds the place of the class that a row of logits, or of scores, stands for.
func (b *builder) largest(m *model, l string) string {
	switch {
	case len(m.classes) == 2 && m.slope == nil:
		return b.flat(b.cast(int64s, b.op("GreaterOrEqual", l, b.reals([]float64{0}))))
	case len(m.classes) == 2:
		return b.flat(b.cast(int64s, b.op("GreaterOrEqual", b.column(l, 1), b.column(l, 0))))
	}
	return b.with([]attribute{{"axis", int64(1)}, {"keepdims", int64(0)}}, "ArgMax", l)
}
