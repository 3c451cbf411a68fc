// Package permute orders rows at random.
package permute

import "math/rand/v2"

// Rows returns a random permutation of 0 … n−1.
func Rows(n int, seed uint64) []int {
	return rand.New(rand.NewPCG(seed, 0x73706c6974)).Perm(n)
}
