package krr

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// naive is the calibration as its definition says, for the tests: unknowns are
// the slopes, then the biases.
type naive struct {
	f      [][]float64 // one row of class scores each
	class  []int
	weight []float64
	slopes int
}

func newNaive(s *scored, weight []float64) *naive {
	n := &naive{class: s.class, slopes: s.classes}
	if s.classes == 2 {
		n.slopes = 1
	}
	var sum, squares float64
	for i := range s.class {
		row := s.scores.Row(i)
		if len(row) == 1 {
			row = []float64{-row[0] / 2, row[0] / 2}
		}
		n.f = append(n.f, row)
		w := weightOf(weight, i)
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
func (n *naive) minimise(t *testing.T) *calibration {
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
	return &calibration{x[:n.slopes], x[n.slopes:], 1 / (rows + float64(len(n.f[0])))}
}

// vector returns the unknowns of a calibration, its biases with mean 0: a
// constant added to all of them changes nothing.
func vector(c *calibration) []float64 {
	var mean float64
	for _, b := range c.bias {
		mean += b / float64(len(c.bias))
	}
	x := slices.Clone(c.slope)
	for _, b := range c.bias {
		x = append(x, b-mean)
	}
	return x
}

// noisy returns rows with scores that say something of their classes, which are
// not equally frequent, and weights.
func noisy(seed uint64, n, classes int, weighted bool) (s *scored, weight []float64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	t := classColumns(classes)
	s = &scored{classes: classes, scores: blas.NewGeneral[float64](n, t)}
	for i := range n {
		y := min(rng.IntN(classes+2), classes-1)
		s.class, s.fold = append(s.class, y), append(s.fold, i%4)
		for k := range t {
			f := 0.7 * rng.NormFloat64()
			if k == y || (t == 1 && y == 1) {
				f += 0.8 + 0.3*float64(k)
			}
			s.scores.Row(i)[k] = f
		}
		if weighted {
			weight = append(weight, 0.01*float64(1+i%5))
		}
	}
	s.weigh(weight)
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
			for k := range c.slope {
				c.slope[k] = 1 + .2*float64(k)
			}
			for k := range c.bias {
				c.bias[k] = .1 * float64(k*k)
			}
			x := append(slices.Clone(c.slope), c.bias...)
			if got, want := l.value(c), n.value(x); math.Abs(got-want) > 1e-10*want {
				t.Errorf("%d classes: likelihood %v, want %v", classes, got, want)
			}
			size := len(x)
			grad, hess := make([]float64, size), blas.NewGeneral[float64](size, size)
			l.newton(c, grad, hess)
			want, up, down := make([]float64, size), make([]float64, size), make([]float64, size)
			n.gradient(want, x)
			for i := range size {
				if math.Abs(grad[i]-want[i]) > 1e-9*float64(len(s.class)) {
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
					if d := (up[j] - down[j]) / (2 * h); math.Abs(hess.Row(j)[i]-d) > 1e-8*float64(len(s.class)) {
						t.Errorf("%d classes, weighted %v: Hessian (%d, %d) is %v, want %v", classes, weighted, j, i, hess.Row(j)[i], d)
					}
				}
			}

			got, err := calibrate(context.Background(), blas.Engine{}, s, nil)
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
			if math.Abs(got.floor-best.floor) > 1e-15 {
				t.Errorf("%d classes, weighted %v: floor %v, want %v", classes, weighted, got.floor, best.floor)
			}
		}
	}
}

