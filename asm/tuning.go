package asm

// Tuning has the sizes that were chosen for the speed of one instruction set: the shapes of its
// kernels and the caches that they count on. None of them changes a result.
type Tuning struct {
	Panel64, Panel32 int // columns of a panel, by element type
	Across           int // panels of a tile
	Strip            int // rows of the best feature tile
	MR               int // most rows of a product tile; divides both panels

	L1, L2 int // bytes of cache of one core
}

// The table of every instruction set, on one page.
//
// Panels. A panel is a whole number of vectors wide. For AVX-512 and NEON it is one cache line.
// The strip that is the left operand of ZᵀZ is a panel too. If panels were two lines wide, a strip
// would take every other line, and so only half the sets of a first-level cache. AVX2 has three
// vectors, 96 bytes, because 4 rows × 3 vectors are the 12 accumulators that cover the latency of
// its two multiply-add pipes and leave 3 registers for W and 1 for x.
//
// Tiles. AVX-512 takes two panels by 8 rows, 16 accumulators. 12 rows would load less, but leave
// too few registers for an epilogue that keeps two multiply-add pipes busy through chains of 10
// dependent operations. NEON takes 4 rows by 4 vectors, as many as four pipes of latency 4 can
// keep in flight, and has 16 registers left to load ahead and for the cosines. Go keeps blocks of
// 4 columns in local variables. They have 4 rows if there are 32 registers, and 2 otherwise (see
// portable_chains.go).
//
// Caches. L1 is the smallest first-level cache of processors with the instruction set, so that
// data that fit it fit all. L2 is that of a core of Zen 4 and 5, Golden Cove and Neoverse.
var (
	avx512Tuning = Tuning{Panel64: 8, Panel32: 16, Across: 2, Strip: 8, MR: 8, L1: 32 << 10, L2: 1 << 20}
	avx2Tuning   = Tuning{Panel64: 12, Panel32: 24, Across: 1, Strip: 4, MR: 4, L1: 32 << 10, L2: 1 << 20}
	neonTuning   = Tuning{Panel64: neonPanel64, Panel32: neonPanel32, Across: 1, Strip: neonTile, MR: neonTile, L1: 32 << 10, L2: 1 << 20}
	goTuning     = Tuning{Panel64: 8, Panel32: 8, Across: 1, Strip: 4, MR: 4, L1: 32 << 10, L2: 1 << 20}
)

// Shapes of NEON that are sizes of arrays.
const (
	neonPanel64 = 8
	neonPanel32 = 16
	neonTile    = 4
)

// GroupBytes is the size of a group of panels that stays in the second-level cache while rows or
// strips of the other operand pass by. It is 3/8 of that cache. The next group, which is
// prefetched, takes as much, and the rest is for the passing operand and the result.
func (t *Tuning) GroupBytes() int { return t.L2 / 8 * 3 }

// panel is the columns of a panel of T.
func (t *Tuning) panel(size int) int {
	if size == 4 {
		return t.Panel32
	}
	return t.Panel64
}

// Pipelined kernels of AVX-512 take strips of pipelinedRows rows with pipelinedLeast to
// pipelinedMost inputs. Fewer inputs are too little work to merge an epilogue with. With more
// inputs, tiles of twice as many accumulators are faster.
const (
	pipelinedRows  = 8
	pipelinedLeast = 4
	pipelinedMost  = 40
)

// A goroutine cannot be stopped inside a call. So a call of a pipelined kernel does at most
// pipelinedWork multiply-adds, about 0.1 ms, and a call of a NEON kernel at most neonWork, about
// 0.2 ms.
const (
	pipelinedWork = 1 << 22
	neonWork      = 1 << 21
)

// backwardPanels panels take turns in Backward. The derivatives by a coefficient are chains that
// go through memory from one tile of rows to the next; two of them keep two pipes busy. A few
// panels at a time are read in the order of memory.
const backwardPanels = 2

// neonRows rows share a pass of the NEON kernels over the panels. Up to d ≈ 200 their X stays in
// the first-level cache together with one panel of W. W is read from the second level once per
// neonRows rows.
const neonRows = 32
