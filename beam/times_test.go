package rffbeam

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

// Words, dates and ids are found by the plan, which says so, and the fit is that of krr.Fit.
func TestFitWordsAndDates(t *testing.T) {
	dir := t.TempDir()
	file, model := filepath.Join(dir, "t.csv"), filepath.Join(dir, "m.safetensors")
	text := "id,town,when,y\n"
	for i := range 300 {
		at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 11 * time.Hour)
		text += fmt.Sprintf("%d,%s,%s,%v\n", i+100, []string{"Ulm", "Bonn"}[i%2], at.Format("02/01/2006 15:04"), math.Sin(float64(i)/20)+float64(i%2))
	}
	write(t, file, []byte(text))
	ctx := context.Background()
	files, err := dataset.Open(ctx, dataset.Options{}, file)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := files.Scan(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	source, p := sum.Source(), filepath.Join(dir, "p")
	if err := run(t, func(s beam.Scope) { WritePlan(s, p, Plan(s, file, Reading{}, Planning{Features: 16})) }); err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(plannedOf(t, p+".rows").Notes, "; "); !strings.Contains(notes, `"id" has another whole number in each of the 300 rows`) || !strings.Contains(notes, `"town" has words`) || !strings.Contains(notes, `"when" has times`) {
		t.Errorf("notes %q", notes)
	}
	plan := contents(t, p)
	g, err := krr.ReadGram(bytes.NewReader(plan))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := g.Settings().Scaling, sum.Scaling(""); !reflect.DeepEqual(got, want) {
		t.Errorf("scaling %v, want %v", got, want)
	}
	want, _, err := krr.Fit(ctx, g.Map(), source, krr.Settings{Lambdas: []float64{1e-3}, Scaling: g.Settings().Scaling})
	if err != nil {
		t.Fatal(err)
	}
	for _, fitting := range []Fitting{{Lambda: 1e-3}, {Lambda: 1e-3, Folds: 3}} {
		if err := run(t, func(s beam.Scope) {
			fitted, _, err := Fit(s, file, plan, Reading{}, fitting)
			if err != nil {
				t.Fatal(err)
			}
			WriteModel(s, model, fitted)
		}); err != nil {
			t.Fatal(err)
		}
		got, err := krr.Load(model)
		if err != nil {
			t.Fatal(err)
		}
		if names := fmt.Sprint(got.Info().Schema.InputNames()); names != "[town=Bonn town=Ulm when when:hour when:weekday]" {
			t.Errorf("inputs %s", names)
		}
		a, b := make([]float64, 1), make([]float64, 1)
		for row, err := range files.Rows(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			if err := want.PredictRow(a, row.X); err != nil {
				t.Fatal(err)
			}
			if err := got.PredictRow(b, row.X); err != nil || math.Abs(a[0]-b[0]) > 1e-9 {
				t.Fatalf("row %d: %v, a fit has %v; %v", row.Place.Row, b, a, err)
			}
		}
	}
}
