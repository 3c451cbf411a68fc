package krr_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

// A wrapper of a source is the same learning problem: the classes are still classes.
func TestWrappersKeepTheSchema(t *testing.T) {
	letters := dataset.Letter().Head(500)
	in := letters.X.Cols
	m := gaussianMap(t, 8, in, 64, 1)
	want, _, err := krr.Fit(t.Context(), m, letters.Source(), krr.Settings{Lambda: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	shift := make([]float64, in)
	for name, data := range map[string]rff.Source{
		"embedded": struct{ rff.Source }{letters.Source()},
		"scaled":   dataset.Scaled(letters.Source(), rff.Scaling{Shift: shift}),
	} {
		got, _, err := krr.Fit(t.Context(), m, data, krr.Settings{Lambda: 1e-3})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(got.Classes(), want.Classes()) || len(want.Classes()) != 26 {
			t.Errorf("%s: classes %q", name, got.Classes())
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
		"SearchBandwidth": func() error {
			_, err := krr.SearchBandwidth(t.Context(), rff.Gaussian{}, nil, "", krr.Settings{}, 1)
			return err
		},
	} {
		var p *rff.ParameterError
		if err := f(); !errors.As(err, &p) || p.Name != "data" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
