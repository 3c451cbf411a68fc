package boost

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/trial"
)

func request(rows *trial.Rows, trees int) rff.Request {
	return rff.Request{Dim: rows.X.Cols, Features: trees, Data: rows, Rand: rand.NewPCG(6, 6), Engine: rff.Engine{Workers: 3}}
}

// A map of trees has a column for each target, which is the sum of the trees.
func TestSample(t *testing.T) {
	rows := random(1, 300, 3, 5, 9, false)
	m, importance, err := Sampler{Depth: 3}.Learn(t.Context(), request(rows, 90))
	if err != nil {
		t.Fatal(err)
	}
	s := inside.Spec(m)
	in, out := m.Dims()
	if b := s.Blocks[0]; in != 3 || out != 5 || s.Func != asm.Linear || b.Size != 8 || b.Trees.Depth != 3 || inside.Trees(m) != b.Trees.Count() || inside.Trees(m) > 90 || len(importance) != 3 || inside.Engine(m).Workers != 3 {
		t.Fatalf("%d inputs, %d columns, %d trees, importance %v", in, out, inside.Trees(m), importance)
	}
	z := make([]float64, 5)
	for i := range 20 {
		if err := m.TransformVec(z, rows.X.Row(i)); err != nil || !slices.Equal(z, predict(s.Blocks[0].Trees, inside.Trees(m), rows.X.Row(i))) {
			t.Fatalf("row %d: %v, %v", i, z, err)
		}
	}
	again, err := Sampler{Depth: 3}.Sample(t.Context(), request(rows, 90))
	if err != nil || again.Fingerprint() != m.Fingerprint() {
		t.Errorf("another map from the same random numbers, %v", err)
	}
	// A number that is given is kept.
	if m, err := (Sampler{Depth: 2, Trees: 17}).Sample(t.Context(), request(rows, 90)); err != nil || inside.Trees(m) != 17 {
		t.Errorf("17 trees are asked for: %v", err)
	}
	for _, own := range []bool{false, true} {
		m, err := Sampler{Depth: 4, Trees: 17, Own: own}.Sample(t.Context(), request(rows, 90))
		if err != nil || (inside.Spec(m).Blocks[0].Trees.Width != nil) != own {
			t.Errorf("own thresholds: %v, asked for %v, %v", !own, own, err)
		}
	}
}

// folded is rows of which so many that follow each other share a fold.
type folded struct {
	*trial.Rows
	by int
}

func (f folded) Schema() rff.Schema {
	s := f.Rows.Schema()
	s.FoldRows = f.by
	return s
}

// The trees are as many as do best on a fifth of the rows, grown on all of them. Classes and rows that
// belong together are split as such.
func TestChoosesTheNumberOfTrees(t *testing.T) {
	plain, classes := random(2, 250, 3, 1, 9, true), random(4, 250, 3, 1, 9, true)
	classes.Labels = []string{"many", "few"}
	for i, v := range classes.Y.Data {
		classes.Y.Data[i] = math.Copysign(1, v-1)
	}
	for name, data := range map[string]folded{"regression": {plain, 0}, "classes": {classes, 0}, "rows together": {plain, 10}} {
		m, importance, err := Sampler{Depth: 3}.Learn(t.Context(), rff.Request{Dim: 3, Features: 400, Data: data, Rand: rand.NewPCG(6, 6)})
		if err != nil {
			t.Fatal(err)
		}
		source := rand.NewPCG(6, 6)
		drawn, _, err := trial.Draw(data.Batches(t.Context()), 3, 1, trial.Drawing{Count: 1000, Seed: source.Uint64(), Run: int64(data.by)})
		if err != nil {
			t.Fatal(err)
		}
		drawn.Labels = data.Labels
		split := trial.Folds{Seed: source.Uint64(), Of: 5, Count: 1, Most: 1000}.Splits(drawn)[0]
		s := Settings{Workers: 1, Depth: 3, Trees: 400, Planned: 400, Rand: source}
		first, err := Grow(t.Context(), s, split.Train, split.Valid)
		if err != nil {
			t.Fatal(err)
		}
		s.Trees = first.Count()
		want, err := Grow(t.Context(), s, drawn, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := inside.Spec(m).Blocks[0].Trees
		if got.Count() != first.Count() || !slices.Equal(got.Threshold, want.Threshold) || !slices.Equal(got.Value.Data, want.Value.Data) || !slices.Equal(importance, want.Importance) {
			t.Errorf("%s: %d trees, want %d", name, got.Count(), first.Count())
		}
	}
}

// A row of weight 3 counts as three rows, which a tree sees together or not at all.
func TestWeightsAreRepeatedRows(t *testing.T) {
	rows := random(3, 300, 3, 2, 9, true)
	var at []int
	for i := range 300 {
		rows.Weight[i] *= 2
		rows.Y.Row(i)[0] += 20 * rows.X.Row(i)[0]
		for range int(rows.Weight[i]) {
			at = append(at, i)
		}
	}
	repeated := rows.Pick(at)
	repeated.Weight = nil
	a, err := Sampler{Depth: 3}.Sample(t.Context(), request(rows, 40))
	if err != nil {
		t.Fatal(err)
	}
	b, err := Sampler{Depth: 3}.Sample(t.Context(), request(repeated, 40))
	if err != nil || a.Fingerprint() != b.Fingerprint() {
		t.Errorf("weights give other trees than repeated rows: %v", err)
	}
}

// failing is rows that cannot be read.
type failing struct {
	*trial.Rows
	err error
}

func (f failing) Batches(context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) { yield(rff.Batch{}, f.err) }
}

