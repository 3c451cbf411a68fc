//go:build gc && !purego && !noasm

package asm

// The kernels take blocks of as many thresholds as a vector has elements, at least one.

//go:noescape
func gainsAVX512(gain *float64, sums *int64, stride int, all *float64, words int, by *float64, blocks int)

//go:noescape
func gainsAVX2(gain *float64, sums *int64, stride int, all *float64, words int, by *float64, blocks int)

func gains[T Float](k *Kernels[T], f func(gain *float64, sums *int64, stride int, all *float64, words int, by *float64, blocks int), lanes int) {
	k.Gains = func(gain []float64, sums []int64, stride int, all []float64, by float64) {
		checkGains(gain, sums, stride, all)
		done := len(gain) / lanes * lanes
		if done > 0 {
			f(&gain[0], &sums[0], stride, &all[0], len(all)/2, &by, done/lanes)
		}
		if done < len(gain) {
			gainsGo(gain[done:], sums[done:], stride, all, by)
		}
	}
}
