package krr_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// Sums that a Gram has already are not added to it again, whatever way they came, and
// can be once they are taken out.
func TestMergeTwice(t *testing.T) {
	m := gaussianMap(t, 1, 3, 20, 1.5)
	part := func(seed uint64) *krr.Gram { return gram(t, m, synthetic(seed, 40, 3, 1, 0.1), krr.Float64) }
	refused := func(name string, g, h *krr.Gram) {
		t.Helper()
		rows := g.Rows()
		var twice *rff.ParameterError
		if err := g.Merge(h); !errors.As(err, &twice) || g.Rows() != rows {
			t.Errorf("%s: %v, %d rows of %d", name, err, g.Rows(), rows)
		}
	}
	a, b := part(1), part(2)
	refused("itself", a, a)
	sum := krr.NewGram(m, 1, krr.GramSettings{})
	for _, h := range []*krr.Gram{a, b} {
		if err := sum.Merge(h); err != nil {
			t.Fatal(err)
		}
	}
	refused("a second time", sum, a)
	refused("a sum of both", b, sum)
	if err := b.AddSource(context.Background(), synthetic(3, 7, 3, 1, 0.1)); err != nil {
		t.Fatal(err)
	}
	refused("with more rows", sum, b)
	if err := sum.Subtract(a); err != nil {
		t.Fatal(err)
	}
	if err := sum.Merge(a); err != nil || sum.Rows() != 80 {
		t.Errorf("taken out and added again: %v, %d rows", err, sum.Rows())
	}
}

