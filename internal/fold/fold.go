// Package fold says which fold of a cross-validation a row is in.
package fold

import "math/bits"

// Of returns the fold of a row, or of a group of rows that share one. It is a hash of
// seed and index, and so does not depend on batches or on the order of reading.
func Of(seed uint64, row int64, folds int) int {
	hi, _ := bits.Mul64(Hash(seed, row), uint64(folds))
	return int(hi)
}

// Hash is a hash (splitmix64) of seed and index.
func Hash(seed uint64, row int64) uint64 {
	z := seed + 0x9e3779b97f4a7c15*uint64(row+1)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
