//go:build gc && !purego && !noasm

package asm

// featuresAVX512 replaces the reference kernels of Features, Scores, Apply and Peak.
func featuresAVX512(k64 *Kernels[float64], k32 *Kernels[float32]) {
	rows := []int{8, 4, 1}
	s64 := &strips{avx512F64, k64.Width, k64.Panel, 8, rows, k64.GroupBytes()}
	s32 := &strips{avx512F32, k32.Width, k32.Panel, 16, rows, k32.GroupBytes()}
	bindStrips(k64, s64)
	bindStrips(k32, s32)
	bindForward(k64, s64)
	bindForward(k32, s32)
	k64.Peak = func(rounds int) int { peakAVX512F64(rounds); return rounds * 24 * 8 }
	k32.Peak = func(rounds int) int { peakAVX512F32(rounds); return rounds * 24 * 16 }
}

// featuresAVX2 replaces the reference kernels of Features, Scores, Apply and Peak.
func featuresAVX2(k64 *Kernels[float64], k32 *Kernels[float32]) {
	rows := []int{4, 1}
	bindStrips(k64, &strips{avx2F64, k64.Width, k64.Panel, 4, rows, k64.GroupBytes()})
	bindStrips(k32, &strips{avx2F32, k32.Width, k32.Panel, 8, rows, k32.GroupBytes()})
	k64.Peak = func(rounds int) int { peakAVX2F64(rounds); return rounds * 12 * 4 }
	k32.Peak = func(rounds int) int { peakAVX2F32(rounds); return rounds * 12 * 8 }
}

type family uint8

const (
	avx512F64 family = iota
	avx512F32
	avx2F64
	avx2F32
)

// runStrip calls the kernel of that many rows. It is a switch, not a function
// value, so that strips stay on the caller's stack.
func runStrip(k family, rows int, s *strip) {
	switch {
	case k == avx512F64 && rows == 8:
		features8AVX512F64(s)
	case k == avx512F64 && rows == 4:
		features4AVX512F64(s)
	case k == avx512F64:
		features1AVX512F64(s)
	case k == avx512F32 && rows == 8:
		features8AVX512F32(s)
	case k == avx512F32 && rows == 4:
		features4AVX512F32(s)
	case k == avx512F32:
		features1AVX512F32(s)
	case k == avx2F64 && rows == 4:
		features4AVX2F64(s)
	case k == avx2F64:
		features1AVX2F64(s)
	case k == avx2F32 && rows == 4:
		features4AVX2F32(s)
	case k == avx2F32:
		features1AVX2F32(s)
	}
}

// runPipelined calls the pipelined kernel that merges the most inputs, up to s.d.
func runPipelined(k family, s *strip) {
	switch {
	case k == avx512F64 && s.d >= 8:
		pipelined8AVX512F64(s)
	case k == avx512F64:
		pipelined4AVX512F64(s)
	case k == avx512F32 && s.d >= 8:
		pipelined8AVX512F32(s)
	case k == avx512F32:
		pipelined4AVX512F32(s)
	}
}

func runApply(k family, s *strip) {
	switch k {
	case avx512F64:
		applyAVX512F64(s)
	case avx512F32:
		applyAVX512F32(s)
	case avx2F64:
		applyAVX2F64(s)
	case avx2F32:
		applyAVX2F32(s)
	}
}

// The kernels of a strip equal the reference kernels of Features and Scores (featuresGo,
// scoresGo) on whole panels.

// storeFence orders stores past the caches before all later memory accesses.
//
//go:noescape
func storeFence()

//go:noescape
func features8AVX512F64(s *strip)

//go:noescape
func features4AVX512F64(s *strip)

//go:noescape
func features1AVX512F64(s *strip)

//go:noescape
func features8AVX512F32(s *strip)

//go:noescape
func features4AVX512F32(s *strip)

//go:noescape
func features1AVX512F32(s *strip)

//go:noescape
func pipelined8AVX512F64(s *strip)

//go:noescape
func pipelined4AVX512F64(s *strip)

//go:noescape
func pipelined8AVX512F32(s *strip)

//go:noescape
func pipelined4AVX512F32(s *strip)

//go:noescape
func features4AVX2F64(s *strip)

//go:noescape
func features1AVX2F64(s *strip)

//go:noescape
func features4AVX2F32(s *strip)

//go:noescape
func features1AVX2F32(s *strip)

// The apply kernels equal applyGo on whole vectors, which strip.panels counts
// and whose projections strip.x points to.

//go:noescape
func applyAVX512F64(s *strip)

//go:noescape
func applyAVX512F32(s *strip)

//go:noescape
func applyAVX2F64(s *strip)

//go:noescape
func applyAVX2F32(s *strip)

// The peak kernels run rounds of 24 (AVX-512) or 12 (AVX2) vector multiply-adds.

//go:noescape
func peakAVX512F64(rounds int)

//go:noescape
func peakAVX512F32(rounds int)

//go:noescape
func peakAVX2F64(rounds int)

//go:noescape
func peakAVX2F32(rounds int)
