package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

// trainingCase is a batch and a training to take it.
type trainingCase[T asm.Float] struct {
	n, d, f, targets int
	w                blas.General[float64]
	coef, x, y       blas.General[T]
}

func normal[T asm.Float](r *rand.Rand, rows, cols int, scale float64) blas.General[T] {
	m := blas.General[T]{Rows: rows, Cols: cols, Stride: cols + 3, Data: make([]T, rows*(cols+3))}
	for i := range rows {
		for j := range cols {
			m.Data[i*m.Stride+j] = T(r.NormFloat64() * scale)
		}
	}
	return m
}

func newTrainingCase[T asm.Float](n, d, f, targets int) *trainingCase[T] {
	r := rand.New(rand.NewPCG(uint64(n), uint64(f)))
	c := &trainingCase[T]{n: n, d: d, f: f, targets: targets}
	c.w = normal[float64](r, f, d, 1/math.Sqrt(float64(d)))
	c.coef = normal[T](r, 2*f, targets, 1/math.Sqrt(float64(f)))
	c.x, c.y = normal[T](r, n, d, 1), normal[T](r, n, targets, 1)
	return c
}

func (c *trainingCase[T]) training(e blas.Engine) *Map[T] {
	t := New[T](e, c.d, c.f, c.targets)
	t.eager = true
	t.SetFrequencies(c.w)
	t.SetCoefficients(c.coef)
	return t
}

var trainingShapes = [][4]int{ // n, d, f, targets
	{1, 1, 1, 1}, {3, 2, 5, 1}, {64, 14, 96, 1}, {65, 3, 17, 2}, {130, 7, 33, 3}, {200, 9, 70, 5}, {33, 20, 129, 26}, {256, 2, 64, 1}, {70, 123, 40, 4},
}

// unit is the rounding error of T, half a unit in the last place of 1.
func unit[T asm.Float]() float64 {
	if unsafe.Sizeof(*new(T)) == 4 {
		return 0x1p-24
	}
	return 0x1p-53
}

// naive is the gradient by its formulas in float64, with bounds on what Gradient
// may differ from it by: each sum of k terms in T has an error of k·u·Σ|terms|, u
// the rounding error, beside those of its terms; features have 2e-16, or 1e-7.
func (c *trainingCase[T]) naive(turns blas.General[T]) (loss float64, gw, gc, gwBound, gcBound blas.General[float64]) {
	u := unit[T]()
	feature := 1e-7
	if u < 1e-10 {
		feature = 4e-16 // and that of math.Cos
	}
	gw, gwBound = blas.NewGeneral[float64](c.f, c.d), blas.NewGeneral[float64](c.f, c.d)
	gc, gcBound = blas.NewGeneral[float64](2*c.f, c.targets), blas.NewGeneral[float64](2*c.f, c.targets)
	z, dz := make([]float64, 2*c.f), make([]float64, 2*c.f)
	res, dres := make([]float64, c.targets), make([]float64, c.targets)
	for i := range c.n {
		x := c.x.Row(i)
		for j := range c.f {
			var p, size float64
			for k, v := range x {
				p += float64(v) * float64(turns.Row(j)[k])
				size += math.Abs(float64(v) * float64(turns.Row(j)[k]))
			}
			f := p - math.Round(p)
			z[j], z[c.f+j] = math.Cos(2*math.Pi*f), math.Sin(2*math.Pi*f)
			dz[j] = 2*math.Pi*float64(2*c.d)*u*size + feature
			dz[c.f+j] = dz[j]
		}
		for t := range c.targets {
			y := float64(c.y.Row(i)[t])
			sum, size, bound := -y, math.Abs(y), 0.0
			for j, v := range z {
				a := float64(c.coef.Row(j)[t])
				sum += v * a
				size += math.Abs(v * a)
				bound += dz[j] * math.Abs(a)
			}
			res[t], dres[t] = sum, bound+float64(2*c.f+8)*u*size
			loss += sum * sum
		}
		for j := range c.f {
			var d, bound float64
			for t := range c.targets {
				a, b := float64(c.coef.Row(j)[t]), float64(c.coef.Row(c.f + j)[t])
				d += res[t] * (z[j]*b - z[c.f+j]*a)
				size := math.Abs(z[j]*b) + math.Abs(z[c.f+j]*a)
				bound += dres[t]*size + math.Abs(res[t])*(dz[j]*(math.Abs(a)+math.Abs(b))+float64(c.targets+3)*u*size)
				for h := range 2 {
					gc.Row(h*c.f + j)[t] += res[t] * z[h*c.f+j]
					gcBound.Row(h*c.f + j)[t] += dres[t]*math.Abs(z[h*c.f+j]) + math.Abs(res[t])*(dz[j]+float64(c.n)*u*math.Abs(z[h*c.f+j]))
				}
			}
			for k, v := range x {
				gw.Row(j)[k] += float64(v) * d
				gwBound.Row(j)[k] += math.Abs(float64(v)) * (bound + float64(c.n+2)*u*(math.Abs(d)+bound))
			}
		}
	}
	return loss, gw, gc, gwBound, gcBound
}

