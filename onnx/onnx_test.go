package onnx

import (
	"io"
	"math"
	"strings"
	"testing"

	"github.com/rffgo/rff/krr"
)

// bound is how far a graph may be from Predict, relative to the larger of 1 and the prediction.
// docs/model-format.md says why the exponential section, whose slope at a landmark is that of a
// root, and models that compute in float32 themselves are further away.
func (k *kindOf) bound(float32 bool) float64 {
	switch {
	case strings.HasPrefix(k.name, "trees") && k.model.Info().Precision != krr.Float64:
		return 1e-4 // sums of some 100, whose spacing in float32 is 10⁻⁵
	case float32 || k.model.Info().Precision != krr.Float64: // integers predict in float32
		return 1e-5
	case strings.HasPrefix(k.name, "exponential"):
		return 1e-6
	}
	return 1e-12
}

// The graph says what the model says, of every kind.
func TestGraphs(t *testing.T) {
	for _, k := range kinds(t) {
		for _, o := range []Options{{}, {Float32: true}} {
			w, err := Write(io.Discard, k.model, o)
			if err != nil {
				t.Fatal(k.name, err)
			}
			m, err := read(k.model)
			if err != nil {
				t.Fatal(err)
			}
			io := o.kind()
			_, given := k.given(t)
			for _, v := range given {
				if v.s == nil {
					v.kind = io
				}
			}
			g := graphOf(m, io, map[string]kind{"float32": float32s, "float64": float64s}[w.Arithmetic])
			if name := unused(g); name != "" {
				t.Errorf("%s %v: no node takes the constant %q, of which onnxruntime warns", k.name, o, name)
			}
			worst := k.differs(t, evaluate(g, given))
			t.Logf("%s %v: %.2g, said %.2g on %d, %d bytes, %v", k.name, o.Float32, worst, w.Error, w.Rows, w.Bytes, w.Arithmetic)
			if strings.Contains(k.name, "trees") && w.Arithmetic != "float64" {
				t.Errorf("%s, %v: computes in %s, whose rounding errors at thresholds take other leaves", k.name, o, w.Arithmetic)
			}
			if bound := k.bound(o.Float32); !(worst <= bound) || !(w.Error <= bound) {
				t.Errorf("%s, %v: differs by %.2g, and says %.2g, more than %.2g", k.name, o, worst, w.Error, bound)
			}
		}
	}
}

// unused returns the name of a constant that no node takes, or "".
func unused(g *graph) string {
	taken := map[string]bool{}
	for _, n := range g.nodes {
		for _, in := range n.in {
			taken[in] = true
		}
	}
	for _, c := range g.constants {
		if !taken[c.name] {
			return c.name
		}
	}
	for _, n := range g.nodes {
		if body := of[*graph](&n, "body", nil); body != nil {
			if name := unused(body); name != "" {
				return name
			}
		}
	}
	return ""
}

// difference is the largest one relative to the larger of 1 and what is wanted.
func difference(t testing.TB, name string, have []float64, want [][]float64) (largest float64) {
	t.Helper()
	at := 0
	for i, row := range want {
		for _, v := range row {
			if at == len(have) {
				t.Fatalf("%s: %d values are too few", name, at)
			}
			h := have[at]
			at++
			if (h != h) != (v != v) {
				t.Errorf("%s, row %d: %v, want %v", name, i, h, v)
			} else if v == v {
				largest = max(largest, math.Abs(h-v)/max(1, math.Abs(v)))
			}
		}
	}
	if at != len(have) {
		t.Errorf("%s: %d values, want %d", name, len(have), at)
	}
	return largest
}
