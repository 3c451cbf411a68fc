package boost

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/trial"
)

// random returns rows whose inputs have about so many values each, with targets that are functions of
// products of the inputs and noise. Weights are multiples of a half.
func random(seed uint64, n, inputs, targets, values int, weights bool) *trial.Rows {
	rng := rand.New(rand.NewPCG(seed, 5))
	r := &trial.Rows{X: blas.NewGeneral[float64](n, inputs), Y: blas.NewGeneral[float64](n, targets)}
	for i := range n {
		x := r.X.Row(i)
		for j := range x {
			x[j] = math.Round(float64(values)*rng.NormFloat64()) / 4
		}
		for t := range targets {
			r.Y.Row(i)[t] = float64(t+1)*x[t%inputs]*x[(t+1)%inputs] + 3*rng.NormFloat64()
		}
		if weights {
			r.Weight = append(r.Weight, float64(rng.IntN(5))/2)
		}
	}
	return r
}

// coded makes codes of classes of targets: of the largest of several, of the sign of one.
func coded(rows *trial.Rows) {
	rows.Labels = []string{"a", "b", "c"}
	for i := range rows.Y.Rows {
		y := rows.Y.Row(i)
		own := y[0]
		for k := range y {
			y[k] -= 2 * float64(k)
			own = max(own, y[k])
		}
		for k, v := range y {
			switch {
			case len(y) == 1:
				y[k] = math.Copysign(1, v)
			case v == own:
				y[k] = 1
			default:
				y[k] = -1
			}
		}
	}
}

func settings(depth, trees int) Settings {
	return Settings{Workers: 1, Depth: depth, Trees: trees, Planned: trees, Rand: rand.NewPCG(3, 3)}
}

// predict walks x through the first trees, comparison by comparison.
func predict(t *blas.Trees, trees int, x []float64) []float64 {
	out := make([]float64, t.Value.Cols)
	for k := range trees {
		leaf := 0
		for b := range t.Depth {
			if x[t.Input[k*t.Depth+b]] > t.Threshold[k*t.Depth+b] {
				leaf += 1 << b
			}
		}
		for c, v := range t.Value.Row(k<<t.Depth + leaf) {
			out[c] += v
		}
	}
	return out
}

// reference follows the growing of trees with sums over rows, anew for every threshold.
type reference struct {
	*trial.Rows
	scale []float64   // of targets
	start []float64   // of targets, without trees
	error [][]float64 // of rows, in the unit of scale
	sum   [][]float64 // of classes: half the log odds of rows
	ridge float64
	rate  float64
}

func newReference(r *trial.Rows, planned int) *reference {
	ref := &reference{Rows: r, rate: min(0.3, 50/float64(planned)), error: make([][]float64, r.X.Rows), sum: make([][]float64, r.X.Rows)}
	var all float64
	for i := range r.X.Rows {
		all += r.WeightOf(i)
	}
	for t := range r.Y.Cols {
		var mean, plain, square float64
		for i := range r.X.Rows {
			mean += r.WeightOf(i) * r.Y.Row(i)[t] / all
			plain += r.Y.Row(i)[t] / float64(r.X.Rows)
			square += r.Y.Row(i)[t] * r.Y.Row(i)[t] / float64(r.X.Rows)
		}
		start, scale := mean, math.Sqrt(square-plain*plain)
		if r.Labels != nil { // as if one more row had no class
			start, scale = math.Atanh(mean*float64(r.X.Rows)/float64(r.X.Rows+1)), 1
		}
		ref.start, ref.scale = append(ref.start, start), append(ref.scale, scale)
		for i := range r.X.Rows {
			ref.error[i], ref.sum[i] = append(ref.error[i], (r.Y.Row(i)[t]-start)/scale), append(ref.sum[i], start)
			if r.Labels != nil {
				ref.error[i][t] = r.Y.Row(i)[t] - math.Tanh(start)
			}
		}
	}
	ref.ridge = all / float64(r.X.Rows)
	return ref
}

