// Package fold says which fold of a cross-validation a row is in.
package fold

import "math/bits"

// Of returns the fold of a row, or of rows that share one, by a hash of seed and index:
// that of their group, of their run of consecutive rows, or their Content. So it does
// not depend on batches, nor that of groups and contents on the order of rows.
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
