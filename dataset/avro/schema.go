package avro

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/rffgo/rff/dataset/internal/decimals"
	"github.com/rffgo/rff/internal/columnar"
)

// field is a column of a file.
type field struct {
	column columnar.Column
	digits bool // integers and decimals are text
	kind
}

// kind says what the values of a type are, and how one of them is read.
type kind struct {
	of      columnar.Kind
	units   columnar.Units // the units of times
	need    string         // what an error says of a type that is refused
	null    bool           // whether all values are null
	boolean bool           // whether values are booleans, which are numbers here
	integer bool           // whether values are an int or a long
	exact   bool           // whether values have all digits in value.whole or value.decimal
	decode  func(*decoder, *value)
}

// mostNesting bounds the depth of a type. It is needed because each level keeps a copy of all
// that is in it.
const mostNesting = 16

// schema is a schema in JSON: a name, a list of branches or an object.
type schema struct {
	Type      json.RawMessage
	Name      string
	Namespace string
	Logical   string `json:"logicalType"`
	Scale     int
	Size      int64
	Fields    []struct {
		Name string
		Type json.RawMessage
	}
	Symbols []string
	Items   json.RawMessage
	Values  json.RawMessage
}

// parser knows the types that have names.
type parser struct {
	named map[string]*kind
	left  int // how many more types may come, which bounds a schema that repeats itself
}

// parse returns the fields of the records of a file.
func parse(text []byte) ([]*field, error) {
	var s schema
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("has no schema that can be read: %.100w", err)
	}
	var top string
	if json.Unmarshal(s.Type, &top); top != "record" {
		return nil, errors.New("holds no records: a table needs rows with named fields")
	}
	p := &parser{named: map[string]*kind{}, left: 1 << 16}
	p.named[s.Name] = refused("is a record")
	var fields []*field
	for _, f := range s.Fields {
		k, err := p.kind(f.Type, mostNesting)
		if err != nil {
			return nil, fmt.Errorf("field %.100q: %w", f.Name, err)
		}
		fields = append(fields, &field{column: columnar.Column{Name: f.Name, Kind: k.of, Bool: k.boolean, Null: k.null, Need: k.need, Units: k.units}, kind: *k})
	}
	return fields, nil
}

func refused(what string) *kind {
	return &kind{of: columnar.Refused, need: what + ": write its values as columns of their own, or name other inputs",
		decode: func(d *decoder, _ *value) { d.bad = true }}
}

func number(read func(*decoder) float64) *kind {
	return &kind{of: columnar.Number, decode: func(d *decoder, v *value) { v.number = read(d) }}
}

func text(read func(*decoder) []byte) *kind {
	return &kind{of: columnar.Text, decode: func(d *decoder, v *value) { v.text = read(d) }}
}

func nested(what string, skip func(*decoder, *value)) *kind {
	k := refused("is nested (" + what + ")")
	k.decode = skip
	return k
}

func primitive(name string) *kind {
	switch name {
	case "null":
		return &kind{of: columnar.Number, null: true, decode: func(_ *decoder, v *value) { v.null = true }}
	case "boolean":
		k := number(func(d *decoder) float64 {
			if b := d.take(1); b != nil && b[0] != 0 {
				return 1
			}
			return 0
		})
		k.boolean = true
		return k
	case "int", "long":
		return &kind{of: columnar.Number, integer: true, exact: true, decode: func(d *decoder, v *value) {
			v.whole = d.long()
			v.number = float64(v.whole)
		}}
	case "float":
		return number((*decoder).float)
	case "double":
		return number((*decoder).double)
	case "string", "bytes":
		return text(func(d *decoder) []byte { return d.take(d.long()) })
	}
	return nil
}

// kind returns the kind of a type.
func (p *parser) kind(raw json.RawMessage, depth int) (*kind, error) {
	if p.left--; p.left < 0 || depth == 0 {
		return nil, errors.New("its type has too many parts")
	}
	var name string
	if json.Unmarshal(raw, &name) == nil {
		if k := primitive(name); k != nil {
			return k, nil
		}
		if k := p.named[name]; k != nil {
			return k, nil
		}
		return nil, fmt.Errorf("type %.100q is not known", name)
	}
	var branches []json.RawMessage
	if json.Unmarshal(raw, &branches) == nil {
		return p.union(branches, depth)
	}
	var s schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("its type cannot be read: %.100w", err)
	}
	if json.Unmarshal(s.Type, &name) != nil {
		return p.kind(s.Type, depth-1)
	}
	k, err := p.complex(name, &s, depth)
	if err != nil || s.Logical == "" {
		return k, err
	}
	return logical(k, &s), nil
}

