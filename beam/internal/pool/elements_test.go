package pool

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
)

func coder(urn string, parts ...string) *pipeline_v1.Coder {
	return &pipeline_v1.Coder{Spec: &pipeline_v1.FunctionSpec{Urn: "beam:coder:" + urn + ":v1"}, ComponentCoderIds: parts}
}

var coders = map[string]*pipeline_v1.Coder{
	"custom": coder("of somebody"), "lp": coder("length_prefix", "custom"), "int": coder("varint"), "window": coder("global_window"),
	"text": coder("string_utf8"), "flag": coder("bool"), "real": coder("double"),
	"kv": coder("kv", "int", "lp"), "list": coder("iterable", "kv"), "pair": coder("kv", "text", "list"), "both": coder("kv", "flag", "real"),
	"in": coder("windowed_value", "pair", "window"), "unknown": coder("windowed_value", "custom", "window"), "plain": coder("kv", "both", "lp"),
}

// element encodes one element of the coder "in", as the specification of Beam's
// model has it.
func element(key string, values ...string) []byte {
	b := make([]byte, 8) // time
	b = binary.BigEndian.AppendUint32(b, 1)
	b = append(b, 0x0f) // the only pane
	b = append(binary.AppendUvarint(b, uint64(len(key))), key...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(values)))
	for i, v := range values {
		b = binary.AppendUvarint(b, uint64(1000*i))
		b = append(binary.AppendUvarint(b, uint64(len(v))), v...)
	}
	return b
}

func TestCut(t *testing.T) {
	next := skipOf("in", coders)
	elements := [][]byte{element("a", "x", "yy"), element(""), element("long", string(make([]byte, 300))), element("d", "")}
	part := func(last bool, of ...[]byte) *fnexecution_v1.Elements {
		return &fnexecution_v1.Elements{Data: []*fnexecution_v1.Elements_Data{{TransformId: "t", Data: bytes.Join(of, nil), IsLast: last}}}
	}
	input := []*fnexecution_v1.Elements{part(false, elements[:3]...), part(false, elements[3]), part(true)}
	for n := range int64(6) {
		out, ok := cut(input, n, next)
		if !ok {
			t.Fatalf("%d elements: not told apart", n)
		}
		var got []byte
		last := false
		for _, m := range out {
			for _, d := range m.Data {
				got, last = append(got, d.Data...), last || d.IsLast
			}
		}
		if want := bytes.Join(elements[:min(n, 4)], nil); !bytes.Equal(got, want) || !last {
			t.Errorf("%d elements: %d bytes, want %d; the end: %t", n, len(got), len(want), last)
		}
	}
	whole := bytes.Join(elements, nil)
	for n := 1; n < len(elements[0]); n++ {
		if _, ok := cut([]*fnexecution_v1.Elements{part(true, whole[:n])}, 1, next); ok {
			t.Errorf("%d bytes of an element: taken for one", n)
		}
	}
	if b := skipOf("plain", coders)(append(make([]byte, 9), 2, 'a', 'b', 7)); !bytes.Equal(b, []byte{7}) {
		t.Errorf("%v", b)
	}
	if skipOf("unknown", coders) != nil || skipOf("nowhere", coders) != nil {
		t.Error("a coder that nobody knows has a length")
	}
}
