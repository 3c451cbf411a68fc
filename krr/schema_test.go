package krr_test

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

// A wrapper of a source is the same learning problem: the classes are still classes.
func TestWrappersKeepTheSchema(t *testing.T) {
	letters := dataset.Letter().Head(500)
	in := letters.X.Cols
	m := gaussianMap(t, 8, in, 64, 1)
	want, _, err := krr.Fit(t.Context(), m, letters.Source(), krr.Settings{Lambdas: []float64{1e-3}})
	if err != nil {
		t.Fatal(err)
	}
	shift := make([]float64, in)
	for name, data := range map[string]rff.Source{
		"embedded": struct{ rff.Source }{letters.Source()},
		"scaled":   dataset.Scaled(letters.Source(), rff.Scaling{Shift: shift}),
	} {
		got, _, err := krr.Fit(t.Context(), m, data, krr.Settings{Lambdas: []float64{1e-3}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(got.Info().Schema.Target.Classes, want.Info().Schema.Target.Classes) || len(want.Info().Schema.Target.Classes) != 26 {
			t.Errorf("%s: classes %q", name, got.Info().Schema.Target.Classes)
		}
	}
}

// Rows that can be read only once are refused by whatever reads them twice.
func TestRowsReadOnce(t *testing.T) {
	r := synthetic(1, 200, 2, 1, 0.1)
	left := r.x.Rows
	rows, err := rff.FromRows(2, 1, func(yield func(rff.Row, error) bool) {
		for ; left > 0; left-- {
			if !yield(rff.Row{X: r.x.Row(left - 1), Y: r.y.Row(left - 1)}, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	var d *rff.DegenerateDataError
	if m, _, err := krr.Fit(t.Context(), gaussianMap(t, 1, 2, 16, 1), rows, krr.Settings{Criterion: krr.LeaveOneOut}); !errors.As(err, &d) || !strings.Contains(err.Error(), "200") {
		t.Errorf("%v, %v", m, err)
	}
	g := krr.NewGram(gaussianMap(t, 1, 2, 16, 1), 1, krr.GramSettings{})
	if err := g.AddSource(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if _, err := g.LeaveOneOut(t.Context(), synthetic(1, 150, 2, 1, 0.1), []float64{1e-3}); !errors.As(err, &d) {
		t.Errorf("other rows left out: %v", err)
	}
}

// No data are a parameter that is missing.
func TestNoData(t *testing.T) {
	m := gaussianMap(t, 1, 2, 16, 1)
	g := krr.NewGram(m, 1, krr.GramSettings{})
	for name, f := range map[string]func() error{
		"Fit":         func() error { _, _, err := krr.Fit(t.Context(), m, nil, krr.Settings{}); return err },
		"Auto":        func() error { _, _, err := krr.Auto(t.Context(), nil, krr.AutoSettings{}); return err },
		"AddSource":   func() error { return g.AddSource(t.Context(), nil) },
		"LeaveOneOut": func() error { _, err := g.LeaveOneOut(t.Context(), nil, nil); return err },
	} {
		var p *rff.ParameterError
		if err := f(); !errors.As(err, &p) || p.Name != "data" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Sums of other columns, in another order or of another target, do not add up.
func TestMergeComparesColumns(t *testing.T) {
	m := gaussianMap(t, 1, 2, 16, 1)
	of := func(target string, names ...string) *krr.Gram {
		r := synthetic(1, 50, 2, 1, 0.1)
		r.names, r.target = names, target
		g := krr.NewGram(m, 1, krr.GramSettings{Schema: r.Schema()})
		if err := g.AddSource(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		return g
	}
	g := of("ya", "a", "b")
	for want, other := range map[string]*krr.Gram{"name of column 1": of("ya", "b", "a"), "target": of("yb", "a", "b")} {
		var p *rff.ParameterError
		if err := g.Merge(other); !errors.As(err, &p) || p.Name != want || g.Rows() != 50 {
			t.Errorf("merged %v: %v", other.Settings().Schema, err)
		}
		if err := g.Subtract(other); !errors.As(err, &p) || p.Name != want || g.Rows() != 50 {
			t.Errorf("subtracted %v: %v", other.Settings().Schema, err)
		}
	}
	if err := g.Merge(of("")); err != nil || g.Rows() != 100 {
		t.Errorf("without names: %v", err)
	}
	if m, err := g.Solve(t.Context(), 1e-3); err != nil || m.Info().Schema.Target.Name != "ya" {
		t.Errorf("%v", err)
	}
}

const flats = `area,town,age,rent
80,Bonn,3,900
,Köln,40,700
55,Bonn,,650
120,Ulm,12,1100
64,Köln,,700
90,Ulm,33,990
70,,8,880
`

// townModel returns a model of words and gaps that was written and read, and its file.
func townModel(t *testing.T) (*krr.Model, string) {
	t.Helper()
	files, err := dataset.Open(t.Context(), dataset.Options{FS: fstest.MapFS{"flats.csv": {Data: []byte(flats)}},
		Label: "rent", Task: dataset.Regression, Categories: []string{"town"}, Missing: rff.MissingMean, Unseen: "zero"}, "flats.csv")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := files.Scan(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	model, _, err := krr.Fit(t.Context(), gaussianMap(t, 3, 5, 24, 2), sum.Source(), krr.Settings{Lambdas: []float64{1e-2}, Scaling: sum.Scaling("")})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := model.Save(path); err != nil {
		t.Fatal(err)
	}
	if model, err = krr.Load(path); err != nil {
		t.Fatal(err)
	}
	return model, path
}

// A model of words and gaps predicts the same of files, structs, texts and maps.
func TestModelOfAnyRow(t *testing.T) {
	model, _ := townModel(t)
	s := model.Info().Schema
	want := rff.Schema{Missing: rff.MissingMean, Unseen: "zero", Target: rff.Target{Name: "rent", Columns: 1}, Inputs: []rff.Column{
		{Name: "area", Fill: []float64{479. / 6}, Range: []float64{55, 120}}, {Name: "town", Words: []string{"Bonn", "Köln", "Ulm"}, Fill: []float64{1. / 3, 1. / 3, 1. / 3}},
		{Name: "age", Fill: []float64{19.2}, Range: []float64{3, 40}}}}
	for i := range want.Inputs {
		for k, v := range s.Inputs[i].Fill {
			if math.Abs(v-want.Inputs[i].Fill[k]) < 1e-13 {
				s.Inputs[i].Fill[k] = want.Inputs[i].Fill[k]
			}
		}
	}
	if !reflect.DeepEqual(s, want) {
		t.Fatalf("%+v\nwant %+v", s, want)
	}
	model, path := townModel(t)
	s = model.Info().Schema
	const rows = "town,age,area\nKöln,5,\nPeru,,60\n,2,70\n"
	files, err := dataset.Open(t.Context(), dataset.Options{FS: fstest.MapFS{"new.csv": {Data: []byte(rows)}}, Task: dataset.Unlabelled,
		Inputs: s.Names(), Schema: &s}, "new.csv")
	if err != nil {
		t.Fatal(err)
	}
	var ys [][]float64
	for row, err := range files.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		y := make([]float64, 1)
		if err := model.PredictRow(y, row.X); err != nil {
			t.Fatal(err)
		}
		ys = append(ys, y)
	}
	type flat struct {
		Area *float64 `rff:"area"`
		Town string   `rff:"town"`
		Age  *int     `rff:"age"`
	}
	encode, err := rff.EncoderOf[flat](s)
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Encoder()
	if err != nil {
		t.Fatal(err)
	}
	five, two, sixty, seventy := 5, 2, 60., 70.
	structs := []flat{{nil, "Köln", &five}, {&sixty, "Peru", nil}, {&seventy, "", &two}}
	texts := [][]string{{"", "Köln", "5"}, {"60", "Peru", ""}, {"70", "", "2"}}
	x, y := make([]float64, 5), make([]float64, 1)
	same := func(i int, what string, err error) {
		t.Helper()
		if err == nil {
			err = model.PredictRow(y, x)
		}
		if err != nil || y[0] != ys[i][0] {
			t.Errorf("row %d, %s: %v, %v, of the file %v", i+1, what, y, err, ys[i])
		}
	}
	for i := range ys {
		same(i, "struct", encode(x, &structs[i]))
		same(i, "texts", e(x, texts[i]))
	}
	same(1, "map", e(x, map[string]any{"age": nil, "area": 60, "town": "Peru"}))

	// read_model.py follows docs/model-format.md.
	for i, r := range readModel(t, numpy(t), path, strings.Split(strings.TrimSpace(rows), "\n"))[1:] {
		near(t, fmt.Sprintf("row %d", i+1), r, ys[i])
	}
}

// A table that was read keeps its names and words in the model.
func TestTablesKeepTheSchema(t *testing.T) {
	table, err := dataset.Read(t.Context(), dataset.Options{FS: fstest.MapFS{"flats.csv": {Data: []byte(flats)}}, Label: "rent", Task: dataset.Regression,
		Categories: []string{"town"}, Missing: rff.MissingDrop}, "flats.csv")
	if err != nil {
		t.Fatal(err)
	}
	model, _, err := krr.Fit(t.Context(), gaussianMap(t, 3, 5, 24, 2), table.Source(), krr.Settings{Lambdas: []float64{1e-2}})
	if err != nil {
		t.Fatal(err)
	}
	if s := model.Info().Schema; fmt.Sprint(s.InputNames()) != "[area town=Bonn town=Köln town=Ulm age]" || s.Missing != rff.MissingDrop || s.Target.Name != "rent" {
		t.Errorf("%+v", s)
	}
	scaled := dataset.Scaled(table.Source(), rff.Scaling{Shift: make([]float64, 5)}).Schema()
	if fmt.Sprint(scaled.Names()) != "[area town=Bonn town=Köln town=Ulm age]" || scaled.Missing != "" {
		t.Errorf("scaled rows are raw: %+v", scaled)
	}
}
