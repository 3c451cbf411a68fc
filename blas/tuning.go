package blas

import (
	"unsafe"

	"github.com/rffgo/rff/asm"
)

// This file has the sizes that were chosen for speed in this package. They never change a
// result. Shapes and cache sizes of each instruction set are in asm.Tuning. The block lengths
// that define results (BlockK, RowBlock, blockTri, blockInv) are in lengths.go.

// Work.
const (
	stripsPerTask = 16 // strips of MR rows that a task multiplies with one group
	stripsPerPack = 16 // strips that a task packs
	panelsPerPack = 8  // panels that a task packs
)

// Groups of panels in the second-level cache (see asm.Tuning.GroupBytes).

// groupTiles returns the width of a group, in tiles, of panels with inner dimension k.
func groupTiles[T Float](kern *asm.Kernels[T], k int) int {
	return tilesIn(kern, kern.GroupBytes(), k)
}

// gramTiles is groupTiles for panels of features that are both operands. A group takes 5/16 of
// the second-level cache. The next group, which is prefetched, takes as much, and the rest is
// for the panels that pass by and for other users of the cache. A group of a product of two
// operands takes more, because there only MR columns pass by at a time, and here a whole panel
// does. If possible, the features of a group are generated just before its product, so that
// they are in cache.
func gramTiles[T Float](kern *asm.Kernels[T], k int) int {
	return tilesIn(kern, kern.L2/16*5, k)
}

func tilesIn[T Float](kern *asm.Kernels[T], bytes, k int) int {
	return max(1, bytes/max(1, kern.Width*k*int(unsafe.Sizeof(*new(T)))))
}

// Products.
const (
	// Operands are packed for at most this many rows and columns of the result at once,
	// rounded down to whole strips and panels. They bound the workspace to 21 + 31 MiB in
	// float64. The micro-kernel fetches strips ahead, so packed operands need not stay in
	// cache.
	maxBlockM = 5376
	maxBlockN = 8064
	// Rows of A of at most shortRow bytes are read in place: two pages hold eight of them.
	shortRow = 1 << 10
	// nearEnd is the number of strips at the end of a group, for each worker, that fetch the
	// next group. Six panels need eight strips, and only a third of the strips has time to
	// fetch.
	nearEnd = 32
)

// narrowBytes is the size of packed A in a product with few panels of B, which stay in the
// second-level cache: half of that cache.
func narrowBytes[T Float](kern *asm.Kernels[T]) int { return kern.L2 / 2 }

// Features.
const (
	// Transform writes matrices of at least streamBytes past the caches, which would hold
	// little of them when they are read next.
	streamBytes = 16 << 20
	// rowsPerTask rows make a task, or manyRows if the frequencies do not fit the second-level
	// cache, because each task reads them once.
	rowsPerTask, manyRows = 48, 192
	// In maps of at most this many frequencies and inputs, rows and frequencies change places
	// (see narrow). In larger maps, transposing would take longer than the empty lanes cost.
	narrowFrequencies, narrowInputs = 5, 64
)

// predictBytes is the size of the coefficients that Predict multiplies with all rows of a chunk
// before it goes on: a quarter of the second-level cache.
func predictBytes[T Float](kern *asm.Kernels[T]) int { return kern.L2 / 4 }

// Scores.
const (
	// With at least manyTargets targets the features of a block are stored and multiplied. With
	// fewer they are summed as they are made.
	manyTargets = 16
)

// Gram matrices.
const (
	// The sines of a block of features of at least gramFarBytes are written past the caches.
	// Their half of the product comes after that of all cosines, so in the caches they would
	// displace data that are wanted earlier. In smaller blocks it makes no difference.
	gramFarBytes = 12 << 20
	// With at least partsInPlace parts of the features per worker, the features of a row block
	// overwrite those of the block before, in one buffer instead of two. With fewer parts, or
	// with parts that are rows, which every task reads, workers would wait for each other.
	partsInPlace = 2
	// A group starts to fetch the next one nearDiagonal tiles before the diagonal. This is
	// early enough to fetch all of it, and late enough to keep it in cache.
	nearDiagonal = 8
)

// Factorisations.
const (
	// triLD is the stride of a diagonal block. With a power of two as the stride, the elements
	// of a column would share one set of the cache.
	triLD = blockTri + 8
	// chunkCols is the number of right-hand sides that one task solves. With blockTri rows
	// they take at most half of the second-level cache.
	chunkCols = 192
	// trailingWidth is about the number of columns of a block of Trailing. BlockK rows of a
	// block stay in the second-level cache between their update and their product.
	trailingWidth = 64
)

// Generic backends.
const (
	// genericTile is the side of a tile of a result that one worker computes at a time. Tiles
	// of a Gram matrix on several workers may be smaller, down to genericLeast; still smaller
	// ones would cost more packing.
	genericTile  = 512
	genericLeast = 128
	// genericBlock is the number of rows that Cholesky factors at a time.
	genericBlock = 128
	// genericValues is the number of projections that are made at once. They stay in the
	// second-level cache until the cosine has read them.
	genericValues = 65536
)
