package rffbeam

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

// A plan with words, dates and without an id, as rff gram --plan writes it, is fitted to
// files that have them: to the model that krr.Fit makes.
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
	source, scaling := sum.Source(), sum.Scaling("")
	features, err := rff.New(rff.NewGaussian(2), 5, 16, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	var plan bytes.Buffer
	if _, err := krr.NewGram(features, 1, krr.GramSettings{Scaling: scaling, Schema: source.Schema()}).WriteTo(&plan); err != nil {
		t.Fatal(err)
	}
	want, _, err := krr.Fit(ctx, features, source, krr.Settings{Lambda: 1e-3, Scaling: scaling})
	if err != nil {
		t.Fatal(err)
	}
	for _, fitting := range []Fitting{{Lambda: 1e-3}, {Lambda: 1e-3, Folds: 3}} {
		if err := run(t, func(s beam.Scope) {
			fitted, _, err := Fit(s, file, plan.Bytes(), Reading{}, fitting)
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
				t.Fatalf("row %d: %v, a fit has %v; %v", row.Index+1, b, a, err)
			}
		}
	}
	// Without a plan the column is named, and what helps.
	err = run(t, func(s beam.Scope) {
		WritePlan(s, filepath.Join(dir, "p"), Plan(s, file, Reading{}, Planning{Features: 16}))
	})
	if err == nil || !strings.Contains(err.Error(), `"town"`) {
		t.Errorf("without a plan: %v", err)
	}
}
