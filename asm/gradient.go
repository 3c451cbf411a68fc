package asm

import (
	"math"
	"unsafe"
)

// A Gradient has the operands of the ridge loss ½·Σ R², R = c·a + n·b − Y, and of its gradient,
// for a few rows. These are all features of the rows, cosines c and sines n, and coefficients,
// targets and derivatives. Panels are those of the kernels: feature j is column c = j%Panel of
// panel p = j/Panel.
type Gradient[T Float] struct {
	Rows, Panels, Targets int // Targets is at least 1

	// The features of row r are cosines Z[p·ZStride+r·Panel+c] and sines Z2[…].
	Z, Z2   []T
	ZStride int

	// The coefficients of target t are A[(p·Targets+t)·Panel+c] for the cosines and B[…] for
	// the sines. A column of padding changes no residual if both are −0 and its features are
	// finite.
	A, B []T

	// Sums is room for Rows·Targets·GradientLanes partial sums, which Forward uses.
	Sums []T

	Y   []T // target t of row r is Y[r·LDY+t]
	LDY int
	R   []T // and its residual R[r·LDR+t]
	LDR int

	GA, GB []T // derivatives by A and B, in their layout

	// The derivatives by the projections are D[p·DStride+r·Panel+c]. DStride is at
	// least Rows·Panel unless there is one panel.
	D       []T
	DStride int
}

// GradientLanes is the number of partial sums of a residual: 64 bytes of them.
func GradientLanes[T Float]() int { return 64 / int(unsafe.Sizeof(*new(T))) }

// residualsGo is the reference kernel of Residuals.
func residualsGo[T Float](panel int, g *Gradient[T]) {
	lanes := GradientLanes[T]()
	for r := 0; r < g.Rows; r++ {
		for t := 0; t < g.Targets; t++ {
			var s [16]T
			for p := 0; p < g.Panels; p++ {
				z, at := p*g.ZStride+r*panel, (p*g.Targets+t)*panel
				for c := 0; c < panel; c++ {
					l := (p*panel + c) % lanes
					s[l] = fma(g.Z[z+c], g.A[at+c], s[l])
					s[l] = fma(g.Z2[z+c], g.B[at+c], s[l])
				}
			}
			g.R[r*g.LDR+t] = fold(s[:lanes]) - g.Y[r*g.LDY+t]
		}
	}
}

// backwardGo is the reference kernel of Backward.
func backwardGo[T Float](panel int, g *Gradient[T]) {
	if g.Panels == 0 {
		return // Rows is not bounded in this case
	}
	for r := 0; r < g.Rows; r++ {
		for p := 0; p < g.Panels; p++ {
			for c := 0; c < panel; c++ {
				cos, sin := g.Z[p*g.ZStride+r*panel+c], g.Z2[p*g.ZStride+r*panel+c]
				var u, v T
				for t := 0; t < g.Targets; t++ {
					e, at := g.R[r*g.LDR+t], (p*g.Targets+t)*panel+c
					u = fma(e, g.B[at], u)
					v = fma(e, g.A[at], v)
					g.GA[at] = fma(e, cos, g.GA[at])
					g.GB[at] = fma(e, sin, g.GB[at])
				}
				g.D[p*g.DStride+r*panel+c] = fma(-sin, v, T(cos*u))
			}
		}
	}
}

// Adam is a step of the method of Kingma and Ba (2015), on runs of elements whose
// gradients lie apart: element c of run i has its gradient at G[i·GStride+c].
type Adam[T Float] struct {
	Run     int // elements of a run, which divides the length of X
	X       []T // what is learned
	M, V    []T // its moments, as long as X
	G       []T
	GStride int

	Scale, Decay float64 // the gradient is Scale·G + Decay·X, rounded once after Scale·G
	Beta1, Beta2 float64
	Rate         float64 // of this step: the rate over 1 − Beta1ᵗ
	Root         float64 // 1/√(1 − Beta2ᵗ)
	Epsilon      float64
}

// adamOf has the constants of a step, in T.
type adamOf[T Float] struct{ scale, decay, left1, left2, rate, root, epsilon T }

func (s *Adam[T]) constants() adamOf[T] {
	return adamOf[T]{T(s.Scale), T(s.Decay), T(1 - s.Beta1), T(1 - s.Beta2), T(s.Rate), T(s.Root), T(s.Epsilon)}
}

