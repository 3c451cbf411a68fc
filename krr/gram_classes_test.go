package krr_test

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr"
)

// gramOf sums up the rows whose class is among keep, coded for these classes.
func gramOf(t *testing.T, m *rff.Map, r *rows, keep ...string) *krr.Gram {
	t.Helper()
	var x []float64
	var class []int
	for i, c := range r.class {
		if k := slices.Index(keep, r.classes[c]); k >= 0 {
			x = append(x, r.x.Row(i)...)
			class = append(class, k)
		}
	}
	d := r.x.Cols
	y := blas.General[float64]{Rows: len(class), Cols: 1, Stride: 1, Data: make([]float64, len(class))}
	if len(keep) == 1 {
		for i := range y.Data {
			y.Data[i] = 1
		}
	} else {
		y = krr.ClassTargets(class, len(keep))
	}
	g := krr.NewGram(m, y.Cols, krr.GramSettings{})
	if err := g.SetClasses(keep); err != nil {
		t.Fatal(err)
	}
	if err := g.Add(t.Context(), rff.Batch{X: blas.General[float64]{Rows: len(class), Cols: d, Stride: d, Data: x}, Y: y}); err != nil {
		t.Fatal(err)
	}
	return g
}

// recode sets the classes of a Gram.
func recode(g *krr.Gram, classes ...string) error {
	s := g.Settings()
	s.Schema.Target.Classes = classes
	return g.Set(s)
}

