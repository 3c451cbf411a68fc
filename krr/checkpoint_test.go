package krr_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/atomicfile"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr"
)

// grouped is rows with groups.
type grouped struct {
	*rows
	group []uint64
}

func (g grouped) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		for b, err := range g.rows.Batches(ctx) {
			if err == nil && g.group != nil {
				b.Group = g.group[b.First:][:b.X.Rows]
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// copy returns a copy of g that can be changed.
func (g grouped) copy() grouped {
	r := *g.rows
	clone := func(m blas.General[float64]) blas.General[float64] {
		m.Data = slices.Clone(m.Data)
		return m
	}
	r.x, r.y, r.w = clone(r.x), clone(r.y), slices.Clone(r.w)
	return grouped{&r, slices.Clone(g.group)}
}

func weighted(seed uint64, n, d, t int) grouped {
	g := grouped{rows: synthetic(seed, n, d, t, 0.1)}
	rng := rand.New(rand.NewPCG(seed, 8))
	for range n {
		g.w = append(g.w, 0.25*float64(1+rng.IntN(8)))
		g.group = append(g.group, rng.Uint64N(6))
	}
	return g
}

// checkpointed leaves a checkpoint of all rows.
func checkpointed(t *testing.T, m *rff.Map, data rff.Source, s krr.Settings) *krr.Model {
	t.Helper()
	model, _, err := krr.Fit(context.Background(), m, data, s)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// Every number of the data counts: a fit is not resumed on data that differ in
// one input, target, weight or group, nor on fewer rows, or the same in another
// order. The checkpoint stays as it is.
func TestResumeComparesEverything(t *testing.T) {
	const n, d, targets = 24, 10, 2
	m := gaussianMap(t, 1, d, 4, 3)
	data := weighted(1, n, d, targets)
	path := filepath.Join(t.TempDir(), "check")
	s := krr.Settings{Checkpoint: krr.Checkpoint{Path: path}, Folds: 2, Seed: 3}
	checkpointed(t, m, data, s)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(name string, data rff.Source) {
		t.Helper()
		var fe *krr.FileError
		if _, _, err := krr.Fit(context.Background(), m, data, s); !errors.As(err, &fe) || fe.Path != path || !strings.Contains(fe.Err.Error(), "remove it to start anew") {
			t.Errorf("%s: %v", name, err)
		}
		if now, _ := os.ReadFile(path); !bytes.Equal(now, before) {
			t.Fatalf("%s: the checkpoint has changed", name)
		}
	}
	for i := range n {
		for j := range d {
			c := data.copy()
			c.x.Row(i)[j] = math.Nextafter(c.x.Row(i)[j], 9)
			refused(fmt.Sprintf("input %d of row %d", j, i), c)
		}
		for j := range targets {
			c := data.copy()
			c.y.Row(i)[j] = -c.y.Row(i)[j]
			refused(fmt.Sprintf("target %d of row %d", j, i), c)
		}
		c := data.copy()
		c.w[i] += 0.25
		refused(fmt.Sprintf("weight of row %d", i), c)
		c = data.copy()
		c.group[i]++
		refused(fmt.Sprintf("group of row %d", i), c)
	}
	for name, change := range map[string]func(c *grouped){
		"no groups":  func(c *grouped) { c.group = nil },
		"no weights": func(c *grouped) { c.w = nil },
		"one row less": func(c *grouped) {
			c.x, c.y, c.w, c.group = c.x.RowRange(0, n-1), c.y.RowRange(0, n-1), c.w[:n-1], c.group[:n-1]
		},
		"no row": func(c *grouped) {
			c.x, c.y, c.w, c.group = c.x.RowRange(0, 0), c.y.RowRange(0, 0), nil, nil
		},
		"the first row missing": func(c *grouped) {
			c.x, c.y, c.w, c.group = c.x.RowRange(1, n), c.y.RowRange(1, n), c.w[1:], c.group[1:]
		},
		"two rows swapped": func(c *grouped) {
			for j := range d {
				c.x.Row(3)[j], c.x.Row(4)[j] = c.x.Row(4)[j], c.x.Row(3)[j]
			}
		},
		"two columns swapped": func(c *grouped) {
			for i := range n {
				c.x.Row(i)[1], c.x.Row(i)[5] = c.x.Row(i)[5], c.x.Row(i)[1]
			}
		},
		"two signs": func(c *grouped) { // which a product modulo 2⁶⁴ would not see
			c.x.Row(3)[2], c.x.Row(3)[6] = -c.x.Row(3)[2], -c.x.Row(3)[6]
		},
		"8 of 10 columns": func(c *grouped) {
			for i := range n {
				for _, j := range []int{1, 2, 3, 4, 6, 7, 8, 9} {
					c.x.Row(i)[j]++
				}
			}
		},
	} {
		c := data.copy()
		change(&c)
		refused(name, c)
	}
	// The data themselves, in other batches, and with more rows at the end.
	c := data.copy()
	c.batch = 7
	checkpointed(t, m, c, s)
	if now, _ := os.ReadFile(path); !bytes.Equal(now, before) {
		t.Error("resuming with all rows has changed the checkpoint")
	}
	more := weighted(1, n, d, targets)
	more.x.Data, more.y.Data = append(more.x.Data, make([]float64, d)...), append(more.y.Data, 1, 2)
	more.x.Rows, more.y.Rows, more.w, more.group = n+1, n+1, append(more.w, 1), append(more.group, 1)
	got := checkpointed(t, m, more, s)
	s.Checkpoint.Path = ""
	if want := checkpointed(t, m, more, s); !models(t, got, want) {
		t.Error("rows appended to the data of a checkpoint change the model")
	}
}

// The digest is the rounds of XXH64 as its paper has them, here by big integers.
func TestDigest(t *testing.T) {
	mod := new(big.Int).Lsh(big.NewInt(1), 64)
	prime := func(s string) *big.Int { p, _ := new(big.Int).SetString(s, 10); return p }
	p1, p2 := prime("11400714785074694791"), prime("14029467366897019727")
	lanes := [4]*big.Int{new(big.Int), new(big.Int), new(big.Int), new(big.Int)}
	round := func(i int, v uint64) {
		x := new(big.Int).SetUint64(v)
		x.Mul(x, p2).Add(x, lanes[i]).Mod(x, mod)
		u := x.Uint64()
		x.SetUint64(u<<31|u>>33).Mul(x, p1)
		lanes[i].Mod(x, mod)
	}
	data := weighted(4, 9, 7, 3)
	for i := range 9 {
		for _, v := range [][]float64{data.x.Row(i), data.y.Row(i)} {
			for j, x := range v {
				round(j%4, math.Float64bits(x))
			}
		}
		round(0, math.Float64bits(data.w[i]))
		round(1, data.group[i])
		round(2, 1)
	}
	want := fmt.Sprintf("%016x%016x%016x%016x", lanes[0], lanes[1], lanes[2], lanes[3])
	for _, batch := range []int{1, 4, 9} {
		data.batch = batch
		var digest stream.Digest
		for b := range data.Batches(context.Background()) {
			digest.Add(b)
		}
		if got := digest.String(); got != want {
			t.Errorf("batches of %d: %s, want %s", batch, got, want)
		}
	}
	ones := data.copy()
	ones.w = slices.Repeat([]float64{1}, 9)
	none := data.copy()
	none.w = nil
	var a, b stream.Digest
	for x := range ones.Batches(context.Background()) {
		a.Add(x)
	}
	for x := range none.Batches(context.Background()) {
		b.Add(x)
	}
	if a != b {
		t.Error("weights of 1 are not those of rows without weights")
	}
}

// A fit with weights that stops anywhere and is resumed gives the bits of one
// that did not stop, also when it stopped within a row block.
func TestResumeWeights(t *testing.T) {
	m := gaussianMap(t, 1, 3, 16, 1)
	data := weighted(2, 2600, 3, 2).rows
	for _, p := range []krr.Precision{krr.Float64, krr.Float32} {
		s := krr.Settings{Precision: p, Seed: 5, Folds: 3, ClipPredictions: true, Scaling: rff.Scaling{Shift: []float64{1, 2, 3}, Scale: []float64{2, 1, 0.5}}}
		want, wanted, err := krr.Fit(context.Background(), m, data, s)
		if err != nil {
			t.Fatal(err)
		}
		bits, _ := want.MarshalBinary()
		for _, after := range []int{300, 1500, 2500} {
			s.Checkpoint = krr.Checkpoint{Path: filepath.Join(t.TempDir(), "check"), Every: 1}
			stop := errors.New("stop")
			if _, _, err := krr.Fit(context.Background(), m, failing{data, after, stop}, s); !errors.Is(err, stop) {
				t.Fatal(err)
			}
			got, report, err := krr.Fit(context.Background(), m, data, s)
			if err != nil {
				t.Fatal(err)
			}
			if now, _ := got.MarshalBinary(); report.Resumed == 0 || report.Train.Rows != 2600 || krr.WeightOf(report) != krr.WeightOf(wanted) || !bytes.Equal(now, bits) {
				t.Errorf("%v: resumed at %d of %d, weight %g instead of %g; same bits: %v", p, report.Resumed, report.Train.Rows, krr.WeightOf(report), krr.WeightOf(wanted), bytes.Equal(now, bits))
			}
		}
	}
}

// A fit of many classes, whose targets have another reference than those of few, is resumed, and
// so are one of probabilities of which one class has the largest in all rows, one with rows of
// weight 0, and one that keeps a fold apart for label sets.
func TestResumeClasses(t *testing.T) {
	m := gaussianMap(t, 1, 3, 16, 1)
	many := make([]string, 70)
	for k := range many {
		many[k] = fmt.Sprint("c", k)
	}
	likely := classes(4, 700, 3, "a", "b")
	for i := range likely.y.Rows {
		likely.y.Row(i)[0] = -0.6 + 0.3*math.Sin(float64(i))
	}
	some := classes(5, 700, 3, "a", "b", "c")
	some.w = make([]float64, 700)
	for i := range some.w {
		some.w[i] = float64(i % 3)
	}
	apart := classes(6, 700, 3, "a", "b", "c").inRuns(2)
	for name, data := range map[string]*rows{"many": classes(3, 700, 3, many...), "likely": likely, "some": some, "apart": apart} {
		s := krr.Settings{Folds: 2}
		if data == apart {
			s.Uncertainty = "intervals"
		}
		want, _, err := krr.Fit(context.Background(), m, data, s)
		if err != nil {
			t.Fatal(name, err)
		}
		bits, _ := want.MarshalBinary()
		s.Checkpoint = krr.Checkpoint{Path: filepath.Join(t.TempDir(), "check"), Every: 1}
		stop := errors.New("stop")
		if _, _, err := krr.Fit(context.Background(), m, failing{data, 400, stop}, s); !errors.Is(err, stop) {
			t.Fatal(name, err)
		}
		got, report, err := krr.Fit(context.Background(), m, data, s)
		if err != nil {
			t.Fatal(name, err)
		}
		if now, _ := got.MarshalBinary(); report.Resumed == 0 || !bytes.Equal(now, bits) {
			t.Errorf("%s: resumed at %d, same bits: %v", name, report.Resumed, bytes.Equal(now, bits))
		}
	}
	// The one class of all rows is refused again where all of them are those of a checkpoint.
	one := classes(4, 300, 3, "a", "b")
	for i := range one.y.Rows {
		one.y.Row(i)[0] = 1
	}
	s := krr.Settings{Checkpoint: krr.Checkpoint{Path: filepath.Join(t.TempDir(), "check"), Every: 1}}
	for range 2 {
		var degenerate *rff.DegenerateDataError
		if _, _, err := krr.Fit(context.Background(), m, one, s); !errors.As(err, &degenerate) {
			t.Errorf("one class: %v", err)
		}
	}
}

// A checkpoint is refused, with the name of the setting, by a fit with another
// setting that decides the sums.
func TestResumeSettings(t *testing.T) {
	r := classes(1, 300, 3, "a", "b", "c").inRuns(2)
	m := gaussianMap(t, 1, 3, 8, 1)
	path := filepath.Join(t.TempDir(), "check")
	base := krr.Settings{Checkpoint: krr.Checkpoint{Path: path}, Seed: 7, Folds: 3,
		Scaling: rff.Scaling{Shift: []float64{0, 1, 2}, Scale: []float64{1, 1, 2}}}
	checkpointed(t, m, r, base)
	otherClasses := *r
	otherClasses.classes = []string{"a", "b", "d"}
	regression := *r
	regression.classes = nil
	binary := classes(1, 300, 3, "a", "b")
	for name, c := range map[string]struct {
		word   string
		m      *rff.Map
		data   *rows
		change func(s *krr.Settings)
	}{
		"backend":    {"backend", m, r, func(s *krr.Settings) { s.Engine.Backend = "gonum" }},
		"seed":       {"seed", m, r, func(s *krr.Settings) { s.Seed = 8 }},
		"no seed":    {"seed", m, r, func(s *krr.Settings) { s.Seed = 0 }},
		"folds":      {"folds", m, r, func(s *krr.Settings) { s.Folds = 4 }},
		"one fold":   {"folds", m, r, func(s *krr.Settings) { s.Lambdas = []float64{1} }},
		"fold rows":  {"share a fold", m, r.inRuns(0), func(*krr.Settings) {}},
		"precision":  {"precision", m, r, func(s *krr.Settings) { s.Precision = krr.Float32 }},
		"shift":      {"scaling", m, r, func(s *krr.Settings) { s.Scaling.Shift = []float64{0, 1, 2.5} }},
		"scale":      {"scaling", m, r, func(s *krr.Settings) { s.Scaling.Scale = []float64{1, 1.25, 2} }},
		"no scaling": {"scaling", m, r, func(s *krr.Settings) { s.Scaling = rff.Scaling{} }},
		"class":      {"classes", m, &otherClasses, func(*krr.Settings) {}},
		"regression": {"classes", m, &regression, func(*krr.Settings) {}},
		"targets":    {"targets", m, binary, func(*krr.Settings) {}},
		"map":        {"map", gaussianMap(t, 2, 3, 8, 1), r, func(*krr.Settings) {}},
	} {
		s := base
		c.change(&s)
		var fe *krr.FileError
		if _, _, err := krr.Fit(context.Background(), c.m, c.data, s); !errors.As(err, &fe) || fe.Path != path || !strings.Contains(fe.Err.Error(), "another ") || !strings.Contains(fe.Err.Error(), c.word) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// What decides nothing about the sums may change.
	s := base
	s.Lambdas, s.Criterion, s.Probabilities, s.ClipPredictions = []float64{1e-3, 1e-2}, krr.CrossValidation, true, true
	if _, report, err := krr.Fit(context.Background(), m, r, s); err != nil || report.Resumed != 300 {
		t.Errorf("%v, %+v", err, report)
	}
}

// A checkpoint is refused by a fit of columns in another order or under other names, and of
// another target or rule, with the name of the first that differs.
func TestResumeSchema(t *testing.T) {
	named := func(target string, inputs ...string) rff.Source {
		t.Helper()
		s := rff.Schema{Inputs: rff.Columns(inputs...), Target: rff.Target{Name: target, Columns: 1}}
		d, err := rff.WithSchema(synthetic(1, 300, 3, 1, 0.1), s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	ruled := named("y", "a", "b", "c").Schema()
	ruled.Missing = rff.MissingDrop
	drops, err := rff.WithSchema(synthetic(1, 300, 3, 1, 0.1), ruled)
	if err != nil {
		t.Fatal(err)
	}
	m := gaussianMap(t, 1, 3, 8, 1)
	path := filepath.Join(t.TempDir(), "check")
	s := krr.Settings{Lambdas: []float64{1e-3}, Checkpoint: krr.Checkpoint{Path: path}}
	if _, _, err := krr.Fit(t.Context(), m, named("y", "a", "b", "c"), s); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data rff.Source
		want string
	}{
		"reversed":       {named("y", "c", "b", "a"), `column 1`},
		"renamed":        {named("y", "a", "b", "d"), `"c"`},
		"another target": {named("z", "a", "b", "c"), `"y"`},
		"another rule":   {drops, `rule for missing values is drop: must be none: use the settings and the data it was made with`},
	} {
		var fe *krr.FileError
		if _, _, err := krr.Fit(t.Context(), m, c.data, s); !errors.As(err, &fe) || fe.Path != path || !strings.Contains(fe.Err.Error(), c.want) || !strings.Contains(fe.Err.Error(), "remove it to start anew") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, report, err := krr.Fit(t.Context(), m, named("y", "a", "b", "c"), s); err != nil || report.Resumed != 300 {
		t.Errorf("%v, %+v", err, report)
	}
}

// edited returns a sound file after an edit of its header, sealed.
func edited(t *testing.T, file []byte, old, new string) []byte {
	t.Helper()
	if !bytes.Contains(file, []byte(old)) {
		t.Fatalf("no %s in the file", old)
	}
	return krr.Seal(resized(replaceNth(file, old, new, 0)))
}

// Counts in a checkpoint that cannot be are refused.
func TestCheckpointCounts(t *testing.T) {
	r := classes(1, 100, 3, "a", "b", "c")
	m := gaussianMap(t, 1, 3, 4, 1)
	path := filepath.Join(t.TempDir(), "check")
	s := krr.Settings{Checkpoint: krr.Checkpoint{Path: path}, Folds: 2}
	_, report, err := krr.Fit(context.Background(), m, r, s)
	if err != nil {
		t.Fatal(err)
	}
	n := report.Counts
	if n[0]+n[1]+n[2] != 100 {
		t.Fatalf("counts %d", n)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	counts := fmt.Sprintf(`"counts":"[%d,%d,%d]"`, n[0], n[1], n[2])
	if err := os.WriteFile(path, edited(t, file, counts, counts), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := krr.Fit(context.Background(), m, r, s); err != nil {
		t.Fatal("without an edit:", err)
	}
	for _, edit := range [][2]string{
		{counts, fmt.Sprintf(`"counts":"[%d,%d,%d]"`, n[0]+1, n[1], n[2])},
		{counts, fmt.Sprintf(`"counts":"[%d,%d,%d]"`, n[0]+n[1]+1, -1, n[2])},
		{counts, fmt.Sprintf(`"counts":"[%d,%d,%d]"`, n[0]-1, n[1], n[2])},
		{counts, fmt.Sprintf(`"counts":"[%d,%d]"`, n[0], n[1]+n[2])},
		{counts, `"counts":"[]"`},
		{counts, `"counts":"null"`},
		{counts + ",", ``},
		{`"rows":"100"`, `"rows":"99"`},
		{`"rows":"100"`, `"rows":"101"`},
		{`"rows":"100"`, `"rows":"-100"`},
		{`"rows":"100"`, `"rows":""`},
		{`"digest":"`, `"digits":"`},
		{`"digest":"`, `"digest":"1`},
		{`"fit.seed":"0"`, `"fit.sead":"0"`},
		{`"version":"1"`, `"version":"2"`},
		{`"fit.schema":"`, `"fit.scheme":"`},
	} {
		if err := os.WriteFile(path, edited(t, file, edit[0], edit[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		var fe *krr.FileError
		if _, _, err := krr.Fit(context.Background(), m, r, s); !errors.As(err, &fe) || fe.Path != path {
			t.Errorf("%s: %v", edit[1], err)
		}
	}
}

// Sums of other numbers of rows than the checkpoint says are refused.
func TestCheckpointRows(t *testing.T) {
	r := synthetic(1, 9000, 2, 1, 0.1) // more than wait for a row block
	m := gaussianMap(t, 1, 2, 4, 1)
	path := filepath.Join(t.TempDir(), "check")
	s := krr.Settings{Checkpoint: krr.Checkpoint{Path: path}, Folds: 2}
	checkpointed(t, m, r, s)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for fold := range 2 {
		name := fmt.Sprintf("fold.%d.count", fold)
		in := numberIn(t, file, name, 0)
		if in < 504 {
			t.Fatalf("%g rows in the sums of fold %d", in, fold)
		}
		for _, rows := range []float64{in - 1, in + 1, 0, math.NaN()} {
			if err := os.WriteFile(path, withNumber(t, file, name, 0, rows), 0o600); err != nil {
				t.Fatal(err)
			}
			var fe *krr.FileError
			if _, _, err := krr.Fit(context.Background(), m, r, s); !errors.As(err, &fe) {
				t.Errorf("fold %d with %g rows: %v", fold, rows, err)
			}
		}
	}
}

// waiting is a source that says when it is read and then waits.
type waiting struct {
	*rows
	reading chan<- bool
	goOn    <-chan bool
}

func (w waiting) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		w.reading <- true
		<-w.goOn
		w.rows.Batches(ctx)(yield)
	}
}

// A second fit with the same checkpoint is refused while the first reads; so is
// removing it. Afterwards nothing is left.
func TestCheckpointInUse(t *testing.T) {
	r := synthetic(1, 600, 3, 1, 0.1)
	m := gaussianMap(t, 1, 3, 8, 1)
	path := filepath.Join(t.TempDir(), "check")
	s := krr.Settings{Checkpoint: krr.Checkpoint{Path: path, Every: time.Nanosecond}}
	reading, goOn, done := make(chan bool), make(chan bool), make(chan error)
	go func() {
		_, _, err := krr.Fit(context.Background(), m, waiting{r, reading, goOn}, s)
		done <- err
	}()
	<-reading
	var use *krr.FileError
	if _, _, err := krr.Fit(context.Background(), m, r, s); !errors.As(err, &use) || !errors.Is(use, atomicfile.ErrLocked) || use.Path != path || !strings.Contains(err.Error(), path) {
		t.Errorf("two fits on one checkpoint: %v", err)
	}
	if err := s.Checkpoint.Remove(); !errors.As(err, &use) || !errors.Is(use, atomicfile.ErrLocked) {
		t.Errorf("removed while it is used: %v", err)
	}
	goOn <- true
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, _, err := krr.Fit(context.Background(), m, r, s); err != nil {
		t.Errorf("after the first: %v", err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left %v", left)
	}
	if err := s.Checkpoint.Remove(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

// A checkpoint is a regular file and nothing else.
func TestCheckpointPlaces(t *testing.T) {
	r := synthetic(1, 60, 3, 1, 0.1)
	m := gaussianMap(t, 1, 3, 8, 1)
	dir := t.TempDir()
	model, _ := fitted(t, krr.Float64)
	saved := filepath.Join(dir, "model")
	if err := model.Save(saved); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, saved} {
		var fe *krr.FileError
		if _, _, err := krr.Fit(context.Background(), m, r, krr.Settings{Checkpoint: krr.Checkpoint{Path: path}}); !errors.As(err, &fe) || fe.Path != path {
			t.Errorf("%s: %v", path, err)
		}
		if err := (krr.Checkpoint{Path: path}).Remove(); !errors.As(err, &fe) || fe.Path != path {
			t.Errorf("removing %s: %v", path, err)
		}
	}
	if _, err := krr.Load(saved); err != nil {
		t.Error(err)
	}
	if err := (krr.Checkpoint{}).Remove(); err != nil {
		t.Error(err)
	}
	var we *krr.FileError
	missing := filepath.Join(dir, "missing", "check")
	if _, _, err := krr.Fit(context.Background(), m, r, krr.Settings{Checkpoint: krr.Checkpoint{Path: missing}}); !errors.As(err, &we) || we.Path != missing || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// A checkpoint is written when there is something new to write, and only then.
func TestCheckpointWrites(t *testing.T) {
	r := synthetic(1, 300, 3, 1, 0.1) // in 3 batches
	m := gaussianMap(t, 1, 3, 8, 1)
	writes := 0
	atomicfile.Step = func(call string) {
		if call == "rename" {
			writes++
		}
	}
	defer func() { atomicfile.Step = nil }()
	s := krr.Settings{Checkpoint: krr.Checkpoint{Path: filepath.Join(t.TempDir(), "check"), Every: time.Nanosecond}}
	for _, c := range []struct {
		what  string
		every time.Duration
		want  int
	}{{"after every batch", time.Nanosecond, 3}, {"resumed with all rows", time.Nanosecond, 0}, {"at the end", time.Hour, 1}, {"by default", 0, 1}} {
		if c.want > 0 {
			if err := s.Checkpoint.Remove(); err != nil {
				t.Fatal(err)
			}
		}
		writes, s.Checkpoint.Every = 0, c.every
		checkpointed(t, m, r, s)
		if writes != c.want {
			t.Errorf("%s: written %d times, want %d", c.what, writes, c.want)
		}
	}
}
