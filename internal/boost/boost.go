// Package boost grows sums of oblivious trees: gradient boosting of the squared error (Friedman,
// "Greedy function approximation: a gradient boosting machine", 2001), each tree on a random part of
// the rows (Friedman, "Stochastic gradient boosting", 2002). All nodes of one depth of a tree share a
// threshold (Prokhorenkova and others, "CatBoost", NeurIPS 2018).
package boost

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/schedule"
	"github.com/rffgo/rff/internal/trial"
)

// Settings say how trees are grown.
type Settings struct {
	Workers int
	Depth   int
	Trees   int // at most
	Planned int // the number of trees that the size of their steps is for
	Rand    rand.Source
}

const (
	// A tree takes usualRate of the best step where usual trees are planned, and more of it where there
	// are fewer, up to mostRate. Smaller steps do better: 1,500 trees have .98 of the error of 500.
	usualRate, usual, mostRate = 0.1, 500, 0.3
	// The weight of ridge average rows is added to that of the rows of a leaf, which draws the values of
	// small leaves to 0.
	ridge = 1
	// A tree sees two of three rows.
	rowShare = 2. / 3
	// Growing ends where one in patience of the planned trees have not made the held-out error smaller.
	patience, leastPatience = 8, 30
	// mostRows of the data are grown on.
	mostRows = 1 << 22
)

var errNothing = errors.New("there is nothing to learn from the rows")

// Grown is what was grown.
type Grown struct {
	*blas.Trees
	Importance []float64 // of each input: its share of what all splits took off the squared error, or 0 if that is nothing
}

// Grow returns the trees whose sum has the least squared error on valid, among the first of up to
// s.Trees. Without valid it grows all of them. The sum is that of the targets less their means. The error
// is that of ctx, or errNothing if no input varies, the squared error is no finite number, or the trees do
// no better than none on valid, beyond noise.
func Grow(ctx context.Context, s Settings, train, valid *trial.Rows) (*Grown, error) {
	g := newGrower(s, train)
	if g == nil {
		return nil, errNothing
	}
	var held *held
	if valid != nil {
		held = g.holding(valid)
	}
	best := 0
	for n := 1; n <= s.Trees; n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g.grow()
		if held == nil {
			best = n
			continue
		}
		if held.add(g.last()); held.improved() {
			best = n
		} else if n-best >= max(leastPatience, s.Planned/patience) {
			break
		}
	}
	if best == 0 || held != nil && !held.learned() {
		return nil, errNothing
	}
	return g.grown(best), nil
}

// grower has the rows and what was grown on them so far.
type grower struct {
	Settings
	cuts    [][]float64 // thresholds of each input, ascending
	bins    [][]uint8   // of each input, of each row: the number of cuts below its value
	inputs  []int       // those with a cut
	rest    [][]int32   // of each input, the rows in other bins than common; nil: these are many
	common  []int       // the bin of most rows
	targets int
	error   []float64 // of each row, targets side by side: what is still to be explained
	weight  []float64 // nil: ones
	mean    []float64 // of targets
	scale   []float64 // of them
	rate    float64
	ridge   float64 // in the unit of weights
	trees   []tree
	gains   []float64 // of inputs

	// Of the rows that a tree sees:
	rows   []int32
	part   []int32 // places in rows of the smaller side of the last division, or all
	others []int32 // of the larger side
	beyond bool    // part are the rows beyond the threshold
	place  []int32 // of each of all rows in rows, or −1 if it is not in part
	leaf   []uint16
	totals []float64   // of part, for every leaf: errors times weights, then weights
	seen   []float64   // errors times weights, then the weight, side by side
	splits []split     // the best of each input
	sums   [][]float64 // of each input, for every leaf and bin: errors times weights, then weights
}

// split is a threshold for all nodes of a depth.
type split struct {
	gain  float64
	input int
	bin   int // rows of a larger bin have the bit
}

type tree struct {
	split []split
	value []float64 // 2^depth·targets
}

