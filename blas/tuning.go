package blas

import (
	"unsafe"

	"github.com/rffgo/rff/asm"
)

// This page has what was chosen for speed in this package: it never changes a
// result. Shapes and cache sizes of each instruction set are in asm.Tuning; the
// block lengths that define results (BlockK, RowBlock, blockTri, blockInv) are
// where those results are defined.

// Work.
const (
	stripsPerTask = 16 // strips of MR rows that a task multiplies with one group
	stripsPerPack = 16 // strips, and
	panelsPerPack = 8  // panels, that a task packs
)

// Groups of panels in the second-level cache (see asm.Tuning.GroupBytes).

// groupTiles returns how many tiles' widths of panels of inner dimension k make
// a group.
func groupTiles[T Float](kern *asm.Kernels[T], k int) int {
	return tilesIn(kern, kern.GroupBytes(), k)
}

// gramTiles is groupTiles for panels of features that are both operands: 5/16 of
// the cache, as much for the next group on its way, and room for the panels that
// pass and for other users of the cache. That is less than for a product of
// two operands, because each panel that passes is MR columns wide there and a
// whole panel here. Features of a group are generated just before its product
// where they can be, so that it is there already.
func gramTiles[T Float](kern *asm.Kernels[T], k int) int {
	return tilesIn(kern, kern.L2/16*5, k)
}

func tilesIn[T Float](kern *asm.Kernels[T], bytes, k int) int {
	return max(1, bytes/max(1, kern.Width*k*int(unsafe.Sizeof(*new(T)))))
}

// Products.
const (
	// Rows and columns of the result for which operands are packed at once,
	// rounded down to whole strips and panels. They bound workspace to 21 + 31
	// MiB in float64; the micro-kernel fetches strips ahead, so these need not
	// stay in cache.
	maxBlockM = 5376
	maxBlockN = 8064
	// shortRow is the length in bytes up to which rows of A are read where they
	// lie: two pages hold eight of them.
	shortRow = 1 << 10
	// nearEnd is the number of strips at the end of a group, for each worker,
	// that fetch the next group: a third of them has time to, and six panels
	// need eight.
	nearEnd = 32
)

// narrowBytes is the size of packed A beside a few panels of B that stay in the
// second-level cache: half of it.
func narrowBytes[T Float](kern *asm.Kernels[T]) int { return kern.L2 / 2 }

// Features.
const (
	// streamBytes is the size of a matrix from which on Transform writes it past
	// the caches: little of it would be left in them for its next reader.
	streamBytes = 16 << 20
	// rowsPerTask rows make a task; manyRows where the frequencies do not fit
	// the second-level cache, since each task reads them once.
	rowsPerTask, manyRows = 48, 192
	// Maps of at most so many frequencies and inputs are made with rows and frequencies
	// in each other's place (see narrow): to transpose more takes longer than what empty
	// lanes cost.
	narrowFrequencies, narrowInputs = 5, 64
)

// Gram matrices.
const (
	// gramFarBytes is the size of a block of features from which on its sines go
	// past the caches: their half of the product comes after all cosines, long
	// enough that what they would push out of the caches is wanted before them.
	// In smaller blocks it makes no difference.
	gramFarBytes = 12 << 20
	// With partsInPlace parts of the features per worker or more, the features of a row
	// block overwrite those of the block before: one buffer instead of two. With fewer, or
	// with parts that are rows, which every task reads, workers would wait for each other.
	partsInPlace = 2
	// nearDiagonal is how many tiles' widths before the diagonal a group starts to
	// fetch the next one: early enough to have all of it, late enough not to lose
	// it again.
	nearDiagonal = 8
)

// Factorisations.
const (
	// triLD is the stride of a diagonal block: off the power of two, whose
	// columns would meet in one set of the cache.
	triLD = blockTri + 8
	// chunkCols is the number of right-hand sides that one task solves: with
	// blockTri rows half of the second-level cache at most.
	chunkCols = 192
	// trailingWidth is about how many columns a block of Trailing has: with
	// BlockK rows it stays in the second-level cache between its update and its
	// product.
	trailingWidth = 64
)

// Generic backends.
const (
	// genericTile is the side of a tile of a result that one worker computes at
	// a time; of a Gram matrix on several workers at least genericLeast, as more
	// tiles to share cost packing.
	genericTile  = 512
	genericLeast = 128
	// genericBlock is the number of rows that Cholesky factors at a time.
	genericBlock = 128
	// genericValues is the number of projections that are made at once: they
	// stay in the second-level cache until the cosine has read them.
	genericValues = 65536
)