// TestTrainingGradient compares with the formulas, for several targets, ragged
// shapes and every instruction set.
func TestTrainingGradient(t *testing.T) {
	t.Run("f64", testTrainingGradient[float64])
	t.Run("f32", testTrainingGradient[float32])
}

func testTrainingGradient[T asm.Float](t *testing.T) {
	for _, s := range trainingShapes {
		c := newTrainingCase[T](s[0], s[1], s[2], s[3])
		for _, e := range nativeEngines(2) {
			tr := c.training(e)
			state := NewState[T](c.d, c.f, c.targets)
			tr.Save(state)
			loss, gw, gc, gwBound, gcBound := c.naive(state.W)
			got := tr.Gradient(c.x, c.y)
			if !(math.Abs(got-loss) <= 1e4*unit[T]()*loss) {
				t.Errorf("%v: loss %g, want %g", s, got, loss)
			}
			w, a := blas.NewGeneral[T](c.f, c.d), blas.NewGeneral[T](2*c.f, c.targets)
			tr.FrequencyGradient(w)
			tr.CoefficientGradient(a)
			if err := within(w, gw, gwBound); err != nil {
				t.Errorf("%v: ∂W: %v", s, err)
			}
			if err := within(a, gc, gcBound); err != nil {
				t.Errorf("%v: ∂a, ∂b: %v", s, err)
			}
		}
	}
}

// within reports an element of got that is farther from want than its bound.
func within[T asm.Float](got blas.General[T], want, bound blas.General[float64]) error {
	for i := range want.Rows {
		for j, v := range want.Row(i) {
			if g := float64(got.Row(i)[j]); !(math.Abs(g-v) <= bound.Row(i)[j]) {
				return fmt.Errorf("(%d, %d) is %g, want %g within %g", i, j, g, v, bound.Row(i)[j])
			}
		}
	}
	return nil
}

// on is a backend with these kernels.
type on struct {
	blas.Backend
	f64 *asm.Kernels[float64]
	f32 *asm.Kernels[float32]
}

func (b on) Kernels64() *asm.Kernels[float64] { return b.f64 }
func (b on) Kernels32() *asm.Kernels[float32] { return b.f32 }

// nativeEngines returns one engine for each instruction set.
func nativeEngines(workers int) []blas.Engine {
	var all []blas.Engine
	f32 := asm.All[float32]()
	for i, k := range asm.All[float64]() {
		all = append(all, blas.Engine{Backend: on{nil, k, f32[i]}, Workers: workers})
	}
	return all
}

// TestTrainingDifferences compares with differences of the loss: of step h their
// error is h²/6 times a third derivative, here below 40 times the loss's scale, and
// the rounding of the loss by h.
func TestTrainingDifferences(t *testing.T) {
	c := newTrainingCase[float64](40, 3, 11, 2)
	tr := c.training(blas.Engine{})
	loss := tr.Gradient(c.x, c.y)
	gw, gc := blas.NewGeneral[float64](c.f, c.d), blas.NewGeneral[float64](2*c.f, c.targets)
	tr.FrequencyGradient(gw)
	tr.CoefficientGradient(gc)
	const h = 1e-5
	tolerance := 40*loss*h*h + 100*loss*0x1p-53/h
	difference := func(at *float64) float64 {
		v := *at
		sides := [2]float64{}
		for i, s := range []float64{h, -h} {
			*at = v + s
			tr.SetFrequencies(c.w)
			tr.SetCoefficients(c.coef)
			sides[i] = tr.Gradient(c.x, c.y) / 2
		}
		*at = v
		return (sides[0] - sides[1]) / (2 * h)
	}
	for j := range c.f {
		for k := range c.d {
			if want := difference(&c.w.Row(j)[k]); math.Abs(gw.Row(j)[k]-want) > tolerance {
				t.Fatalf("∂W(%d, %d) is %g, differences say %g", j, k, gw.Row(j)[k], want)
			}
		}
	}
	for j := range 2 * c.f {
		for k := range c.targets {
			if want := difference(&c.coef.Row(j)[k]); math.Abs(gc.Row(j)[k]-want) > tolerance {
				t.Fatalf("∂a(%d, %d) is %g, differences say %g", j, k, gc.Row(j)[k], want)
			}
		}
	}
}

