package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

var funcs = []Func{Cos, CosSin, Linear, ArcCos0, ArcCos1, ArcCos2,
	SectionGaussian, SectionExponential, SectionMatern3, SectionMatern5, SectionCauchy}

// bitsOf returns the representation of x, zero-extended.
func bitsOf[T Float](x T) uint64 {
	if unsafe.Sizeof(x) == 8 {
		return math.Float64bits(float64(x))
	}
	return uint64(*(*uint32)(unsafe.Pointer(&x)))
}

// guard is a NaN that no computation makes.
func guard[T Float]() T {
	if unsafe.Sizeof(*new(T)) == 8 {
		return T(math.Float64frombits(0x7ff8_dead_beef_0001))
	}
	b := uint32(0x7fc0_be01)
	return *(*T)(unsafe.Pointer(&b))
}

// guarded returns n guards, at an offset that leaves them aligned to single
// elements only.
func guarded[T Float](n int) []T {
	s := make([]T, n+1)[1:]
	for i := range s {
		s[i] = guard[T]()
	}
	return s
}

// sameBits reports the first difference between two buffers: written elements
// agree to the last bit (NaNs whatever their payload), guards are untouched.
func sameBits[T Float](got, want []T) error {
	g := bitsOf(guard[T]())
	for i := range want {
		a, b := bitsOf(got[i]), bitsOf(want[i])
		if a == b || (b != g && a != g && got[i] != got[i] && want[i] != want[i]) {
			continue
		}
		return fmt.Errorf("element %d is %v (%#x), the reference has %v (%#x)", i, got[i], a, want[i], b)
	}
	return nil
}

// A featureCase is a strip of rows with every stride odd and special values sprinkled.
type featureCase[T Float] struct {
	p             Projection[T]
	out           Output[T]
	y, acc, acc2  []T
	ldy, lda, tgt int
}

func newCase[T Float](rng *rand.Rand, width, rows, d, cols, targets int, special bool) *featureCase[T] {
	values := func(n int, scale float64) []T {
		s := guarded[T](n)
		for i := range s {
			s[i] = T(rng.NormFloat64() * scale)
			if special && rng.IntN(40) == 0 {
				s[i] = T([]float64{0, math.Copysign(0, -1), 0.25, -0.5, 1, math.Inf(1), math.Inf(-1), math.NaN(), 1e30, 5e-324, 1e-40}[rng.IntN(11)])
			}
		}
		return s
	}
	padded := (cols + width - 1) / width * width
	c := &featureCase[T]{}
	c.p = Projection[T]{X: values(rows*(d+3), 1), LDX: d + 3, Rows: rows, D: d, Cols: cols,
		W: values(padded*d, 1), Phase: values(padded, 1),
		Weight: values(padded, 0.5), Weight2: values(padded, 0.5)}
	if rows > 0 {
		c.p.X = c.p.X[:len(c.p.X)-3] // ends with the last row
	}
	for k := range d { // the layout pads with zeros
		for j := cols; j < padded; j++ {
			c.p.W[(j/width*d+k)*width+j%width] = 0
		}
	}
	c.ldy, c.lda, c.tgt = targets+2, cols+5, targets
	c.y = values(rows*c.ldy, 1)
	c.acc, c.acc2 = values(targets*c.lda, 1), values(targets*c.lda, 1)
	return c
}

// layouts returns an output of c as a row-major matrix and as panels, each with
// room to spare.
func (c *featureCase[T]) layouts(panel int) map[string]Output[T] {
	panels := (c.p.Cols + panel - 1) / panel
	m := map[string]Output[T]{
		"rows":   {RowStride: panels*panel + 3, PanelStride: panel},
		"panels": {RowStride: panel, PanelStride: c.p.Rows*panel + 5},
	}
	for name, o := range m {
		n := (c.p.Rows+1)*o.RowStride + (panels+1)*o.PanelStride
		o.Z, o.Z2 = guarded[T](n), guarded[T](n)
		m[name] = o
	}
	return m
}

func (c *featureCase[T]) inputs() []T {
	return slices.Concat(c.p.X, c.p.W, c.p.Phase, c.p.Weight, c.p.Weight2, c.y)
}

