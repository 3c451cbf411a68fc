package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A gradientCase is a Gradient whose slices lie amid guards, with odd strides, off
// elements from alignment, and special values if it is wild.
type gradientCase[T Float] struct {
	g     Gradient[T]
	panel int
	in    [][]T // what is read, with its guards
}

func newGradientCase[T Float](r *rand.Rand, panel, rows, panels, targets int, wild bool) *gradientCase[T] {
	c := &gradientCase[T]{panel: panel}
	values := func(n int) []T {
		frame, s := guardFrame[T](n, r.IntN(9))
		for i := range s {
			s[i] = T(r.NormFloat64() * math.Exp2(float64(r.IntN(12)-6)))
		}
		if wild {
			draws[T]{r}.wild(s)
		}
		c.in = append(c.in, frame)
		return s
	}
	stride := rows*panel + r.IntN(2)*r.IntN(40)
	ldr, ldy := targets+r.IntN(3), targets+r.IntN(3)
	g := &c.g
	g.Rows, g.Panels, g.Targets, g.ZStride, g.LDR, g.LDY = rows, panels, targets, stride, ldr, ldy
	g.DStride = rows*panel + r.IntN(2)*r.IntN(40)
	last := func(n, stride, last int) int {
		if n == 0 || rows == 0 {
			return 0
		}
		return (n-1)*stride + last
	}
	g.Z, g.Z2 = values(last(panels, stride, rows*panel)), values(last(panels, stride, rows*panel))
	g.A, g.B = values(panels*targets*panel), values(panels*targets*panel)
	g.Y, g.R = values(last(rows, ldy, targets)), values(last(rows, ldr, targets))
	g.GA, g.GB = values(panels*targets*panel), values(panels*targets*panel)
	return c
}

// guardFrame is framed with the guards of guarded, which no computation makes.
func guardFrame[T Float](n, off int) (all, inner []T) {
	all = guarded[T](guardBand + off + n + guardBand)
	return all, all[guardBand+off : guardBand+off+n : guardBand+off+n]
}