// TestTrainingBits: a few steps give the same state on every instruction set and
// for any number of workers, and from a state that was saved on another one.
func TestTrainingBits(t *testing.T) {
	t.Run("f64", testTrainingBits[float64])
	t.Run("f32", testTrainingBits[float32])
}

func testTrainingBits[T asm.Float](t *testing.T) {
	shapes := append(trainingShapes, [4]int{900, 5, 300, 2})
	if testing.Short() {
		shapes = trainingShapes[3:6]
	}
	for _, s := range shapes {
		c := newTrainingCase[T](s[0], s[1], s[2], s[3])
		steps := func(tr *Map[T], n int) (losses []float64) {
			for range n {
				losses = append(losses, tr.Gradient(c.x, c.y))
				tr.Step(Adam{Rate: 0.02, Scale: 1 / float64(c.n)}, Adam{Rate: 0.01, Scale: 1 / float64(c.n), Decay: 1e-3})
			}
			return losses
		}
		state := func(tr *Map[T]) *State[T] {
			s := NewState[T](c.d, c.f, c.targets)
			tr.Save(s)
			return s
		}
		plain := c.training(blas.Engine{Backend: on{nil, asm.Reference[float64](), asm.Reference[float32]()}, Workers: 1})
		first := steps(plain, 2)
		half := state(plain)
		second := steps(plain, 2)
		want := state(plain)
		for _, workers := range []int{1, 2, 3, 7} {
			for _, e := range nativeEngines(workers) {
				tr := c.training(e)
				if got := steps(tr, 2); !slices.Equal(got, first) {
					t.Fatalf("%v, %s, %d workers: losses %v, want %v", s, tr.kern.ISA, workers, got, first)
				}
				if err := sameState(state(tr), half); err != nil {
					t.Fatalf("%v, %s, %d workers: %v", s, tr.kern.ISA, workers, err)
				}
				again := New[T](e, c.d, c.f, c.targets)
				again.Restore(half)
				if got := steps(again, 2); !slices.Equal(got, second) {
					t.Fatalf("%v, %s, %d workers: restored: losses %v, want %v", s, tr.kern.ISA, workers, got, second)
				}
				if err := sameState(state(again), want); err != nil {
					t.Fatalf("%v, %s, %d workers: restored: %v", s, tr.kern.ISA, workers, err)
				}
			}
		}
	}
}

func sameState[T asm.Float](a, b *State[T]) error {
	if a.Steps != b.Steps {
		return fmt.Errorf("%d steps, want %d", a.Steps, b.Steps)
	}
	names := []string{"W", "W1", "W2", "Coef", "Coef1", "Coef2"}
	other := []blas.General[T]{b.W, b.W1, b.W2, b.Coef, b.Coef1, b.Coef2}
	for i, m := range []blas.General[T]{a.W, a.W1, a.W2, a.Coef, a.Coef1, a.Coef2} {
		for j, v := range m.Data {
			if w := other[i].Data[j]; v != w || math.Signbit(float64(v)) != math.Signbit(float64(w)) {
				return fmt.Errorf("%s: element %d is %v, want %v", names[i], j, v, w)
			}
		}
	}
	return nil
}

