package rff

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/rffgo/rff/internal/cells"
)

type encoder struct {
	schema Schema
	at     []int // the first input of each column
	kinds  []cells.Kind
	na     []string
	width  int
}

// Encoder returns a function that turns a row of words and numbers, as a program has it,
// into the inputs of a map, by the rules of s: the words that a model knows, and the numbers
// that stand for missing values. It writes them to dst, one for each input of the map, and is
// safe for concurrent use. The row is []float64 or []string, one value per column, or
// map[string]any by the names of the columns, where further keys are ignored. A value is a
// number, a text, a bool or, in a column of times, a time.Time. A missing value is nil, "" or
// NaN.
//
// Errors of the function: *ShapeError for the wrong number of values; *ParameterError for a
// value that cannot be used or is missing without a rule, and for a column that is no key of
// a map. With the rule MissingDrop a row that lacks a value is such an error, too: it has no
// prediction. Encoder returns a *ParameterError for a schema that contradicts itself.
func (s Schema) Encoder() (func(dst []float64, row any) error, error) {
	e, err := s.encoder()
	if err != nil {
		return nil, err
	}
	return e.encode, nil
}

func (s Schema) encoder() (*encoder, error) {
	e := &encoder{schema: s, at: make([]int, len(s.Inputs)), kinds: make([]cells.Kind, len(s.Inputs)), na: s.NA}
	if s.NA == nil {
		e.na = cells.NA()
	}
	for i, c := range s.Inputs {
		e.at[i] = e.width
		e.width += c.width()
		e.kinds[i] = c.kind(s.Unseen)
	}
	return e, s.check(e.width)
}

func (e *encoder) encode(dst []float64, row any) error {
	if len(dst) != e.width {
		return &ShapeError{Name: "dst", Rows: 1, Cols: len(dst), WantRows: -1, WantCols: e.width}
	}
	n := len(e.schema.Inputs)
	switch row := row.(type) {
	case []float64:
		return encodeEach(dst, row, n, e.number)
	case []string:
		return encodeEach(dst, row, n, e.text)
	case map[string]any:
		for i, c := range e.schema.Inputs {
			v, ok := row[c.Name]
			if !ok || c.Name == "" {
				return &ParameterError{Name: "row", Value: fmt.Sprintf("%d keys", len(row)), Need: "needs the key " + e.schema.title(i) + ", whose value is nil if it is missing"}
			}
			if err := e.value(dst, i, reflect.ValueOf(v)); err != nil {
				return err
			}
		}
	default:
		return &ParameterError{Name: "row", Value: fmt.Sprintf("%T", row), Need: "must be []float64, []string or map[string]any; EncoderOf takes structs"}
	}
	return nil
}

// encodeEach encodes a row of n values by put.
func encodeEach[V any](dst []float64, row []V, n int, put func(dst []float64, i int, v V) error) error {
	if len(row) != n {
		return &ShapeError{Name: "row", Rows: 1, Cols: len(row), WantRows: -1, WantCols: n}
	}
	for i, v := range row {
		if err := put(dst, i, v); err != nil {
			return err
		}
	}
	return nil
}