// The unit of the weights, and the unit of the scores, are no matter.
func TestCalibrationHasNoUnits(t *testing.T) {
	s, weight := noisy(1, 400, 3, true)
	c, err := calibrate(context.Background(), blas.Engine{}, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range weight {
		weight[i] *= 0x1p-700 // whose squares are 0
	}
	s.weigh(weight)
	again, err := calibrate(context.Background(), blas.Engine{}, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(vector(again), vector(c)) || again.floor != c.floor {
		t.Errorf("weights in another unit: %v, not %v", again, c)
	}
	for _, unit := range []float64{1e-9, 1e9} {
		u := *s
		u.scores = dense.Clone(s.scores)
		for i := range u.scores.Data {
			u.scores.Data[i] *= unit
		}
		got, err := calibrate(context.Background(), blas.Engine{}, &u, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range got.slope {
			if math.Abs(v*unit-c.slope[k]) > 1e-4*math.Abs(c.slope[k]) {
				t.Errorf("scores × %g: slope %v, want %v", unit, v*unit, c.slope[k])
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
		s := &scored{classes: 4, scores: blas.NewGeneral[float64](90, 4)}
		for i := range 90 {
			y := i % 3 // none of class 3
			if i < 15 {
				y = 0
			}
			s.class, s.fold = append(s.class, y), append(s.fold, i%3)
			for k := range 4 {
				s.scores.Row(i)[k] = f(y, k)
			}
		}
		s.weigh(nil)
		c, err := calibrate(context.Background(), blas.Engine{}, s, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		if c.floor != 1.0/94 {
			t.Errorf("%s: floor %v, want 1/94", name, c.floor)
		}
		p := make([]float64, 4)
		for _, scores := range [][]float64{{1, -1, -1, -1}, {-1, -1, -1, 1}, {1e9, -1e9, 0, 0}, {.25, .25, .25, .25}, {0, 0, 0, 0}} {
			c.logits(p, scores)
			c.probabilities(p)
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
			c.logits(p, []float64{-1, 1, -1, -1})
			c.probabilities(p)
			if want := 1.0/94 + (1-4.0/94)*(1-1.0/27); math.Abs(p[1]-want) > 1e-3 {
				t.Errorf("separable scores give %v, want %v", p[1], want)
			}
		}
		if name == "constant" || name == "zero" {
			// The frequencies, smoothed: of class 0 40 rows at 1 − 1/42 and 50 others at 1/27/3.
			c.logits(p, s.scores.Row(0))
			softmax(p)
			if want := (40*(1-1.0/42) + 50.0/27/3) / 90; math.Abs(p[0]-want) > 1e-5 {
				t.Errorf("%s scores give %v, want %v", name, p[0], want)
			}
		}
		if _, err := s.heldOut(context.Background(), blas.Engine{}, 3, c); err != nil {
			t.Error(name, err)
		}
	}
}

// Beyond manyClasses one slope is all there is, in memory that classes² would exceed.
func TestCalibrationOfManyClasses(t *testing.T) {
	s, _ := noisy(3, 3000, manyClasses+1, false)
	c, err := calibrate(context.Background(), blas.Engine{}, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.slope) != 1 || slices.Max(c.bias) != 0 || slices.Min(c.bias) != 0 {
		t.Fatalf("%d slopes, biases to %v", len(c.slope), slices.Max(c.bias))
	}
	l := newLikelihood(blas.Engine{}, s)
	for _, d := range []float64{-.01, .01} {
		near := &calibration{slope: []float64{c.slope[0] * (1 + d)}, bias: c.bias}
		if l.value(near) < l.value(c) {
			t.Errorf("slope %v is worse than %v", c.slope[0], near.slope[0])
		}
	}
}

// What is reported of held-out rows is what calibrations without their fold make
// of them.
func TestHeldOutIsCrossFitted(t *testing.T) {
	for _, classes := range []int{2, 3} {
		s, weight := noisy(9, 240, classes, true)
		c, err := calibrate(context.Background(), blas.Engine{}, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		h, err := s.heldOut(context.Background(), blas.Engine{}, 4, c)
		if err != nil {
			t.Fatal(err)
		}
		kish := newNaive(s, weight).weight // the rows of a fold count as among all
		var right, loss, sum float64
		for fold := range 4 {
			n := &naive{slopes: len(c.slope)}
			all := newNaive(s, weight)
			for i := range s.class {
				if s.fold[i] != fold {
					n.f, n.class, n.weight = append(n.f, all.f[i]), append(n.class, s.class[i]), append(n.weight, kish[i])
				}
			}
			best := n.minimise(t)
			for i, y := range s.class {
				if s.fold[i] != fold {
					continue
				}
				p := n.probabilities(append(slices.Clone(best.slope), best.bias...), all.f[i])
				for k, v := range p {
					p[k] = best.floor + (1-float64(classes)*best.floor)*v
				}
				if slices.Index(p, slices.Max(p)) == y {
					right += weight[i]
				}
				loss -= weight[i] * math.Log(p[y])
				sum += weight[i]
			}
		}
		if h.Rows != 240 || math.Abs(h.Accuracy-right/sum) > 1e-9 || math.Abs(h.LogLoss-loss/sum) > 1e-5 {
			t.Errorf("%d classes: %+v, want accuracy %v, log loss %v", classes, h, right/sum, loss/sum)
		}
	}
	one, _ := noisy(9, 50, 2, false)
	clear(one.fold)
	var e *EmptyError
	if _, err := one.heldOut(context.Background(), blas.Engine{}, 4, newLikelihood(blas.Engine{}, one).start()); !errors.As(err, &e) {
		t.Errorf("all rows in one fold: %v", err)
	}
}

// The class is that of the largest probability, whatever the scores say.
func TestClassOfIsMostProbable(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, classes := range []int{2, 3, 7} {
		m := &Model{classes: make([]string, classes), intercept: make([]float64, classColumns(classes))}
		plain := &Model{classes: m.classes, intercept: m.intercept}
		differ := 0
		p := make([]float64, classes)
		for trial := range 500 {
			c := &calibration{floor: .01, bias: make([]float64, classes), slope: make([]float64, classes)}
			if classes == 2 || trial%2 == 0 {
				c.slope = c.slope[:1]
			}
			for k := range c.slope {
				c.slope[k] = 3 * rng.Float64()
			}
			for k := range c.bias {
				c.bias[k] = rng.NormFloat64()
			}
			m.cal = c
			scores := make([]float64, len(m.intercept))
			for k := range scores {
				scores[k] = rng.NormFloat64()
			}
			m.ProbabilitiesOf(p, scores)
			if got, want := m.ClassOf(scores), slices.Index(p, slices.Max(p)); got != want {
				t.Fatalf("%d classes: class %d of probabilities %v", classes, got, p)
			}
			if m.ClassOf(scores) != plain.ClassOf(scores) {
				differ++
			}
		}
		if differ < 50 {
			t.Errorf("%d classes: calibration decides only %d of 500 otherwise", classes, differ)
		}
		m.cal = &calibration{slope: []float64{1}, bias: make([]float64, classes)}
		if got, want := m.ClassOf(make([]float64, len(m.intercept))), classOf(make([]float64, len(m.intercept))); got != want {
			t.Errorf("%d classes, all alike: class %d, by scores %d", classes, got, want)
		}
	}
}

// A calibration that others start from stays what it is.
func TestCalibrationLeavesItsStartAlone(t *testing.T) {
	s, _ := noisy(1, 200, 3, false)
	c, err := calibrate(context.Background(), blas.Engine{}, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Until there is nothing to improve, not even by rounding.
	for range 30 {
		c.floor = .123
		again, err := calibrate(context.Background(), blas.Engine{}, s, c)
		if err != nil {
			t.Fatal(err)
		}
		if c.floor != .123 || again.floor != 1.0/203 {
			t.Errorf("floors %v and %v", c.floor, again.floor)
		}
		c = again
	}
}

func TestCalibrationStops(t *testing.T) {
	s, _ := noisy(1, 100, 3, false)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := calibrate(ctx, blas.Engine{}, s, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A prediction that is not finite is an error that names its row, also where a
// range would hide it.
func TestPredictionsAreFinite(t *testing.T) {
	w := mat.NewDense(1, 1, []float64{1})
	fm, err := rff.FromFrequencies(w, nil, []float64{1, 1}, rff.CosSin)
	if err != nil {
		t.Fatal(err)
	}
	// f(x) = C·cos x + C overflows where cos x is near 1.
	coef := blas.NewGeneral[float64](2, 2)
	coef.Row(0)[1] = math.MaxFloat64 / 1.5
	for _, p := range []Precision{Float64, Float32} {
		if p == Float32 {
			coef.Row(0)[1] = math.MaxFloat32 / 1.5
		}
		m := newModel(fm, p, rff.Scaling{}, coef, []float64{0, coef.Row(0)[1]})
		m.classes = []string{"a", "b"}
		m.lo, m.hi = []float64{1, -1}, []float64{3, 2}
		x := mat.NewDense(1500, 1, nil)
		for i := range 1500 {
			x.Set(i, 0, 3)
		}
		var y mat.Dense
		if err := m.Predict(&y, x); err != nil || y.At(0, 0) != 1 || y.At(0, 1) != 2 {
			t.Fatalf("%v: %v, %v: each target has its own range", p, err, y.RawRowView(0))
		}
		x.Set(1400, 0, 0)
		var e *PredictionError
		if err := m.Predict(&y, x); !errors.As(err, &e) || e.Row != 1400 || e.Output != 1 || !math.IsInf(e.Value, 1) {
			t.Errorf("%v: %v", p, err)
		}
		if _, err := m.Labels(x); !errors.As(err, &e) {
			t.Errorf("%v: labels: %v", p, err)
		}
		if err := m.predict(general(&y), general(x), 1000); !errors.As(err, &e) || e.Row != 2400 {
			t.Errorf("%v: %v", p, err)
		}
	}
}

// Files of before slopes per class and floors predict what they did.
func TestOldCalibrations(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{.5, -1, 2, .25})
	for file, want := range map[string][]float64{
		"testdata/calibrated2.rff": {0.23257281862666176, 0.7674271813733383, 0.9932797250671921, 0.006720274932808002},
		"testdata/calibrated3.rff": {0.15732982790908687, 0.6680549841434028, 0.17461518794751027, 0.9956338522499637, 0.0033920392496607377, 0.0009741085003753957},
	} {
		m, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		// These are the bits of the native backend.
		on, err := blas.Lookup("native")
		if err != nil {
			t.Fatal(err)
		}
		var p mat.Dense
		if err := m.On(blas.Engine{Backend: on}).Probabilities(&p, x); err != nil {
			t.Fatal(err)
		}
		if got := p.RawMatrix().Data; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", file, got, want)
		}
		// As it was read, so it is written.
		b, err := m.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		again := new(Model)
		if err := again.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if got := again.cal; !slices.Equal(got.slope, m.cal.slope) || !slices.Equal(got.bias, m.cal.bias) || got.floor != 0 {
			t.Errorf("%s: %v after writing, %v before", file, got, m.cal)
		}
		var f *FileError
		for name, bad := range map[string]*calibration{
			"slopes":   {make([]float64, 2), m.cal.bias, 0},
			"biases":   {m.cal.slope, m.cal.bias[1:], 0},
			"NaN":      {[]float64{math.NaN()}, m.cal.bias, 0},
			"infinite": {m.cal.slope, append([]float64{math.Inf(1)}, m.cal.bias[1:]...), 0},
			"high":     {m.cal.slope, m.cal.bias, .51},
			"negative": {m.cal.slope, m.cal.bias, -.1},
		} {
			c := *m
			c.cal = bad
			b, err := c.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if err := new(Model).UnmarshalBinary(b); !errors.As(err, &f) {
				t.Errorf("%s, %s: %v", file, name, err)
			}
		}
	}
}