// TestTrainingAdam compares two steps with the formulas of Adam in float64.
func TestTrainingAdam(t *testing.T) {
	c := newTrainingCase[float64](50, 4, 13, 2)
	tr := c.training(blas.Engine{})
	w, m, v := append([]float64(nil), c.coef.Row(3)...), make([]float64, 2), make([]float64, 2)
	wf, mf, vf := c.w.Row(5)[2], 0.0, 0.0
	gc, gw := blas.NewGeneral[float64](2*c.f, c.targets), blas.NewGeneral[float64](c.f, c.d)
	step := func(x, m, v *float64, g, rate float64, s int) {
		*m = 0.9**m + 0.1*g
		*v = 0.999**v + 0.001*g*g
		*x -= rate * (*m / (1 - math.Pow(0.9, float64(s)))) / (math.Sqrt(*v/(1-math.Pow(0.999, float64(s)))) + 1e-8)
	}
	for s := 1; s <= 2; s++ {
		tr.Gradient(c.x, c.y)
		tr.CoefficientGradient(gc)
		tr.FrequencyGradient(gw)
		tr.Step(Adam{Rate: 0.03, Scale: 0.02, Decay: 0.4}, Adam{Rate: 0.01, Scale: 0.02, Decay: 0.1})
		for i := range w {
			step(&w[i], &m[i], &v[i], 0.02*gc.Row(3)[i]+0.1*w[i], 0.01, s)
		}
		step(&wf, &mf, &vf, 0.02*gw.Row(5)[2]+0.4*wf, 0.03, s)
	}
	got, freqs := blas.NewGeneral[float64](2*c.f, c.targets), blas.NewGeneral[float64](c.f, c.d)
	tr.Coefficients(got)
	tr.Frequencies(freqs)
	for i := range w {
		if math.Abs(got.Row(3)[i]-w[i]) > 1e-14 {
			t.Errorf("coefficient %g, want %g", got.Row(3)[i], w[i])
		}
	}
	if math.Abs(freqs.Row(5)[2]-wf) > 1e-14 {
		t.Errorf("frequency %g, want %g", freqs.Row(5)[2], wf)
	}
}

// TestTrainingLearns: the loss on rows of a sum of waves falls to a small part.
func TestTrainingLearns(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	x, y := normal[float32](r, 256, 2, 1), blas.NewGeneral[float32](256, 1)
	for i := range x.Rows {
		v := x.Row(i)
		y.Data[i] = float32(math.Sin(float64(2*v[0])) + math.Cos(float64(v[0]-1.5*v[1])))
	}
	tr := New[float32](blas.Engine{}, 2, 20, 1)
	tr.SetFrequencies(normal[float64](r, 20, 2, 1))
	first := tr.Gradient(x, y)
	for range 400 {
		tr.Gradient(x, y)
		tr.Step(Adam{Rate: 0.02, Scale: 1. / 256}, Adam{Rate: 0.02, Scale: 1. / 256})
	}
	if last := tr.Gradient(x, y); last > first/500 {
		t.Errorf("the loss fell from %g to %g", first, last)
	}
}

// TestTrainingAllocates: nothing, on one worker.
func TestTrainingAllocates(t *testing.T) {
	c := newTrainingCase[float32](256, 5, 100, 3)
	tr := c.training(blas.Engine{Workers: 1})
	n := testing.AllocsPerRun(10, func() {
		tr.Gradient(c.x, c.y)
		tr.Step(Adam{Rate: 0.01}, Adam{Rate: 0.01})
	})
	if n > 0 {
		t.Errorf("%v allocations a step", n)
	}
}

// TestTrainingPanics: sizes that do not agree.
func TestTrainingPanics(t *testing.T) {
	tr := New[float64](blas.Engine{}, 3, 4, 2)
	x, y := blas.NewGeneral[float64](5, 3), blas.NewGeneral[float64](5, 2)
	for name, f := range map[string]func(){
		"sizes":        func() { New[float64](blas.Engine{}, 0, 1, 1) },
		"inputs":       func() { tr.Gradient(y, y) },
		"targets":      func() { tr.Gradient(x, x) },
		"rows":         func() { tr.Gradient(x, y.RowRange(0, 4)) },
		"frequencies":  func() { tr.SetFrequencies(blas.NewGeneral[float64](3, 3)) },
		"coefficients": func() { tr.SetCoefficients(blas.NewGeneral[float64](4, 2)) },
		"state":        func() { tr.Save(NewState[float64](3, 5, 2)) },
	} {
		func() {
			defer func() {
				if r := recover(); r != errShape {
					t.Errorf("%s: panic %v", name, r)
				}
			}()
			f()
		}()
	}
	if loss := tr.Gradient(x.RowRange(0, 0), y.RowRange(0, 0)); loss != 0 {
		t.Errorf("the loss of no rows is %g", loss)
	}
}

// Coefficients writes a and b to dst, 2F×t.
func (t *Map[T]) Coefficients(dst blas.General[T]) { t.coefficients(t.coef.x, dst).unpack() }

// CoefficientGradient writes ∂a and ∂b of the last Gradient to dst, 2F×t.
func (t *Map[T]) CoefficientGradient(dst blas.General[T]) { t.coefficients(t.gradCoef, dst).unpack() }
