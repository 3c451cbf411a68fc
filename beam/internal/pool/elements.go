package pool

import (
	"encoding/binary"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/protobuf/proto"
)

// stage is what a relay must know of a stage of a pipeline.
type stage struct {
	sinks int // outputs that a bundle ends one by one
	skip  skip
}

// skip returns what follows the first element of b, or nil if b holds no whole one.
type skip func(b []byte) []byte

// rewrite lets the processes of a stage talk to another endpoint, and says what a
// relay must know of it.
func rewrite(d *fnexecution_v1.ProcessBundleDescriptor, endpoint string) (*fnexecution_v1.ProcessBundleDescriptor, stage, error) {
	d = proto.Clone(d).(*fnexecution_v1.ProcessBundleDescriptor)
	var s stage
	for _, t := range d.GetTransforms() {
		source := t.GetSpec().GetUrn() == "beam:runner:source:v1"
		if !source && t.GetSpec().GetUrn() != "beam:runner:sink:v1" {
			continue
		}
		var port fnexecution_v1.RemoteGrpcPort
		if err := proto.Unmarshal(t.Spec.Payload, &port); err != nil {
			return nil, s, err
		}
		if source {
			s.skip = skipOf(port.GetCoderId(), d.GetCoders())
		} else {
			s.sinks++
		}
		port.ApiServiceDescriptor = &pipeline_v1.ApiServiceDescriptor{Url: endpoint}
		var err error
		if t.Spec.Payload, err = proto.Marshal(&port); err != nil {
			return nil, s, err
		}
	}
	if d.StateApiServiceDescriptor != nil {
		d.StateApiServiceDescriptor = &pipeline_v1.ApiServiceDescriptor{Url: endpoint}
	}
	return d, s, nil
}

// skipOf returns the function that skips an element of a coder, or nil for a coder
// whose elements it does not know the length of.
func skipOf(id string, coders map[string]*pipeline_v1.Coder) skip {
	c := coders[id]
	var parts []skip
	for _, k := range c.GetComponentCoderIds() {
		p := skipOf(k, coders)
		if p == nil && c.GetSpec().GetUrn() != "beam:coder:length_prefix:v1" {
			return nil
		}
		parts = append(parts, p)
	}
	fixed := func(n int) skip {
		return func(b []byte) []byte {
			if len(b) < n {
				return nil
			}
			return b[n:]
		}
	}
	switch c.GetSpec().GetUrn() {
	case "beam:coder:length_prefix:v1", "beam:coder:bytes:v1", "beam:coder:string_utf8:v1":
		return func(b []byte) []byte {
			n, k := binary.Uvarint(b)
			if k <= 0 || n > uint64(len(b)-k) {
				return nil
			}
			return b[k+int(n):]
		}
	case "beam:coder:varint:v1":
		return func(b []byte) []byte {
			if _, k := binary.Uvarint(b); k > 0 {
				return b[k:]
			}
			return nil
		}
	case "beam:coder:bool:v1":
		return fixed(1)
	case "beam:coder:double:v1":
		return fixed(8)
	case "beam:coder:kv:v1":
		if len(parts) == 2 {
			return func(b []byte) []byte {
				if b = parts[0](b); b == nil {
					return nil
				}
				return parts[1](b)
			}
		}
	case "beam:coder:iterable:v1":
		if len(parts) == 1 {
			return func(b []byte) []byte {
				if len(b) < 4 {
					return nil
				}
				n := int32(binary.BigEndian.Uint32(b))
				if b = b[4:]; n < 0 { // a count unknown: in chunks
					return nil
				}
				for range n {
					if b = parts[0](b); b == nil {
						return nil
					}
				}
				return b
			}
		}
	case "beam:coder:windowed_value:v1":
		if len(parts) == 2 && coders[c.GetComponentCoderIds()[1]].GetSpec().GetUrn() == "beam:coder:global_window:v1" {
			return func(b []byte) []byte {
				// Time stamp, one window without bytes, pane of one byte without indices.
				if len(b) < 13 || binary.BigEndian.Uint32(b[8:]) != 1 || b[12]>>4 != 0 {
					return nil
				}
				return parts[0](b[13:])
			}
		}
	case "beam:coder:global_window:v1":
		return fixed(0)
	}
	return nil
}

// cut returns the first n elements of an input, or false where it cannot tell them.
func cut(input []*fnexecution_v1.Elements, n int64, next skip) ([]*fnexecution_v1.Elements, bool) {
	var out []*fnexecution_v1.Elements
	for _, m := range input {
		kept := &fnexecution_v1.Elements{Timers: m.Timers}
		for _, d := range m.Data {
			rest := d.Data
			for n > 0 && len(rest) > 0 {
				if rest = next(rest); rest == nil {
					return nil, false
				}
				n--
			}
			if k := len(d.Data) - len(rest); k > 0 || d.IsLast {
				c := proto.Clone(d).(*fnexecution_v1.Elements_Data)
				c.Data = c.Data[:k]
				kept.Data = append(kept.Data, c)
			}
		}
		out = append(out, kept)
	}
	return out, true
}
