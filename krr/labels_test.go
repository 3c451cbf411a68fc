package krr_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

func TestFromLabels(t *testing.T) {
	const n = 2500 // more than a batch
	x := mat.NewDense(n, 1, nil)
	for _, c := range []struct{ words, classes []string }{
		{[]string{"pear", "apple", "fig"}, []string{"apple", "fig", "pear"}},
		{[]string{"10", "9", "-1.5", "1e1"}, []string{"-1.5", "9", "10", "1e1"}},
		{[]string{"10", "9", "x"}, []string{"10", "9", "x"}},
		{[]string{"10", "9", "NaN"}, []string{"10", "9", "NaN"}},
		{[]string{"yes", "no"}, []string{"no", "yes"}},
	} {
		labels := make([]string, n)
		for i := range labels {
			labels[i] = c.words[i*i%7%len(c.words)]
			x.Set(i, 0, float64(i))
		}
		// The words that do not occur are no classes.
		var want []string
		for _, l := range c.classes {
			if slices.Contains(labels, l) {
				want = append(want, l)
			}
		}
		s, err := krr.FromLabels(x, labels)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Schema().Target.Classes; !slices.Equal(got, want) {
			t.Errorf("classes %q, want %q", got, want)
		}
		columns := len(want)
		if columns == 2 {
			columns = 1
		}
		if in, targets := s.Schema().Dims(); in != 1 || targets != columns {
			t.Errorf("%d inputs and %d targets", in, targets)
		}
		for range 2 {
			row := 0
			for b, err := range s.Batches(context.Background()) {
				if err != nil {
					t.Fatal(err)
				}
				for i := range b.X.Rows {
					y, got := b.Y.Row(i), ""
					switch {
					case columns == 1 && y[0] == -1:
						got = want[0]
					case columns == 1 && y[0] == 1:
						got = want[1]
					default:
						for k, v := range y {
							if v == 1 {
								got += want[k]
							} else if v != -1 {
								t.Fatalf("target %g", v)
							}
						}
					}
					if b.X.Row(i)[0] != float64(row) || got != labels[row] {
						t.Fatalf("row %d is %q, want %q", row, got, labels[row])
					}
					row++
				}
			}
			if row != n {
				t.Fatalf("%d rows", row)
			}
		}
	}
}

func TestFromLabelsRefuses(t *testing.T) {
	x := mat.NewDense(3, 1, nil)
	var shape *rff.ShapeError
	if _, err := krr.FromLabels(x, []string{"a", "b"}); !errors.As(err, &shape) || shape.WantRows != 3 {
		t.Errorf("two labels for three rows: %v", err)
	}
	for _, labels := range [][]string{{"a", "a", "a"}, {"a", "", "b"}} {
		var class *rff.ParameterError
		if _, err := krr.FromLabels(x, labels); !errors.As(err, &class) {
			t.Errorf("%q: %v", labels, err)
		}
	}
	var p *rff.ParameterError
	if _, err := krr.FromLabels(nil, nil); !errors.As(err, &p) {
		t.Errorf("nil: %v", err)
	}
}

// Codes of two classes that are 0 and 1 are refused, and not taken for probabilities of one half
// and 1. With a third probability between they can be nothing else.
func TestCodesThatAreNumbers(t *testing.T) {
	m := gaussianMap(t, 1, 3, 16, 1)
	r := classes(3, 300, 3, "a", "b")
	for i := range r.y.Rows {
		r.y.Row(i)[0] = max(0, r.y.Row(i)[0])
	}
	for _, s := range []krr.Settings{{}, {Passes: &krr.Passes{}}} {
		var parameter *rff.ParameterError
		if _, _, err := krr.Fit(context.Background(), m, r, s); !errors.As(err, &parameter) || !strings.Contains(err.Error(), "−1 for the first") {
			t.Errorf("%v", err)
		}
	}
	r.y.Row(7)[0] = 0.25
	for _, s := range []krr.Settings{{}, {Passes: &krr.Passes{}}} {
		if _, _, err := krr.Fit(context.Background(), m, r, s); err != nil {
			t.Error(err)
		}
	}
}