func TestSampleFails(t *testing.T) {
	rows, broken := random(3, 100, 3, 2, 9, true), errors.New("broken")
	q := request(rows, 40)
	q.Data = failing{rows, broken}
	if m, err := (Sampler{Depth: 2}).Sample(t.Context(), q); m != nil || !errors.Is(err, broken) {
		t.Errorf("rows that cannot be read: %v", err)
	}
	q = request(rows, 40)
	q.Engine.Backend = "abacus"
	if m, err := (Sampler{Depth: 2}).Sample(t.Context(), q); m != nil || err == nil {
		t.Errorf("an unknown backend: %v", err)
	}
	grouped := rows.Head(100)
	grouped.Group = make([]uint64, 100)
	for name, bad := range map[string]*trial.Rows{"one group": grouped, "one row": rows.Head(1)} {
		if m, err := (Sampler{Depth: 2}).Sample(t.Context(), request(bad, 40)); m != nil || !errors.Is(err, errNothing) {
			t.Errorf("%s: %v", name, err)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, trees := range []int{0, 5} {
		if m, err := (Sampler{Depth: 2, Trees: trees}).Sample(stopped, request(rows, 40)); m != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("stopped: %v", err)
		}
	}
}

// Growing twice costs as much as growing on four fifths of the rows and growing a number of trees that is known, and all of it grows with
// trees, rows, inputs, depth and targets. Inputs of few values, most of them the same, cost little.
func TestWorkGrows(t *testing.T) {
	shape := func(inputs, targets, values int) Shape {
		return ShapeOf(random(1, 600, inputs, targets, values, false))
	}
	s, plain := Sampler{Depth: 3}, shape(8, 1, 1000)
	least := s.Work(5000, 300, plain)
	known, part := (Sampler{Depth: 3, Trees: 300}).Work(5000, 999, plain), (Sampler{Depth: 3, Part: true}).Work(5000, 300, plain)
	if math.Abs(least-known-part) > 1e-9*least || part != (Sampler{Depth: 3, Trees: 300}).Work(4000, 999, plain) {
		t.Errorf("%g, of a known number of trees %g, of trees that stay as they were grown on four fifths %g", least, known, part)
	}
	coded := random(1, 600, 8, 1, 1000, false)
	coded.Labels = []string{"a", "b"}
	if w := s.Work(5000, 300, ShapeOf(coded)); !(w > 1.1*least && w < 2*least) {
		t.Errorf("classes take %g, numbers %g", w, least)
	}
	if w := s.Work(5000, 600, plain); w != 2*least {
		t.Errorf("twice as many trees take %g, once %g", w, least)
	}
	for name, w := range map[string]float64{"rows": s.Work(10000, 300, plain), "inputs": s.Work(5000, 300, shape(16, 1, 1000)), "targets": s.Work(5000, 300, shape(8, 3, 1000)), "depth": Sampler{Depth: 6}.Work(5000, 300, plain)} {
		if !(w > 1.4*least) {
			t.Errorf("more %s take %g, less %g", name, w, least)
		}
	}
	flags := random(1, 600, 8, 1, 1000, false)
	for i := range flags.X.Data {
		flags.X.Data[i] = float64(min(1, i%41/40)) // one of 41
	}
	if w := s.Work(5000, 300, ShapeOf(flags)); !(w < 0.65*least) {
		t.Errorf("flags take %g, numbers %g", w, least)
	}
	if few, more := (Sampler{Depth: 3}).Work(100, 300, ShapeOf(flags)), (Sampler{Depth: 8}).Work(100, 300, ShapeOf(flags)); !(more > 15*few) {
		t.Errorf("flags take %g in 255 nodes, and %g in 7", more, few)
	}
	for _, n := range []int{100, 100000} { // thresholds of their own are looked for in every node, and told apart in every row
		if own, one := (Sampler{Depth: 6, Own: true}).Work(n, 300, plain), (Sampler{Depth: 6}).Work(n, 300, plain); !(own > 1.2*one && own < 2*one) {
			t.Errorf("%d rows take %g where nodes have their own thresholds, otherwise %g", n, own, one)
		}
	}
	// Few rows of depth 6 cost what their thresholds do, of which there are no more for more rows.
	if few, more := (Sampler{Depth: 6}).Work(1000, 100, shape(10, 1, 1<<40)), (Sampler{Depth: 6}).Work(2000, 100, shape(10, 1, 1<<40)); more > 1.3*few {
		t.Errorf("2,000 rows have a work of %g, and 1,000 rows %g", more, few)
	}
}

// The rows that are looked at show nine tenths of 200 values, and the thresholds are those between all of them.
func TestShapeCountsValuesUnseen(t *testing.T) {
	rows := random(1, 5000, 2, 1, 10, false)
	rng := rand.New(rand.NewPCG(4, 4))
	for i := range rows.X.Data {
		rows.X.Data[i] = float64(rng.IntN(200))
	}
	if s := ShapeOf(rows); math.Abs(s.cuts-2*199) > 20 {
		t.Errorf("%g thresholds, want %d", s.cuts, 2*199)
	}
}

// BenchmarkGrow reports the estimated time of one worker over that measured. The rate is that of Work.
func BenchmarkGrow(b *testing.B) {
	for _, c := range []struct {
		rows, inputs, targets, depth int
		own                          bool
	}{{1000, 10, 1, 6, false}, {2000, 10, 1, 3, false}, {3777, 97, 1, 6, false}, {20000, 10, 1, 6, false}, {5000, 60, 1, 3, false}, {5001, 17, 3, 6, false}, {5000, 16, 10, 6, false}, {100000, 8, 1, 6, false},
		{20000, 10, 1, 8, true}, {5000, 16, 10, 8, true}, {100000, 8, 1, 10, true}, {3777, 97, 1, 8, true}} {
		b.Run(fmt.Sprintf("rows=%d/inputs=%d/targets=%d/depth=%d/own=%v", c.rows, c.inputs, c.targets, c.depth, c.own), func(b *testing.B) {
			rows := random(1, c.rows, c.inputs, c.targets, 1000, false)
			for b.Loop() {
				if _, err := Grow(b.Context(), Settings{Workers: 1, Depth: c.depth, Own: c.own, Trees: 300, Planned: 500, Rand: rand.NewPCG(1, 1)}, rows, nil); err != nil {
					b.Fatal(err)
				}
			}
			estimate := (Sampler{Depth: c.depth, Own: c.own, Trees: 300}).Work(c.rows, 300, ShapeOf(rows)) / (35 * 1.5)
			b.ReportMetric(estimate*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "estimated/measured")
		})
	}
}
