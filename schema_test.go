package rff_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
)

// A source takes another schema, but no other number of columns, and its readings are
// held to a number of rows.
func TestWithSchema(t *testing.T) {
	plain, err := rff.FromMatrix(mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}), mat.NewDense(3, 1, []float64{1, -1, 1}))
	if err != nil {
		t.Fatal(err)
	}
	s := plain.Schema()
	if s.Names() != nil || s.Rows != 3 {
		t.Fatalf("%+v", s)
	}
	s.Inputs, s.Target.Name, s.Target.Classes, s.Rows = rff.Columns("a", "b"), "y", []string{"no", "yes"}, 0
	data, err := rff.WithSchema(plain, s)
	if err != nil {
		t.Fatal(err)
	}
	if got := data.Schema(); !slices.Equal(got.Names(), []string{"a", "b"}) || got.Rows != 3 || got.Target.Name != "y" || plain.Schema().Names() != nil {
		t.Errorf("%+v", got)
	}
	s.Inputs = rff.Columns("a")
	var p *rff.ParameterError
	if _, err := rff.WithSchema(plain, s); !errors.As(err, &p) || p.Name != "schema" {
		t.Errorf("%v", err)
	}
	if _, err := rff.WithSchema(nil, s); !errors.As(err, &p) || p.Name != "data" {
		t.Errorf("%v", err)
	}
	for _, c := range []struct {
		says  int64
		reads []int // rows of each reading
		bad   int   // the reading that is refused
	}{{0, []int{3, 3, 3}, -1}, {0, []int{3, 0}, 1}, {0, []int{3, 3, 4}, 2}, {2, []int{3}, 0}, {0, []int{0, 3}, -1}} {
		read := 0
		rows, err := rff.FromRows(1, 0, func(yield func(rff.Row, error) bool) {
			n := c.reads[read]
			for range n {
				if !yield(rff.Row{X: []float64{1}}, nil) {
					return
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		s := rows.Schema()
		s.Rows = c.says
		if rows, err = rff.WithSchema(rows, s); err != nil {
			t.Fatal(err)
		}
		for ; read < len(c.reads); read++ {
			var last error
			for _, last = range rows.Batches(t.Context()) {
			}
			var d *rff.DegenerateDataError
			if errors.As(last, &d) != (read == c.bad) {
				t.Errorf("%+v, reading %d: %v", c, read, last)
			}
			if read == c.bad && (!strings.Contains(last.Error(), " 3") || !strings.Contains(last.Error(), "rows")) {
				t.Errorf("%v", last)
			}
		}
	}
}

// Without words of its own a schema has the usual ones for gaps, and rows under other words
// do not stand beside each other.
func TestWordsForGaps(t *testing.T) {
	s := rff.Schema{Missing: rff.MissingMean, Inputs: []rff.Column{{Name: "a", Fill: []float64{7}}}}
	own := s
	own.NA = []string{"gone"}
	for word, by := range map[string]rff.Schema{"NA": s, "null": s, "?": s, "gone": own} {
		e, err := by.Encoder()
		if err != nil {
			t.Fatal(err)
		}
		x := []float64{0}
		if err := e(x, []string{word}); err != nil || x[0] != 7 {
			t.Errorf("%q becomes %v, %v", word, x, err)
		}
	}
	if e, err := own.Encoder(); err != nil || e([]float64{0}, []string{"NA"}) == nil {
		t.Error("NA is a gap where another word is said to be", err)
	}
	if s.Match(own) == nil || own.Match(s) == nil || own.Match(own) != nil {
		t.Error("words for gaps are not compared")
	}
}

// Inputs of words are named by column and word, and a column that no row has a value of has
// no range.
func TestObservedAndNames(t *testing.T) {
	s := rff.Schema{Inputs: []rff.Column{{Name: "job", Words: []string{"cook", "nurse"}}, {Name: "pay"}, {Name: "gone"}}}
	if got := s.InputNames(); !slices.Equal(got, []string{"job=cook", "job=nurse", "pay", "gone"}) {
		t.Errorf("%q", got)
	}
	seen := inside.Observed(s, []float64{0.5, 0.5, 3, 0}, []float64{0, 0, 1, math.Inf(1)}, []float64{1, 1, 9, math.Inf(-1)})
	if in := seen.Inputs; !slices.Equal(in[0].Fill, []float64{0.5, 0.5}) || in[0].Range != nil || !slices.Equal(in[1].Range, []float64{1, 9}) || in[2].Range != nil || s.Inputs[1].Range != nil {
		t.Errorf("%+v of %+v", seen, s)
	}
}

// againFirst gives batches of one row, all of which say that they are the first.
type againFirst struct{ rff.Source }

func (s againFirst) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		for b, err := range s.Source.Batches(ctx) {
			for i := range b.X.Rows {
				if !yield(rff.Batch{X: b.X.RowRange(i, i+1), Y: b.Y.RowRange(i, i+1)}, err) {
					return
				}
			}
		}
	}
}

// Batches whose numbers of rows overlap would share runs, and are refused.
func TestWithSchemaRefusesRowsTwice(t *testing.T) {
	plain, err := rff.FromMatrix(mat.NewDense(3, 1, []float64{1, 2, 3}), mat.NewDense(3, 1, []float64{1, -1, 1}))
	if err != nil {
		t.Fatal(err)
	}
	data, err := rff.WithSchema(againFirst{plain}, plain.Schema())
	if err != nil {
		t.Fatal(err)
	}
	var rows int
	var last error
	for b, err := range data.Batches(t.Context()) {
		rows, last = rows+b.X.Rows, err
	}
	var p *rff.ParameterError
	if !errors.As(last, &p) || p.Name != "first" || rows != 1 {
		t.Errorf("%d rows, then %v", rows, last)
	}
}

// A range of a column has both of its ends, in their order.
func TestRangeOfColumn(t *testing.T) {
	for _, r := range [][]float64{{1}, {2, 1}, {math.NaN(), 1}, {1, 1}} {
		var bad *rff.ParameterError
		s := rff.Schema{Inputs: []rff.Column{{Name: "a", Range: r}}}
		if _, err := s.Encoder(); errors.As(err, &bad) == (len(r) == 2 && r[0] <= r[1]) {
			t.Errorf("%v: %v", r, err)
		}
	}
}

// Words are in their one form, but for dates, which models from before have as their files did; two
// forms of one date are one word.
func TestFormsOfWords(t *testing.T) {
	for words, sound := range map[string]bool{"a|1|2024-01-31": true, "1.0|a": false, " a|b": false, "2024-01-31T00:00:00|a": true,
		"2024-01-31|2024-01-31 00:00:00": false, " 2024-01-31|a": false} {
		s := rff.Schema{Inputs: []rff.Column{{Name: "c", Words: strings.Split(words, "|")}}}
		in, _ := s.Dims()
		err := inside.CheckSchema(s, in)
		if p := (*rff.ParameterError)(nil); sound != (err == nil) || !sound && (!errors.As(err, &p) || p.Name != `column "c"`) {
			t.Errorf("%s: %v", words, err)
		}
	}
}
