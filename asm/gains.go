package asm

// Unpack returns the two integers of 32 bits, with their signs, of a sum of words: high·2³² + low.
func Unpack(sum int64) (high, low float64) {
	l := int32(sum)
	return float64((sum - int64(l)) >> 32), float64(l)
}

func checkGains(gain []float64, sums []int64, stride int, all []float64) {
	words := len(all) / 2
	if len(all)%2 != 0 || words == 0 {
		panic(errLength)
	}
	if stride < len(gain) {
		panic(errBadStride)
	}
	if len(gain) > 0 && len(sums) < span(words, stride, len(gain)) {
		panic(errShortSums)
	}
}

// gainsGo is Kernels.Gains.
func gainsGo(gain []float64, sums []int64, stride int, all []float64, by float64) {
	for b := range gain {
		low, weight := Unpack(sums[b])
		r, left, right := all[1]-low, weight+by, all[0]-weight+by
		lower, upper := float64(low*low), float64(r*r)
		for u := 2; u < len(all); u += 2 {
			high, low := Unpack(sums[u/2*stride+b])
			r := all[u+1] - high
			lower, upper = lower+float64(high*high), upper+float64(r*r)
			r = all[u] - low
			lower, upper = lower+float64(low*low), upper+float64(r*r)
		}
		gain[b] += (float64(lower*right) + float64(upper*left)) / float64(left*right)
	}
}
