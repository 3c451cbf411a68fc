package krr_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr"
)

func TestAuto(t *testing.T) {
	t.Parallel()
	train, test := synthetic(3, 3000, 4, 1, 0.1), synthetic(4, 500, 4, 1, 0)
	for _, r := range []*rows{train, test} { // columns of very different scales
		for i := range r.x.Rows {
			r.x.Row(i)[0] = 1000 + 50*r.x.Row(i)[0]
			r.x.Row(i)[3] *= 1e-4
		}
	}
	model, report, err := krr.Auto(context.Background(), train, krr.AutoSettings{Budget: -1, SearchRows: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var p mat.Dense
	if err := model.Predict(&p, dense(test.x)); err != nil {
		t.Fatal(err)
	}
	var se, sy float64
	for i, y := range test.y.Data {
		se += (p.At(i, 0) - y) * (p.At(i, 0) - y)
		sy += (y - 3) * (y - 3)
	}
	if se/sy > 0.1 {
		t.Errorf("relative error %g; %+v", se/sy, report)
	}
	lo, hi := model.Range()
	if lo[0] != slices.Min(train.y.Data) || hi[0] != slices.Max(train.y.Data) {
		t.Errorf("predictions are confined to %v, %v", lo, hi)
	}
	if model.Info().Provenance["auto"] == "" || model.Map().Kernel() == nil || report.Train.Rows != 3000 || krr.SearchOf(report).Searched != 1000 {
		t.Errorf("report %+v", report)
	}
	if os.Getenv("RFF_BACKEND") == "openblas" { // Its bits are not the same twice.
		return
	}
	one := native()
	one.Workers = 1
	same, _, err := krr.Auto(context.Background(), train, krr.AutoSettings{Budget: -1, SearchRows: 1000, Fit: krr.Settings{Engine: one}})
	if err != nil {
		t.Fatal(err)
	}
	if !models(t, model, same) {
		t.Error("the same data and seed give another model")
	}
}

func TestAutoClasses(t *testing.T) {
	t.Parallel()
	r := classes(3, 800, 3, "a", "b", "c")
	for i := range r.x.Rows {
		r.x.Row(i)[1] = 5 // a constant column
	}
	model, report, err := krr.Auto(context.Background(), r, krr.AutoSettings{Budget: -1})
	if err != nil {
		t.Fatal(err)
	}
	if !model.Info().Probabilities || report.HeldOut.Accuracy < 0.9 {
		t.Errorf("held out: %v", report.HeldOut)
	}
	var empty *rff.DegenerateDataError
	if _, _, err := krr.Auto(context.Background(), synthetic(1, 0, 3, 1, 0), krr.AutoSettings{}); !errors.As(err, &empty) {
		t.Errorf("no rows: %v", err)
	}
	// Five rows are few, but no reason to fail.
	if _, _, err := krr.Auto(context.Background(), synthetic(1, 12, 3, 1, 0), krr.AutoSettings{}); err != nil {
		t.Error(err)
	}
}

// One row of which there are many copies does not make the evidence of all rows that of one: probabilities are those
// of as many rows as there are, and so are their labels. A weight is another thing: a row of that weight is one row.
func TestAutoOfManyCopies(t *testing.T) {
	t.Parallel()
	for name, budget := range map[string]time.Duration{"rows": -1, "weight": -1, "rows of a search": 300 * time.Millisecond} {
		weighted := name == "weight"
		r := classes(3, 400, 2, "a", "b")
		most := slices.Index(r.class, 1)
		if weighted {
			r.w = slices.Repeat([]float64{1}, 400)
			r.w[most] = 401
		} else {
			for range 400 {
				r.x.Data, r.y.Data = append(r.x.Data, r.x.Row(most)...), append(r.y.Data, r.y.Row(most)...)
			}
			r.x.Rows, r.y.Rows, r.batch = 800, 800, 800
		}
		model, report, err := krr.Auto(context.Background(), r, krr.AutoSettings{Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		// The classes of 400 rows overlap little. Where one row is nearly all the evidence, its class has at most two of three
		// by Laplace's rule, and Platt's targets.
		if loss := report.HeldOut.Loss[0]; (loss < 0.05) == weighted {
			t.Errorf("%s: log loss %v", name, loss)
		}
		p := new(mat.Dense)
		if err := model.Probabilities(p, dense(blas.General[float64]{Rows: 1, Cols: 2, Stride: 2, Data: r.x.Row(most)})); err != nil || (p.At(0, 1) > 0.99) == weighted {
			t.Errorf("%s: the row has the probabilities %v, %v", name, p.RawRowView(0), err)
		}
	}
}

// A search in which no candidate predicts finite numbers ends in an error that says what to do.
func TestAutoOfHugeTargets(t *testing.T) {
	t.Parallel()
	for _, p := range []krr.Precision{krr.Float64, krr.Float32, "int12", "int8"} {
		r, size := synthetic(2, 100, 3, 1, 0.1), 1e153
		if strings.HasPrefix(string(p), "int") {
			size = 1e100
		}
		for i := range r.y.Data {
			r.y.Data[i] *= size
		}
		_, _, err := krr.Auto(t.Context(), r, krr.AutoSettings{Budget: -1, Features: 32, Fit: krr.Settings{Precision: p}})
		var value *rff.ValueError
		var degenerate *rff.DegenerateDataError
		if !errors.As(err, &value) && !errors.As(err, &degenerate) {
			t.Errorf("%s: %v", p, err)
		}
	}
}
