package krr_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// The files of testdata/v1 were written by commit 86d34df, the last one with the
// first format of checkpoints: writeV1 makes the like with the code of today.

func v1Map(t *testing.T) *rff.Map { return gaussianMap(t, 9, 3, 6, 2) }

func v1Rows() *rows {
	r := classes(1, 150, 3, "one", "two", "three")
	r.names, r.target = []string{"a", "b", "c"}, "kind"
	return r
}

func v1Settings(path string) krr.Settings {
	return krr.Settings{Lambdas: []float64{1e-3}, Folds: 2, Seed: 7, Probabilities: true, Uncertainty: "variance",
		Scaling:    rff.Scaling{Shift: []float64{0.5, -1, 2}, Scale: []float64{1.5, 2, 0.25}},
		Checkpoint: krr.Checkpoint{Path: path, Every: time.Nanosecond}}
}

// writeV1 writes a model, a Gram and a checkpoint to dir and returns the first two.
func writeV1(t *testing.T, dir string) (*krr.Model, *krr.Gram) {
	r, m, s := v1Rows(), v1Map(t), v1Settings(filepath.Join(dir, "checkpoint"))
	stop := errors.New("stop")
	if _, _, err := krr.Fit(context.Background(), m, failing{r, 140, stop}, s); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	s.Checkpoint.Path = ""
	model, _, err := krr.Fit(context.Background(), m, r, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := model.Save(filepath.Join(dir, "model")); err != nil {
		t.Fatal(err)
	}
	g := krr.NewGram(m, 3, krr.GramSettings{Scaling: s.Scaling, Schema: r.Schema()})
	if err := g.AddSource(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	if err := g.Save(filepath.Join(dir, "gram")); err != nil {
		t.Fatal(err)
	}
	return model, g
}

// Models and Grams of the first version are read; a checkpoint is refused with
// what to do about it.
func TestFirstVersion(t *testing.T) {
	const old = "testdata/v1/"
	nowModel, nowGram := writeV1(t, t.TempDir())
	x := dense(v1Rows().x)
	near := func(what string, a, b *krr.Model, f func(*krr.Model, *mat.Dense) error) {
		t.Helper()
		var p, q mat.Dense
		if err := errors.Join(f(a, &p), f(b, &q)); err != nil {
			t.Fatal(err)
		}
		// The same fit, but for what has changed in its rounding.
		if d := maxDiff(&p, &q); !(d < 1e-8*(1+mat.Max(absolute{&q}))) {
			t.Errorf("%s differ by %g", what, d)
		}
	}
	predict := func(m *krr.Model, d *mat.Dense) error { return m.Predict(d, x) }
	model, err := krr.Load(old + "model")
	if err != nil {
		t.Fatal(err)
	}
	near("predictions", model, nowModel, predict)
	near("variances", model, nowModel, func(m *krr.Model, d *mat.Dense) error { return m.Variance(d, x) })
	var p mat.Dense
	if err := model.Probabilities(&p, x); err != nil || mat.Min(&p) < 0 || mat.Max(&p) > 1 {
		t.Errorf("probabilities: %v", err)
	}
	if !slices.Equal(model.Info().Schema.Target.Classes, v1Rows().classes) || !slices.Equal(model.Info().Schema.Names(), []string{"a", "b", "c"}) || model.Info().Schema.Target.Name != "kind" || model.Info().Provenance["rows"] != "150" {
		t.Errorf("classes %q, inputs %q, target %q, provenance %q", model.Info().Schema.Target.Classes, model.Info().Schema.Names(), model.Info().Schema.Target.Name, model.Info().Provenance)
	}
	g, err := krr.LoadGram(old + "gram")
	if err != nil {
		t.Fatal(err)
	}
	if g.Rows() != 150 || !slices.Equal(g.Settings().Schema.Target.Classes, v1Rows().classes) {
		t.Errorf("%d rows of %q", g.Rows(), g.Settings().Schema.Target.Classes)
	}
	solve := func(g *krr.Gram) *krr.Model {
		m, err := g.Solve(t.Context(), 1e-3)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	near("models of the Gram", solve(g), solve(nowGram), predict)
	if err := g.Merge(nowGram); err != nil {
		t.Errorf("a Gram of today does not go with it: %v", err)
	}
	path := filepath.Join(t.TempDir(), "checkpoint")
	b, err := os.ReadFile(old + "checkpoint")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	var fe *krr.FileError
	_, _, err = krr.Fit(context.Background(), v1Map(t), v1Rows(), v1Settings(path))
	if !errors.As(err, &fe) || fe.Path != path || !strings.Contains(err.Error(), "earlier version") || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("checkpoint: %v", err)
	}
	if now, _ := os.ReadFile(path); !slices.Equal(now, b) {
		t.Error("a checkpoint that was refused has changed")
	}
}