// EncoderOf returns a function that writes the inputs of a struct to dst, as
// the function of Encoder does. Each column is the exported field that is tagged with its name,
// `rff:"name"`, or has that name; further fields are ignored. A field is a number, a
// string, a bool, a time.Time or a pointer to one. A missing value is a nil pointer, "" or NaN.
//
// Errors: those of Encoder, and a *ParameterError if T has no field for a column, two fields with
// one tag, or a field of another kind.
func EncoderOf[T any](s Schema) (func(dst []float64, row *T) error, error) {
	e, err := s.encoder()
	if err != nil {
		return nil, err
	}
	of := reflect.TypeFor[T]()
	if of.Kind() != reflect.Struct {
		return nil, &ParameterError{Name: "T", Value: of, Need: "must be a struct: Schema.Encoder takes slices and maps"}
	}
	named, also := map[string]reflect.StructField{}, map[string]string{}
	for _, f := range reflect.VisibleFields(of) {
		name, tagged := f.Tag.Lookup("rff")
		if !tagged {
			name = f.Name
		}
		other, taken := named[name]
		if !f.IsExported() || taken && !tagged {
			continue
		}
		if _, twice := other.Tag.Lookup("rff"); twice {
			also[name] = other.Name
		}
		named[name] = f
	}
	fields := make([][]int, len(s.Inputs))
	for i, c := range s.Inputs {
		f, ok := named[c.Name]
		if !ok || c.Name == "" {
			return nil, &ParameterError{Name: "T", Value: of, Need: fmt.Sprintf("needs a field for column %s: tag it `rff:%q`", s.title(i), c.Name)}
		}
		if other, twice := also[c.Name]; twice {
			return nil, &ParameterError{Name: "T", Value: of, Need: fmt.Sprintf("has two fields tagged `rff:%q`, %s and %s: tag one", c.Name, other, f.Name)}
		}
		t := f.Type
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if !isCell(t.Kind()) && !(t == timeType && c.Time != nil) {
			return nil, &ParameterError{Name: "T", Value: of, Need: "has a field " + f.Name + " that is no number, string, bool or pointer to one, nor a time.Time of a column of times"}
		}
		fields[i] = f.Index
	}
	return func(dst []float64, row *T) error {
		if len(dst) != e.width {
			return &ShapeError{Name: "dst", Rows: 1, Cols: len(dst), WantRows: -1, WantCols: e.width}
		}
		v := reflect.ValueOf(row).Elem()
		for i, at := range fields {
			f, err := v.FieldByIndexErr(at)
			if err != nil { // the field is in an embedded pointer that is nil
				f = reflect.Value{}
			}
			if err := e.value(dst, i, f); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

var timeType = reflect.TypeFor[time.Time]()

func isCell(k reflect.Kind) bool {
	return k == reflect.String || k == reflect.Bool || k >= reflect.Int && k <= reflect.Float64 && k != reflect.Uintptr
}

// value writes the inputs of column i for the value that v holds or points to.
func (e *encoder) value(dst []float64, i int, v reflect.Value) error {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch {
	case !v.IsValid():
		return e.gap(dst, i)
	case v.Kind() == reflect.String:
		return e.text(dst, i, v.String())
	case v.Kind() == reflect.Bool:
		return e.refuse(i, v.Bool(), e.kinds[i].Bool(dst[e.at[i]:], v.Bool()))
	case v.Type() == timeType && e.schema.Inputs[i].Time != nil:
		return e.time(dst, i, v.Interface().(time.Time))
	case v.CanInt() && e.schema.Inputs[i].Words != nil: // float64 does not have all digits of an id
		return e.text(dst, i, strconv.FormatInt(v.Int(), 10))
	case v.CanUint() && e.schema.Inputs[i].Words != nil:
		return e.text(dst, i, strconv.FormatUint(v.Uint(), 10))
	case v.CanInt():
		return e.number(dst, i, float64(v.Int()))
	case v.CanUint():
		return e.number(dst, i, float64(v.Uint()))
	case v.CanFloat():
		return e.number(dst, i, v.Float())
	}
	return e.refuse(i, v.Type().String(), "is no number, text or bool")
}

// number writes the inputs of a number.
func (e *encoder) number(dst []float64, i int, v float64) error {
	if math.IsNaN(v) {
		return e.gap(dst, i)
	}
	return e.refuse(i, v, e.kinds[i].Number(dst[e.at[i]:], v))
}

// time writes the inputs of a moment.
func (e *encoder) time(dst []float64, i int, v time.Time) error {
	kind := e.kinds[i].(cells.Time)
	return e.refuse(i, v, kind.Stamp(dst[e.at[i]:], kind.StampOf(v)))
}

// text writes the inputs of a text.
func (e *encoder) text(dst []float64, i int, v string) error {
	cell := bytes.TrimSpace([]byte(v))
	if gaps := e.kinds[i].Gaps(); gaps && slices.Contains(e.na, string(cell)) || len(cell) == 0 || !gaps && cells.Given(cell) == nil {
		return e.gap(dst, i)
	}
	return e.refuse(i, strconv.Quote(v), e.kinds[i].Text(dst[e.at[i]:], cell))
}

// gap writes the inputs of a missing value.
func (e *encoder) gap(dst []float64, i int) error {
	to := dst[e.at[i]:][:e.schema.Inputs[i].width()]
	switch fill := e.schema.Inputs[i].Fill; e.schema.Missing {
	case MissingMean:
		if fill == nil {
			return e.refuse(i, nil, "is missing, and the mean of the column is not known (Column.Fill)")
		}
		copy(to, fill)
		return nil
	case MissingNaN:
		for k := range to {
			to[k] = math.NaN()
		}
		return nil
	case MissingDrop:
		return e.refuse(i, nil, "is missing, and the model's rule is that such a row has no prediction")
	}
	return e.refuse(i, nil, "is missing, and the model has no rule for that (Schema.Missing)")
}

// refuse returns an error about a value of column i, or nil if nothing is needed.
func (e *encoder) refuse(i int, value any, need string) error {
	if need == "" {
		return nil
	}
	return &ParameterError{Name: "column " + e.schema.title(i), Value: value, Need: need}
}
