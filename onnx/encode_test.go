package onnx

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/golden"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// fields decodes a message: whole numbers and bytes by the number of their field.
func fields(t *testing.T, m []byte) (whole map[uint64][]int64, sub map[uint64][][]byte) {
	t.Helper()
	whole, sub = map[uint64][]int64{}, map[uint64][][]byte{}
	next := func() uint64 {
		v, n := binary.Uvarint(m)
		if n <= 0 {
			t.Fatal("a message ends within a number")
		}
		m = m[n:]
		return v
	}
	for len(m) > 0 {
		key := next()
		switch v := next(); {
		case key&7 == 0:
			whole[key>>3] = append(whole[key>>3], int64(v))
		case key&7 == 2 && v <= uint64(len(m)):
			sub[key>>3], m = append(sub[key>>3], m[:v]), m[v:]
		default:
			t.Fatalf("field %d has type %d", key>>3, key&7)
		}
	}
	return whole, sub
}

// A file is a ModelProto, read here by the numbers of onnx.proto.
func TestEncoding(t *testing.T) {
	k := fitted(t, "words", sampling.MonteCarlo{}, rff.NewGaussian(1.5), rff.Schema{Inputs: slices.Clone(worded), Missing: rff.MissingDrop}, krr.Settings{Probabilities: true}, 3)
	var file bytes.Buffer
	w, err := Write(&file, k.model, Options{})
	if err != nil || w.Bytes != int64(file.Len()) || w.Arithmetic != "float64" || w.Rows != mostRows {
		t.Fatal(w, err)
	}
	whole, sub := fields(t, file.Bytes())
	if whole[1][0] != 8 || string(sub[2][0]) != "rff" || len(sub[7]) != 1 {
		t.Error("ir_version, producer_name, graph")
	}
	sets := map[string]int64{}
	for _, s := range sub[8] {
		version, domain := fields(t, s)
		sets[string(domain[1][0])] = version[2][0]
	}
	if len(sets) != 2 || sets[""] != Opset || sets["ai.onnx.ml"] != 3 {
		t.Error("opset_import", sets)
	}
	meta := map[string]string{}
	for _, m := range sub[14] {
		_, pair := fields(t, m)
		meta[string(pair[1][0])] = string(pair[2][0])
	}
	if len(meta["rff.model.sha256"]) != 64 || meta["rff.classes"] != `["1","two","three"]` || meta["rff.error"] != fmt.Sprintf("%.2g", w.Error) ||
		!strings.HasPrefix(meta["rff.columns"], `[{"name":"a"},{"name":"colour","words":["blue","green","1e+06","red"]}`) || meta["rff.precision"] != "float64" || meta["rff.opset"] != "17" {
		t.Error("metadata_props", meta)
	}
	_, graph := fields(t, sub[7][0])
	for _, c := range graph[5] { // each constant has the bytes of its shape
		numbers, of := fields(t, c)
		n, length := int64(1), map[int64]int64{int64(int64s): 8, int64(float64s): 8}[numbers[2][0]]
		for _, d := range numbers[1] {
			n *= d
		}
		if numbers[2][0] == int64(utf8s) {
			if int64(len(of[6])) != n {
				t.Errorf("%d texts of %d", len(of[6]), n)
			}
		} else if int64(len(of[9][0])) != n*length {
			t.Errorf("constant %s of shape %v has %d bytes", of[8][0], numbers[1], len(of[9][0]))
		}
	}
	check := func(what string, list [][]byte, names []string, kinds ...kind) {
		var have []string
		for i, v := range list {
			_, value := fields(t, v)
			_, typ := fields(t, value[2][0])
			elem, _ := fields(t, typ[1][0])
			have = append(have, string(value[1][0]))
			if kind(elem[1][0]) != kinds[i] {
				t.Errorf("%s %s has type %d", what, have[i], elem[1][0])
			}
		}
		if !slices.Equal(have, names) {
			t.Errorf("%s %q, said %q", what, have, names)
		}
	}
	check("inputs", graph[11], w.Inputs, float64s, utf8s, float64s, float64s, float64s, float64s)
	check("outputs", graph[12], w.Outputs, utf8s, float64s, float64s)
	if want := []string{"a", "colour", "size", "when", "when:hour", "when:weekday"}; !slices.Equal(w.Inputs, want) {
		t.Errorf("inputs %q", w.Inputs)
	}
}

// What a file cannot hold is refused before anything is written.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		schema  rff.Schema
		float32 bool
		need    string
	}{
		{rff.Schema{Inputs: []rff.Column{{Name: "caf\xe9"}}}, false, "UTF-8"},
		{rff.Schema{Inputs: []rff.Column{{Name: "a", Words: []string{"1.6777216e+07", "1.6777217e+07"}}}}, true, "float32 has one number for two words of"},
	} {
		k := fitted(t, "refused", sampling.MonteCarlo{}, rff.NewGaussian(1), c.schema, krr.Settings{}, 0)
		var file bytes.Buffer
		_, err := Write(&file, k.model, Options{Float32: c.float32})
		var p *rff.ParameterError
		if !errors.As(err, &p) || !strings.Contains(err.Error(), c.need) || file.Len() > 0 {
			t.Errorf("%v: %v", c.need, err)
		}
		if _, err := Write(io.Discard, k.model, Options{}); c.float32 && err != nil {
			t.Error("in float64:", err)
		}
	}
}

// Columns that are called like others, or like outputs, have names of their own.
func TestNames(t *testing.T) {
	all, texts := cellsOf(rff.Schema{Inputs: []rff.Column{{Name: "y"}, {}, {Name: "y_"}, {Name: "label", Words: []string{"a"}}, {Name: "x2"}}})
	var names []string
	for _, c := range all {
		names = append(names, c.name)
	}
	if want := []string{"y_", "x2", "y__", "label_", "x2_"}; !texts || !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

// Same model, same bytes: digests of the graph of every kind.
func TestGolden(t *testing.T) {
	make := func() map[string]string {
		all := map[string]string{}
		for _, k := range kinds(t) {
			m, err := read(k.model)
			if err != nil {
				t.Fatal(k.name, err)
			}
			for _, real := range []kind{float32s, float64s} {
				var sum golden.Digest
				sum.AddBytes(graphOf(m, float32s, real).encoded())
				all[strings.ReplaceAll(k.name, " ", "-")+"/"+names[real]] = sum.Sum()
			}
		}
		return all
	}
	golden.Compare(t, "here", make(), golden.Want(t, make))
}
