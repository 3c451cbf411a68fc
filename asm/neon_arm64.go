//go:build gc && !purego && !noasm

package asm

func neon() implementation {
	k64 := reference[float64]("neon", neonTuning)
	k32 := reference[float32]("neon", neonTuning)
	bindNEON(k64)
	bindNEON(k32)
	integersNEON(k32)
	bindGradient(k64, neonF64, 2)
	bindGradient(k32, neonF32, 4)
	return implementation{"neon", k64, k32}
}

func bindNEON[T Float](k *Kernels[T]) {
	panel := k.Panel
	k.Features = func(f Func, p *Projection[T], out *Output[T]) {
		p.check(f, panel)
		out.check(f, p, panel)
		if p.Cols > 0 {
			featuresNEON(f, p, out)
		}
	}
	k.Scores = func(f Func, p *Projection[T], y []T, ldy, targets int, acc, acc2 []T, lda int) {
		p.check(f, panel)
		checkScores(f, p, y, ldy, targets, acc, acc2, lda)
		if p.Cols > 0 && targets > 0 {
			scoresNEON(f, p, y, ldy, targets, acc, acc2, lda)
		}
	}
	k.Apply = func(f Func, z, z2, t, phase, weight, weight2 []T) {
		checkApply(f, z, z2, t, phase, weight, weight2)
		applyNEON(f, z, z2, t, phase, weight, weight2)
	}
	k.Gemm = func(m, n, kk int, alpha T, a []T, lda int, b []T, bStride int, c []T, ldc int, overwrite bool, next []T) {
		checkTile(m, n, kk, neonTile, panel, a, lda, b, bStride, len(c), ldc)
		mode := neonAdd
		if overwrite {
			mode = neonOverwrite
		}
		tileNEON(m, n, kk, alpha, a, lda, b, bStride, c, ldc, mode, next)
	}
	k.Accumulate = func(m, n, kk int, a []T, lda int, b []T, bStride int, c []float64, ldc int, next []T) {
		checkTile(m, n, kk, neonTile, panel, a, lda, b, bStride, len(c), ldc)
		tileNEON(m, n, kk, 1, a, lda, b, bStride, c, ldc, neonWiden, next)
	}
	recurrences(k)
	k.Dot = func(x, y []T) T {
		checkDot(x, y)
		return dotNEON(x, y)
	}
	k.Hadamard = func(x, d []T, size int) {
		checkHadamard(x, d, size)
		for j, v := range d {
			x[j] = T(x[j] * v)
		}
		for i := 0; i < len(x); i += size {
			hadamardNEON(x[i : i+size])
		}
	}
}
