package fold

import "math/rand/v2"

// Permutation returns rows 0 … n−1 in a random order.
func Permutation(n int, seed uint64) []int {
	return rand.New(rand.NewPCG(seed, 0x73706c6974)).Perm(n)
}
