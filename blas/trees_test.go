package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rffgo/rff/asm"
)

// stumps returns a map of trees with one comparison of one input each. Tree i adds 2^i where x is above
// its threshold.
func stumps(threshold ...float64) *Spec {
	t := &Trees{Depth: 1, Input: make([]int, len(threshold)), Threshold: threshold, Value: NewGeneral[float64](2*len(threshold), 1)}
	for i := range threshold {
		t.Value.Row(2*i + 1)[0] = math.Ldexp(1, i)
	}
	return &Spec{Dim: 1, Func: asm.Linear, Weight: []float64{1}, Blocks: []Block{{Size: 1, Keep: 1, Scale: []float64{1}, Trees: t}}}
}

// A tree compares exactly, in float32 as well, where a threshold of float64 may lie between two numbers
// next to each other, or beyond all of them. 0 is not above −0.
func TestTreesCompareExactly(t *testing.T) {
	t.Run("float64", testTreesCompareExactly[float64])
	t.Run("float32", testTreesCompareExactly[float32])
}

func testTreesCompareExactly[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for range 200 {
		v := T(r.NormFloat64())
		threshold := []float64{float64(v), math.Nextafter(float64(v), 9), math.Nextafter(float64(v), -9), math.Copysign(0, -1), 0, 1e300, -1e300,
			(float64(v) + float64(math.Nextafter32(float32(v), 9))) / 2, (float64(v) + float64(math.Nextafter32(float32(v), -9))) / 2}
		x := NewGeneral[T](7, 1)
		copy(x.Data, []T{v, T(math.Nextafter32(float32(v), 9)), T(math.Nextafter32(float32(v), -9)), 0, T(math.Copysign(0, -1)), 1e38, -1e38})
		got := NewGeneral[T](x.Rows, 1)
		Pack[T](stumps(threshold...)).Transform(Engine{}, got, x)
		for i, v := range x.Data {
			want := 0
			for k, c := range threshold {
				if float64(v) > c {
					want += 1 << k
				}
			}
			if float64(got.Data[i]) != float64(want) {
				t.Fatalf("%v is above the thresholds %b of %v, not %v", v, want, threshold, got.Data[i])
			}
		}
	}
}

// Sums have the bits of their definition for every depth, whatever rows are made together, and for numbers
// at and next to any of many thresholds of an input.
func TestTreesOfManyThresholds(t *testing.T) {
	t.Run("float64", testTreesOfManyThresholds[float64])
	t.Run("float32", testTreesOfManyThresholds[float32])
}

func testTreesOfManyThresholds[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	counts := []int{1, 126, 127, 128, 254, 300, 600, 2, 3}
	columns := []int{1, 2, 3, 1, 7, 8, 1, 9, 17, 1, 3, 1}
	infinity := math.Inf(1)
	for depth := 1; depth <= mostDepth; depth++ {
		var input []int
		var threshold []float64
		for j, n := range counts {
			for range n {
				input, threshold = append(input, j), append(threshold, r.NormFloat64())
			}
		}
		// Two zeros, two equal numbers, and numbers beyond float32 and between two of its numbers.
		n := len(input)
		copy(threshold[n-705:], []float64{0, math.Copysign(0, -1), threshold[n-650], 1e300, -1e300, 1 + 0x1p-30, 1 - 0x1p-30, -0x1p-1074})
		// The depths of a tree have one comparison and one for each node, in turn.
		var width []int
		for all := 0; all < n || len(width)%depth > 0; {
			width = append(width, 1)
			i := len(width) - 1
			if depth%2 == 0 && (i/depth+i%depth)%2 == 1 {
				width[i] = 1 << (i % depth)
			}
			all += width[i]
			for len(input) < all {
				input, threshold = append(input, r.IntN(9)), append(threshold, r.NormFloat64())
			}
		}
		r.Shuffle(n, func(i, k int) {
			input[i], input[k], threshold[i], threshold[k] = input[k], input[i], threshold[k], threshold[i]
		})
		keep := columns[depth-1]
		s := &Spec{Dim: len(counts), Func: asm.Linear, Blocks: []Block{{Size: max(16, 2*keep&^15), Keep: keep, Trees: &Trees{Depth: depth, Tanh: depth%3 == 0,
			Width: width, Input: input, Threshold: threshold, Value: randomGeneral[float64](r, len(width)/depth<<depth, keep, 2)}}}}
		for range keep {
			s.Phase, s.Weight = append(s.Phase, r.NormFloat64()), append(s.Weight, r.NormFloat64())
			s.Blocks[0].Scale = append(s.Blocks[0].Scale, r.NormFloat64())
		}
		x := NewGeneral[T](70, s.Dim)
		special := []float64{math.NaN(), math.Copysign(math.NaN(), -1), math.Float64frombits(0x7ff0000000000001), infinity, -infinity, 0, math.Copysign(0, -1), math.MaxFloat64, -math.MaxFloat64, 0x1p-1074, -0x1p-1074}
		for i := range x.Data {
			at := r.IntN(len(threshold))
			for input[at] != i%s.Dim {
				at = (at + 1) % len(threshold)
			}
			switch v := T(threshold[at]); r.IntN(5) {
			case 0:
				x.Data[i] = T(special[r.IntN(len(special))])
			case 1:
				x.Data[i] = v
			case 2:
				x.Data[i] = T(math.Nextafter(float64(v), infinity))
			case 3:
				x.Data[i] = T(math.Nextafter32(float32(v), float32(-infinity)))
			case 4:
				x.Data[i] = T(math.Nextafter32(float32(v), float32(infinity)))
			}
		}
		want, m := refFeatures(s, x), Pack[T](s)
		for i := range x.Rows {
			got := make([]T, keep)
			m.TransformRow(Engine{Workers: 1}, got, x.Row(i))
			sameBits(t, fmt.Sprintf("row %d alone of depth %d with %d columns", i, depth, keep), got, want.Row(i))
		}
		for rows := 1; rows <= x.Rows; rows += 1 + rows/(2*treeRows+1)*17 {
			got := randomGeneral[T](r, rows, keep, 3)
			guard := clone(got)
			for i := range rows {
				copy(guard.Row(i), want.Row(i))
			}
			m.Transform(Engine{Workers: 1}, got, x.RowRange(0, rows))
			sameBits(t, fmt.Sprintf("%d rows of depth %d with %d columns", rows, depth, keep), got.Data, guard.Data)
		}
	}
}