// curvature is the second derivative of the loss of a target: the variance of a code of −1 or 1, which is 4p(1 − p),
// or 1 for a number.
func (ref *reference) curvature(i, t int) float64 {
	if ref.Labels == nil {
		return 1
	}
	p := 1 / (1 + math.Exp(-2*ref.sum[i][t]))
	return 4 * p * (1 - p)
}

// sums are those of errors and of curvatures, times weights, of each target.
type sums struct{ errors, curvatures []float64 }

// leaves returns the sums of each leaf.
func (ref *reference) leaves(rows []int, leaf []int, count int) []sums {
	out := make([]sums, count)
	for l := range out {
		out[l] = sums{make([]float64, len(ref.scale)), make([]float64, len(ref.scale))}
	}
	for _, i := range rows {
		w := ref.WeightOf(i)
		for t, e := range ref.error[i] {
			out[leaf[i]].errors[t] += w * e
			out[leaf[i]].curvatures[t] += w * ref.curvature(i, t)
		}
	}
	return out
}

// gain returns what leaves explain, with the ridge, if all targets have the mean of their curvatures.
func (ref *reference) gain(leaves []sums) (gain float64) {
	for _, l := range leaves {
		var curvature float64
		for _, v := range l.curvatures {
			curvature += v / float64(len(l.curvatures))
		}
		for _, s := range l.errors {
			gain += s * s / (curvature + ref.ridge)
		}
	}
	return gain
}

// split returns the leaves of rows after another comparison of an input with a value.
func (ref *reference) split(leaf []int, depth, input int, threshold float64) []int {
	out := slices.Clone(leaf)
	for i := range out {
		if ref.X.Row(i)[input] > threshold {
			out[i] += 1 << depth
		}
	}
	return out
}

// values returns the values of an input.
func (ref *reference) values(input int) map[float64]bool {
	out := map[float64]bool{}
	for i := range ref.X.Rows {
		out[ref.X.Row(i)[input]] = true
	}
	return out
}

// all returns the numbers of all rows.
func (ref *reference) all() []int {
	out := make([]int, ref.X.Rows)
	for i := range out {
		out[i] = i
	}
	return out
}

// rounding bounds what a gain owes to integers. The sizes of all errors times weights are 2²⁹ units or more, so
// that a row, rounded by half a unit at most, changes a sum by less than 1/2³⁰ of them. A gain, of a sum over a
// weight of ridge or more, changes by less than two such sums allow, and weights do no more.
func (ref *reference) rounding() float64 {
	n, most := float64(ref.X.Rows), 0.
	for t := range ref.scale {
		var sum float64
		for i := range ref.error {
			sum += ref.WeightOf(i) * math.Abs(ref.error[i][t])
		}
		most = max(most, sum)
	}
	return 4 * float64(len(ref.scale)) * most * most / ref.ridge * n / (1 << 30)
}

