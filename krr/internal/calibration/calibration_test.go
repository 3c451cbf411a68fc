package calibration

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/portable"
)

// naive is the calibration as its definition says, for the tests: unknowns are
// the slopes, then the biases.
type naive struct {
	f      [][]float64 // one row of class scores each
	class  []int
	weight []float64
	slopes int
}

func newNaive(s *Rows, weight []float64) *naive {
	n := &naive{class: s.Class, slopes: s.Classes}
	if s.Classes == 2 {
		n.slopes = 1
	}
	var sum, squares float64
	for i := range s.Class {
		row := s.Scores.Row(i)
		if len(row) == 1 {
			row = []float64{-row[0] / 2, row[0] / 2}
		}
		n.f = append(n.f, row)
		w := 1.0
		if weight != nil {
			w = weight[i]
		}
		n.weight = append(n.weight, w)
		sum += w
		squares += w * w
	}
	for i := range n.weight {
		n.weight[i] *= sum / squares
	}
	return n
}

func (n *naive) probabilities(x, f []float64) []float64 {
	p := make([]float64, len(f))
	var sum float64
	for k := range f {
		p[k] = math.Exp(x[min(k, n.slopes-1)]*f[k] + x[n.slopes+k])
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

// target is Platt's: 1 − 1/(N+2) for the class of row i, which N rows have.
func (n *naive) target(i int) []float64 {
	var count float64
	for j, y := range n.class {
		if y == n.class[i] {
			count += n.weight[j]
		}
	}
	t := make([]float64, len(n.f[i]))
	for k := range t {
		t[k] = 1 / (count + 2) / float64(len(t)-1)
	}
	t[n.class[i]] = (count + 1) / (count + 2)
	return t
}

func (n *naive) value(x []float64) float64 {
	var sum float64
	for i, f := range n.f {
		p, t := n.probabilities(x, f), n.target(i)
		for k := range t {
			sum -= n.weight[i] * t[k] * math.Log(p[k])
		}
	}
	return sum
}

func (n *naive) gradient(g, x []float64) {
	clear(g)
	for i, f := range n.f {
		p, t := n.probabilities(x, f), n.target(i)
		for k := range t {
			d := n.weight[i] * (p[k] - t[k])
			g[min(k, n.slopes-1)] += d * f[k]
			g[n.slopes+k] += d
		}
	}
}

// minimise returns the calibration where the gradient is 0, found by Newton's
// method on differences of the gradient.
func (n *naive) minimise(t *testing.T) *Calibration {
	t.Helper()
	size := n.slopes + len(n.f[0])
	x, g, up := make([]float64, size), make([]float64, size), make([]float64, size)
	for k := range n.slopes {
		x[k] = 1
	}
	for range 100 {
		n.gradient(g, x)
		if mat.Norm(mat.NewVecDense(size, g), 2) < 1e-8 {
			break
		}
		h := mat.NewDense(size, size, nil)
		for i := range size {
			v := slices.Clone(x)
			v[i] += 1e-6
			n.gradient(up, v)
			for j := range size {
				h.Set(j, i, (up[j]-g[j])/1e-6)
			}
			h.Set(i, i, h.At(i, i)+1e-3)
		}
		var step mat.VecDense
		if err := step.SolveVec(h, mat.NewVecDense(size, g)); err != nil {
			t.Fatal(err)
		}
		for now, by := n.value(x), 1.0; by > 1e-9; by /= 2 {
			try := slices.Clone(x)
			for i := range try {
				try[i] -= by * step.AtVec(i)
			}
			if n.value(try) < now {
				x = try
				break
			}
		}
	}
	if norm := mat.Norm(mat.NewVecDense(size, g), 2); norm > 1e-5 {
		t.Fatalf("no minimum: gradient %g", norm)
	}
	var rows float64
	for _, w := range n.weight {
		rows += w
	}
	return &Calibration{x[:n.slopes], x[n.slopes:], 1 / (rows + float64(len(n.f[0])))}
}

// vector returns the unknowns of a calibration, its biases with mean 0: a
// constant added to all of them changes nothing.
func vector(c *Calibration) []float64 {
	var mean float64
	for _, b := range c.Bias {
		mean += b / float64(len(c.Bias))
	}
	x := slices.Clone(c.Slope)
	for _, b := range c.Bias {
		x = append(x, b-mean)
	}
	return x
}

// noisy returns rows with scores that say something of their classes, which are
// not equally frequent, and weights.
func noisy(seed uint64, n, classes int, weighted bool) (s *Rows, weight []float64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	t := classes // columns of scores
	if classes == 2 {
		t = 1
	}
	s = &Rows{Classes: classes, Scores: blas.NewGeneral[float64](n, t)}
	for i := range n {
		y := min(rng.IntN(classes+2), classes-1)
		s.Class, s.Fold = append(s.Class, y), append(s.Fold, i%4)
		for k := range t {
			f := 0.7 * rng.NormFloat64()
			if (t > 1 && k == y) || (t == 1 && y == 1) {
				f += 0.8 + 0.3*float64(k)
			}
			s.Scores.Row(i)[k] = f
		}
		if weighted {
			weight = append(weight, 0.01*float64(1+i%5))
		}
	}
	s.Weigh(weight, nil)
	return s, weight
}

// Newton's derivatives are those of the definition, by finite differences, and
// its minimum is where an independent method finds it.
func TestCalibrationIsTheMaximumLikelihood(t *testing.T) {
	for _, classes := range []int{2, 3, 5} {
		for _, weighted := range []bool{false, true} {
			s, weight := noisy(uint64(classes), 300, classes, weighted)
			n := newNaive(s, weight)
			l := newLikelihood(blas.Engine{}, s)
			c := l.start()
			for k := range c.Slope {
				c.Slope[k] = 1 + .2*float64(k)
			}
			for k := range c.Bias {
				c.Bias[k] = .1 * float64(k*k)
			}
			x := append(slices.Clone(c.Slope), c.Bias...)
			if got, want := l.value(c), n.value(x); math.Abs(got-want) > 1e-10*want {
				t.Errorf("%d classes: likelihood %v, want %v", classes, got, want)
			}
			size := len(x)
			grad, hess := make([]float64, size), blas.NewGeneral[float64](size, size)
			l.newton(grad, hess)
			want, up, down := make([]float64, size), make([]float64, size), make([]float64, size)
			n.gradient(want, x)
			for i := range size {
				if math.Abs(grad[i]-want[i]) > 1e-9*float64(len(s.Class)) {
					t.Errorf("%d classes, weighted %v: gradient %d is %v, want %v", classes, weighted, i, grad[i], want[i])
				}
				// Central differences of h = 1e-5: errors h² and eps/h, times n.
				const h = 1e-5
				v := slices.Clone(x)
				v[i] += h
				n.gradient(up, v)
				v[i] -= 2 * h
				n.gradient(down, v)
				for j := range i + 1 {
					if d := (up[j] - down[j]) / (2 * h); math.Abs(hess.Row(j)[i]-d) > 1e-8*float64(len(s.Class)) {
						t.Errorf("%d classes, weighted %v: Hessian (%d, %d) is %v, want %v", classes, weighted, j, i, hess.Row(j)[i], d)
					}
				}
			}

			got, err := Fit(context.Background(), blas.Engine{}, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			best := n.minimise(t)
			a, b := vector(got), vector(best)
			for i := range a {
				// The likelihood is flat to 1e-10 of itself about its maximum: unknowns to √ of that.
				if math.Abs(a[i]-b[i]) > 1e-4*max(1, math.Abs(b[i])) {
					t.Errorf("%d classes, weighted %v: unknown %d is %v, an independent search %v", classes, weighted, i, a[i], b[i])
				}
			}
			if math.Abs(got.Floor-best.Floor) > 1e-15 {
				t.Errorf("%d classes, weighted %v: floor %v, want %v", classes, weighted, got.Floor, best.Floor)
			}
		}
	}
}

// The unit of the weights, and the unit of the scores, are no matter.
func TestCalibrationHasNoUnits(t *testing.T) {
	s, weight := noisy(1, 400, 3, true)
	c, err := Fit(context.Background(), blas.Engine{}, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range weight {
		weight[i] *= 0x1p-700 // whose squares are 0
	}
	s.Weigh(weight, nil)
	again, err := Fit(context.Background(), blas.Engine{}, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(vector(again), vector(c)) || again.Floor != c.Floor {
		t.Errorf("weights in another unit: %v, not %v", again, c)
	}
	for _, unit := range []float64{1e-9, 1e9} {
		u := *s
		u.Scores = dense.Clone(s.Scores)
		for i := range u.Scores.Data {
			u.Scores.Data[i] *= unit
		}
		got, err := Fit(context.Background(), blas.Engine{}, &u, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range got.Slope {
			if math.Abs(v*unit-c.Slope[k]) > 1e-4*math.Abs(c.Slope[k]) {
				t.Errorf("scores × %g: slope %v, want %v", unit, v*unit, c.Slope[k])
			}
		}
	}
}

// Scores that separate the classes, that are all the same, and classes without
// rows have finite calibrations, and none rules anything out.
func TestCalibrationOfExtremes(t *testing.T) {
	for name, f := range map[string]func(class, k int) float64{
		"separable": func(class, k int) float64 {
			if class == k {
				return 1
			}
			return -1
		},
		"constant": func(class, k int) float64 { return 0.25 },
		"zero":     func(class, k int) float64 { return 0 },
	} {
		s := &Rows{Classes: 4, Scores: blas.NewGeneral[float64](90, 4)}
		for i := range 90 {
			y := i % 3 // none of class 3
			if i < 15 {
				y = 0
			}
			s.Class, s.Fold = append(s.Class, y), append(s.Fold, i%3)
			for k := range 4 {
				s.Scores.Row(i)[k] = f(y, k)
			}
		}
		s.Weigh(nil, nil)
		c, err := Fit(context.Background(), blas.Engine{}, s, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		if c.Floor != 1.0/94 {
			t.Errorf("%s: floor %v, want 1/94", name, c.Floor)
		}
		p := make([]float64, 4)
		for _, scores := range [][]float64{{1, -1, -1, -1}, {-1, -1, -1, 1}, {1e9, -1e9, 0, 0}, {.25, .25, .25, .25}, {0, 0, 0, 0}} {
			c.Logits(p, scores)
			c.Probabilities(p)
			var sum float64
			for _, v := range p {
				sum += v
				if !(v >= 1.0/94*(1-1e-12)) {
					t.Errorf("%s: scores %v have probabilities %v", name, scores, p)
				}
			}
			if math.Abs(sum-1) > 1e-14 {
				t.Errorf("%s: probabilities sum to %v", name, sum)
			}
		}
		if name == "separable" {
			// Platt's smoothing: class 1 has 25 rows, so 1 − 1/27 is the most that the
			// likelihood wants; then the floor.
			c.Logits(p, []float64{-1, 1, -1, -1})
			c.Probabilities(p)
			if want := 1.0/94 + (1-4.0/94)*(1-1.0/27); math.Abs(p[1]-want) > 1e-3 {
				t.Errorf("separable scores give %v, want %v", p[1], want)
			}
		}
		if name == "constant" || name == "zero" {
			// The frequencies, smoothed: of class 0 40 rows at 1 − 1/42 and 50 others at 1/27/3.
			c.Logits(p, s.Scores.Row(0))
			portable.Softmax(p)
			if want := (40*(1-1.0/42) + 50.0/27/3) / 90; math.Abs(p[0]-want) > 1e-5 {
				t.Errorf("%s scores give %v, want %v", name, p[0], want)
			}
		}
		if _, err := s.HeldOut(context.Background(), blas.Engine{}, 3, c); err != nil {
			t.Error(name, err)
		}
	}
}

// Beyond manyClasses one slope is all there is, in memory that classes² would exceed.
func TestCalibrationOfManyClasses(t *testing.T) {
	s, _ := noisy(3, 3000, manyClasses+1, false)
	c, err := Fit(context.Background(), blas.Engine{}, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Slope) != 1 || slices.Max(c.Bias) != 0 || slices.Min(c.Bias) != 0 {
		t.Fatalf("%d slopes, biases to %v", len(c.Slope), slices.Max(c.Bias))
	}
	l := newLikelihood(blas.Engine{}, s)
	for _, d := range []float64{-.01, .01} {
		near := &Calibration{Slope: []float64{c.Slope[0] * (1 + d)}, Bias: c.Bias}
		if l.value(near) < l.value(c) {
			t.Errorf("slope %v is worse than %v", c.Slope[0], near.Slope[0])
		}
	}
}

// What is reported of held-out rows is what calibrations without their fold make
// of them.
func TestHeldOutIsCrossFitted(t *testing.T) {
	for _, classes := range []int{2, 3} {
		s, weight := noisy(9, 240, classes, true)
		c, err := Fit(context.Background(), blas.Engine{}, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		h, err := s.HeldOut(context.Background(), blas.Engine{}, 4, c)
		if err != nil {
			t.Fatal(err)
		}
		kish := newNaive(s, weight).weight // the rows of a fold count as among all
		var right, loss, sum float64
		for fold := range 4 {
			n := &naive{slopes: len(c.Slope)}
			all := newNaive(s, weight)
			for i := range s.Class {
				if s.Fold[i] != fold {
					n.f, n.class, n.weight = append(n.f, all.f[i]), append(n.class, s.Class[i]), append(n.weight, kish[i])
				}
			}
			best := n.minimise(t)
			for i, y := range s.Class {
				if s.Fold[i] != fold {
					continue
				}
				p := n.probabilities(append(slices.Clone(best.Slope), best.Bias...), all.f[i])
				for k, v := range p {
					p[k] = best.Floor + (1-float64(classes)*best.Floor)*v
				}
				if slices.Index(p, slices.Max(p)) == y {
					right += weight[i]
				}
				loss -= weight[i] * math.Log(p[y])
				sum += weight[i]
			}
		}
		if math.Abs(h.Accuracy-right/sum) > 1e-9 || math.Abs(h.LogLoss-loss/sum) > 1e-5 {
			t.Errorf("%d classes: %+v, want accuracy %v, log loss %v", classes, h, right/sum, loss/sum)
		}
	}
	one, _ := noisy(9, 50, 2, false)
	clear(one.Fold)
	if _, err := one.HeldOut(context.Background(), blas.Engine{}, 4, newLikelihood(blas.Engine{}, one).start()); !errors.Is(err, ErrFolds) {
		t.Errorf("all rows in one fold: %v", err)
	}
}

// What a λ is chosen by is the log loss of the likeliest calibration, to a small part of 1/n.
func TestMeasureIsNear(t *testing.T) {
	for _, classes := range []int{2, 3, 7} {
		for _, weighted := range []bool{false, true} {
			s, _ := noisy(2, 500, classes, weighted)
			c, err := Fit(context.Background(), blas.Engine{}, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, got, err := Measure(context.Background(), blas.Engine{}, s, nil)
			if want := s.LogLoss(c); err != nil || !(math.Abs(got-want) < 0.01/500) {
				t.Errorf("%d classes, weighted %v: log loss %g, want %g, %v", classes, weighted, got, want, err)
			}
		}
	}
}

// A calibration that others start from stays what it is.
func TestCalibrationLeavesItsStartAlone(t *testing.T) {
	s, _ := noisy(1, 200, 3, false)
	c, err := Fit(context.Background(), blas.Engine{}, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Until there is nothing to improve, not even by rounding.
	for range 30 {
		c.Floor = .123
		again, err := Fit(context.Background(), blas.Engine{}, s, c)
		if err != nil {
			t.Fatal(err)
		}
		if c.Floor != .123 || again.Floor != 1.0/203 {
			t.Errorf("floors %v and %v", c.Floor, again.Floor)
		}
		c = again
	}
}

func TestCalibrationStops(t *testing.T) {
	s, _ := noisy(1, 100, 3, false)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Fit(ctx, blas.Engine{}, s, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Of two rows every fold's model knows the other row's class only, and errs on its own.
// A calibration that turns scores round makes that an accuracy of 100 %, and turns the
// labels of the fit round as well.
func TestCalibrationDoesNotTurnScoresRound(t *testing.T) {
	s := &Rows{Classes: 2, Class: []int{0, 1}, Fold: []int{0, 1}, Scores: blas.General[float64]{Rows: 2, Cols: 1, Stride: 1, Data: []float64{0.9, -0.9}}}
	s.Weigh(nil, nil)
	c, err := Fit(context.Background(), blas.Engine{}, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Class([]float64{-1}) != 0 || c.Class([]float64{1}) != 1 {
		t.Errorf("labels are turned round: %+v", c)
	}
	p := make([]float64, 2)
	c.Logits(p, []float64{5})
	c.Probabilities(p)
	if math.Abs(p[0]-0.5) > 1e-4 {
		t.Errorf("scores that say nothing give the probability %v, want a half", p[0])
	}
	h, err := s.HeldOut(context.Background(), blas.Engine{}, 2, c)
	if err != nil || h.Accuracy != 0 {
		t.Errorf("held out: %+v, %v; no row's class is known without it", h, err)
	}
}

// Scores of a class that ask for a negative slope count as if they were 0 in all rows, whatever
// the calibration that the fit starts from, and the other classes keep their own slopes.
func TestCalibrationDoesNotTurnOneClassRound(t *testing.T) {
	s, _ := noisy(7, 400, 4, false)
	zero, _ := noisy(7, 400, 4, false)
	for i := range s.Scores.Rows {
		s.Scores.Row(i)[1] = -s.Scores.Row(i)[1]
		zero.Scores.Row(i)[1] = 0
	}
	want, err := Fit(t.Context(), blas.Engine{}, zero, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]*Calibration{"scratch": nil, "turned round": {Slope: []float64{-1, -2, 3, 4}, Bias: make([]float64, 4)}} {
		got, err := Fit(t.Context(), blas.Engine{}, s, from)
		if err != nil {
			t.Fatal(err)
		}
		a, b := make([]float64, 4), make([]float64, 4)
		for i := range s.Scores.Rows {
			got.Logits(a, s.Scores.Row(i))
			want.Logits(b, zero.Scores.Row(i))
			got.Probabilities(a)
			want.Probabilities(b)
			for k := range a {
				if math.Abs(a[k]-b[k]) > 1e-4 { // as in TestCalibrationIsTheMaximumLikelihood
					t.Fatalf("%s: row %d has the probabilities %v, want %v", name, i+1, a, b)
				}
			}
		}
		if slices.Min(got.Slope) < 0 {
			t.Errorf("%s: slopes %v", name, got.Slope)
		}
	}
}

// Every number of workers, and of blocks and classes that it divides by, gives the same bits.
func TestWorkersGiveTheSameCalibration(t *testing.T) {
	for _, classes := range []int{2, 3, 13} {
		fitted := func(workers int) *Calibration {
			s, _ := noisy(7, 2*blockRows+100, classes, true)
			c, err := Fit(context.Background(), blas.Engine{Workers: workers}, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		one := fitted(1)
		for _, workers := range []int{2, 3, 8} {
			if c := fitted(workers); !slices.Equal(c.Slope, one.Slope) || !slices.Equal(c.Bias, one.Bias) || c.Floor != one.Floor {
				t.Errorf("%d classes, %d workers: %v, want %v", classes, workers, c, one)
			}
		}
	}
}

func BenchmarkFit(b *testing.B) {
	for range b.N {
		s, _ := noisy(7, 15000, 26, false)
		if _, err := Fit(context.Background(), blas.Engine{}, s, nil); err != nil {
			b.Fatal(err)
		}
	}
}