// Parts that have seen some of the classes only, even one, add up to the sums of
// all rows coded for all classes.
func TestRecode(t *testing.T) {
	const d, s = 3, 32
	m := gaussianMap(t, 1, d, s, 1)
	var many []string // whose sums have another reference
	for i := range 80 {
		many = append(many, fmt.Sprintf("%02d", i))
	}
	for _, c := range []struct {
		all   []string
		parts [][]string
	}{
		{many, [][]string{many[:65], many[65:67], many[67:]}},
		{many, [][]string{many[:5], many[5:]}},
		{[]string{"a", "b"}, [][]string{{"a"}, {"b"}}},
		{[]string{"a", "b"}, [][]string{{"b"}, {"a"}}},
		{[]string{"b", "a"}, [][]string{{"a"}, {"b"}}},
		{[]string{"a", "b", "c"}, [][]string{{"a"}, {"b", "c"}}},
		{[]string{"a", "b", "c"}, [][]string{{"c", "a"}, {"b"}}},
		{[]string{"a", "b", "c", "d"}, [][]string{{"d", "b", "a"}, {"c"}}},
		{[]string{"a", "b", "c", "d"}, [][]string{{"a"}, {"b"}, {"c"}, {"d"}}},
	} {
		r := classes(9, 700, d, c.all...)
		whole := gramOf(t, m, r, c.all...)
		var sum *krr.Gram
		for _, keep := range c.parts {
			g := gramOf(t, m, r, keep...)
			if err := recode(g, c.all...); err != nil {
				t.Fatal(err)
			}
			if sum == nil {
				sum = g
			} else if err := sum.Merge(g); err != nil {
				t.Fatal(err)
			}
		}
		a, b := whole.Sums(), sum.Sums()
		if a.Rows != b.Rows || a.W != b.W {
			t.Fatalf("%v: %d rows of weight %v, want %d of %v", c.parts, b.Rows, b.W, a.Rows, a.W)
		}
		// Elements are sums of 700 terms of at most 1 in size, in another order.
		const tol = 700 * 700 * 0x1p-53
		near := func(what string, x, y []float64) {
			t.Helper()
			for i := range x {
				if math.Abs(x[i]-y[i]) > tol {
					t.Fatalf("%v: %s differs: %v in parts, %v at once", c.parts, what, y[i], x[i])
				}
			}
		}
		near("ZᵀZ", dense(a.G).RawMatrix().Data, dense(b.G).RawMatrix().Data)
		near("ZᵀY", dense(a.ZY).RawMatrix().Data, dense(b.ZY).RawMatrix().Data)
		near("Z", a.Z, b.Z)
		near("Y", a.Y, b.Y)
		near("YY", a.YY, b.YY)
		one, err := whole.Solve(t.Context(), 1e-3)
		if err != nil {
			t.Fatal(err)
		}
		two, err := sum.Solve(t.Context(), 1e-3)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(two.Info().Schema.Target.Classes, c.all) {
			t.Errorf("classes %q", two.Info().Schema.Target.Classes)
		}
		var p, q mat.Dense
		if err := errors.Join(one.Predict(&p, dense(r.x)), two.Predict(&q, dense(r.x))); err != nil {
			t.Fatal(err)
		}
		// Sums relative to n·eps, magnified by the condition, at most 1/λ.
		if !mat.EqualApprox(&p, &q, 700*0x1p-52/1e-3) {
			t.Errorf("%v: predictions differ", c.parts)
		}
	}
	// What is no part of the union is refused, and a single class is no model.
	g := gramOf(t, m, classes(9, 100, d, "a", "b"), "a")
	var bad *rff.ParameterError
	if err := recode(g, "b", "c"); !errors.As(err, &bad) {
		t.Errorf("recoding a for b and c: %v", err)
	}
	var one *rff.DegenerateDataError
	for _, all := range [][]string{{"a"}, {"b", "a"}, {"c", "a", "b"}} { // a class without rows makes no model either
		err := recode(g, all...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = g.Solve(t.Context(), 1); !errors.As(err, &one) || !strings.Contains(one.Why, `"a"`) {
			t.Errorf("solving a single class of %q: %v", all, err)
		}
		if _, err = g.Analyze(t.Context(), nil); !errors.As(err, &one) {
			t.Errorf("analysing a single class of %q: %v", all, err)
		}
	}
	// Sums of two classes in the other order still have both beside a part of one.
	both, alone := gramOf(t, m, classes(9, 100, d, "a", "b"), "a", "b"), gramOf(t, m, classes(8, 50, d, "a", "b"), "a")
	err := errors.Join(recode(both, "b", "a"), recode(alone, "b", "a"))
	if err = errors.Join(err, both.Merge(alone)); err != nil {
		t.Fatal(err)
	}
	if _, err := both.Solve(t.Context(), 1); err != nil {
		t.Errorf("solving two classes: %v", err)
	}
	if err := recode(krr.NewGram(m, 1, krr.GramSettings{}), "a", "b"); !errors.As(err, &bad) {
		t.Errorf("recoding a regression: %v", err)
	}
}

// A part that is merged twice is refused, also within a merged file and as a copy.
func TestParts(t *testing.T) {
	m := gaussianMap(t, 1, 3, 16, 1)
	dir := t.TempDir()
	saved := func(name string, g *krr.Gram) *krr.Gram {
		t.Helper()
		if err := g.Save(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		l, err := krr.LoadGram(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	part := func(seed uint64) *krr.Gram { return gramOf(t, m, classes(seed, 60, 3, "a", "b"), "a", "b") }
	one, two, again := saved("1", part(1)), saved("2", part(2)), saved("again", part(1))
	if len(one.Parts()) != 1 || !slices.Equal(one.Parts(), again.Parts()) || slices.Equal(one.Parts(), two.Parts()) {
		t.Fatalf("parts %q, %q, %q", one.Parts(), two.Parts(), again.Parts())
	}
	before := one.Rows()
	var twice *rff.ParameterError
	if err := one.Merge(again); !errors.As(err, &twice) || one.Rows() != before {
		t.Errorf("the same rows twice: %v, %d rows", err, one.Rows())
	}
	if err := one.Merge(two); err != nil {
		t.Fatal(err)
	}
	both := saved("both", one)
	if len(both.Parts()) != 2 {
		t.Errorf("parts %q", both.Parts())
	}
	if err := both.Merge(two); !errors.As(err, &twice) {
		t.Errorf("a part of what is merged: %v", err)
	}
	if err := both.Subtract(two); err != nil || len(both.Parts()) != 1 {
		t.Errorf("%v, parts %q", err, both.Parts())
	}
	if err := both.Merge(two); err != nil {
		t.Errorf("a part that was taken away: %v", err)
	}
	// Rows that were never saved carry no identity: folds of a fit merge freely.
	if err := part(1).Merge(part(1)); err != nil {
		t.Error(err)
	}
}

// Sums that are merged have the range of both in every column, and none where one has none.
func TestMergedRanges(t *testing.T) {
	m := gaussianMap(t, 1, 2, 8, 1)
	part := func(seed uint64, a, b []float64) *krr.Gram {
		s := rff.Schema{Inputs: []rff.Column{{Name: "a", Range: a}, {Name: "b", Range: b}}}
		g := krr.NewGram(m, 1, krr.GramSettings{Schema: s})
		if err := g.AddSource(t.Context(), synthetic(seed, 30, 2, 1, 0.1)); err != nil {
			t.Fatal(err)
		}
		return g
	}
	g := krr.NewGram(m, 1, krr.GramSettings{}) // no rows change no range
	if err := g.Merge(part(1, []float64{0, 2}, []float64{-1, 1})); err != nil {
		t.Fatal(err)
	}
	if c := g.Settings().Schema.Inputs; !slices.Equal(c[0].Range, []float64{0, 2}) || !slices.Equal(c[1].Range, []float64{-1, 1}) {
		t.Errorf("ranges %v and %v of the first part", c[0].Range, c[1].Range)
	}
	if err := g.Merge(part(2, []float64{-3, 5}, nil)); err != nil {
		t.Fatal(err)
	}
	if c := g.Settings().Schema.Inputs; !slices.Equal(c[0].Range, []float64{-3, 5}) || c[1].Range != nil {
		t.Errorf("ranges %v and %v", c[0].Range, c[1].Range)
	}
}

// Sums from which all rows of other classes were subtracted have no solution, as those of one class,
// also from a file and with rounding errors in the weights; until rows of another class return.
func TestSubtractToOneClass(t *testing.T) {
	m := gaussianMap(t, 1, 3, 16, 1.5)
	var many []string // whose sums have another reference
	for i := range 70 {
		many = append(many, fmt.Sprintf("%02d", i))
	}
	for _, labels := range [][]string{{"a", "b"}, {"a", "b", "c"}, many} {
		all := classes(4, 900, 3, labels...)
		for _, p := range []krr.Precision{krr.Float64, krr.Float32, "int12"} {
			if all.w = nil; p != "int12" {
				for i := range 900 {
					all.w = append(all.w, 0.1*float64(1+i%7))
				}
			}
			sum := func(keep func(class int) bool) *krr.Gram {
				g := krr.NewGram(m, all.y.Cols, krr.GramSettings{Precision: p, Schema: rff.Schema{Inputs: make([]rff.Column, 3), Target: rff.Target{Classes: labels}}})
				if err := g.AddSource(t.Context(), subset(all, func(i int) bool { return keep(all.class[i]) })); err != nil {
					t.Fatal(err)
				}
				return g
			}
			for left, label := range []string{labels[0], labels[1]} {
				others := sum(func(c int) bool { return c != left })
				g := sum(func(int) bool { return true })
				if err := g.Subtract(others); err != nil {
					t.Fatal(err)
				}
				if _, err := sum(func(int) bool { return false }).Solve(t.Context(), 1e-3); err == nil || !strings.Contains(err.Error(), "no rows") {
					t.Errorf("%d classes without rows: %v", len(labels), err)
				}
				path := filepath.Join(t.TempDir(), "sums")
				if err := g.Save(path); err != nil {
					t.Fatal(err)
				}
				read, err := krr.LoadGram(path)
				if err != nil {
					t.Fatal(err)
				}
				for _, g := range []*krr.Gram{g, read} {
					_, err := g.Solve(t.Context(), 1e-3)
					if degenerate := (*rff.DegenerateDataError)(nil); !errors.As(err, &degenerate) || !strings.Contains(err.Error(), fmt.Sprintf("%q", label)) {
						t.Errorf("%d classes in %v, of which %q is left: %v", len(labels), p, label, err)
					}
				}
				some := sum(func(c int) bool { return c == 1-left })
				if err := g.Merge(some); err != nil {
					t.Fatal(err)
				}
				if _, err := g.Solve(t.Context(), 1e-3); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
