package rffbeam

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/dataset/parquet"
	"github.com/rffgo/rff/krr"
)

// grouped writes a Parquet file of two inputs and a target, in row groups of 2¹⁷ rows. A
// row whose number is bad has no b.
func grouped(t *testing.T, rows, bad int) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "rows.parquet")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w, err := parquet.NewWriter(f, []parquet.Column{{Name: "a"}, {Name: "b"}, {Name: "y"}})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(5, 6))
	for i := range rows {
		a, b := random.NormFloat64(), random.NormFloat64()+float64(i)/float64(rows)
		w.Number(a)
		if i+1 == bad {
			w.Null()
		} else {
			w.Number(b)
		}
		w.Number(math.Sin(2*a) + b + 0.1*random.NormFloat64())
		if err := w.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// Groups are dealt out in their order, all of them, with no fewer rows than asked for.
func TestDeal(t *testing.T) {
	for _, c := range []struct {
		groups []int64
		least  int64
		shares []share
	}{
		{nil, 10, []share{{}}},
		{[]int64{100}, 10, []share{{}}},
		{[]int64{10, 10, 10}, 10, []share{{0, 1}, {1, 2}, {2, 3}}},
		{[]int64{10, 10, 9}, 10, []share{{0, 1}, {1, 3}}},
		{[]int64{3, 3, 3, 3, 3, 3, 3}, 8, []share{{0, 3}, {3, 7}}},
		{[]int64{5, 5}, 20, []share{{}}},
		{[]int64{0, 20, 0, 20, 0}, 20, []share{{0, 2}, {2, 5}}},
	} {
		if shares := deal(c.groups, c.least); !slices.Equal(shares, c.shares) {
			t.Errorf("%v by %d: %v", c.groups, c.least, shares)
		}
	}
}

// The row groups of a file are shares of their own, and change nothing: the plan is that
// of the file as a stream, which is one share, and the model that of one fit.
func TestRowGroups(t *testing.T) {
	t.Parallel()
	name := grouped(t, 300_000, 0)
	seen := func(glob string) (Planned, []byte) {
		file := filepath.Join(t.TempDir(), "plan")
		err := run(t, func(s beam.Scope) {
			WritePlan(s, file, Plan(s, glob, Reading{}, Planning{Features: 32, Scale: dataset.Standard}))
		})
		if err != nil {
			t.Fatal(err)
		}
		return plannedOf(t, file+".rows"), contents(t, file)
	}
	shared, plan := seen(name)
	streamed, same := seen("stream://" + name)
	if shared.Files != 1 || shared.Shares != 3 || streamed.Shares != 1 || shared.Rows != 300_000 || shared.Sample != streamed.Sample {
		t.Errorf("shares %+v, the stream %+v", shared, streamed)
	}
	if !bytes.Equal(plan, same) {
		t.Errorf("the shares have another plan than the stream")
	}
	const lambda = 1e-4
	one := reference(t, plan, lambda, name)
	for _, f := range []Fitting{{Shares: shared.Shares, Lambda: lambda, Folds: 4}, {Lambda: lambda, Folds: 4}, {Lambda: lambda}} {
		m, err := fit(t, name, plan, f)
		if err != nil {
			t.Fatal(err)
		}
		if e := apart(t, m, one); e > 1e-9 {
			t.Errorf("%+v: predictions differ by %g", f, e)
		}
	}
	// The folds are those of krr.Fit: λ is.
	m, err := fit(t, name, plan, Fitting{})
	if err != nil {
		t.Fatal(err)
	}
	chosen := referenceOf(t, plan, dataset.Options{}, krr.Settings{}, name).Info().Lambda[0]
	if l := m.Info().Lambda[0]; math.Abs(l/chosen-1) > 1e-12 {
		t.Errorf("λ is %g, and %g of krr.Fit", l, chosen)
	}
}

// A row of a later share that cannot be read is named by its number in the file.
func TestBadRowOfAShare(t *testing.T) {
	t.Parallel()
	name := grouped(t, 200_000, 150_001)
	file := filepath.Join(t.TempDir(), "plan")
	err := run(t, func(s beam.Scope) { WritePlan(s, file, Plan(s, name, Reading{}, Planning{Features: 32})) })
	if err == nil || !strings.Contains(err.Error(), "row 150001") || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("a null in the second share: %v", err)
	}
	p := plan(t, grouped(t, 200, 0), Planning{Features: 32})
	m, err := fitOf(t, name, p, Reading{Aside: true}, Fitting{Lambda: 1e-4, Folds: 4})
	if err != nil {
		t.Fatal(err)
	}
	bad := 0
	o := dataset.Options{BadRow: func(*dataset.ParseError) bool { bad++; return true }}
	one := referenceOf(t, p, o, krr.Settings{Lambdas: []float64{1e-4}, ClipPredictions: true}, name)
	if e := apart(t, m, one); e > 1e-9 || bad == 0 {
		t.Errorf("without %d bad rows predictions differ by %g", bad, e)
	}
}

// plannedOf reads what WritePlan writes beside a plan.
func plannedOf(t *testing.T, name string) (p Planned) {
	t.Helper()
	if err := json.Unmarshal(contents(t, name), &p); err != nil {
		t.Fatal(err)
	}
	return p
}
