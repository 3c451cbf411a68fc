package rff_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
)

// houses is the schema of a number, a column of words and a number.
func houses() rff.Schema {
	return rff.Schema{Missing: rff.MissingMean, Inputs: []rff.Column{
		{Name: "area", Fill: []float64{100}},
		{Name: "town", Words: []string{"Bonn", "7", "Köln"}, Fill: []float64{.5, .25, .25}},
		{Name: "age", Fill: []float64{30}},
	}}
}

// All kinds of rows that say the same have the same inputs.
func TestEncode(t *testing.T) {
	type base struct {
		Area *float64 `rff:"area"`
		Town string   `rff:"town"`
	}
	type house struct {
		base
		Age  int `rff:"age"`
		Note []byte
	}
	area := 80.5
	s := houses()
	encode, err := rff.EncoderOf[house](s)
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Encoder()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rows []any
		want []float64
	}{
		{[]any{[]string{" 80.5", "Köln ", "12"}, map[string]any{"area": area, "town": "Köln", "age": uint8(12), "id": "x"},
			house{base{&area, "Köln"}, 12, nil}}, []float64{80.5, 0, 0, 1, 12}},
		{[]any{[]string{"", "7.0", "0"}, map[string]any{"area": nil, "town": 7, "age": false}, []float64{math.NaN(), 7, 0},
			house{base{nil, "+7"}, 0, nil}}, []float64{100, 0, 1, 0, 0}},
		{[]any{[]string{"1", "", "2"}, map[string]any{"area": float32(1), "town": "", "age": "2"}, []float64{1, math.NaN(), 2}},
			[]float64{1, .5, .25, .25, 2}},
	} {
		for _, row := range c.rows {
			got := []float64{9, 9, 9, 9, 9}
			if h, ok := row.(house); ok {
				err = encode(got, &h)
			} else {
				err = e(got, row)
			}
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%v: %v, %v, want %v", row, got, err, c.want)
			}
		}
	}
	for _, c := range []struct {
		row  any
		want string
	}{
		{[]string{"1", "Ulm", "2"}, `column "town" is "Ulm"`}, {[]string{"x", "Bonn", "2"}, `column "area" is "x": is not a number: write it as one, or leave the row out`},
		{[]float64{1, 7}, "2 columns"}, {map[string]any{"area": 1, "town": "7"}, `"age"`}, {7, "int"},
		{map[string]any{"area": []int{1}, "town": "7", "age": 1}, `column "area"`}, {[]float64{math.Inf(1), 7, 1}, "finite"},
	} {
		if err := e(make([]float64, 5), c.row); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.row, err, c.want)
		}
	}
	if err := e(make([]float64, 4), []float64{1, 7, 1}); err == nil {
		t.Error("four inputs of five")
	}
}

// A bool is the word that stands for it among those of a column, as pandas, R and Arrow write
// it, also beside further words, and is none of them where two do.
func TestEncodeBool(t *testing.T) {
	for words, want := range map[string][]float64{"False True": {0, 1}, "FALSE NA TRUE": {0, 0, 1}, "false true": {0, 1}, "0 1": {0, 1},
		"False True true": {0, 0, 1}, "False TRUE True": {0, 0, 0}, "Bonn Ulm": {0, 0}} {
		s := rff.Schema{Unseen: "zero", Inputs: []rff.Column{{Name: "smoker", Words: strings.Fields(words)}}}
		e, err := s.Encoder()
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, len(want))
		if err := e(x, map[string]any{"smoker": true}); err != nil || !slices.Equal(x, want) {
			t.Errorf("true among %s: %v, %v, want %v", words, x, err, want)
		}
	}
}

