package rff

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// rowsOfMatrix yields the rows of x and y through one buffer, as a reader of a
// file would.
func rowsOfMatrix(x, y *mat.Dense) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		n, d := x.Dims()
		r := Row{X: make([]float64, d)}
		for i := range n {
			copy(r.X, x.RawRowView(i))
			if y != nil {
				r.Y = append(r.Y[:0], y.RawRowView(i)...)
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// FromRows gives what FromMatrix gives, as often as it is read.
func TestFromRows(t *testing.T) {
	const n, d = 2*copyBlock + 17, 3
	x, y := randomDense(n, d, 1), randomDense(n, 2, 2)
	for _, targets := range []*mat.Dense{y, nil} {
		width := 0
		if targets != nil {
			width = 2
		}
		s, err := FromRows(d, width, rowsOfMatrix(x, targets))
		if err != nil {
			t.Fatal(err)
		}
		if in, out := s.Schema().Dims(); in != d || out != width {
			t.Errorf("Dims: %d, %d", in, out)
		}
		for range 2 {
			row := 0
			for b, err := range s.Batches(context.Background()) {
				if err != nil || b.First != int64(row) || b.X.Cols != d || b.Y.Cols != width || b.Y.Rows != b.X.Rows || b.Weight != nil {
					t.Fatalf("%v, batch at %d for row %d, %d×%d and %d×%d", err, b.First, row, b.X.Rows, b.X.Cols, b.Y.Rows, b.Y.Cols)
				}
				for i := range b.X.Rows {
					if !slices.Equal(b.X.Row(i), x.RawRowView(row)) || (width > 0 && !slices.Equal(b.Y.Row(i), y.RawRowView(row))) {
						t.Fatalf("row %d differs", row)
					}
					row++
				}
			}
			if row != n {
				t.Fatalf("%d rows of %d", row, n)
			}
		}
		for range s.Batches(context.Background()) {
			break // the iterator must stop with us
		}
	}
}

func TestFromRowsRefuses(t *testing.T) {
	rows := rowsOfMatrix(randomDense(5, 3, 1), nil)
	for name, f := range map[string]func() (Source, error){
		"dim":     func() (Source, error) { return FromRows(0, 1, rows) },
		"targets": func() (Source, error) { return FromRows(3, -1, rows) },
		"rows":    func() (Source, error) { return FromRows(3, 1, nil) },
	} {
		var p *ParameterError
		if s, err := f(); s != nil || !errors.As(err, &p) || p.Name != name {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	if _, err := FromRows(math.MaxInt, 1, rows); err == nil {
		t.Error("a row of 2⁶³ values passes")
	}
	bad := errors.New("the cursor broke")
	at := func(index int, r Row, err error) iter.Seq2[Row, error] {
		return func(yield func(Row, error) bool) {
			for range index {
				if !yield(Row{X: []float64{1, 2, 3}, Y: []float64{4}}, nil) {
					return
				}
			}
			if !yield(r, err) {
				return
			}
			t.Error("asked for a row after an error")
		}
	}
	for _, c := range []struct {
		rows iter.Seq2[Row, error]
		want string
	}{
		{at(4, Row{X: []float64{1, 2}, Y: []float64{1}}, nil), "X of row 5 has 2 columns, want 3"},
		{at(copyBlock+6, Row{X: []float64{1, 2, 3}}, nil), "Y of row 2023 has 0 columns, want 1"},
		{at(2, Row{}, bad), bad.Error()},
	} {
		s, err := FromRows(3, 1, c.rows)
		if err != nil {
			t.Fatal(err)
		}
		err = nil
		for _, e := range s.Batches(context.Background()) {
			if err != nil {
				t.Error("a batch after an error")
			}
			err = e
		}
		var shape *ShapeError
		if err == nil || !strings.Contains(err.Error(), c.want) || !(errors.As(err, &shape) || errors.Is(err, bad)) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s, err := FromRows(3, 0, rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range s.Batches(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
}

// Rows as wide as they come do not make a batch of a thousand of them.
func TestFromRowsBoundsABatch(t *testing.T) {
	const wide = 1 << 20
	x := make([]float64, wide)
	s, err := FromRows(wide, 0, func(yield func(Row, error) bool) {
		for range 20 {
			if !yield(Row{X: x}, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for b, err := range s.Batches(context.Background()) {
		if err != nil || b.X.Rows > 8 {
			t.Fatalf("%d rows of 8 MiB in a batch, %v", b.X.Rows, err)
		}
		total += b.X.Rows
	}
	if total != 20 {
		t.Errorf("%d rows", total)
	}
}
