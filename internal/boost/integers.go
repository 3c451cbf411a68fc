package boost

import "math"

// mostSum is what the sizes of all numbers of a kind add up to in their unit. No sum of integers leaves 32 bits,
// since rounding adds half a unit at most for each of mostRows rows.
const mostSum = 1 << 30

// unitOf returns the power of two that makes integers of numbers whose sizes have that sum, or 0 if there is none.
func unitOf(sum float64) float64 {
	if !(sum > mostSum/math.MaxFloat64) || math.IsInf(sum, 1) {
		return 0
	}
	_, e := math.Frexp(mostSum / sum)
	return math.Ldexp(1, e-1)
}

// unitOfErrors is that of the errors times weights of all rows.
func (g *grower) unitOfErrors() float64 {
	n, t := len(g.error)/g.targets, g.targets
	sums := make([]float64, blocksOf(n)*t)
	eachBlock(g.Workers, n, 2*t, func(block, from, to int) {
		sum := sums[block*t:][:t]
		for i := from; i < to; i++ {
			w := g.weightOf(int32(i))
			for k, e := range g.error[i*t:][:t] {
				sum[k] += float64(math.Abs(e) * w)
			}
		}
	})
	var largest float64
	for k := range t {
		var sum float64
		for i := k; i < len(sums); i += t {
			sum += sums[i]
		}
		if !(sum <= largest) {
			largest = sum
		}
	}
	return unitOf(largest)
}

// pack rounds two numbers to the integers of a word (see asm.Unpack), of which sums of words have the sums.
func pack(high, low float64) int64 {
	return int64(math.RoundToEven(high))<<32 + int64(math.RoundToEven(low))
}