// check compares Features and Scores of k with the reference kernel of its panels, for
// weights of the columns and one of them all, and for sums of differences.
func (c *featureCase[T]) check(k *Kernels[T], f Func) error {
	err := c.checkWeighted(k, f)
	if err == nil && f <= CosSin {
		w, w2 := c.p.Weight, c.p.Weight2
		c.p.Weight, c.p.Weight2, c.p.Scale = nil, nil, 0.3
		if err = c.checkWeighted(k, f); err != nil {
			err = fmt.Errorf("with one weight: %w", err)
		}
		c.p.Weight, c.p.Weight2, c.p.Scale = w, w2, 0
	}
	// The terms are of the sums, of which a function knows no more than the values: one
	// function has all sizes, the others those of 7 rows, with every number of inputs, and of 13,
	// with every number of columns.
	if f <= CosSin || f != SectionExponential && c.p.Rows != 7 && c.p.Rows != 13 {
		return err
	}
	for _, terms := range []Terms{Differences, ThreeHalves} {
		if err == nil {
			c.p.Terms = terms
			if err = c.checkWeighted(k, f); err != nil {
				err = fmt.Errorf("of terms %d: %w", terms, err)
			}
			c.p.Terms = Products
		}
	}
	return err
}

func (c *featureCase[T]) checkWeighted(k *Kernels[T], f Func) error {
	plain := reference[T]("reference", k.Tuning)
	before := c.inputs()
	// One call of the reference kernel serves both layouts, which have the same panels.
	layouts := c.layouts(k.Panel)
	ref := c.layouts(k.Panel)["rows"]
	plain.Features(f, &c.p, &ref)
	for name, got := range layouts {
		wantZ, wantZ2 := ref.Z, ref.Z2
		if name != "rows" {
			wantZ, wantZ2 = guarded[T](len(got.Z)), guarded[T](len(got.Z))
			for r := range c.p.Rows {
				for q := range (c.p.Cols + k.Panel - 1) / k.Panel {
					to, from := r*got.RowStride+q*got.PanelStride, r*ref.RowStride+q*ref.PanelStride
					copy(wantZ[to:to+k.Panel], ref.Z[from:])
					copy(wantZ2[to:to+k.Panel], ref.Z2[from:])
				}
			}
		}
		k.Features(f, &c.p, &got)
		if err := sameBits(got.Z, wantZ); err != nil {
			return fmt.Errorf("%s: Z: %w", name, err)
		}
		if err := sameBits(got.Z2, wantZ2); err != nil {
			return fmt.Errorf("%s: Z2: %w", name, err)
		}
	}
	acc, acc2 := slices.Clone(c.acc), slices.Clone(c.acc2)
	refAcc, refAcc2 := slices.Clone(c.acc), slices.Clone(c.acc2)
	k.Scores(f, &c.p, c.y, c.ldy, c.tgt, acc, acc2, c.lda)
	plain.Scores(f, &c.p, c.y, c.ldy, c.tgt, refAcc, refAcc2, c.lda)
	if err := sameBits(acc, refAcc); err != nil {
		return fmt.Errorf("scores: %w", err)
	}
	if err := sameBits(acc2, refAcc2); err != nil {
		return fmt.Errorf("scores of sines: %w", err)
	}
	if err := sameBits(c.inputs(), before); err != nil {
		return fmt.Errorf("inputs changed: %w", err)
	}
	return nil
}

// TestFeaturesTails takes every tail of rows, columns and inputs through every
// function of every implementation.
func TestFeaturesTails(t *testing.T) {
	t.Run("f64", func(t *testing.T) { testFeaturesTails[float64](t) })
	t.Run("f32", func(t *testing.T) { testFeaturesTails[float32](t) })
}

func testFeaturesTails[T Float](t *testing.T) {
	for _, k := range tested[T]() {
		t.Run(k.ISA, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 4))
			one := func(f Func, rows, d, cols, targets int) {
				c := newCase[T](rng, k.Width, rows, d, cols, targets, rows%2 == 1)
				if err := c.check(k, f); err != nil {
					t.Fatalf("func %d, %d rows, d = %d, %d columns, %d targets: %v", f, rows, d, cols, targets, err)
				}
			}
			for _, f := range funcs {
				for rows := 0; rows <= 30; rows++ {
					for i, cols := range []int{0, 1, k.Width - 1, k.Width, 2*k.Width + 3, 5 * k.Width} {
						// In short mode one of the two, in turns.
						if !testing.Short() || (rows+i)%2 > 0 {
							one(f, rows, rows%7, cols, 1+rows%3)
						}
						if !testing.Short() || (rows+i)%2 == 0 {
							one(f, rows, 4+rows%5, cols, 1)
						}
					}
				}
				for cols := 0; cols <= 2*k.Width+3; cols++ {
					for _, rows := range []int{1, 4, 13} {
						one(f, rows, 1+cols%5, cols, cols%4)
					}
				}
				for d := 0; d <= 20; d++ {
					for _, rows := range []int{1, 7, 12} {
						one(f, rows, d, k.Width+5, 10)
					}
				}
				one(f, 25, 123, 4*k.Width+1, 11)
			}
			// Weights beyond one group of panels.
			one(Cos, 5, 8192, 2*k.Width+1, 1)
			one(CosSin, 13, 8192, 2*k.Width+1, 2)
		})
	}
}