// complex returns the kind of a type that is written as an object.
func (p *parser) complex(name string, s *schema, depth int) (*kind, error) {
	switch name {
	case "enum":
		symbols := s.Symbols
		return p.name(s, &kind{of: columnar.Text, decode: func(d *decoder, v *value) {
			i := d.long()
			if i < 0 || i >= int64(len(symbols)) {
				d.bad = true
				return
			}
			v.symbol = symbols[i]
		}}), nil
	case "fixed":
		if s.Size < 0 {
			return nil, errors.New("a fixed type of a negative size")
		}
		size := s.Size
		return p.name(s, text(func(d *decoder) []byte { return d.take(size) })), nil
	case "array", "map":
		item := s.Items
		if name == "map" {
			item = s.Values
		}
		of, err := p.kind(item, depth-1)
		if err != nil {
			return nil, err
		}
		return nested(name, func(d *decoder, v *value) {
			d.items(func(d *decoder) {
				if name == "map" {
					d.take(d.long())
				}
				of.decode(d, v)
			})
		}), nil
	case "record", "error":
		k := nested("record", nil)
		p.name(s, k) // The type gets its name before its fields are read, which may use that name.
		parts := make([]*kind, len(s.Fields))
		for i, f := range s.Fields {
			var err error
			if parts[i], err = p.kind(f.Type, depth-1); err != nil {
				return nil, err
			}
		}
		level := 0 // how many records stand within each other
		k.decode = func(d *decoder, v *value) {
			if level++; level > mostNesting {
				d.bad = true
			}
			for _, part := range parts {
				if d.bad {
					break
				}
				part.decode(d, v)
			}
			level--
		}
		return k, nil
	}
	if k := primitive(name); k != nil {
		return k, nil
	}
	if k := p.named[name]; k != nil {
		return k, nil
	}
	return nil, fmt.Errorf("type %.100q is not known", name)
}

// name records a kind under its name, with its namespace and without it.
func (p *parser) name(s *schema, k *kind) *kind {
	p.named[s.Name] = k
	if s.Namespace != "" {
		p.named[s.Namespace+"."+s.Name] = k
	}
	return k
}

// union returns the kind of a value that is of one of several types. These are null and types
// of one kind.
func (p *parser) union(branches []json.RawMessage, depth int) (*kind, error) {
	var kinds []*kind
	out := &kind{of: columnar.Number}
	found := false
	for _, b := range branches {
		k, err := p.kind(b, depth-1)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, k)
		switch {
		case k.null:
		case !found:
			out.of, out.need, out.units, out.boolean, out.integer, out.exact, found = k.of, k.need, k.units, k.boolean, k.integer, k.exact, true
		case k.of != out.of || k.units != out.units || k.of == columnar.Refused:
			out.of, out.need = columnar.Refused, "is a union of several types: write them as columns of their own, or name other inputs"
		default:
			out.boolean, out.integer, out.exact = out.boolean && k.boolean, out.integer && k.integer, out.exact && k.exact
		}
	}
	out.null = !found
	out.decode = func(d *decoder, v *value) {
		i := d.long()
		if i < 0 || i >= int64(len(kinds)) {
			d.bad = true
			return
		}
		kinds[i].decode(d, v)
	}
	return out, nil
}

// units has the units of the types that are dates or times.
var units = map[string]columnar.Units{"date": columnar.Dates, "time-millis": columnar.Per(1e3, false, true), "time-micros": columnar.Per(1e6, false, true),
	"timestamp-millis": columnar.Per(1e3, true, false), "timestamp-micros": columnar.Per(1e6, true, false), "timestamp-nanos": columnar.Per(1e9, true, false),
	"local-timestamp-millis": columnar.Per(1e3, false, false), "local-timestamp-micros": columnar.Per(1e6, false, false), "local-timestamp-nanos": columnar.Per(1e9, false, false)}

// logical returns the kind of a type that has a meaning beyond its bytes.
func logical(k *kind, s *schema) *kind {
	switch {
	case s.Logical == "decimal" && k.of == columnar.Text && (s.Scale < 0 || s.Scale > decimals.MostDigits):
		k.of, k.need = columnar.Refused, fmt.Sprintf("is a decimal of scale %d: name other inputs", s.Scale)
		return k
	case s.Logical == "decimal" && k.of == columnar.Text:
		read, decimal := k.decode, decimals.New(s.Scale)
		return &kind{of: columnar.Number, exact: true, decode: func(d *decoder, v *value) {
			if read(d, v); d.bad || len(v.text) > decimals.MostDigits {
				d.bad = true
				return
			}
			v.number, v.decimal = decimal.Bytes(v.text), &decimal
		}}
	case k.integer && units[s.Logical].Nanos:
		return &kind{of: columnar.Time, units: units[s.Logical], decode: func(d *decoder, v *value) { v.number = columnar.Micros(d.long()) }}
	case k.integer && units[s.Logical].PerDay > 0:
		return &kind{of: columnar.Time, units: units[s.Logical], decode: k.decode}
	case s.Logical == "date", s.Logical == "duration", strings.HasPrefix(s.Logical, "time"), strings.HasPrefix(s.Logical, "local-time"):
		return &kind{of: columnar.Refused, decode: k.decode,
			need: fmt.Sprintf("is a date or time (%s): write what matters of it as numbers, or name other inputs", s.Logical)}
	}
	return k // It is a uuid, or a type that this package does not know.
}