// Trees of classes have the hyperbolic tangent of the sum, which the scale follows.
func TestTreesOfClasses(t *testing.T) {
	s := stumps(0, 1)
	s.Blocks[0].Trees.Tanh, s.Blocks[0].Scale[0] = true, 3
	for x, sum := range map[float64]float64{-1: 0, 0.5: 1, 2: 3} {
		got := make([]float64, 1)
		if Pack[float64](s).TransformRow(Engine{}, got, []float64{x}); math.Abs(got[0]-3*math.Tanh(sum)) > 1e-15 {
			t.Errorf("%v has the feature %v, want %v", x, got[0], 3*math.Tanh(sum))
		}
	}
}

// The first comparison is the lowest bit of the row, and each tree has its own rows.
func TestTreesAreTables(t *testing.T) {
	s := &Spec{Dim: 2, Func: asm.Linear, Weight: []float64{1, 1}, Blocks: []Block{{Size: 2, Keep: 2, Scale: []float64{1, 10}, Trees: &Trees{
		Depth: 2, Input: []int{1, 0, 0, 0}, Threshold: []float64{0.5, -1, 3, 4}, Value: NewGeneral[float64](8, 2)}}}}
	for i := range 8 {
		copy(s.Blocks[0].Trees.Value.Row(i), []float64{math.Ldexp(1, i), float64(i)})
	}
	for _, c := range []struct {
		x         []float64
		row, next int // of the first tree, of the second
	}{{[]float64{-1, 0.5}, 0, 0}, {[]float64{-1, 0.6}, 1, 0}, {[]float64{0, 0}, 2, 0}, {[]float64{3, 1}, 3, 0}, {[]float64{3.5, 1}, 3, 1}, {[]float64{5, -9}, 2, 3}} {
		got := make([]float64, 2)
		Pack[float64](s).TransformRow(Engine{}, got, c.x)
		want := []float64{math.Ldexp(1, c.row) + math.Ldexp(1, 4+c.next), 10 * float64(c.row+4+c.next)}
		if !slices.Equal(got, want) {
			t.Errorf("%v has the features %v, want %v", c.x, got, want)
		}
	}
}