// TestApply compares every length and function with the reference kernel.
func TestApply(t *testing.T) {
	t.Run("f64", func(t *testing.T) { testApply[float64](t) })
	t.Run("f32", func(t *testing.T) { testApply[float32](t) })
}

func testApply[T Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, k := range All[T]() {
		for _, f := range funcs {
			for n := 0; n <= 150; n++ {
				c := newCase[T](rng, 1, 1, 1, n, 1, n%2 == 1)
				arg := c.p.W
				z, z2, wantZ, wantZ2 := guarded[T](n+2), guarded[T](n+2), guarded[T](n+2), guarded[T](n+2)
				applyGo(f, wantZ[:n], wantZ2[:n], arg, c.p.Phase, c.p.Weight, c.p.Weight2)
				k.Apply(f, z[:n], z2[:n], arg, c.p.Phase, c.p.Weight, c.p.Weight2)
				for _, err := range []error{sameBits(z, wantZ), sameBits(z2, wantZ2)} {
					if err != nil {
						t.Fatalf("%s: func %d, n = %d: %v", k.ISA, f, n, err)
					}
				}
				// In place.
				k.Apply(f, arg, z2[:n], arg, c.p.Phase, c.p.Weight, c.p.Weight2)
				if err := sameBits(arg, wantZ[:n]); err != nil {
					t.Fatalf("%s: in place: func %d, n = %d: %v", k.ISA, f, n, err)
				}
			}
		}
	}
}

// TestCosBits compares the cosines of a dense sweep with the reference kernel's.
func TestCosBits(t *testing.T) {
	t.Run("f64", func(t *testing.T) { testCosBits[float64](t) })
	t.Run("f32", func(t *testing.T) { testCosBits[float32](t) })
}

func testCosBits[T Float](t *testing.T) {
	arg := turns[T](1 << 16)
	n := len(arg)
	phase, weight := make([]T, n), make([]T, n)
	for i := range weight {
		weight[i] = T(1 + i%3)
	}
	for _, f := range []Func{Cos, CosSin} {
		wantZ, wantZ2 := make([]T, n), make([]T, n)
		applyGo(f, wantZ, wantZ2, arg, phase, weight, weight)
		for _, k := range All[T]() {
			z, z2 := make([]T, n), make([]T, n)
			k.Apply(f, z, z2, arg, phase, weight, weight)
			for _, err := range []error{sameBits(z, wantZ), sameBits(z2, wantZ2)} {
				if err != nil {
					t.Errorf("%s: func %d: %v", k.ISA, f, err)
				}
			}
		}
	}
}

// TestOnePanel gives columns of one panel and a stride to the next that leads out of
// memory: a kernel that does several panels at once must not follow it.
func TestOnePanel(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, k := range All[float64]() {
		for _, f := range []Func{Cos, CosSin, Linear} {
			for _, rows := range []int{1, 4, 16} {
				c := newCase[float64](rng, k.Width, rows, 14, k.Panel-3, 1, false)
				got := Output[float64]{Z: guarded[float64](rows * k.Panel), Z2: guarded[float64](rows * k.Panel), RowStride: k.Panel, PanelStride: math.MaxInt >> 6}
				want := Output[float64]{Z: guarded[float64](rows * k.Panel), Z2: guarded[float64](rows * k.Panel), RowStride: k.Panel}
				k.Features(f, &c.p, &got)
				featuresGo(k.Width, k.Panel, f, &c.p, &want)
				if err := sameBits(got.Z, want.Z); err != nil {
					t.Fatalf("%s, func %d, %d rows: Z: %v", k.ISA, f, rows, err)
				}
				if err := sameBits(got.Z2, want.Z2); err != nil {
					t.Fatalf("%s, func %d, %d rows: Z2: %v", k.ISA, f, rows, err)
				}
			}
		}
	}
}
