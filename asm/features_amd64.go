//go:build gc && !purego && !noasm

package asm

// featuresAVX512 replaces the reference kernels of Features, Scores, Apply, Peak and Forward.
func featuresAVX512(k64 *Kernels[float64], k32 *Kernels[float32]) {
	rows := []int{8, 4, 1}
	s64 := &strips{avx512F64, k64.Width, k64.Panel, 8, rows, k64.GroupBytes()}
	s32 := &strips{avx512F32, k32.Width, k32.Panel, 16, rows, k32.GroupBytes()}
	bindStrips(k64, s64, 24)
	bindStrips(k32, s32, 24)
	bindForward(k64, s64)
	bindForward(k32, s32)
}

// featuresAVX2 replaces the reference kernels of Features, Scores, Apply and Peak.
func featuresAVX2(k64 *Kernels[float64], k32 *Kernels[float32]) {
	rows := []int{4, 1}
	bindStrips(k64, &strips{avx2F64, k64.Width, k64.Panel, 4, rows, k64.GroupBytes()}, 12)
	bindStrips(k32, &strips{avx2F32, k32.Width, k32.Panel, 8, rows, k32.GroupBytes()}, 12)
}

type family uint8

const (
	avx512F64 family = iota
	avx512F32
	avx2F64
	avx2F32
)

// The kernels of a strip, in the order of their tables (asm/_gen), which have those of float64
// and then those of float32. They equal the reference kernels of Features and Scores (evaluate)
// on whole panels, and that of Apply (applyGo) on whole vectors, which strip.panels
// counts and whose projections strip.x points to.
const (
	entryFeatures = iota // of a tile of 1 row, then of 4 and 8
	_
	_
	entryPipelined // merges 4 inputs with an epilogue, then 8
	_
	entryApply
	entryPeak // strip.strips rounds of vector multiply-adds, three quarters of the registers each
	stripEntries
)

// runStrip calls an entry of the table of k. It takes no function value, so that
// strips stay on the caller's stack.
func runStrip(k family, entry int, s *strip) {
	if k <= avx512F32 {
		stripAVX512(s, int(k-avx512F64)*stripEntries+entry)
	} else {
		stripAVX2(s, int(k-avx2F64)*stripEntries+entry)
	}
}

// runTile calls the kernel of tiles of that many rows.
func runTile(k family, rows int, s *strip) { runStrip(k, entryFeatures+rows/4, s) }

// runPipelined calls the pipelined kernel that merges the most inputs, up to s.d.
func runPipelined(k family, s *strip) { runStrip(k, entryPipelined+min(s.d/8, 1), s) }

//go:noescape
func stripAVX512(operands *strip, entry int)

//go:noescape
func stripAVX2(operands *strip, entry int)

// storeFence orders stores past the caches before all later memory accesses.
//
//go:noescape
func storeFence()