// check compares grown trees with the reference: every split gains as much as the best of all inputs and
// values, every leaf has the value of its rows, and every row of the next tree what that leaves. Of thresholds
// with the same rows on both sides the smallest is taken.
func (ref *reference) check(t *testing.T, g *Grown, source rand.Source) {
	t.Helper()
	n := ref.X.Rows
	importance := make([]float64, ref.X.Cols)
	var total, errors float64
	for k := range g.Count() {
		rows := ref.drawn(source.Uint64())
		leaf, before, rounding := make([]int, n), 0.0, ref.rounding()
		for depth := range g.Depth {
			input, threshold := g.Input[k*g.Depth+depth], g.Threshold[k*g.Depth+depth]
			best := math.Inf(-1)
			for j := range ref.X.Cols {
				for v := range ref.values(j) { // so all thresholds
					best = max(best, ref.gain(ref.leaves(rows, ref.split(leaf, depth, j, v), 2<<depth)))
				}
			}
			next := ref.split(leaf, depth, input, threshold)
			got := ref.gain(ref.leaves(rows, next, 2<<depth))
			if !(got >= best-rounding) {
				t.Fatalf("tree %d, depth %d: input %d at %v gains %v, the best %v", k, depth, input, threshold, got, best)
			}
			below, beyond := math.Inf(-1), math.Inf(1) // the values next to the threshold
			for i := range n {
				if v := ref.X.Row(i)[input]; v <= threshold {
					below = max(below, v)
				} else {
					beyond = min(beyond, v)
				}
			}
			fewer := func(i int) bool { return ref.X.Row(i)[input] < below }
			if !slices.ContainsFunc(rows, func(i int) bool { return ref.X.Row(i)[input] == below && ref.WeightOf(i) > 0 }) && slices.ContainsFunc(ref.all(), fewer) {
				t.Fatalf("tree %d, depth %d: a threshold of input %d below %v has the same rows on both sides", k, depth, input, threshold)
			}
			if threshold != below/2+beyond/2 {
				t.Fatalf("tree %d, depth %d: the threshold %v is not in the middle of %v and %v", k, depth, threshold, below, beyond)
			}
			importance[input] += max(0, got-before)
			total += max(0, got-before)
			errors += 2 * rounding
			leaf, before = next, got
		}
		ref.grown(t, g, k, rows, leaf)
	}
	for j := range importance {
		if want := importance[j] / total; math.Abs(g.Importance[j]-want) > errors/total {
			t.Errorf("input %d has the importance %v, want %v", j, g.Importance[j], want)
		}
	}
}

// drawn returns the rows that a tree sees.
func (ref *reference) drawn(seed uint64) (rows []int) {
	for i := range ref.X.Rows {
		if float64(fold.Hash(0, int64(seed)+int64(i)-1)>>11)/(1<<53) < 2./3 {
			rows = append(rows, i)
		}
	}
	return rows
}

// grown compares the leaves of a tree, given those of all rows and the rows that it has seen, and takes them off the
// errors.
func (ref *reference) grown(t *testing.T, g *Grown, k int, rows, leaf []int) {
	t.Helper()
	const eps = 1e-10 // sums of some hundred numbers of size 1, and differences of such sums
	width := len(ref.scale)
	for l, of := range ref.leaves(rows, leaf, 1<<g.Depth) {
		for c := range width {
			want := ref.rate * of.errors[c] / (of.curvatures[c] + ref.ridge) * ref.scale[c]
			if ref.Labels != nil && k == 0 {
				want += ref.start[c]
			}
			if ref.Labels != nil {
				want /= softness
			}
			if got := g.Value.Row(k<<g.Depth + l)[c]; math.Abs(got-want) > eps*ref.scale[c] {
				t.Fatalf("tree %d, leaf %d, target %d: %v, want %v", k, l, c, got, want)
			}
		}
	}
	for i := range ref.X.Rows {
		for c := range width {
			v := g.Value.Row(k<<g.Depth + leaf[i])[c]
			if ref.Labels == nil {
				ref.error[i][c] -= v / ref.scale[c]
				continue
			}
			if v *= softness; k == 0 {
				v -= ref.start[c]
			}
			ref.sum[i][c] += v
			ref.error[i][c] = ref.Y.Row(i)[c] - math.Tanh(ref.sum[i][c])
		}
	}
}

