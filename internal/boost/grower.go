package boost

import "math/rand/v2"

// Settings say how trees are grown.
type Settings struct {
	Workers int
	Depth   int
	Own     bool // nodes have thresholds of their own where these explain more than noise would
	Trees   int  // at most
	Planned int  // the number of trees that the size of their steps is for
	Rand    rand.Source
}

// grower has the rows and what was grown on them so far.
type grower struct {
	Settings
	cuts    [][]float64 // thresholds of each input, ascending
	bins    [][]uint8   // of each input, of each row: the number of cuts below its value
	inputs  []int       // those with a cut
	rest    [][]int32   // of each input, the rows in other bins than common; nil: these are many
	sparse  bool        // some input has such rows
	common  []int       // the bin of most rows
	targets int
	left
	weight  []float64 // nil: ones
	classes bool      // the targets are codes of classes
	start   []float64 // the sums without trees
	scale   []float64 // of targets
	rate    float64
	ridge   float64
	trees   []tree
	gains   []float64 // of inputs
	words   int       // of the integers of a row

	// Errors and weights times these are rounded to integers.
	errorUnit, weightUnit float64
	noise                 float64 // of splits, in the unit of gains

	// Of the rows that a tree sees:
	rows   []int32
	leaf   []uint16
	packed []int64 // words of each
	unseen []int32 // the other rows

	part    portion
	fewer   []uint16  // of each node of the last depth: the bit of the rows that part has
	place   []int32   // number of each of all rows in part, or 0
	totals  []int64   // words of part, for every leaf
	splits  [][]split // of each input, the best for all leaves, and those of every leaf if nodes have their own
	sums    [][]int64 // of each input, for every leaf, word and bin: the sum up to that bin
	scratch []scratch // of workers
}

// split is a threshold for a node, or for all nodes of a depth.
type split struct {
	gain  float64
	place int // in grower.inputs
	input int
	bin   int // rows of a larger bin have the bit
}

// level has the split of each node of a depth, or one for all of them.
type level []split

type tree struct {
	levels []level
	value  []float64 // 2^depth·targets
}

// portion has the rows on the side of each division that has fewer, or all, from number 1 on. Number 0 adds nothing
// to any sum.
type portion struct {
	row    []int32
	leaf   []uint16 // before the division
	packed []int64
}

// last returns the tree that was grown last.
func (g *grower) last() tree { return g.trees[len(g.trees)-1] }

func (g *grower) weightOf(row int32) float64 {
	if g.weight == nil {
		return 1
	}
	return g.weight[row]
}

// wordsOf returns the number of words that have the errors of so many targets and a weight, two of them each.
func wordsOf(targets int) int { return targets/2 + 1 }
