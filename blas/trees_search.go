package blas

import (
	"math"
	"math/bits"
)

// compared are the thresholds of one input.
type compared struct {
	input  int
	first  int     // the place of the answer for the lowest of them
	heap   []int64 // their keys, as heapOf orders them
	middle int     // in trees.bits, where the upper half of them begins
}

// bit is what a comparison adds to the number of a row of a tree.
type bit struct{ tree, value uint32 }

// keyOf returns a number that is above the key of a threshold if v is above the threshold. Integers make the
// steps of a search shorter. The bits of positive numbers ascend with them. Those of negative ones, but for
// the sign, descend, and are inverted. Keys above that of ∞, which only NaN has, wrap around to the
// lowest when as many as there are of them are added: NaN is above nothing.
func keyOf(v float64) int64 {
	const above = math.MaxInt64 - 0x7ff<<52
	b := int64(math.Float64bits(v))
	return b ^ int64(uint64(b>>63)>>1) + above
}

// thresholdKey returns the key of a threshold that numbers of type T are compared with.
func thresholdKey[T Float](v float64) int64 {
	threshold := T(v)
	if float64(threshold) > v {
		// A float32 just above a threshold stays above it only if the threshold is rounded down.
		threshold = T(math.Nextafter32(float32(threshold), float32(math.Inf(-1))))
	}
	if threshold == 0 {
		threshold = 0 // whose key is that of −0 and 1
	}
	return keyOf(float64(threshold))
}

// heapOf orders ascending keys for a search: after element p, from 1 on, comes 2p for what is not above it,
// and 2p+1 for what is. There are as many elements as make all searches equally long. Nothing is above those
// beyond the keys.
func heapOf(keys []int64) []int64 {
	steps := bits.Len(uint(len(keys)))
	heap := make([]int64, 1<<steps)
	for p := 1; p < len(heap); p++ {
		// Element i of the row of 2^l elements that has p is the one in the middle of the i-th of 2^l
		// equal parts of the keys, each of 2^(steps−l) − 1, with one key between them.
		l := bits.Len(uint(p)) - 1
		i := p - 1<<l
		if k := (2*i+1)<<(steps-l-1) - 1; k < len(keys) {
			heap[p] = keys[k]
		} else {
			heap[p] = math.MaxInt64
		}
	}
	return heap
}

// below returns the number of thresholds, in the order of heapOf, that v is above.
func below(heap []int64, v float64) int {
	key, p := keyOf(v), uint(1)
	for p < uint(len(heap)) {
		above := uint(0) // without a branch, which would be taken at random
		if key > heap[p] {
			above = 1
		}
		p = 2*p + above
	}
	return int(p) - len(heap)
}

// mark adds unit to one word of each input: that after as many as there are thresholds below the value that x
// has of the input.
func mark[T Float](answer []uint64, inputs []compared, x []T, unit uint64) {
	for i := range inputs {
		c := &inputs[i]
		answer[c.first+below(c.heap, float64(x[c.input]))] += unit
	}
}