func TestGrowsTheBestTrees(t *testing.T) {
	for _, c := range []struct {
		name                      string
		n, inputs, targets, depth int
		values                    int
		weights, classes, rare    bool
	}{
		{"one target", 90, 3, 1, 3, 6, false, false, false}, {"weights", 90, 3, 1, 3, 6, true, false, false}, {"two values", 60, 5, 1, 4, 1, false, false, false},
		{"three targets", 70, 3, 3, 3, 4, false, false, false}, {"weights of targets", 70, 3, 2, 2, 4, true, false, false}, {"classes", 80, 3, 3, 2, 4, false, true, false},
		{"two classes", 80, 3, 1, 3, 4, true, true, false}, {"probabilities", 80, 3, 3, 3, 4, true, true, false},
		{"two rows", 2, 1, 1, 2, 90, false, false, false}, {"few rows", 9, 2, 1, 5, 90, true, false, false}, {"stumps", 60, 2, 1, 1, 9, false, false, false},
		{"rare values", 150, 4, 1, 4, 9, false, false, true}, {"rare values of targets", 150, 4, 2, 3, 9, true, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := random(uint64(c.n), c.n, c.inputs, c.targets, c.values, c.weights)
			if c.rare { // most rows have one value, which is not the least of the last input
				for i := range c.n {
					x := rows.X.Row(i)
					for j := range x {
						if (i+3*j)%13 > 0 {
							x[j] = 0
						}
					}
					x[c.inputs-1] *= float64(1 - i%3)
				}
			}
			if c.classes {
				coded(rows)
				if c.name == "probabilities" {
					for i := range rows.Y.Data { // of every other row
						rows.Y.Data[i] *= 1 - float64(i/3%2)/3
					}
				}
			}
			s := settings(c.depth, 12)
			s.Planned = 400
			g, err := Grow(t.Context(), s, rows, nil)
			if err != nil || g.Count() != 12 || g.Tanh != c.classes {
				t.Fatal(g, err)
			}
			newReference(rows, s.Planned).check(t, g, rand.NewPCG(3, 3))
		})
	}
}

// noise is what a node has to gain by a threshold of its own: half of the logarithm of the number of thresholds, times
// the mean squared error and the mean weight, over the mean curvature.
func (ref *reference) noise() float64 {
	var sum, curvature, weight float64
	thresholds := 0
	for i, e := range ref.error {
		for t, v := range e {
			sum += ref.WeightOf(i) * v * v
			curvature += ref.WeightOf(i) * ref.curvature(i, t) / float64(len(e))
		}
		weight += ref.WeightOf(i)
	}
	for j := range ref.X.Cols {
		thresholds += len(ref.values(j)) - 1
	}
	return 0.5 * math.Log(float64(thresholds)) * sum / float64(ref.X.Rows) * weight / curvature
}

// checkOwn compares trees whose nodes may have thresholds of their own with the reference: a depth has one threshold,
// the best for all nodes, unless some node gains more by its own than noise would. It returns how many nodes have
// their own, and how many nodes with others share one.
func (ref *reference) checkOwn(t *testing.T, g *Grown, source rand.Source) (own, shared int) {
	t.Helper()
	at := 0
	took := make([]float64, ref.X.Cols)
	var total, before float64
	for k := range g.Count() {
		rows, leaf, noise, rounding := ref.drawn(source.Uint64()), make([]int, ref.X.Rows), ref.noise(), ref.rounding()
		before = 0
		for depth := range g.Depth {
			nodes := 1 << depth
			of := func(input int, threshold float64) (gains []float64) {
				leaves := ref.leaves(rows, ref.split(leaf, depth, input, threshold), 2*nodes)
				for node := range nodes {
					gains = append(gains, ref.gain([]sums{leaves[node], leaves[node+nodes]}))
				}
				return gains
			}
			best, all := make([]float64, nodes), make([]float64, nodes)
			most := 0.
			for j := range ref.X.Cols {
				for v := range ref.values(j) {
					gains, sum := of(j, v), 0.
					for node, gain := range gains {
						best[node] = max(best[node], gain)
						sum += gain
					}
					if sum > most {
						most, all = sum, gains
					}
				}
			}
			width := g.WidthOf(k*g.Depth + depth)
			some, next, sum := false, slices.Clone(leaf), 0.
			left := ref.leaves(rows, leaf, nodes)
			for node := range nodes {
				c := at + node%width
				got := of(g.Input[c], g.Threshold[c])[node]
				want, alone := all[node], best[node] > all[node]+noise
				if alone {
					want, some = best[node], true
					own++
				} else if width > 1 {
					shared++
				}
				if math.Abs(got-want) > rounding {
					t.Fatalf("tree %d, depth %d, node %d of %d: input %d at %v gains %v, want %v; own %v", k, depth, node, width, g.Input[c], g.Threshold[c], got, want, alone)
				}
				for i, after := range ref.split(leaf, depth, g.Input[c], g.Threshold[c]) {
					if leaf[i] == node {
						next[i] = after
					}
				}
				if sum += got; width > 1 {
					took[g.Input[c]] += max(0, got-ref.gain(left[node:node+1]))
				}
			}
			if some != (width > 1) {
				t.Fatalf("tree %d, depth %d: %d thresholds", k, depth, width)
			}
			if width == 1 {
				took[g.Input[at]] += max(0, sum-before)
			}
			at, leaf, before = at+width, next, sum
		}
		ref.grown(t, g, k, rows, leaf)
	}
	for _, v := range took {
		total += v
	}
	for j, v := range took {
		if math.Abs(g.Importance[j]-v/total) > 1e-6 {
			t.Errorf("input %d has the importance %v, want %v", j, g.Importance[j], v/total)
		}
	}
	return own, shared
}

