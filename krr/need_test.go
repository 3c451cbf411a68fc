package krr_test

import (
	"context"
	"errors"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// A fit beyond the memory is refused before the first row, by what to change.
func TestMemoryRefused(t *testing.T) {
	ctx := context.Background()
	m := gaussianMap(t, 1, 3, 600, 1)
	many, few := synthetic(1, 5000, 3, 1, 0.1), synthetic(1, 50, 3, 1, 0.1)
	var setting *rff.ParameterError
	for _, c := range []struct {
		name string
		r    *rows
		s    krr.Settings
		have int64
		want string // name of the setting, "" for none
	}{
		// 600² numbers are 2.9 MB: five sums, two systems with their reductions.
		{"enough", many, krr.Settings{}, 1 << 30, ""},
		{"features", many, krr.Settings{}, 10 << 20, "features"},
		{"one sum", many, krr.Settings{Lambdas: []float64{1e-3}}, 20 << 20, ""},
		{"folds", many, krr.Settings{Folds: 1000}, 1 << 30, "folds"},
		{"a million folds", many, krr.Settings{Folds: 1000000}, 1 << 36, "folds"},
		{"folds beyond int32", many, krr.Settings{Folds: 1000000000}, 1 << 36, "folds"},
		{"few rows", few, krr.Settings{}, 10 << 20, ""},
		{"few rows, many folds", few, krr.Settings{Folds: 1000000000}, 10 << 20, ""},
		{"few rows with variance", few, krr.Settings{Uncertainty: "variance"}, 10 << 20, "features"},
		{"cg", many, krr.Settings{Passes: &krr.Passes{}, Lambdas: []float64{1e-2}}, 1 << 30, ""},
		{"cg, default memory", many, krr.Settings{Passes: &krr.Passes{}, Lambdas: []float64{1e-2}}, 56 << 20, "memory"},
		{"cg, too much memory", many, krr.Settings{Passes: &krr.Passes{Memory: 1 << 41}, Lambdas: []float64{1e-2}}, 1 << 40, "memory"},
		{"cg, enough memory", many, krr.Settings{Passes: &krr.Passes{Memory: 1 << 28}, Lambdas: []float64{1e-2}}, 1 << 29, ""},
	} {
		restore := krr.SetAvailable(c.have)
		_, _, err := krr.Fit(ctx, m, c.r, c.s)
		restore()
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if !errors.As(err, &setting) || setting.Name != c.want || !strings.Contains(err.Error(), "to be had here") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// Where the number of rows is not known, the sums are refused when they are needed.
	defer krr.SetAvailable(10 << 20)()
	if _, _, err := krr.Fit(ctx, m, forgetful{many}, krr.Settings{}); !errors.As(err, &setting) || setting.Name != "features" {
		t.Errorf("unknown rows: %v", err)
	}
	if _, _, err := krr.Fit(ctx, m, forgetful{few}, krr.Settings{}); err != nil {
		t.Errorf("few unknown rows: %v", err)
	}
}

// Sizes beyond any machine are refused wherever the code runs, and without a map.
func TestMemoryOfAnyMachine(t *testing.T) {
	defer krr.SetAvailable(math.MaxInt64)()
	var setting *rff.ParameterError
	err := krr.CheckMemory(krr.Sized(10, 1, -1), math.MaxInt-1, nil, krr.Settings{})
	if !errors.As(err, &setting) || setting.Name != "features" || !strings.Contains(err.Error(), "Passes") {
		t.Errorf("%v", err)
	}
	for _, s := range []krr.Settings{{Passes: &krr.Passes{}}, {Passes: &krr.Passes{Memory: 1 << 30}}, {Lambdas: []float64{1}}} {
		if err := krr.CheckMemory(krr.Sized(10, 1, 100), math.MaxInt-1, nil, s); !errors.As(err, &setting) || setting.Name != "features" {
			t.Errorf("%+v: %v", s, err)
		}
	}
	if err := krr.CheckMemory(krr.Sized(10, 1, 1e6), 1000, nil, krr.Settings{}); err != nil {
		t.Error(err)
	}
	// 60,000 features: sums of five folds, each 28.8 GB, and room to work.
	one := krr.Settings{Engine: rff.Engine{Workers: 1}}
	if need := krr.Need(10, 60000, 1, 245000, false, one); need < 5*8*60000*60000 || need > 12*8*60000*60000 {
		t.Errorf("60000 features need %g bytes", need)
	}
	if need := krr.Need(10, 60000, 1, 245000, false, krr.Settings{Passes: &krr.Passes{}}); need > 2<<30 {
		t.Errorf("conjugate gradients need %g bytes", need)
	}
}

// The need is about what a process has.
func TestNeed(t *testing.T) {
	const features = 1500
	s := krr.Settings{Folds: 3}
	s.Engine.Workers = 2
	if os.Getenv("KRR_TEST_CHILD") != "" {
		if _, _, err := krr.Fit(context.Background(), gaussianMap(t, 1, 20, features, 3), generated{4000, 20}, s); err != nil {
			t.Fatal(err)
		}
		printPeak(t)
		return
	}
	need := int64(krr.Need(20, features, 1, 4000, false, s))
	// Beside it there is what the runtime and the stream take, and garbage that the
	// collector has not seen to, as much again in the worst case.
	if peak := inChild(t, "fit"); peak > need+need/2+64<<20 || need > 2*peak {
		t.Errorf("%d MiB resident, %d needed", peak>>20, need>>20)
	} else {
		t.Logf("%d MiB resident, %d needed", peak>>20, need>>20)
	}
}

// Of cross-validation nothing is left but the sums of every fold: their total is only made
// for the solution, in the place of one of them.
func TestFoldsMemory(t *testing.T) {
	const features = 1024
	m := gaussianMap(t, 1, 5, features, 2)
	data := generated{4000, 5}
	s := krr.Settings{Lambdas: make([]float64, 20)}
	s.Engine.Workers = 1
	for i := range s.Lambdas {
		s.Lambdas[i] = 1e-8 * float64(int(1)<<i)
	}
	heap := func() uint64 {
		runtime.GC()
		runtime.GC() // what pools kept
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, selected := heap(), uint64(0)
	s.Progress = func(p krr.Progress) {
		if p.Stage == "select" && p.Rows == p.Total {
			selected = heap()
		}
	}
	if _, _, err := krr.Fit(t.Context(), m, data, s); err != nil {
		t.Fatal(err)
	}
	const square = 8*features*features + 2<<20 // from the start of a huge page
	if took := float64(selected-before) / square; took > 5.5 {
		t.Errorf("%.2f matrices for five folds", took)
	}
}

// Held-out rows with a given λ take the sums of every fold, however few the rows.
func TestNeedHeldOut(t *testing.T) {
	given := krr.Settings{Lambdas: []float64{1e-3}, HeldOut: true}
	if need := krr.Need(3, 60000, 1, 600, false, given); need < 5*8*60000*60000 {
		t.Errorf("60000 features of 600 rows need %g bytes", need)
	}
	m := gaussianMap(t, 1, 3, 4096, 1)
	defer krr.SetAvailable(64 << 20)()
	var bad *rff.ParameterError
	if _, _, err := krr.Fit(t.Context(), m, synthetic(1, 60, 3, 1, 0.1), given); !errors.As(err, &bad) {
		t.Errorf("%v", err)
	}
	given.HeldOut = false
	if _, _, err := krr.Fit(t.Context(), m, synthetic(1, 60, 3, 1, 0.1), given); err != nil {
		t.Errorf("by way of the dual problem: %v", err)
	}
}

// A fit on landmarks has the factor of their kernel, and makes the sums of sections
// those of features.
func TestNeedLandmarks(t *testing.T) {
	const features = 1500
	s := krr.Settings{Lambdas: []float64{1e-3}}
	s.Engine.Workers = 2
	sections := func(m int) *rff.Map {
		c := mat.NewDense(m, 20, nil)
		for b := range (generated{int64(m), 20}).Batches(t.Context()) {
			for i := range b.X.Rows {
				c.SetRow(int(b.First)+i, b.X.Row(i))
			}
		}
		f, err := rff.Nystrom(rff.NewGaussian(1), c)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	few, path := s, s
	few.Lambdas, path.Lambdas = []float64{1e-4, 1e-2}, nil
	all := map[string]krr.Settings{"given": s, "few": few, "path": path}
	if child := os.Getenv("KRR_TEST_CHILD"); child != "" {
		if _, _, err := krr.Fit(context.Background(), sections(features), generated{4000, 20}, all[child]); err != nil {
			t.Fatal(err)
		}
		printPeak(t)
		return
	}
	for name, s := range all {
		if testing.Short() && name != "given" {
			continue
		}
		need := int64(krr.Need(20, features, 1, 4000, true, s))
		// As in TestNeed, with the garbage of making the map.
		if peak := inChild(t, name); peak > 2*need+64<<20 || need > 2*peak {
			t.Errorf("%s: %d MiB resident, %d needed", name, peak>>20, need>>20)
		} else {
			t.Logf("%s: %d MiB resident, %d needed", name, peak>>20, need>>20)
		}
	}
	// As much as a fit of random features needs is not enough.
	plain := gaussianMap(t, 1, 20, 300, 1)
	data := generated{4000, 20}
	defer krr.SetAvailable(int64(krr.Need(20, 300, 1, 4000, false, s)) + 1)()
	if _, _, err := krr.Fit(t.Context(), plain, data, s); err != nil {
		t.Errorf("random features: %v", err)
	}
	var bad *rff.ParameterError
	if _, _, err := krr.Fit(t.Context(), sections(300), data, s); !errors.As(err, &bad) || bad.Name != "features" {
		t.Errorf("landmarks: %v", err)
	}
	if err := krr.CheckMemory(krr.Sized(20, 1, 4000), 300, sampling.Nystrom{}, s); !errors.As(err, &bad) {
		t.Errorf("landmarks that are not picked yet: %v", err)
	}
}
