package rffbeam

import (
	"bytes"
	"context"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

// A model of words that was fitted without rows that lack a value predicts a file of
// words: a line for each of its rows, empty where a value is lacking, and else what the
// model says of the row's texts.
func TestPredictWordsAndGaps(t *testing.T) {
	dir := t.TempDir()
	file, model, out := filepath.Join(dir, "t.csv"), filepath.Join(dir, "m.safetensors"), filepath.Join(dir, "out")
	var text strings.Builder
	text.WriteString("town,size,y\n")
	for i := range 60 {
		text.WriteString([]string{"Ulm,", "Bonn,", "Köln,"}[i%3] + strconv.Itoa(i*7%11) + "," + strconv.Itoa(i%3*10+i%7) + "\n")
	}
	text.WriteString("Ulm,,3\nBonn,5,12\n")
	write(t, file, []byte(text.String()))
	ctx := context.Background()
	files, err := dataset.Open(ctx, dataset.Options{Label: "y", Categories: []string{"town"}, Missing: rff.MissingDrop, Task: dataset.Regression}, file)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := files.Table(ctx)
	if err != nil {
		t.Fatal(err)
	}
	in, _ := rows.Source().Schema().Dims()
	features, err := rff.New(rff.NewGaussian(2), in, 16, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := krr.Fit(ctx, features, rows.Source(), krr.Settings{Lambdas: []float64{1e-3}})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Save(model); err != nil {
		t.Fatal(err)
	}
	if err := run(t, func(s beam.Scope) { Predict(s, file, model, out, Reading{}) }); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(out, "*.csv"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	lines := strings.Split(strings.TrimSuffix(string(contents(t, names[0])), "\n"), "\n")
	if len(lines) != 63 || lines[61] != `""` {
		t.Fatalf("%d lines, %q", len(lines), lines)
	}
	encode, err := m.Info().Schema.Encoder()
	if err != nil {
		t.Fatal(err)
	}
	x, y := make([]float64, in), make([]float64, 1)
	for i, cells := range map[int][]string{1: {"Ulm", "0"}, 62: {"Bonn", "5"}} {
		if err := encode(x, cells); err != nil {
			t.Fatal(err)
		}
		if err := m.PredictRow(y, x); err != nil {
			t.Fatal(err)
		}
		if want := strconv.FormatFloat(y[0], 'g', -1, 64); lines[i] != want {
			t.Errorf("line %d is %s, want %s", i, lines[i], want)
		}
	}
	if m, _, err = krr.Fit(ctx, features, rows.Source(), krr.Settings{Lambdas: []float64{1e-3}, Loss: "quantile:0.1,0.9"}); err == nil {
		err = m.Save(model)
	}
	if err == nil {
		err = run(t, func(s beam.Scope) { Predict(s, file, model, out, Reading{}) })
	}
	if err != nil {
		t.Fatal(err)
	}
	lines = strings.Split(string(contents(t, names[0])), "\n")
	if lines[0] != "predicted 0.1,predicted 0.9" || lines[61] != `"",""` || strings.Count(lines[62], ",") != 1 {
		t.Errorf("of quantiles: %q, %q and %q", lines[0], lines[61], lines[62])
	}
}

// Words that the model has not seen are in the log, of a file that is predicted and of one that is
// added by a plan.
func TestUnseenWordsAreLogged(t *testing.T) {
	dir := t.TempDir()
	file, seen, model, out := filepath.Join(dir, "new.csv"), filepath.Join(dir, "seen.csv"), filepath.Join(dir, "m.safetensors"), filepath.Join(dir, "out")
	write(t, seen, []byte("town,y\n"+strings.Repeat("Ulm,1\nBonn,3\n", 10)))
	write(t, file, []byte("town,y\nUlm,2\nKöln,3\nBonn,1\nBern,2\n"))
	ctx := t.Context()
	rows, err := dataset.Read(ctx, dataset.Options{Label: "y", Unseen: "zero", Task: dataset.Regression}, seen)
	if err != nil {
		t.Fatal(err)
	}
	features, err := rff.New(rff.NewGaussian(2), 2, 16, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := krr.Fit(ctx, features, rows.Source(), krr.Settings{Lambdas: []float64{1e-3}})
	if err == nil {
		err = m.Save(model)
	}
	if err != nil {
		t.Fatal(err)
	}
	var plan bytes.Buffer
	if _, err := krr.NewGram(features, 1, krr.GramSettings{Schema: rows.Source().Schema()}).WriteTo(&plan); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&said, nil)))
	defer slog.SetDefault(before)
	for name, build := range map[string]func(s beam.Scope, file string) error{
		"predict": func(s beam.Scope, file string) error { Predict(s, file, model, out, Reading{}); return nil },
		"fit": func(s beam.Scope, file string) error {
			_, _, err := Fit(s, file, plan.Bytes(), Reading{Label: "y"}, Fitting{Lambda: 1e-3, Folds: 2})
			return err
		},
	} {
		for of, want := range map[string]bool{file: true, seen: false} {
			said.Reset()
			err := run(t, func(s beam.Scope) {
				if err := build(s, of); err != nil {
					t.Fatal(err)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if text := said.String(); strings.Contains(text, "taken for none of the words: 2 of 4; first: row 2") != want || strings.Contains(text, "not seen") != want {
				t.Errorf("%s of %s: %s", name, of, text)
			}
		}
	}
}

// A label that a spreadsheet takes for a formula has an apostrophe before it, as rff predict writes it.
func TestPredictFormula(t *testing.T) {
	dir := t.TempDir()
	file, model, out := filepath.Join(dir, "t.csv"), filepath.Join(dir, "m.safetensors"), filepath.Join(dir, "out")
	write(t, file, []byte("a,y\n0,=x\n0,=x\n9,u\n9,u\n"))
	rows, err := dataset.Read(t.Context(), dataset.Options{}, file)
	if err != nil {
		t.Fatal(err)
	}
	features, err := rff.New(rff.NewGaussian(2), 1, 16, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := krr.Fit(t.Context(), features, rows.Source(), krr.Settings{Lambdas: []float64{1e-3}})
	if err == nil {
		err = m.Save(model)
	}
	if err == nil {
		err = run(t, func(s beam.Scope) { Predict(s, file, model, out, Reading{}) })
	}
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(out, "*.csv"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	if got := string(contents(t, names[0])); got != "predicted\n'=x\n'=x\nu\nu\n" {
		t.Errorf("%q", got)
	}
}
