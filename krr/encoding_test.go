package krr_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr"
)

func fitted(t testing.TB, p krr.Precision, classesOf ...string) (*krr.Model, *rows) {
	t.Helper()
	var r *rows
	if classesOf != nil {
		r = classes(5, 200, 3, classesOf...)
	} else {
		r = synthetic(5, 200, 3, 2, 0.1)
	}
	s := krr.Settings{Lambdas: []float64{1e-4}, Precision: p, ClipPredictions: true, Provenance: map[string]string{"note": `"sha256":"x" & ü`}}
	s.Scaling = rff.Scaling{Shift: []float64{0.5, -1, 2}, Scale: []float64{1.5, 2, 0.25}}
	m, _, err := krr.Fit(context.Background(), gaussianMap(t, 9, 3, 32, 2), r, s)
	if err != nil {
		t.Fatal(err)
	}
	return m, r
}

func TestModelRoundTrip(t *testing.T) {
	for _, p := range []krr.Precision{krr.Float64, krr.Float32} {
		for _, labels := range [][]string{nil, {"n", "y"}, {"1", "2", "drei"}} {
			m, r := fitted(t, p, labels...)
			path := filepath.Join(t.TempDir(), "m.rff")
			if err := m.Save(path); err != nil {
				t.Fatal(err)
			}
			l, err := krr.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			var a, b mat.Dense
			if err := m.Predict(&a, dense(r.x)); err != nil {
				t.Fatal(err)
			}
			if err := l.Predict(&b, dense(r.x)); err != nil {
				t.Fatal(err)
			}
			if !mat.Equal(&a, &b) {
				t.Errorf("%v %v: predictions of the loaded model differ", p, labels)
			}
			x, _ := m.MarshalBinary()
			y, _ := l.MarshalBinary()
			if !bytes.Equal(x, y) {
				t.Errorf("%v %v: writing the loaded model gives another file", p, labels)
			}
			if !slices.Equal(l.Info().Lambda, m.Info().Lambda) || len(l.Info().Lambda) == 0 || l.Info().Solved != m.Info().Solved || !slices.Equal(l.Info().Schema.Target.Classes, labels) {
				t.Errorf("λ %g, %v, classes %q; before %g, %v, %q", l.Info().Lambda, l.Info().Solved, l.Info().Schema.Target.Classes, m.Info().Lambda, m.Info().Solved, labels)
			}
			if k := l.Map().Kernel(); fmt.Sprint(k) != "gaussian:sigma=2" || l.Info().Provenance["kernel"] != fmt.Sprint(k) {
				t.Errorf("kernel %v, provenance %v", k, l.Info().Provenance)
			}
			if l.Info().Provenance["note"] != `"sha256":"x" & ü` {
				t.Errorf("provenance %v", l.Info().Provenance)
			}
		}
	}
}

func TestDamagedModel(t *testing.T) {
	m, _ := fitted(t, krr.Float64, "n", "y")
	good, _ := m.MarshalBinary()
	var fe *krr.FileError
	for i := 0; i < len(good); i += 1 + len(good)/400 {
		bad := bytes.Clone(good)
		bad[i] ^= 0x10
		if err := new(krr.Model).UnmarshalBinary(bad); !errors.As(err, &fe) {
			t.Fatalf("bit flipped in byte %d: %v", i, err)
		}
		if err := new(krr.Model).UnmarshalBinary(good[:i]); !errors.As(err, &fe) {
			t.Fatalf("truncated to %d bytes: %v", i, err)
		}
	}
	if err := new(krr.Gram).UnmarshalBinary(good); !errors.As(err, &fe) {
		t.Errorf("model read as a Gram: %v", err)
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, good[:100], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := krr.Load(path); !errors.As(err, &fe) || fe.Path != path {
		t.Errorf("error does not name the file: %v", err)
	}
	if _, err := krr.Load(path + "missing"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

// A failed Save leaves the old file and no litter.
func TestSaveKeepsTheOldFile(t *testing.T) {
	m, _ := fitted(t, krr.Float64)
	dir := t.TempDir()
	path := filepath.Join(dir, "folder")
	if err := os.Mkdir(path, 0o700); err != nil { // a rename onto a folder fails
		t.Fatal(err)
	}
	if err := m.Save(path); err == nil {
		t.Error("saved over a folder")
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("left %v", files)
	}
}

func equalSums(a, b *blas.Sums) bool {
	bits := func(x, y []float64) bool {
		for i := range x {
			if math.Float64bits(x[i]) != math.Float64bits(y[i]) {
				return false
			}
		}
		return len(x) == len(y)
	}
	for i := range a.G.Rows {
		if !bits(a.G.Row(i)[i:], b.G.Row(i)[i:]) {
			return false
		}
	}
	return bits(a.ZY.Data, b.ZY.Data) && bits(a.Z, b.Z) && bits(a.Y, b.Y) && bits(a.YY, b.YY) && a.W == b.W && a.Rows == b.Rows
}

// Stopping anywhere, writing, reading and going on gives the bits of one pass.
func TestGramResume(t *testing.T) {
	r := synthetic(1, 1300, 3, 2, 0.1)
	m := gaussianMap(t, 1, 3, 16, 1)
	for _, p := range []krr.Precision{krr.Float64, krr.Float32} {
		whole := gram(t, m, r, p)
		for _, cut := range []int{0, 1, blas.RowBlock - 1, blas.RowBlock, 777, 1300} {
			g := krr.NewGram(m, 2, krr.GramSettings{Precision: p})
			add := func(g *krr.Gram, from, to int) {
				if err := g.Add(context.Background(), rff.Batch{First: int64(from), X: r.x.RowRange(from, to), Y: r.y.RowRange(from, to)}); err != nil {
					t.Fatal(err)
				}
			}
			add(g, 0, cut)
			b, err := g.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			var h krr.Gram
			if err := h.UnmarshalBinary(b); err != nil {
				t.Fatal(err)
			}
			add(&h, cut, 1300)
			if h.Rows() != 1300 || !equalSums(h.Sums(), whole.Sums()) {
				t.Errorf("%v: resuming after %d rows changes the sums", p, cut)
			}
		}
	}
}