// The rules of a schema: what is missing, and words that are new.
func TestEncodeRules(t *testing.T) {
	for rule, ok := range map[rff.Missing]bool{"": false, "error": false, rff.MissingDrop: false, rff.MissingNaN: true} {
		s := houses()
		s.Missing, s.Unseen = rule, "zero"
		e, err := s.Encoder()
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, 5)
		var p *rff.ParameterError
		if err := e(x, []string{"", "Ulm", "1"}); ok != (err == nil) || !ok && (!errors.As(err, &p) || p.Value != nil || !strings.Contains(p.Name, "area")) {
			t.Errorf("%q: %v", rule, err)
		}
		if err := e(x, []string{"1", `\N`, "1"}); ok != (err == nil) || ok && !math.IsNaN(x[1]) { // no new word
			t.Errorf("%q: %v, %v", rule, err, x)
		}
		if err := e(x, []string{"1", "Ulm", "1"}); err != nil || !slices.Equal(x, []float64{1, 0, 0, 0, 1}) {
			t.Errorf("%q: %v, %v", rule, x, err)
		}
	}
	type short struct {
		Area float64 `rff:"area"`
	}
	type odd struct {
		Area []float64 `rff:"area"`
		Town string    `rff:"town"`
		Age  float64   `rff:"age"`
	}
	if _, err := rff.EncoderOf[short](houses()); err == nil || !strings.Contains(err.Error(), `rff:"town"`) {
		t.Errorf("a struct without a town: %v", err)
	}
	if _, err := rff.EncoderOf[odd](houses()); err == nil || !strings.Contains(err.Error(), "Area") {
		t.Errorf("a field of numbers: %v", err)
	}
	type twice struct {
		Area, Rooms float64 `rff:"area"`
		Town        string  `rff:"town"`
		Age         float64 `rff:"age"`
		Name, Note  string  `rff:"-"` // no column
	}
	if _, err := rff.EncoderOf[twice](houses()); err == nil || !strings.Contains(err.Error(), "Area and Rooms") {
		t.Errorf("two fields for a column: %v", err)
	}
	if _, err := rff.EncoderOf[int](houses()); err == nil {
		t.Error("an int is no row")
	}
}

// A schema that cannot be used is refused, and one that differs is told by what.
func TestSchemaChecksAndMatches(t *testing.T) {
	for name, change := range map[string]func(*rff.Schema){
		"rule":       func(s *rff.Schema) { s.Missing = "zero" },
		"unseen":     func(s *rff.Schema) { s.Unseen = "mean" },
		"fill":       func(s *rff.Schema) { s.Inputs[1].Fill = s.Inputs[1].Fill[:2] },
		"range":      func(s *rff.Schema) { s.Inputs[0].Range = []float64{1} },
		"word twice": func(s *rff.Schema) { s.Inputs[1].Words = []string{"a", "b", "a"} },
		"long 7":     func(s *rff.Schema) { s.Inputs[1].Words = []string{"a", "7.0", "b"} },
		"Latin-1":    func(s *rff.Schema) { s.Inputs[1].Words = []string{"K\xf6ln", "7", "b"} },
	} {
		s := houses()
		change(&s)
		var p *rff.ParameterError
		if err := inside.CheckSchema(s, 5); !errors.As(err, &p) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := inside.CheckSchema(houses(), 3); err == nil {
		t.Error("three inputs of five")
	}
	for want, change := range map[string]func(*rff.Schema){
		"number of columns is 2: must be 3":          func(s *rff.Schema) { s.Inputs = s.Inputs[:2] },
		"name of column 3":                           func(s *rff.Schema) { s.Inputs[2].Name = "years" },
		"words of column 2":                          func(s *rff.Schema) { s.Inputs[1].Words = []string{"7", "Bonn", "Köln"} },
		"gaps of column 1 is [100.1]: must be [100]": func(s *rff.Schema) { s.Inputs[0].Fill = []float64{100.1} },
		"missing": func(s *rff.Schema) { s.Missing = rff.MissingDrop },
		"unseen":  func(s *rff.Schema) { s.Unseen = "zero" },
		"target":  func(s *rff.Schema) { s.Target.Name = "rent" },
		"classes": func(s *rff.Schema) { s.Target.Classes = []string{"a", "c"} },
		"":        func(s *rff.Schema) { s.Inputs[0].Name, s.Rows, s.Inputs[0].Range = "", 7, []float64{1, 2} },
	} {
		s, other := houses(), houses()
		s.Target = rff.Target{Name: "price", Classes: []string{"a", "b"}, Columns: 1}
		other.Target = s.Target
		change(&other)
		if err := s.Match(other); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// Integers that float64 takes for one are the words that they are, and not each other.
func TestEncodeIDs(t *testing.T) {
	s := rff.Schema{Inputs: []rff.Column{{Name: "account", Words: []string{"9007199254740992", "9007199254740993"}}}}
	e, err := s.Encoder()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{9007199254740993, uint64(9007199254740993), "9007199254740993"} {
		got := make([]float64, 2)
		if err := e(got, map[string]any{"account": v}); err != nil || !slices.Equal(got, []float64{0, 1}) {
			t.Errorf("%T: %v, %v", v, got, err)
		}
	}
	if err := e(make([]float64, 2), map[string]any{"account": 9007199254740993.0}); err == nil {
		t.Error("a float64, which has not the digits, is no error")
	}
}
