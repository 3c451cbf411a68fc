package rff_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/mapfile"
	"github.com/rffgo/rff/internal/safetensors"
)

var sectionKernels = widerSections(1)

// widerSections returns sectionKernels with bandwidths times a factor.
func widerSections(by float64) []rff.Kernel {
	return []rff.Kernel{rff.NewGaussian(1.7 * by), rff.NewMatern(0.5, 2*by), rff.NewMatern(1.5, 2*by), rff.NewMatern(2.5, 3*by), rff.NewLaplacian(2 * by),
		rff.NewExponentialPower(1.5, 1.5, 2*by), rff.NewExponentialPower(1.5, 0.75, 2*by), rff.NewExponentialPower(1, 0.5, 2*by), rff.NewExponentialPower(2, 2, 2*by)}
}

// plainSections is the map of sections alone behind a map of rff.Nystrom.
func plainSections(t *testing.T, m *rff.Map) *rff.Map {
	t.Helper()
	s := *inside.Spec(m)
	s.Product = blas.General[float64]{}
	k, err := inside.New(&s, m.Kernel())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// jitter returns what was added to the diagonal of the landmarks' kernel matrix.
func jitter(m *rff.Map) float64 {
	_, change := inside.Split(m)
	return change.Jitter()
}

// landmarksAndRows returns normal landmarks, and rows: some of the landmarks, rows
// within 1e-7 … 1 of one, and rows as far as 1e3.
func landmarksAndRows(d, m int, offset float64) (c, x *mat.Dense) {
	rng := rand.New(rand.NewPCG(uint64(d), 9))
	scale := 1 / math.Sqrt(float64(d))
	c = mat.NewDense(m, d, nil)
	c.Apply(func(_, _ int, _ float64) float64 { return offset + 2*scale*rng.NormFloat64() }, c)
	x = mat.NewDense(3*m, d, nil)
	for i := range 3 * m {
		size := 0.0
		switch {
		case i%3 == 1:
			size = math.Pow(10, -7*rng.Float64())
		case i%3 == 2:
			size = math.Pow(10, 3*rng.Float64())
		}
		for j := range d {
			x.Set(i, j, c.At(i/3, j)+size*scale*rng.NormFloat64())
		}
	}
	return c, x
}

// sectionBound bounds the error of a section at kernel value k between x and c, by
// the argument at asm.Func.Section: a squared distance t in units of the kernel, for
// which |dk/d√t| and, for the Gaussian, |dk/dt| are at most ln 2, is off by
//
//	(d+2)·eps·4R² + 8·eps·R·√t
//
// for rows and landmarks within R of the centre, whose elements round four times as
// they are centred and scaled. A sum t of absolute differences is off by these roundings, at most
// 4·eps·R of each, and by those of its sum, d·eps·t.
func sectionBound(s *blas.Spec, x, c []float64, eps float64) float64 {
	if s.Terms != asm.Products {
		var r, t float64
		for j := range x {
			a, b := (x[j]-s.Shift[j])*s.Scale[j], (c[j]-s.Shift[j])*s.Scale[j]
			off, term := math.Abs(a)+math.Abs(b), math.Abs(a-b)
			if s.Terms == asm.ThreeHalves { // whose slope in a difference is 1.5 times its root, and which rounds twice
				off, term = 1.5*math.Sqrt(term)*off+.5*math.Pow(term, 1.5), math.Pow(term, 1.5)
			}
			r, t = r+off, t+term
		}
		bound := math.Ln2*eps*(4*r+float64(len(x))*t) + 4*eps
		if s.Func == asm.SectionExponential { // |dk/d√t| is at most ln 2
			bound = min(bound/math.Sqrt(t), math.Sqrt(bound)) + 4*eps
		}
		return bound
	}
	var r2, t float64
	for _, v := range [][]float64{x, c} {
		n := 0.0
		for j, e := range v {
			e = (e - s.Shift[j]) * s.Scale[j]
			n += e * e
		}
		r2 = max(r2, n)
	}
	for j := range x {
		e := (x[j] - c[j]) * s.Scale[j]
		t += e * e
	}
	dt := eps * (float64(len(x)+2)*4*r2 + 8*math.Sqrt(r2*t))
	if s.Func == asm.SectionGaussian {
		return math.Ln2*dt + 4*eps
	}
	return math.Ln2*min(math.Sqrt(dt), dt/math.Sqrt(t)) + 4*eps
}

// Sections are the kernel, for near and far rows in 1 to 784 dimensions, with an offset
// of a million or none, in float64 and float32.
func TestSectionsAreTheKernel(t *testing.T) {
	for _, k := range sectionKernels {
		for _, d := range []int{1, 14, 784} {
			for _, offset := range []float64{0, 1e6} {
				t.Run(fmt.Sprintf("%v d=%d offset=%g", k, d, offset), func(t *testing.T) {
					c, x := landmarksAndRows(d, 20, offset)
					full, err := rff.Nystrom(k, c)
					if err != nil {
						t.Fatal(err)
					}
					m := plainSections(t, full)
					spec := inside.Spec(m) // which is a copy
					n, _ := x.Dims()
					var z mat.Dense
					if err := m.Transform(&z, x); err != nil {
						t.Fatal(err)
					}
					for i := range n {
						for j := range 20 {
							want := k.Eval(x.RawRowView(i), c.RawRowView(j))
							// far rows are 0 from 2⁻⁵⁰⁰ on
							if e := math.Abs(z.At(i, j) - want); !(e <= sectionBound(spec, x.RawRowView(i), c.RawRowView(j), 0x1p-52)) {
								t.Fatalf("row %d, landmark %d: %v, want %v", i, j, z.At(i, j), want)
							}
						}
					}
					if offset != 0 {
						return // float32 has not the digits
					}
					x32 := blas32.General{Rows: n, Cols: d, Stride: d, Data: make([]float32, n*d)}
					for i := range n {
						for j, v := range x.RawRowView(i) {
							x32.Data[i*d+j] = float32(v)
						}
					}
					var z32 blas32.General
					if err := m.Transform32(&z32, x32); err != nil {
						t.Fatal(err)
					}
					for i := range n {
						for j := range 20 {
							want := k.Eval(x.RawRowView(i), c.RawRowView(j))
							if e := math.Abs(float64(z32.Data[i*z32.Stride+j]) - want); !(e <= sectionBound(spec, x.RawRowView(i), c.RawRowView(j), 0x1p-23)) {
								t.Fatalf("float32: row %d, landmark %d: %v, want %v", i, j, z32.Data[i*z32.Stride+j], want)
							}
						}
					}
				})
			}
		}
	}
}

// z(x)ᵀz(c) is k(x, c) for landmarks c, whatever x.
func TestNystromReproducesTheKernel(t *testing.T) {
	for _, k := range sectionKernels {
		c, x := landmarksAndRows(5, 30, 0)
		m, err := rff.Nystrom(k, c)
		if err != nil {
			t.Fatal(err)
		}
		var zx, zc, got mat.Dense
		if err := m.Transform(&zx, x); err != nil {
			t.Fatal(err)
		}
		if err := m.Transform(&zc, c); err != nil {
			t.Fatal(err)
		}
		got.Mul(&zx, zc.T())
		// With K + εI in place of K it is off by ε·‖k(x)ᵀ(K+εI)⁻¹‖, at most √ε·‖z‖.
		tol := 2*math.Sqrt(jitter(m)) + 1e-9
		n, _ := x.Dims()
		for i := range n {
			for j := range 30 {
				if want := k.Eval(x.RawRowView(i), c.RawRowView(j)); math.Abs(got.At(i, j)-want) > tol {
					t.Fatalf("%v: row %d, landmark %d: %v, want %v", k, i, j, got.At(i, j), want)
				}
			}
		}
	}
}

// A map at another bandwidth is the one made at it, and a map comes back from its
// tensors with the same fingerprint and features.
func TestNystromRescaleAndTensors(t *testing.T) {
	for i, k := range sectionKernels {
		c, x := landmarksAndRows(3, 12, 4)
		full, err := rff.Nystrom(k, c)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []*rff.Map{full, plainSections(t, full)} {
			got, err := m.Rescale(2.5)
			if err != nil {
				t.Fatal(err)
			}
			want, err := rff.Nystrom(widerSections(2.5)[i], c)
			if err != nil {
				t.Fatal(err)
			}
			if m != full {
				want = plainSections(t, want)
			}
			if got.Fingerprint() != want.Fingerprint() || got.Fingerprint() == m.Fingerprint() {
				t.Errorf("%v: fingerprints %v of the rescaled map, %v of one made there, %v before", k, got.Fingerprint(), want.Fingerprint(), m.Fingerprint())
			}
			file := safetensors.Writer{Meta: map[string]string{}}
			mapfile.Add(&file, m)
			text, err := file.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			read, err := safetensors.Format{Accept: func(map[string]string) error { return nil }}.Read(bytes.NewReader(text), int64(len(text)))
			if err != nil {
				t.Fatal(err)
			}
			back, err := mapfile.Map(read)
			if err != nil {
				t.Fatal(err)
			}
			var a, b mat.Dense
			if err := errors.Join(m.Transform(&a, x), back.Transform(&b, x)); err != nil {
				t.Fatal(err)
			}
			if !mat.Equal(&a, &b) {
				t.Errorf("%v: the map read back has other features", k)
			}
		}
	}
}

// Landmarks that are equal, or nearly so, get as much on the diagonal as it takes, and
// say so; distinct ones far apart get the least.
func TestNystromJitter(t *testing.T) {
	c, x := landmarksAndRows(4, 10, 0)
	far := mat.NewDense(10, 4, nil)
	far.Scale(10, c)
	m, err := rff.Nystrom(rff.NewGaussian(1), far)
	if err != nil || jitter(m) != 1e-12 {
		t.Errorf("landmarks far apart: %v, %v", jitter(m), err)
	}
	twice := mat.NewDense(30, 4, nil)
	equal := mat.NewDense(10, 4, nil)
	for i := range 30 {
		twice.SetRow(i, c.RawRowView(i%10))
	}
	for i := range 10 {
		equal.SetRow(i, c.RawRowView(0))
	}
	for name, rows := range map[string]*mat.Dense{"each thrice": twice, "all equal": equal} {
		for _, k := range sectionKernels {
			m, err := rff.Nystrom(k, rows)
			if err != nil {
				t.Fatal(err)
			}
			if !(jitter(m) > 1e-12 && jitter(m) < 1e-4) {
				t.Errorf("%s, %v: %v", name, k, jitter(m))
			}
			var z mat.Dense
			if err := m.Transform(&z, x); err != nil {
				t.Fatal(err)
			}
			if s := mat.Norm(&z, 2); s-s != 0 {
				t.Errorf("%s, %v: features are not finite", name, k)
			}
		}
	}
}

// What has no sections, and landmarks that floating point cannot tell apart at the
// bandwidth, are refused by name.
func TestNystromRefuses(t *testing.T) {
	c, _ := landmarksAndRows(3, 5, 0)
	bad := mat.DenseCopyOf(c)
	bad.Set(2, 1, math.NaN())
	for name, call := range map[string]func() error{
		"cauchy":    func() error { _, err := rff.Nystrom(rff.NewCauchy(1), c); return err },
		"linear":    func() error { _, err := rff.Nystrom(rff.NewLinear(), c); return err },
		"no kernel": func() error { _, err := rff.Nystrom(nil, c); return err },
		"no rows":   func() error { _, err := rff.Nystrom(rff.NewGaussian(1), nil); return err },
		"scales":    func() error { _, err := rff.Nystrom(rff.NewGaussian(1, 2), c); return err },
		"bandwidth": func() error { _, err := rff.Nystrom(rff.NewGaussian(1e-9), c); return err },
		"smooth":    func() error { _, err := rff.Nystrom(rff.NewMatern(1), c); return err },
	} {
		var p *rff.ParameterError
		if err := call(); !errors.As(err, &p) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var nan *rff.ValueError
	if _, err := rff.Nystrom(rff.NewGaussian(1), bad); !errors.As(err, &nan) || nan.Row != 2 || nan.Column != "input 2" {
		t.Errorf("NaN: %v", err)
	}
	// In one dimension it is a function of the distance.
	one := mat.NewDense(4, 1, []float64{0, 1, 3, 7})
	for _, k := range []rff.Kernel{rff.NewCauchy(2)} {
		full, err := rff.Nystrom(k, one)
		if err != nil {
			t.Fatal(err)
		}
		var z mat.Dense
		if err := plainSections(t, full).Transform(&z, one); err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			for j := range 4 {
				if want := k.Eval(one.RawRowView(i), one.RawRowView(j)); math.Abs(z.At(i, j)-want) > 1e-7 {
					t.Errorf("%v: %v, want %v", k, z.At(i, j), want)
				}
			}
		}
	}
}

// Landmarks so far from their centre that the distances of near rows are lost to rounding are
// refused: 2⁴²/(d+2) in squares, differences or their powers.
func TestFarLandmarks(t *testing.T) {
	for _, c := range []struct {
		k         rff.Kernel
		near, far float64
	}{{rff.NewGaussian(1), 1e5, 3e6}, {rff.NewLaplacian(1), 1e11, 3e12}, {rff.NewExponentialPower(1.5, 1.5, 1), 1e7, 3e8}} {
		for _, far := range []bool{false, true} {
			v := c.near
			if far {
				v = c.far
			}
			_, err := rff.Nystrom(c.k, mat.NewDense(2, 2, []float64{v, 0, -v, 0}))
			var p *rff.ParameterError
			if far != errors.As(err, &p) || !far && err != nil {
				t.Errorf("%v: landmarks at %v: %v", c.k, v, err)
			}
		}
	}
}
