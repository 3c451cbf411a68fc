package onnx

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/mapfile"
	"github.com/rffgo/rff/internal/reach"
	"github.com/rffgo/rff/internal/safetensors"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr"
)

// model is what docs/model-format.md says of a file, under the names there.
type model struct {
	inputs, targets int
	cells           []cell
	texts           bool
	unseen          float64   // what all inputs of an unknown word get: +Inf, which is refused, or 0
	fill            []float64 // nil: a missing value is refused

	parts                []*part // whose scores are added
	intercept            []float64
	link                 string
	levels               int // quantiles of each target
	low, high            []float64
	classes              []string
	slope, bias          []float64
	floor                float64
	columnLow, columnEnd []float64
	sha256               string
}

// part is features with their coefficients.
type part struct {
	inputs             int // of the map
	points             []int
	from, to           []float64
	shift, scale       []float64
	limits             *reach.Limits // of the rows that are not refused
	function           string
	precision          kind                  // of the numbers that the model computes features in
	blocks             []blas.Block          // of a structured map
	w, landmarks       blas.General[float64] // w of trees alone has rows, but no data
	phase              []float64
	mapShift, mapScale []float64
	coefficients       []float64 // of f(p), with weight and product: row-major
}

// read takes a model apart by way of its file.
func read(m *krr.Model) (*model, error) {
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		return nil, err
	}
	f := safetensors.Format{Accept: func(map[string]string) error { return nil }, Refuse: func(why string) error { return errors.New("onnx: the file of the model: " + why) }}
	p, err := f.Read(&file, int64(file.Len()))
	if err != nil {
		return nil, err
	}
	s := m.Info().Schema
	in, targets := m.Dims()
	o := &model{inputs: in, targets: targets, unseen: math.Inf(1), link: p.Meta["link"], classes: s.Target.Classes, sha256: p.Meta["sha256"]}
	o.cells, o.texts = cellsOf(s)
	if s.Unseen == "zero" {
		o.unseen = 0
	}
	if s.Missing == rff.MissingMean {
		o.fill = p.Optional("columns.fill", in)
	}
	o.columnLow, o.columnEnd = p.Optional("columns.low", in), p.Optional("columns.high", in)
	for own := p; own.Has("coefficients"); own = p.Part(fmt.Sprintf("beside.%d.", len(o.parts)-1)) {
		one := readPart(own, in, targets)
		if own.Err() != nil {
			return nil, own.Err()
		}
		o.parts = append(o.parts, one)
	}
	o.intercept = p.Vector("intercept", targets)
	var levels []float64
	p.JSON("quantiles", &levels)
	o.levels = len(levels)
	o.low, o.high = p.Optional("range.low", targets), p.Optional("range.high", targets)
	if p.Has("calibration.slope") {
		o.slope, o.bias, o.floor = p.Vector("calibration.slope", -1), p.Vector("calibration.bias", len(o.classes)), p.Number("calibration.floor")
	}
	return o, p.Err()
}

// readPart reads features and their coefficients.
func readPart(p *safetensors.File, in, targets int) *part {
	o := &part{inputs: in, function: p.Meta["map.func"]}
	o.shift, o.scale = p.Optional("scaling.shift", in), p.Optional("scaling.scale", in)
	if p.Has("scaling.points") {
		o.points, o.from, o.to = p.Ints("scaling.points", in), p.Optional("scaling.from", -1), p.Optional("scaling.to", -1)
	}
	spec := specOf(p, o)
	if spec == nil {
		return o
	}
	o.phase = p.Optional("map.phase", -1)
	switch {
	case p.Has("map.landmarks"):
		o.landmarks, o.mapShift, o.mapScale = p.Matrix("map.landmarks", -1, in), p.Vector("map.shift", in), p.Vector("map.scale", in)
	case p.Has("map.frequencies"):
		o.w = p.Matrix("map.frequencies", -1, in)
	default:
		o.blocks, o.w = spec.Blocks, blocks(spec)
	}
	o.coefficients = folded(p, p.Vector("map.weight", -1), p.Matrix("coefficients", -1, targets))
	return o
}

// specOf returns the map, nil if p is damaged, and puts the precision and the limits of the rows that are
// resolved into o.
func specOf(p *safetensors.File, o *part) *blas.Spec {
	m, err := mapfile.Map(p)
	precision := stream.Named(p.Meta["precision"])
	if err != nil || precision == nil {
		p.Bad("its map or its precision is not known: %v", err)
		return nil
	}
	s := rff.Scaling{Shift: o.shift, Scale: o.scale}
	first := 0
	for _, n := range o.points {
		s.From = append(s.From, o.from[first:first+n])
		first += n
	}
	o.limits, o.precision = inside.Reach(m, precision.Number, s), float32s
	if precision.Number == reach.Float64 {
		o.precision = float64s
	}
	return inside.Spec(m)
}

// blocks returns the matrix of structured blocks: what they make of each unit vector. Trees have none, and
// zeros there.
func blocks(s *blas.Spec) blas.General[float64] {
	w := blas.General[float64]{Rows: s.Frequencies(), Cols: s.Dim, Stride: s.Dim}
	if !slices.ContainsFunc(s.Blocks, func(b blas.Block) bool { return b.Trees == nil }) {
		return w
	}
	w.Data = make([]float64, w.Rows*w.Cols)
	first := 0
	for _, b := range s.Blocks {
		if b.Trees != nil {
			first += b.Keep
			continue
		}
		v, turned := make([]float64, b.Size), make([]float64, b.Size)
		for k := range w.Cols {
			clear(v)
			v[k] = 1
			for j := range slices.Backward(b.D) {
				if j == 0 && b.Perm != nil {
					for to, from := range b.Perm {
						turned[to] = v[from]
					}
					v, turned = turned, v
				}
				for e, d := range b.D[j] {
					v[e] *= d
				}
				hadamard(v)
			}
			for r, s := range b.Scale {
				w.Data[(first+r)*w.Stride+k] = v[r] * s
			}
		}
		first += b.Keep
	}
	return w
}

// folded returns the coefficients of f(p): weight · P · B, so that the graph needs no product.
func folded(p *safetensors.File, weight []float64, b blas.General[float64]) []float64 {
	t := b.Cols
	out := make([]float64, len(weight)*t)
	add := func(i, j int, v float64) {
		for k, c := range b.Row(j) {
			out[i*t+k] = math.FMA(v, c, out[i*t+k])
		}
	}
	switch {
	case p.Has("map.product"):
		product := p.Matrix("map.product", len(weight), b.Rows)
		for i := range weight {
			for j, v := range product.Row(i) {
				add(i, j, v)
			}
		}
	case p.Has("map.walsh.d"):
		d := p.Vector("map.walsh.d", len(weight))
		for j, c := range p.Ints("map.walsh.columns", b.Rows) {
			for i := range weight {
				add(i, j, d[i]*walshSign(i, c))
			}
		}
	default:
		for i := range weight {
			add(i, i, 1)
		}
	}
	for i, w := range weight {
		for k := range t {
			out[i*t+k] *= w
		}
	}
	return out
}

// hadamard applies the unnormalised Walsh–Hadamard transform to v, whose length is a power of two.
func hadamard(v []float64) {
	for h := 1; h < len(v); h *= 2 {
		for i := 0; i < len(v); i += 2 * h {
			for j := i; j < i+h; j++ {
				v[j], v[j+h] = v[j]+v[j+h], v[j]-v[j+h]
			}
		}
	}
}

// walshSign is the element (i, j) of the transform.
func walshSign(i, j int) float64 { return 1 - 2*float64(bits.OnesCount(uint(i&j))&1) }