// check runs both kernels of k and the reference and compares all they write, all
// they must not, and what they read.
func (c *gradientCase[T]) check(k *Kernels[T]) error {
	before := slices.Concat(c.in...)
	outputs := func() (g Gradient[T], frames [][]T) {
		g = c.g
		copied := func(x []T) []T {
			frame, s := guardFrame[T](len(x), len(x)%7)
			copy(s, x)
			frames = append(frames, frame)
			return s
		}
		n := 0
		if g.Rows > 0 && g.Panels > 0 {
			n = (g.Panels-1)*g.DStride + g.Rows*c.panel
		}
		frame, d := guardFrame[T](n, 3)
		g.D, frames = d, append(frames, frame)
		g.R, g.GA, g.GB = copied(g.R), copied(g.GA), copied(g.GB)
		return g, frames
	}
	got, frames := outputs()
	want, wantFrames := outputs()
	k.Residuals(&got)
	residualsGo(c.panel, &want)
	k.Backward(&got)
	backwardGo(c.panel, &want)
	for i, name := range []string{"D", "R", "GA", "GB"} {
		if err := sameBits(frames[i], wantFrames[i]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := sameBits(slices.Concat(c.in...), before); err != nil {
		return fmt.Errorf("inputs changed: %w", err)
	}
	return nil
}

// TestGradientTails takes every tail of rows, panels and targets through every
// implementation, and compares with the reference bit by bit.
func TestGradientTails(t *testing.T) {
	eachKernel(t, testGradientTails[float64], testGradientTails[float32])
}

func testGradientTails[T Float](t *testing.T, kern *Kernels[T]) {
	r := rand.New(rand.NewPCG(11, 12))
	one := func(rows, panels, targets int) {
		t.Helper()
		for _, wild := range []bool{false, true} {
			c := newGradientCase[T](r, kern.Panel, rows, panels, targets, wild)
			if err := c.check(kern); err != nil {
				t.Fatalf("%d rows, %d panels, %d targets: %v", rows, panels, targets, err)
			}
		}
	}
	for rows := range 20 {
		for panels := range 6 {
			one(rows, panels, 1+(rows+panels)%5)
		}
	}
	for targets := 1; targets <= 13; targets++ {
		for _, rows := range []int{1, 3, 8, 13} {
			one(rows, 1+targets%4, targets)
		}
	}
	one(64, 9, 1)
	one(70, 3, 26)
	one(1030, 17, 3) // more than one call's work
}

// TestForward takes every tail of rows and inputs through every implementation, and
// compares features and residuals with the reference bit by bit.
func TestForward(t *testing.T) { eachKernel(t, testForward[float64], testForward[float32]) }

func testForward[T Float](t *testing.T, kern *Kernels[T]) {
	r := rand.New(rand.NewPCG(17, 18))
	one := func(rows, d, panels, targets int, oneWeight bool) {
		t.Helper()
		c := newCase[T](r, kern.Width, rows, d, panels*kern.Panel, 1, rows%2 == 1)
		if oneWeight {
			c.p.Weight, c.p.Weight2, c.p.Scale = nil, nil, 1
		}
		run := func(k *Kernels[T]) [][]T {
			g := newGradientCase[T](rand.New(rand.NewPCG(uint64(rows), uint64(d))), kern.Panel, rows, panels, targets, false).g
			frameZ, z := guardFrame[T](len(g.Z), 5)
			frameZ2, z2 := guardFrame[T](len(g.Z), 2)
			frameR, res := guardFrame[T](len(g.R), 3)
			frameSums, sums := guardFrame[T](rows*targets*GradientLanes[T](), 1)
			out := Output[T]{Z: z, Z2: z2, RowStride: kern.Panel, PanelStride: g.ZStride}
			g.R, g.Sums = res, sums
			g.Rows, g.Panels, g.Z, g.Z2, g.ZStride = -1, -1, nil, nil, -1 // which Forward sets
			k.Forward(&c.p, &out, &g)
			for i := range sums {
				sums[i] = 0
			}
			return [][]T{frameZ, frameZ2, frameR, frameSums}
		}
		before := c.inputs()
		got, want := run(kern), run(reference[T]("reference", kern.Tuning))
		for i, name := range []string{"Z", "Z2", "R", "Sums"} {
			if err := sameBits(got[i], want[i]); err != nil {
				t.Fatalf("%d rows, d = %d, %d panels, %d targets: %s: %v", rows, d, panels, targets, name, err)
			}
		}
		if err := sameBits(c.inputs(), before); err != nil {
			t.Fatal("inputs changed: ", err)
		}
	}
	across := kern.Width / kern.Panel
	for rows := range 27 {
		for d := range 12 {
			one(rows, d, across*(1+(rows+d)%3), 1+(rows+d)%4, d%2 == 0)
		}
		one(rows, 5, 1+rows%5, 1, true) // not whole tiles
	}
	for _, d := range []int{39, 40, 41} {
		one(17, d, 2*across, 9, true)
	}
	one(40, 4, 0, 2, true)
	one(2100, 4, 3*across, 1, true)   // more than one call's work
	one(9, 40, 200*across, 1, true)   // weights beyond one group of panels
	one(16, 20, 450*across, 2, false) // of either type
}

// TestGradientDefinition compares the reference kernels with sums in the order of
// the definition, written apart from them.
func TestGradientDefinition(t *testing.T) {
	t.Run("f64", testGradientDefinition[float64])
	t.Run("f32", testGradientDefinition[float32])
}

func testGradientDefinition[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	k := Reference[T]()
	for _, targets := range []int{1, 3} {
		c := newGradientCase[T](r, k.Panel, 5, 7, targets, false)
		g := c.g
		g.D = make([]T, g.Panels*g.DStride)
		g.GA, g.GB = slices.Clone(g.GA), slices.Clone(g.GB)
		k.Residuals(&g)
		at := func(z []T, i, j int) T { return z[j/k.Panel*g.ZStride+i*k.Panel+j%k.Panel] }
		coef := func(a []T, j, o int) T { return a[(j/k.Panel*targets+o)*k.Panel+j%k.Panel] }
		lanes, cols := GradientLanes[T](), g.Panels*k.Panel
		for i := range g.Rows {
			for o := range targets {
				sums := make([]T, lanes)
				for l := range sums {
					var x, y []T
					for j := l; j < cols; j += lanes {
						x, y = append(x, at(g.Z, i, j), at(g.Z2, i, j)), append(y, coef(g.A, j, o), coef(g.B, j, o))
					}
					sums[l] = chainOf(x, y)
				}
				for n := lanes / 2; n > 0; n /= 2 {
					for l := range n {
						sums[l] += sums[l+n]
					}
				}
				if got, want := g.R[i*g.LDR+o], sums[0]-g.Y[i*g.LDY+o]; got != want {
					t.Fatalf("R(%d, %d) is %v, want %v", i, o, got, want)
				}
			}
		}
		k.Backward(&g)
		for j := range cols {
			for o := range targets {
				x, y, e := []T{1}, []T{1}, []T{coef(c.g.GA, j, o)}
				z := []T{coef(c.g.GB, j, o)}
				for i := range g.Rows {
					x, y, e = append(x, at(g.Z, i, j)), append(y, at(g.Z2, i, j)), append(e, g.R[i*g.LDR+o])
				}
				first := append([]T{z[0]}, e[1:]...)
				if got, want := coef(g.GA, j, o), chainOf(x, e); got != want {
					t.Fatalf("GA(%d, %d) is %v, want %v", j, o, got, want)
				}
				if got, want := coef(g.GB, j, o), chainOf(y, first); got != want {
					t.Fatalf("GB(%d, %d) is %v, want %v", j, o, got, want)
				}
			}
			for i := range g.Rows {
				var e, a, b []T
				for o := range targets {
					e, a, b = append(e, g.R[i*g.LDR+o]), append(a, coef(g.A, j, o)), append(b, coef(g.B, j, o))
				}
				u, v := chainOf(e, b), chainOf(e, a)
				want := chainOf([]T{1, -at(g.Z2, i, j)}, []T{T(at(g.Z, i, j) * u), v})
				if got := g.D[j/k.Panel*g.DStride+i*k.Panel+j%k.Panel]; got != want {
					t.Fatalf("D(%d, %d) is %v, want %v", i, j, got, want)
				}
			}
		}
	}
}

// TestAdam compares every length of run, and strides, with the reference.
func TestAdam(t *testing.T) { eachKernel(t, testAdam[float64], testAdam[float32]) }

func testAdam[T Float](t *testing.T, kern *Kernels[T]) {
	r := rand.New(rand.NewPCG(15, 16))
	for run := 1; run < 70; run++ {
		for runs := range 4 {
			stride := run + r.IntN(2)*r.IntN(9)
			if r.IntN(8) == 0 {
				stride = r.IntN(run + 1) // every run the same gradients, or some
			}
			wild := r.IntN(3) == 0
			values := func(n int) (frame, s []T) {
				frame, s = guardFrame[T](n, r.IntN(9))
				for i := range s {
					s[i] = T(r.NormFloat64() * math.Exp2(float64(r.IntN(20)-10)))
				}
				if wild {
					draws[T]{r}.wild(s)
				}
				return frame, s
			}
			var frames, want [4][]T
			s := Adam[T]{Run: run, GStride: stride, Scale: 0.01, Decay: 0.3, Beta1: 0.9, Beta2: 0.999, Rate: 0.1, Root: 3, Epsilon: 1e-8}
			frames[0], s.X = values(run * runs)
			frames[1], s.M = values(run * runs)
			frames[2], s.V = values(run * runs)
			for i, v := range s.V {
				s.V[i] = T(math.Abs(float64(v)))
			}
			frames[3], s.G = values(max(0, runs-1)*stride + run)
			plain := s
			for i, x := range []*[]T{&plain.X, &plain.M, &plain.V, &plain.G} {
				want[i] = slices.Clone(frames[i])
				from := len(frames[i]) - guardBand - len(*x)
				*x = want[i][from : from+len(*x)]
			}
			kern.Adam(&s)
			adamGo(&plain, 0)
			for i, name := range []string{"X", "M", "V", "G"} {
				if err := sameBits(frames[i], want[i]); err != nil {
					t.Fatalf("%d runs of %d: %s: %v", runs, run, name, err)
				}
			}
		}
	}
}

// TestAdamDefinition compares a step with the formulas of the paper: five roundings
// of what is added, and of the moments.
func TestAdamDefinition(t *testing.T) {
	s := Adam[float64]{Run: 1, X: []float64{0.7}, M: []float64{-0.3}, V: []float64{0.2}, G: []float64{5}, Scale: 0.25, Decay: 0.5,
		Beta1: 0.9, Beta2: 0.999, Rate: 0.02 / (1 - 0.9*0.9), Root: 1 / math.Sqrt(1-0.999*0.999), Epsilon: 1e-8}
	g := 0.25*5 + 0.5*0.7
	m, v := 0.9*-0.3+0.1*g, 0.999*0.2+0.001*g*g
	want := 0.7 - 0.02*(m/(1-0.81))/(math.Sqrt(v/(1-0.999*0.999))+1e-8)
	Reference[float64]().Adam(&s)
	for _, c := range [][2]float64{{s.X[0], want}, {s.M[0], m}, {s.V[0], v}} {
		if math.Abs(c[0]-c[1]) > 5*0x1p-52 {
			t.Errorf("%v, want %v", c[0], c[1])
		}
	}
}

// TestGradientChecks gives the kernels sizes that their slices do not bear out.
func TestGradientChecks(t *testing.T) {
	eachKernel(t, testGradientChecks[float64], testGradientChecks[float32])
}

func testGradientChecks[T Float](t *testing.T, k *Kernels[T]) {
	const huge = math.MaxInt
	type G = Gradient[T]
	type A = Adam[T]
	good := func() *G {
		n, z := 2*3*k.Panel, 2*5*k.Panel
		return &G{Rows: 5, Panels: 2, Targets: 3, Z: make([]T, z), Z2: make([]T, z), ZStride: 5 * k.Panel, A: make([]T, n), B: make([]T, n),
			Y: make([]T, 15), LDY: 3, R: make([]T, 15), LDR: 3, D: make([]T, z), DStride: 5 * k.Panel, GA: make([]T, n), GB: make([]T, n)}
	}
	for name, c := range map[string]struct {
		change         func(*G)
		first, forward any // of Residuals and of Backward
	}{
		"right":         {func(g *G) {}, nil, nil},
		"no rows":       {func(g *G) { *g = G{Targets: 1, Panels: huge} }, nil, nil},
		"no panels":     {func(g *G) { g.Panels, g.Z, g.Z2, g.A, g.B = 0, nil, nil, nil, nil }, nil, nil},
		"no targets":    {func(g *G) { g.Targets = 0 }, errBadStride, errBadStride},
		"negative rows": {func(g *G) { g.Rows = -1 }, errBadStride, errBadStride},
		"narrow ldr":    {func(g *G) { g.LDR = 2 }, errBadStride, errBadStride},
		"narrow ldy":    {func(g *G) { g.LDY = 2 }, errBadStride, nil},
		"narrow d":      {func(g *G) { g.DStride-- }, nil, errBadStride},
		"short z":       {func(g *G) { g.Z = g.Z[1:] }, errShortZ, errShortZ},
		"short z2":      {func(g *G) { g.Z2 = g.Z2[1:] }, errShortZ, errShortZ},
		"short a":       {func(g *G) { g.A = g.A[1:] }, errShortCoef, errShortCoef},
		"short b":       {func(g *G) { g.B = g.B[1:] }, errShortCoef, errShortCoef},
		"short ga":      {func(g *G) { g.GA = g.GA[1:] }, nil, errShortCoef},
		"short gb":      {func(g *G) { g.GB = g.GB[1:] }, nil, errShortCoef},
		"short r":       {func(g *G) { g.R = g.R[1:] }, errShortR, errShortR},
		"short y":       {func(g *G) { g.Y = g.Y[1:] }, errShortY, nil},
		"short d":       {func(g *G) { g.D = g.D[1:] }, nil, errShortD},
		"huge rows":     {func(g *G) { g.Rows = huge }, errShortR, errShortR},
		"huge targets":  {func(g *G) { g.Rows, g.Targets, g.LDR, g.LDY = 1, huge, huge, huge }, errShortR, errShortR},
		"huge panels":   {func(g *G) { g.Panels = huge }, errShortZ, errShortZ},
		"huge stride":   {func(g *G) { g.ZStride = huge }, errShortZ, errShortZ},
		"huge d":        {func(g *G) { g.DStride = huge }, nil, errShortD},
	} {
		g := good()
		c.change(g)
		if got := panicOf(func() { k.Residuals(g) }); got != c.first {
			t.Errorf("%s: Residuals: panic %v, want %v", name, got, c.first)
		}
		if got := panicOf(func() { k.Backward(g) }); got != c.forward {
			t.Errorf("%s: Backward: panic %v, want %v", name, got, c.forward)
		}
	}
	for name, c := range map[string]struct {
		change func(p *Projection[T], o *Output[T], g *G)
		want   any
	}{
		"right":        {func(p *Projection[T], o *Output[T], g *G) {}, nil},
		"no rows":      {func(p *Projection[T], o *Output[T], g *G) { p.Rows, o.Z, g.R, g.Sums = 0, nil, nil, nil }, nil},
		"part panel":   {func(p *Projection[T], o *Output[T], g *G) { p.Cols-- }, errBadStride},
		"row-major":    {func(p *Projection[T], o *Output[T], g *G) { o.RowStride-- }, errBadStride},
		"overlapping":  {func(p *Projection[T], o *Output[T], g *G) { o.PanelStride-- }, errBadStride},
		"short x":      {func(p *Projection[T], o *Output[T], g *G) { p.X = p.X[1:] }, errShortX},
		"short z":      {func(p *Projection[T], o *Output[T], g *G) { o.Z2 = o.Z2[1:] }, errShortZ},
		"short a":      {func(p *Projection[T], o *Output[T], g *G) { g.A = g.A[1:] }, errShortCoef},
		"short sums":   {func(p *Projection[T], o *Output[T], g *G) { g.Sums = g.Sums[1:] }, errShortSums},
		"no targets":   {func(p *Projection[T], o *Output[T], g *G) { g.Targets = 0 }, errBadStride},
		"huge targets": {func(p *Projection[T], o *Output[T], g *G) { g.Targets, g.LDR, g.LDY = huge, huge, huge }, errShortR},
	} {
		g := good()
		g.Sums = make([]T, 15*GradientLanes[T]())
		n := 2 * k.Panel
		padded := (n + k.Width - 1) / k.Width * k.Width
		p := &Projection[T]{X: make([]T, 25), LDX: 5, Rows: 5, D: 5, Cols: n, W: make([]T, 5*padded), Phase: make([]T, padded), Scale: 1}
		o := &Output[T]{Z: g.Z, Z2: g.Z2, RowStride: k.Panel, PanelStride: 5 * k.Panel}
		c.change(p, o, g)
		if got := panicOf(func() { k.Forward(p, o, g) }); got != c.want {
			t.Errorf("%s: Forward: panic %v, want %v", name, got, c.want)
		}
	}
	for name, c := range map[string]struct {
		change func(*A)
		want   any
	}{
		"right":     {func(a *A) {}, nil},
		"empty":     {func(a *A) { *a = A{Run: 1} }, nil},
		"no run":    {func(a *A) { a.Run = 0 }, errBadStride},
		"negative":  {func(a *A) { a.GStride = -1 }, errBadStride},
		"part run":  {func(a *A) { a.Run = 7 }, errBadStride},
		"moments":   {func(a *A) { a.M = a.M[1:] }, errLength},
		"squares":   {func(a *A) { a.V = a.V[1:] }, errLength},
		"gradients": {func(a *A) { a.G = a.G[1:] }, errShortG},
		"huge":      {func(a *A) { a.GStride = huge }, errShortG},
	} {
		a := &A{Run: 5, X: make([]T, 10), M: make([]T, 10), V: make([]T, 10), G: make([]T, 11), GStride: 6, Epsilon: 1}
		c.change(a)
		if got := panicOf(func() { k.Adam(a) }); got != c.want {
			t.Errorf("%s: Adam: panic %v, want %v", name, got, c.want)
		}
	}
}