// adamGo is the reference kernel of Adam, for the elements of each run from first on.
func adamGo[T Float](s *Adam[T], first int) {
	k := s.constants()
	for i := first; i < len(s.X); i++ {
		if i%s.Run < first {
			continue
		}
		x, m, v := s.X[i], s.M[i], s.V[i]
		g := fma(k.decay, x, T(k.scale*s.G[i/s.Run*s.GStride+i%s.Run]))
		m = fma(k.left1, g-m, m)
		v = fma(-k.left2, fma(-g, g, v), v)
		s.X[i] = x - T(k.rate*m)/fma(root(v), k.root, k.epsilon)
		s.M[i], s.V[i] = m, v
	}
}

// root is the square root of x, rounded once. For a float32 the second rounding does not matter,
// because its root in float64 lies too far from every midpoint between two float32 (Figueroa,
// "When is double rounding innocuous?", 1995).
func root[T Float](x T) T { return T(math.Sqrt(float64(x))) }

// check panics unless the slices of g that Residuals (with D, Backward) uses are
// long enough for its sizes.
func (g *Gradient[T]) check(panel int, backward bool) {
	if g.Rows < 0 || g.Panels < 0 || g.Targets < 1 || g.ZStride < 0 || g.LDR < 0 || g.LDY < 0 || g.DStride < 0 {
		panic(errBadStride)
	}
	if g.Rows == 0 || g.Panels == 0 && backward {
		return
	}
	if g.Rows > 1 && (g.LDR < g.Targets || !backward && g.LDY < g.Targets) {
		panic(errBadStride)
	}
	if len(g.R) < span(g.Rows, g.LDR, g.Targets) {
		panic(errShortR)
	}
	if !backward && len(g.Y) < span(g.Rows, g.LDY, g.Targets) {
		panic(errShortY)
	}
	if g.Panels == 0 {
		return
	}
	rows := span(g.Rows, panel, panel)
	if z := span(g.Panels, g.ZStride, rows); len(g.Z) < z || len(g.Z2) < z {
		panic(errShortZ)
	}
	n := span(span(g.Panels, g.Targets, g.Targets), panel, panel)
	if len(g.A) < n || len(g.B) < n {
		panic(errShortCoef)
	}
	if !backward {
		return
	}
	if g.Panels > 1 && g.DStride < rows {
		panic(errBadStride)
	}
	if len(g.D) < span(g.Panels, g.DStride, rows) {
		panic(errShortD)
	}
	if len(g.GA) < n || len(g.GB) < n {
		panic(errShortCoef)
	}
}

// forward panics unless Forward can run, and gives g the features of p in out.
func (g *Gradient[T]) forward(width, panel int, p *Projection[T], out *Output[T]) {
	p.check(CosSin, width)
	out.check(CosSin, p, panel)
	if p.Cols%panel != 0 || out.RowStride != panel {
		panic(errBadStride)
	}
	g.Rows, g.Panels, g.Z, g.Z2, g.ZStride = p.Rows, p.Cols/panel, out.Z, out.Z2, out.PanelStride
	g.check(panel, false)
	if g.Rows > 0 && g.Panels > 1 && g.ZStride < span(g.Rows, panel, panel) {
		panic(errBadStride)
	}
	if g.Rows > 0 && len(g.Sums) < span(span(g.Rows, g.Targets, g.Targets), GradientLanes[T](), GradientLanes[T]()) {
		panic(errShortSums)
	}
}

func (s *Adam[T]) check() {
	if s.Run < 1 || s.GStride < 0 || len(s.X)%s.Run != 0 {
		panic(errBadStride)
	}
	if len(s.M) != len(s.X) || len(s.V) != len(s.X) {
		panic(errLength)
	}
	if len(s.X) > 0 && len(s.G) < span(len(s.X)/s.Run, s.GStride, s.Run) {
		panic(errShortG)
	}
}

// forwards puts a Forward into k that calls the Features and Residuals of k.
func forwards[T Float](k *Kernels[T]) {
	k.Forward = func(p *Projection[T], out *Output[T], g *Gradient[T]) {
		g.forward(k.Width, k.Panel, p, out)
		k.Features(CosSin, p, out)
		k.Residuals(g)
	}
}

// gradients puts the reference kernels of the gradient into k.
func gradients[T Float](k *Kernels[T]) {
	panel := k.Panel
	forwards(k)
	k.Residuals = func(g *Gradient[T]) {
		g.check(panel, false)
		residualsGo(panel, g)
	}
	k.Backward = func(g *Gradient[T]) {
		g.check(panel, true)
		backwardGo(panel, g)
	}
	k.Adam = func(s *Adam[T]) {
		s.check()
		adamGo(s, 0)
	}
}
