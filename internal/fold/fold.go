// Package fold says which fold of a cross-validation a row is in.
package fold

import "math/bits"

// Of returns the fold of a row by a hash of seed and row. Rows that must share a fold have the same
// index: that of their group or their run of consecutive rows, or their Content. So a fold does not
// depend on batches. If the index is a group or a Content, it does not depend on the order of rows
// either.
func Of(seed uint64, row int64, folds int) int {
	hi, _ := bits.Mul64(Hash(seed, row), uint64(folds))
	return int(hi)
}

// Hash is a hash (splitmix64) of seed and index.
func Hash(seed uint64, row int64) uint64 {
	return Mix(seed + 0x9e3779b97f4a7c15*uint64(row+1))
}

// Mix is the last step of splitmix64.
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