func TestTreesAreChecked(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for what, c := range map[string]struct {
		field, need string
		value       any
		spoil       func(b *Block, t *Trees)
	}{
		"no depth":      {"Trees.Depth", "must be in 1..12", 0, func(_ *Block, t *Trees) { t.Depth = 0 }},
		"too deep":      {"Trees.Depth", "must be in 1..12", 13, func(_ *Block, t *Trees) { t.Depth = 13 }},
		"no trees":      {"Trees.Input", "must have 36 elements, as Threshold must", 0, func(_ *Block, t *Trees) { t.Input, t.Threshold = nil, nil }},
		"half a tree":   {"Trees.Input", "must have 36 elements, as Threshold must", 35, func(_ *Block, t *Trees) { t.Input, t.Threshold = t.Input[1:], t.Threshold[1:] }},
		"thresholds":    {"Trees.Input", "must have 36 elements, as Threshold must", 36, func(_ *Block, t *Trees) { t.Threshold = t.Threshold[1:] }},
		"widths":        {"Trees.Width", "must have Depth elements for each tree", 26, func(_ *Block, t *Trees) { t.Width = t.Width[1:] }},
		"more widths":   {"Trees.Width", "must have Depth elements for each tree", 28, func(_ *Block, t *Trees) { t.Width = append(t.Width, 1) }},
		"a width":       {"Trees.Width[4]", "must be 1 or, at depth d, 2^d", 4, func(_ *Block, t *Trees) { t.Width[4] = 4 }},
		"a first width": {"Trees.Width[3]", "must be 1 or, at depth d, 2^d", 2, func(_ *Block, t *Trees) { t.Width[3] = 2 }},
		"below":         {"Trees.Input[5]", "must be in 0..4", -1, func(_ *Block, t *Trees) { t.Input[5] = -1 }},
		"beyond":        {"Trees.Input[35]", "must be in 0..4", 5, func(_ *Block, t *Trees) { t.Input[35] = 5 }},
		"infinite":      {"Trees.Threshold[4]", "must be finite", math.Inf(1), func(_ *Block, t *Trees) { t.Threshold[4] = math.Inf(1) }},
		"rows":          {"Trees.Value", "must have 2^Depth rows for each tree and Keep = 2 columns", 71, func(_ *Block, t *Trees) { t.Value.Rows-- }},
		"columns":       {"Trees.Value", "must have 2^Depth rows for each tree and Keep = 2 columns", 72, func(_ *Block, t *Trees) { t.Value.Cols-- }},
		"no such value": {"Trees.Value", "must hold 72×2 elements with stride 3", 9, func(_ *Block, t *Trees) { t.Value.Data = t.Value.Data[:9] }},
		"not a number":  {"Trees.Value row 3[1]", "must be finite", math.Inf(-1), func(_ *Block, t *Trees) { t.Value.Row(3)[1] = math.Inf(-1) }},
		"a diagonal":    {"D", "and Perm have no meaning for trees", 1, func(b *Block, _ *Trees) { b.D = [][]float64{make([]float64, 8)} }},
		"a permutation": {"D", "and Perm have no meaning for trees", 0, func(b *Block, _ *Trees) { b.Perm = rng.Perm(8) }},
		"small":         {"Size", "must be a power of two, at least Dim = 5", 4, func(b *Block, _ *Trees) { b.Size = 4 }},
		"scale":         {"Scale[1]", "must be finite", math.Inf(1), func(b *Block, _ *Trees) { b.Scale[1] = math.Inf(1) }},
	} {
		s := specs(rng)["trees"]
		if _, _, need := s.Check(); need != "" {
			t.Fatal(need)
		}
		c.spoil(&s.Blocks[0], s.Blocks[0].Trees)
		if field, value, need := s.Check(); field != "Blocks[0]."+c.field || need != c.need || fmt.Sprint(value) != fmt.Sprint(c.value) {
			t.Errorf("%s: %s = %v %s", what, field, value, need)
		}
	}
	deepest := specs(rng)["trees"]
	of := deepest.Blocks[0].Trees
	of.Depth, of.Width, of.Input, of.Threshold, of.Value = 12, nil, make([]int, 12), make([]float64, 12), NewGeneral[float64](1<<12, 2)
	if field, _, need := deepest.Check(); need != "" {
		t.Error(field, need)
	}
}

// A copy has the features of the map and shares nothing with it, however either changes.
func TestTreesAreCloned(t *testing.T) {
	s := specs(rand.New(rand.NewPCG(4, 4)))["treesmany"]
	x := randomGeneral[float64](rand.New(rand.NewPCG(5, 4)), 40, s.Dim, 0)
	want, c := refFeatures(s, x), s.Clone()
	for i := range s.Blocks {
		of := s.Blocks[i].Trees
		of.Depth, of.Tanh = of.Depth+1, !of.Tanh
		for k := range of.Input {
			of.Input[k], of.Threshold[k] = 0, 7
		}
		for k := range of.Width {
			of.Width[k] = 5
		}
		for k := range of.Value.Data {
			of.Value.Data[k] = -7
		}
	}
	_, out := Pack[float64](c).Dims()
	got := NewGeneral[float64](40, out)
	Pack[float64](c).Transform(Engine{}, got, x)
	sameBits(t, "Clone", got.Data, want.Data)
}