// Sums count once also where all their rows, or all but those that the part taken out had lost
// before, were taken out of them.
func TestMergeTwiceAfterSubtract(t *testing.T) {
	m := gaussianMap(t, 1, 3, 20, 1.5)
	all := synthetic(1, 40, 3, 1, 0.1)
	first := func(n int) *krr.Gram {
		return gram(t, m, subset(all, func(i int) bool { return i < n }), krr.Float64)
	}
	again, left, twin := first(40), first(40), first(40)
	other := krr.NewGram(m, 1, krr.GramSettings{})
	less := krr.NewGram(m, 1, krr.GramSettings{})
	for _, err := range []error{
		again.Subtract(again), again.AddSource(t.Context(), all),
		other.Merge(twin), other.Subtract(first(40)), other.Merge(twin), // taken out by those of another pass
		less.Merge(left), less.Subtract(first(10)), left.Subtract(less),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, h := range map[string]*krr.Gram{"all taken out": again, "all of another pass": other, "some left": left} {
		sum := krr.NewGram(m, 1, krr.GramSettings{})
		if err := sum.Merge(h); err != nil {
			t.Fatal(err)
		}
		var twice *rff.ParameterError
		if err := sum.Merge(h); !errors.As(err, &twice) || sum.Rows() != h.Rows() {
			t.Errorf("%s: %v, %d rows of %d", name, err, sum.Rows(), h.Rows())
		}
	}
}

// Sums keep the marks of what is left where some are taken out, and rows that are added then have a
// mark of their own.
func TestMarksAfterSubtract(t *testing.T) {
	m := gaussianMap(t, 1, 3, 20, 1.5)
	part := func(seed uint64) *krr.Gram { return gram(t, m, synthetic(seed, 40, 3, 1, 0.1), krr.Float64) }
	g, b, own, sum := part(1), part(2), krr.NewGram(m, 1, krr.GramSettings{}), krr.NewGram(m, 1, krr.GramSettings{})
	for _, err := range []error{
		own.Merge(g), g.Merge(b), g.Subtract(own), // b is left
		g.AddSource(t.Context(), synthetic(3, 40, 3, 1, 0.1)),
		sum.Merge(g), sum.Subtract(b), // what was added last is left
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, h := range map[string]*krr.Gram{"the rest": b, "the rows added last": sum} {
		if err := g.Merge(h); err == nil || g.Rows() != 80 {
			t.Errorf("%s: %v, %d rows", name, err, g.Rows())
		}
	}
}

// Rows with weights and rows without do not add up, also after sums were saved or took more classes.
func TestMergeWeighted(t *testing.T) {
	m := gaussianMap(t, 1, 3, 20, 1.5)
	part := func(seed uint64, weighted bool) *krr.Gram {
		g := krr.NewGram(m, 1, krr.GramSettings{Schema: rff.Schema{Weighted: weighted}})
		if err := g.AddSource(t.Context(), synthetic(seed, 40, 3, 1, 0.1)); err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if _, err := g.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		g, err := krr.ReadGram(&file)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	for _, weighted := range []bool{false, true} {
		g := part(1, weighted)
		var wrong *rff.ParameterError
		if err := g.Merge(part(2, !weighted)); !errors.As(err, &wrong) || g.Rows() != 40 || g.Settings().Schema.Weighted != weighted {
			t.Errorf("weights %v: %v, %d rows", weighted, err, g.Rows())
		}
		if err := g.Merge(part(2, weighted)); err != nil || g.Rows() != 80 {
			t.Errorf("weights %v of both: %v, %d rows", weighted, err, g.Rows())
		}
	}
	few := krr.NewGram(m, 1, krr.GramSettings{Schema: rff.Schema{Weighted: true, Inputs: rff.Columns("", "", ""), Target: rff.Target{Columns: 1, Classes: []string{"a", "b"}}}})
	if err := recode(few, "a", "b", "c"); err != nil || !few.Settings().Schema.Weighted {
		t.Errorf("more classes: %v, weights %v", err, few.Settings().Schema.Weighted)
	}
}

// Rows of other classes or columns, or of these in another order, are not summed in silence.
func TestAddOtherColumns(t *testing.T) {
	m := gaussianMap(t, 1, 2, 20, 1.5)
	as := func(classes []string, names ...string) rff.Schema {
		return rff.Schema{Inputs: rff.Columns(names...), Target: rff.Target{Columns: 1, Classes: classes}}
	}
	ab, ba := []string{"a", "b"}, []string{"b", "a"}
	for name, c := range map[string]struct {
		have, got rff.Schema
		refused   bool
	}{
		"same":          {as(ab, "u", "v"), as(ab, "u", "v"), false},
		"no classes":    {as(ab, "u", "v"), as(nil, "u", "v"), false},
		"no names":      {as(ab, "u", "v"), as(ab, "", ""), false},
		"only the data": {as(nil, "", ""), as(ab, "u", "v"), false},
		"other classes": {as(ab, "u", "v"), as(ba, "u", "v"), true},
		"other columns": {as(ab, "u", "v"), as(ab, "v", "u"), true},
	} {
		data, err := rff.WithSchema(classes(1, 30, 2, ab...), c.got)
		if err != nil {
			t.Fatal(err)
		}
		g := krr.NewGram(m, 1, krr.GramSettings{Schema: c.have})
		var other *rff.ParameterError
		if err := g.AddSource(t.Context(), data); errors.As(err, &other) != c.refused || err != nil && !c.refused || c.refused != (g.Rows() == 0) {
			t.Errorf("%s: %v, %d rows", name, err, g.Rows())
		}
		if c.refused {
			if _, err := g.LeaveOneOut(t.Context(), data, nil); !errors.As(err, &other) {
				t.Errorf("%s: leave-one-out: %v", name, err)
			}
		}
	}
}

// Rows that were never added leave sums that no rows have, where the Gram has hardly more
// rows than features: their eigenvalues, their targets or their means say so. Rows that
// were added can be taken out, in either precision.
func TestSubtractOtherRows(t *testing.T) {
	m := gaussianMap(t, 1, 3, 40, 1.5)
	r, other := synthetic(1, 60, 3, 1, 0.1), synthetic(2, 30, 3, 1, 0.1)
	loud := *subset(r, func(i int) bool { return i < 5 })
	for i := range loud.y.Data {
		loud.y.Data[i] *= 1e3
	}
	for _, p := range []krr.Precision{krr.Float64, krr.Float32} {
		for name, h := range map[string]*rows{"other rows": other, "other targets": &loud} {
			g := gram(t, m, r, p)
			var wrong *rff.ParameterError
			if err := g.Subtract(gram(t, m, h, p)); !errors.As(err, &wrong) || g.Rows() != 60 {
				t.Errorf("%v, %s: %v, %d rows left", p, name, err, g.Rows())
			}
		}
		for _, left := range []int{1, 30, 59} {
			g := gram(t, m, r, p)
			if err := g.Subtract(gram(t, m, subset(r, func(i int) bool { return i >= left }), p)); err != nil || g.Rows() != int64(left) {
				t.Errorf("%v: %v, %d rows left of %d", p, err, g.Rows(), left)
			}
		}
	}
}

// Rows that were added can be subtracted, whatever their order, also from sums that are singular
// but for rounding: 50 features of one input.
func TestSubtractFromSingularSums(t *testing.T) {
	m, err := rff.New(rff.NewGaussian(1), 1, 50, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{504, 1000, 1008} { // rows of a part: one row block, and others
		sums := func(seeds ...uint64) *krr.Gram {
			g := krr.NewGram(m, 1, krr.GramSettings{})
			for _, seed := range seeds {
				x, y := sine(n, seed)
				if seed == 3 { // inputs that no other row has
					x.Apply(func(_, _ int, v float64) float64 { return 100 + v }, x)
				}
				data, err := rff.FromMatrix(x, y)
				if err != nil {
					t.Fatal(err)
				}
				if err := g.AddSource(context.Background(), data); err != nil {
					t.Fatal(err)
				}
			}
			return g
		}
		for part := range uint64(3) {
			merged := sums(0, 1)
			if err := merged.Merge(sums(2)); err != nil {
				t.Fatal(err)
			}
			for name, all := range map[string]*krr.Gram{"merged": merged, "added": sums(0, 1, 2)} {
				if err := all.Subtract(sums(part)); err != nil || all.Rows() != int64(2*n) {
					t.Errorf("%s, %d rows, part %d: %v, %d rows are left", name, n, part, err, all.Rows())
				}
				if err := all.Subtract(sums(3)); err == nil {
					t.Errorf("%s, %d rows, part %d: rows that were never added are subtracted", name, n, part)
				}
			}
		}
	}
}

// Rows count once also where the Gram that has them was saved before it was solved, had other
// classes, got further rows or was merged.
func TestMergeSavedTwice(t *testing.T) {
	m := gaussianMap(t, 1, 3, 20, 1.5)
	saved := func(g *krr.Gram) *krr.Gram {
		t.Helper()
		var file bytes.Buffer
		if _, err := g.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		back, err := krr.ReadGram(&file)
		if err != nil {
			t.Fatal(err)
		}
		return back
	}
	for name, next := range map[string]func(g *krr.Gram) error{
		"nothing": func(*krr.Gram) error { return nil },
		"solved":  func(g *krr.Gram) error { _, err := g.Solve(t.Context(), 1e-3); return err },
		"classes": func(g *krr.Gram) error {
			s := g.Settings()
			s.Schema.Target.Classes = []string{"c", "b", "a"}
			return g.Set(s)
		},
		"more rows": func(g *krr.Gram) error { return g.AddSource(t.Context(), coded(4, 7)) },
		"merged": func(g *krr.Gram) error {
			h := krr.NewGram(m, 1, g.Settings())
			return errors.Join(h.AddSource(t.Context(), coded(5, 9)), g.Merge(h))
		},
	} {
		g := krr.NewGram(m, 1, krr.GramSettings{Schema: rff.Schema{Target: rff.Target{Classes: []string{"a", "b"}}}})
		if err := g.AddSource(t.Context(), coded(3, 40)); err != nil {
			t.Fatal(err)
		}
		first := saved(g)
		if err := next(g); err != nil {
			t.Fatal(name, err)
		}
		if err := first.Set(g.Settings()); err != nil {
			t.Fatal(name, err)
		}
		second := saved(g)
		var twice *rff.ParameterError
		for way, err := range map[string]error{"files": second.Merge(first), "memory": g.Merge(first)} {
			if !errors.As(err, &twice) {
				t.Errorf("%s, %s: %v", name, way, err)
			}
		}
		if want := g.Rows() - 40; want > 0 { // what was added since can be taken out and added again
			if err := errors.Join(second.Subtract(first), second.Merge(first)); err != nil || second.Rows() != want+40 {
				t.Errorf("%s: %d rows, %v", name, second.Rows(), err)
			}
		}
	}
}

// coded returns rows of two classes.
func coded(seed uint64, rows int) rff.Source {
	d := synthetic(seed, rows, 3, 1, 0.1)
	for i := range rows {
		d.y.Row(i)[0] = float64(2*(i%2) - 1)
	}
	return d
}
