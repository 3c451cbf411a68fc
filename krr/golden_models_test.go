package krr_test

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/golden"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// goldenProvenance stands in for what a file says about the machine.
func goldenProvenance() map[string]string {
	return map[string]string{"rff": "golden", "backend": "golden"}
}

// goldenFiles adds the digest of a file of every kind: what is the same for two
// readers of a file is the same on every machine that writes one.
func goldenFiles(t *testing.T, e rff.Engine, labelled *rows, all map[string]string) {
	ctx := context.Background()
	const d = 5
	draw := func(k rff.Stationary, s int, f ...rff.Form) *rff.Map {
		m, err := rff.New(k, d, s, rand.NewPCG(5, 6), f...)
		if err != nil {
			t.Fatal(err)
		}
		if m, err = m.On(e); err != nil {
			t.Fatal(err)
		}
		return m
	}
	sorf, err := sampling.SORF{}.Sample(ctx, rff.Request{Kernel: rff.NewGaussian(1.5), Dim: d, Features: 40, Rand: rand.NewPCG(5, 6), Engine: e})
	if err != nil {
		t.Fatal(err)
	}
	pair, phase := draw(rff.NewGaussian(1.5), 40), draw(rff.NewMatern(1.5, 2), 33, rff.CosBias)
	few := goldenRows(24, d, 1) // fewer rows than features: ZᵀZ is singular
	two := &rows{x: labelled.x, batch: labelled.batch, classes: []string{"no", "yes"}}
	for _, c := range labelled.class {
		two.class = append(two.class, min(c, 1))
	}
	two.y = krr.ClassTargets(two.class, 2)
	weighted := goldenRows(500, d, 2)
	for i := range weighted.x.Rows {
		weighted.w = append(weighted.w, float64(i%4)/2)
	}
	named := *weighted
	named.names, named.target = []string{"a", "b", "c", "d", "e"}, "y"
	scaling := rff.Scaling{Shift: []float64{1, 0, -1, .5, 2}, Scale: []float64{1, 2, .5, 4, 1}}
	for _, c := range []struct {
		name string
		m    *rff.Map
		data *rows
		s    krr.Settings
	}{
		{"probabilities2", pair, two, krr.Settings{Probabilities: true, Precision: krr.Float32}},
		{"probabilities3", phase, labelled, krr.Settings{Probabilities: true, Lambdas: []float64{1e-3}, Folds: 3}},
		{"variance", pair, weighted, krr.Settings{Uncertainty: "variance", PerTarget: true, Scaling: scaling, ClipPredictions: true}},
		{"float32", phase, weighted, krr.Settings{Precision: krr.Float32, Lambdas: []float64{1e-4}}},
		{"structured", sorf, &named, krr.Settings{Lambdas: []float64{1e-3}}},
		{"dual", pair, few, krr.Settings{}},
		{"leaveoneout", pair, weighted, krr.Settings{Criterion: krr.LeaveOneOut}},
		{"cg", phase, weighted, krr.Settings{Passes: &krr.Passes{}, Lambdas: []float64{1e-3}}},
	} {
		c.s.Engine, c.s.Provenance = e, goldenProvenance()
		m, report, err := krr.Fit(ctx, c.m, c.data, c.s)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		goldenFile(t, all, "model/"+c.name, m)
		if h := report.HeldOut; h != nil {
			var sum golden.Digest
			sum.Add(h.Accuracy, logLossOf(h))
			all["heldout/"+c.name] = sum.Sum()
		}
	}

	// Singular: float32 takes a jitter of its own rounding errors.
	g := krr.NewGram(pair, 1, krr.GramSettings{Precision: krr.Float32})
	if err := g.AddSource(ctx, few); err != nil {
		t.Fatal(err)
	}
	goldenFile(t, all, "gram/float32", g) // with pending rows
	m, err := krr.SolveEach(g, t.Context(), []float64{1e-30}, true)
	if err != nil {
		t.Fatal(err)
	}
	if !m.Info().Solved.Unresolved {
		t.Fatalf("the singular system was solved by %v", m.Info().Solved)
	}
	goldenFile(t, all, "model/jitter", m)
	loo, err := g.LeaveOneOut(ctx, few, []float64{1e-30, 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	var sum golden.Digest
	for _, p := range loo {
		sum.Add(p.Lambda, p.Freedom)
		sum.Add(p.Error...)
	}
	all["leaveoneout/singular"] = sum.Sum()

	g = krr.NewGram(phase, 2, krr.GramSettings{Scaling: scaling})
	if err := g.AddSource(ctx, weighted); err != nil {
		t.Fatal(err)
	}
	goldenFile(t, all, "gram/weighted", g)

	// A fit that its data leave in the lurch has a checkpoint after every batch.
	path := filepath.Join(t.TempDir(), "checkpoint")
	_, _, err = krr.Fit(ctx, pair, &breaking{weighted, 2}, krr.Settings{Engine: e, Checkpoint: krr.Checkpoint{Path: path, Every: 1}})
	if !errors.Is(err, errBreaking) {
		t.Fatalf("the fit of breaking data: %v", err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var content golden.Digest
	content.AddBytes(file)
	all["checkpoint"] = content.Sum()
}

// goldenFile adds the digest of the file of v.
func goldenFile(t *testing.T, all map[string]string, name string, v interface{ MarshalBinary() ([]byte, error) }) {
	file, err := v.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var sum golden.Digest
	sum.AddBytes(file)
	all[name] = sum.Sum()
}

var errBreaking = errors.New("the cable was pulled")

// breaking yields some batches of rows and fails.
type breaking struct {
	*rows
	batches int
}

func (b *breaking) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		n := 0
		for batch, err := range b.rows.Batches(ctx) {
			if n++; n > b.batches {
				yield(rff.Batch{}, errBreaking)
				return
			}
			if !yield(batch, err) {
				return
			}
		}
	}
}