func (g *grower) grow() {
	g.choose()
	t := tree{}
	var before float64
	for depth := range g.Depth {
		work := float64(len(g.part) * len(g.inputs) * 16)
		schedule.Tasks(schedule.Worthwhile(g.Workers, work, len(g.inputs)), len(g.inputs), func(_, c int) { g.splits[c] = g.best(c, depth) })
		best := g.splits[0]
		for _, s := range g.splits[1:] {
			if s.gain > best.gain {
				best = s
			}
		}
		t.split = append(t.split, best)
		g.gains[best.input] += max(0, best.gain-before)
		before = best.gain
		g.divide(best, depth)
	}
	t.value = g.values()
	g.trees = append(g.trees, t)
	addTree(t, g.bins, g.targets, g.error, -1)
}

// divide gives the rows beyond the threshold the bit of that depth. part becomes the rows on the side
// that has fewer.
func (g *grower) divide(s split, depth int) {
	bins := g.bins[s.input]
	beyond, others := g.part[:0], g.others[:0]
	for k, i := range g.rows {
		if int(bins[i]) > s.bin {
			g.leaf[k] |= 1 << depth
			beyond = append(beyond, int32(k))
		} else {
			others = append(others, int32(k))
		}
	}
	g.part, g.others, g.beyond = beyond, others, true
	if len(others) < len(beyond) {
		g.part, g.others, g.beyond = others, beyond, false
	}
	for _, k := range g.others {
		g.place[g.rows[k]] = -1
	}
	g.total(1<<depth - 1)
}

// total gives the rows of part their places, and adds them up for every leaf. mask has the bits of the
// leaf that count.
func (g *grower) total(mask uint16) {
	width := g.targets + 1
	g.totals = g.totals[:(int(mask)+1)*width]
	clear(g.totals)
	for _, k := range g.part {
		g.place[g.rows[k]] = k
		for t, v := range g.seen[int(k)*width:][:width] {
			g.totals[int(g.leaf[k]&mask)*width+t] += v
		}
	}
}

// last returns the tree that was grown last.
func (g *grower) last() tree { return g.trees[len(g.trees)-1] }

// choose draws the rows of the next tree.
func (g *grower) choose() {
	seed := g.Rand.Uint64()
	g.rows, g.part, g.seen = g.rows[:0], g.part[:0], g.seen[:0]
	t := g.targets
	for i := range len(g.error) / t {
		if g.place[i] = -1; float64(mix(seed+uint64(i))>>11)*0x1p-53 >= rowShare {
			continue
		}
		w := 1.0
		if g.weight != nil {
			w = g.weight[i]
		}
		g.part = append(g.part, int32(len(g.rows)))
		g.rows = append(g.rows, int32(i))
		for _, e := range g.error[i*t:][:t] {
			g.seen = append(g.seen, float64(w*e))
		}
		g.seen = append(g.seen, w)
	}
	g.leaf = g.leaf[:len(g.rows)]
	clear(g.leaf)
	g.total(0)
}

// mix is number z of splitmix64 (Steele and others, OOPSLA 2014) from 0 on.
func mix(z uint64) uint64 {
	z *= 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// values returns the values of the leaves.
func (g *grower) values() []float64 {
	width := g.targets + 1
	sums := make([]float64, width<<g.Depth)
	for k := range g.rows {
		for t, v := range g.seen[k*width:][:width] {
			sums[int(g.leaf[k])*width+t] += v
		}
	}
	value := make([]float64, g.targets<<g.Depth)
	for leaf := range 1 << g.Depth {
		of := sums[leaf*width:][:width]
		for t := range g.targets {
			value[leaf*g.targets+t] = float64(g.rate*of[t]) / (of[width-1] + g.ridge)
		}
	}
	return value
}

// addTree adds a tree times a factor to the values of rows.
func addTree(t tree, bins [][]uint8, targets int, to []float64, by float64) {
	leaf := make([]uint16, len(to)/targets)
	for depth, s := range t.split {
		for i, b := range bins[s.input] {
			if int(b) > s.bin {
				leaf[i] |= 1 << depth
			}
		}
	}
	for i, l := range leaf {
		for k, v := range t.value[int(l)*targets:][:targets] {
			to[i*targets+k] += float64(by * v)
		}
	}
}