func TestOwnThresholds(t *testing.T) {
	own, shared := 0, 0
	for seed, c := range []struct {
		n, inputs, targets, depth, values int
		weights, classes                  bool
	}{{150, 3, 1, 4, 3, false, false}, {150, 4, 1, 3, 2, true, false}, {120, 3, 2, 4, 2, true, false}, {100, 2, 3, 3, 4, false, false}, {12, 2, 1, 5, 9, false, false},
		{2*blockRows + 100, 2, 1, 3, 1, false, false}, {150, 3, 1, 4, 3, true, true}, {120, 3, 3, 4, 2, true, true}} {
		rows := random(uint64(seed), c.n, c.inputs, c.targets, c.values, c.weights)
		for i := range c.n { // a rare value, for which sums are the rest of others
			if i%17 > 0 {
				rows.X.Row(i)[0] = 0
			}
			if x := rows.X.Row(i); x[1] > 0 { // what one node has to learn is nothing to the other
				rows.Y.Row(i)[0] += 9 * math.Copysign(1, x[c.inputs-1]*x[0]+0.1)
			}
		}
		if c.classes {
			coded(rows)
		}
		s := settings(c.depth, 9)
		s.Own, s.Workers = true, 1+seed%2
		g, err := Grow(t.Context(), s, rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, b := newReference(rows, s.Planned).checkOwn(t, g, rand.NewPCG(3, 3))
		own, shared = own+a, shared+b
	}
	if own < 25 || shared < 25 {
		t.Errorf("the test is blind: %d nodes have thresholds of their own, and %d beside them share one", own, shared)
	}
}

// Many rows, which go in blocks, have the trees of the reference.
func TestGrowsOnManyRows(t *testing.T) {
	for _, targets := range []int{1, 2} {
		rows := random(7, 2*blockRows+2000, 2, targets, 3, true)
		s := settings(3, 2)
		s.Workers = 3
		g, err := Grow(t.Context(), s, rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		newReference(rows, s.Planned).check(t, g, rand.NewPCG(3, 3))
	}
}

// Sums of a division are those of the side that has fewer rows: of each node, or of all nodes of one threshold.
func TestCollectsTheFewer(t *testing.T) {
	for _, workers := range []int{1, 3} {
		s := settings(3, 1)
		s.Workers = workers
		g := newGrower(s, random(2, 3*chunkRows, 3, 1, 100, false))
		if !g.choose() {
			t.Fatal("nothing is left")
		}
		sides := func(bits uint16) (rows int) {
			count := map[uint16]int{}
			for _, leaf := range g.leaf {
				count[leaf&bits]++
			}
			half := bits &^ (bits >> 1) // that of the last depth
			for leaf, n := range count {
				if leaf&half == 0 {
					rows += min(n, count[leaf|half])
				}
			}
			return rows
		}
		low, high := split{input: 0, bin: 3 * len(g.cuts[0]) / 8}, split{input: 1, bin: 7 * len(g.cuts[1]) / 8}
		for depth, l := range []level{{low}, {high, low}, {high}} {
			g.divide(l, depth)
			want := sides(1<<(depth+1) - 1)
			if len(l) == 1 { // one side of the threshold that all nodes share
				beyond := 0
				for _, leaf := range g.leaf {
					beyond += int(leaf >> depth)
				}
				want = min(beyond, len(g.leaf)-beyond)
			}
			if got := len(g.part.row) - 1; got != want {
				t.Errorf("%d workers, depth %d: %d rows of %d are added up, want %d", workers, depth, got, len(g.rows), want)
			}
		}
	}
}

// The sizes of integers add up to 2³⁰ at most and more than half of that, whatever those of numbers do.
func TestUnits(t *testing.T) {
	for _, sum := range []float64{1, 3, 1 << 29, 1e-250, 1e300, math.MaxFloat64, mostSum, mostSum * 1.01} {
		if m, _ := math.Frexp(unitOf(sum)); m != 0.5 || sum*unitOf(sum) > 1<<30 || sum*unitOf(sum) <= 1<<29 {
			t.Errorf("numbers that add up to %v have the unit %v", sum, unitOf(sum))
		}
	}
	for _, sum := range []float64{0, 1e-310, math.Inf(1), math.NaN()} {
		if unitOf(sum) != 0 {
			t.Errorf("numbers that add up to %v have the unit %v", sum, unitOf(sum))
		}
	}
}

// Gains of thresholds are those of sums of floating-point numbers, and add up.
func TestScans(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, targets := range []int{1, 2, 3, 4, 7} {
		for range 20 {
			const count = 9
			by, words := rng.Float64(), targets/2+1
			bins := make([][]float64, count) // the errors and the weight of each
			raw, sums := make([]int64, count*words), make([]int64, count*words)
			for b := range bins {
				v := make([]float64, 2*words)
				for k := range targets {
					v[k] = float64(rng.IntN(1<<27) - 1<<26)
				}
				bins[b] = append(v[:targets:targets], float64(rng.IntN(3)))
				raw[b*words] = pack(v[0], bins[b][targets])
				for u := 1; u < words; u++ {
					raw[b*words+u] = pack(v[2*u-1], v[2*u])
				}
			}
			cumulate(sums, sums, sums, raw, count, words)
			gain := slices.Repeat([]float64{7}, count-1)
			all := make([]float64, 2*words)
			for u := range words {
				all[2*u+1], all[2*u] = asm.Unpack(sums[(u+1)*count-1])
			}
			asm.Native[float64]().Gains(gain, sums, count, all, by)
			for b := range gain {
				low, all := make([]float64, targets+1), make([]float64, targets+1)
				for i, of := range bins {
					for k, v := range of {
						if all[k] += v; i <= b {
							low[k] += v
						}
					}
				}
				want := 7.
				for k := range targets {
					r := all[k] - low[k]
					want += low[k]*low[k]/(low[targets]+by) + r*r/(all[targets]-low[targets]+by)
				}
				if math.Abs(gain[b]-want) > 1e-12*want {
					t.Fatalf("%d targets: threshold %d gains %v, want %v", targets, b, gain[b], want)
				}
			}
			if slices.ContainsFunc(raw, func(v int64) bool { return v != 0 }) {
				t.Fatal("the memory for the next input has sums of the last")
			}
		}
	}
}

// Fewer planned trees take larger steps, up to a largest.
func TestSteps(t *testing.T) {
	rows := random(8, 50, 2, 1, 9, false)
	for _, planned := range []int{100, 200, 2000} {
		s := settings(2, 3)
		s.Planned = planned
		g, err := Grow(t.Context(), s, rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		newReference(rows, planned).check(t, g, rand.NewPCG(3, 3))
	}
}

// A tree sees two of three rows, independent of those that others see.
func TestRowsOfTrees(t *testing.T) {
	const n = 30000
	g := newGrower(settings(2, 1), random(8, n, 1, 1, 9, false))
	seen := make([]int, n)
	for range 2 {
		g.choose()
		for _, i := range g.rows {
			seen[i]++
		}
	}
	count := make([]int, 3)
	for _, s := range seen {
		count[s]++
	}
	for s, p := range []float64{1. / 9, 4. / 9, 4. / 9} {
		if sd := math.Sqrt(n * p * (1 - p)); math.Abs(float64(count[s])-n*p) > 5*sd {
			t.Errorf("%d rows are seen by %d of two trees, want %.0f ± %.0f", count[s], s, n*p, sd)
		}
	}
}

// The trees have the bits that one worker gives them.
func TestWorkersGrowTheSame(t *testing.T) {
	for _, targets := range []int{1, 3} {
		rows, valid := random(2, 6000, 7, targets, 40, true), random(3, 500, 7, targets, 40, true)
		var want *Grown
		for _, workers := range []int{1, 2, 5} {
			s := settings(4, 20)
			s.Workers = workers
			g, err := Grow(t.Context(), s, rows, valid)
			if want == nil {
				want = g
			}
			if err != nil || !reflect.DeepEqual(g, want) {
				t.Errorf("%d workers: other trees, %v", workers, err)
			}
		}
	}
}

// Growing ends where held-out errors have not fallen for a while, and gives the trees until then.
func TestStops(t *testing.T) {
	for _, c := range []struct{ trees, planned, ahead, targets int }{{600, 600, 75, 1}, {600, 100, 30, 2}, {20, 600, 0, 1}} {
		train, valid := random(4, 150, 3, c.targets, 9, true), random(5, 60, 3, c.targets, 9, true)
		s := settings(3, c.trees)
		s.Planned = c.planned
		ctx := &counting{t.Context(), 1000}
		got, err := Grow(ctx, s, train, valid)
		if err != nil {
			t.Fatal(err)
		}
		s.Rand = rand.NewPCG(3, 3)
		all, err := Grow(t.Context(), s, train, nil)
		if err != nil {
			t.Fatal(err)
		}
		ref := newReference(train, c.planned)
		least, best := math.Inf(1), 0
		for n := 1; n <= min(c.trees, best+c.ahead) || best == 0 || c.ahead == 0 && n <= c.trees; n++ {
			var sum float64
			for i := range valid.X.Rows {
				for k, v := range predict(all.Trees, n, valid.X.Row(i)) {
					d := (valid.Y.Row(i)[k] - ref.start[k] - v) / ref.scale[k]
					sum += valid.Weight[i] * d * d
				}
			}
			if sum < least {
				least, best = sum, n
			}
		}
		if grown := 1000 - ctx.left; got.Count() != best || grown != best+c.ahead {
			t.Errorf("%d trees of %d are the best, want %d and %d more", got.Count(), grown, best, c.ahead)
		}
		if n := len(got.Input); !slices.Equal(got.Input, all.Input[:n]) || !slices.Equal(got.Threshold, all.Threshold[:n]) || !slices.Equal(got.Value.Data, all.Value.Data[:len(got.Value.Data)]) {
			t.Error("held-out rows change the trees")
		}
	}
}

// counting is cancelled when it was asked so many times.
type counting struct {
	context.Context
	left int
}

func (c *counting) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestIsCancelled(t *testing.T) {
	rows := random(4, 150, 3, 1, 9, false)
	for _, n := range []int{0, 7} {
		ctx := &counting{t.Context(), n}
		if g, err := Grow(ctx, settings(2, 50), rows, rows); g != nil || !errors.Is(err, context.Canceled) || ctx.left != -1 {
			t.Errorf("after %d trees: %v, %v, asked %d times more", n, g, err, -1-ctx.left)
		}
	}
}

// Inputs far from 0 have the same splits, and targets far from 0 the same values but for the rounding
// of the targets. Weights have no unit. The middle of shifted numbers is exact here.
func TestOffsetsAndUnits(t *testing.T) {
	rows := random(6, 200, 3, 1, 9, true)
	for i := range rows.Y.Data {
		rows.Y.Data[i] = math.Round(64*rows.Y.Data[i]) / 64
	}
	want, err := Grow(t.Context(), settings(3, 40), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	far := rows.Head(200)
	far.X, far.Y, far.Weight = blas.NewGeneral[float64](200, 3), blas.NewGeneral[float64](200, 1), slices.Clone(rows.Weight)
	for i, v := range rows.X.Data {
		far.X.Data[i] = v + 1e8
	}
	for i, v := range rows.Y.Data {
		far.Y.Data[i], far.Weight[i] = v+1e8, 4*far.Weight[i]
	}
	got, err := Grow(t.Context(), settings(3, 40), far, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range want.Threshold {
		if got.Input[i] != want.Input[i] || got.Threshold[i] != v+1e8 {
			t.Fatalf("split %d: input %d at %v, want %d at %v", i, got.Input[i], got.Threshold[i], want.Input[i], v+1e8)
		}
	}
	// The mean of 200 numbers of 1e8 is off by up to 200·2⁻⁵³·1e8, and so is every sum over a leaf.
	for i, v := range want.Value.Data {
		if math.Abs(got.Value.Data[i]-v) > 200*0x1p-53*1e8 {
			t.Fatalf("value %d is %v, want %v", i, got.Value.Data[i], v)
		}
	}
}

// An input that says nothing has little of the importance, and one that does not vary none.
func TestImportance(t *testing.T) {
	rows := random(6, 600, 4, 1, 9, false) // of the first two inputs
	for i := range rows.X.Rows {
		rows.X.Row(i)[3] = 7
	}
	g, err := Grow(t.Context(), settings(3, 60), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	of := g.Importance
	if sum := of[0] + of[1] + of[2] + of[3]; math.Abs(sum-1) > 1e-14 || of[2] > 0.2*min(of[0], of[1]) || of[3] != 0 {
		t.Errorf("importance %v", of)
	}
}

// Where nothing is to be learned there are no trees, or such as say nothing.
func TestNothingToLearn(t *testing.T) {
	same := random(1, 20, 2, 1, 9, false)
	for i := range same.X.Rows {
		copy(same.X.Row(i), []float64{3, math.Copysign(0, float64(1-2*(i%2)))}) // 0 and −0 are one value
	}
	huge := random(1, 20, 2, 1, 9, false)
	for i := range huge.Y.Data {
		huge.Y.Data[i] *= 1e200
	}
	flat, noise, other := random(1, 40, 2, 2, 9, true), random(1, 200, 3, 1, 9, false), random(2, 200, 3, 1, 9, false)
	for i := range flat.Y.Rows {
		copy(flat.Y.Row(i), []float64{0.25, -4})
	}
	for _, r := range []*trial.Rows{noise, other} { // targets of other rows
		slices.Reverse(r.Y.Data)
	}
	for name, c := range map[string]struct{ train, valid *trial.Rows }{"equal inputs": {same, nil}, "one row": {random(1, 1, 2, 1, 9, false), nil}, "infinite squares": {huge, huge},
		"a constant target": {flat, flat}, "a constant target of all rows": {flat, nil}, "noise": {noise, other}} {
		if g, err := Grow(t.Context(), settings(2, 5), c.train, c.valid); g != nil || !errors.Is(err, errNothing) {
			t.Errorf("%s: %v, %v", name, g, err)
		}
	}
	// A target that does not vary leaves the others as they are.
	two := random(1, 40, 2, 1, 9, false)
	want, err := Grow(t.Context(), settings(2, 5), two, nil)
	if err != nil {
		t.Fatal(err)
	}
	wide := *two
	wide.Y = blas.NewGeneral[float64](40, 2)
	for i := range 40 {
		copy(wide.Y.Row(i), []float64{8, two.Y.Row(i)[0]})
	}
	got, err := Grow(t.Context(), settings(2, 5), &wide, nil)
	if err != nil || !slices.Equal(got.Threshold, want.Threshold) {
		t.Fatalf("beside a constant target: %v", err)
	}
	for i, v := range want.Value.Data {
		if row := got.Value.Row(i); row[0] != 0 || math.Abs(row[1]-v) > 1e-13 {
			t.Fatalf("beside a constant target the values are %v, want %v", row, v)
		}
	}
}
