package krr_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/golden"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// goldenSections adds the digests of fits on landmarks, for every way of solving that
// treats their factor differently.
func goldenSections(t *testing.T, e rff.Engine, labelled *rows, all map[string]string) {
	ctx := context.Background()
	one, three, few := goldenRows(900, 5, 1), goldenRows(700, 5, 3), goldenRows(40, 5, 2)
	m, err := sampling.Nystrom{}.Sample(ctx, rff.Request{Kernel: rff.NewMatern(1.5, 3), Dim: 5, Features: 60, Data: one, Rand: rand.NewPCG(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.On(e); err != nil {
		t.Fatal(err)
	}
	add := func(name string, model *krr.Model, report *krr.Report, err error) {
		if err != nil {
			t.Fatalf("sections/%s: %v", name, err)
		}
		var sum golden.Digest
		coef, intercept := model.Coefficients()
		sum.Add(mat.DenseCopyOf(coef).RawMatrix().Data...)
		sum.Add(intercept...)
		if report != nil {
			sum.Add(krr.InfoOf(report).Lambda...)
			sum.Add(report.Train.R2...)
			for _, p := range report.Path {
				sum.Add(p.Lambda, p.StdErr)
				sum.Add(p.Error...)
			}
			if h := report.HeldOut; h != nil {
				sum.Add(h.RMSE...)
				sum.Add(h.MAE...)
				sum.Add(h.Accuracy, logLossOf(h))
			}
		}
		var y mat.Dense
		x := dense(one.x.RowRange(0, 40))
		if model.Info().Noise != nil {
			if err := model.Variance(&y, x); err != nil {
				t.Fatal(err)
			}
			sum.Add(y.RawMatrix().Data...)
		}
		if model.Info().Probabilities {
			var p mat.Dense
			if err := model.Probabilities(&p, x); err != nil {
				t.Fatal(err)
			}
			sum.Add(p.RawMatrix().Data...)
		}
		all["sections/"+name] = sum.Sum()
	}
	alike, err := sampling.Nystrom{}.Sample(ctx, rff.Request{Kernel: rff.NewGaussian(60), Dim: 5, Features: 60, Data: one, Rand: rand.NewPCG(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	few3 := []float64{1e-6, 1e-4, 1e-2}
	for _, c := range []struct {
		name string
		data *rows
		s    krr.Settings
	}{
		{"alike", three, krr.Settings{}},
		{"alikefew", three, krr.Settings{Lambdas: []float64{1e-12, 1e-9}}},
		{"given", one, krr.Settings{Lambdas: []float64{1e-3}}},
		{"few", three, krr.Settings{Lambdas: few3, HeldOut: true, PerTarget: true}},
		{"path", three, krr.Settings{HeldOut: true}},
		{"variance", three, krr.Settings{Lambdas: few3, Uncertainty: "variance", PerTarget: true}},
		{"gcv", three, krr.Settings{Criterion: krr.GCV}},
		{"leaveoneout", one, krr.Settings{Criterion: krr.LeaveOneOut}},
		{"cg", one, krr.Settings{Passes: &krr.Passes{}, Lambdas: few3}},
		{"dual", few, krr.Settings{}},
		{"classes", labelled, krr.Settings{Probabilities: true}},
		{"classesfew", labelled, krr.Settings{Probabilities: true, Lambdas: few3}},
		{"hard", labelled, krr.Settings{Lambdas: []float64{1e-4}, Loss: "hard:3", Probabilities: true}},
	} {
		c.s.Engine = e
		of := m
		if strings.HasPrefix(c.name, "alike") { // whose kernel matrix is all but singular
			of = alike
		}
		model, report, err := krr.Fit(ctx, of, c.data, c.s)
		add(c.name, model, report, err)
	}
	parts := make([]*krr.Gram, 2)
	for i := range parts {
		parts[i] = krr.NewGram(m, 1, krr.GramSettings{})
		half := *one
		half.x, half.y = one.x.RowRange(450*i, 450*i+450), one.y.RowRange(450*i, 450*i+450)
		if err := parts[i].AddSource(ctx, &half); err != nil {
			t.Fatal(err)
		}
	}
	if err := parts[0].Merge(parts[1]); err != nil {
		t.Fatal(err)
	}
	models, err := parts[0].Path(ctx, []float64{1e-5, 1e-2})
	if err != nil {
		t.Fatal(err)
	}
	add("path1", models[1], nil, nil)
	var file bytes.Buffer
	if _, err := parts[0].WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	stored, err := krr.ReadGram(&file) // whose map knows its factor from the file
	if err != nil {
		t.Fatal(err)
	}
	on, err := stored.Map().On(e) // it was read onto the default engine
	if err != nil {
		t.Fatal(err)
	}
	read := krr.NewGram(on, 1, krr.GramSettings{})
	if err := read.Merge(stored); err != nil {
		t.Fatal(err)
	}
	model, err := krr.SolveEach(read, ctx, []float64{1e-3}, true)
	add("read", model, nil, err)
	model, report, err := krr.Fit(ctx, read.Map(), one, krr.Settings{Lambdas: []float64{1e-3}, Engine: e})
	add("readfit", model, report, err)
	analyses, err := parts[0].Analyze(ctx, []float64{1e-5, 1e-2})
	if err != nil {
		t.Fatal(err)
	}
	var sum golden.Digest
	rss := krr.RSSOf(parts[0], 1e-5, 1e-2)
	for i, a := range analyses {
		sum.Add(slices.Concat([]float64{a.Freedom}, rss[i], a.Noise, a.Error, a.LogEvidence)...)
	}
	all["sections/analysis"] = sum.Sum()
}
