package krr

import (
	"math/bits"

	"github.com/rffgo/rff"
)

// foldOf returns the fold of a row: a hash of seed and index, so that it depends
// on neither batches nor order of reading.
func foldOf(seed uint64, row int64, folds int) int {
	hi, _ := bits.Mul64(hashRow(seed, row), uint64(folds))
	return int(hi)
}

// hashRow is a hash (splitmix64) of seed and index.
func hashRow(seed uint64, row int64) uint64 {
	z := seed + 0x9e3779b97f4a7c15*uint64(row+1)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// fold returns the fold of row i of b: that of its group if b has groups,
// otherwise that of its FoldRows consecutive rows. All solvers and the
// calibration ask here.
func (f *fit) fold(b rff.Batch, i int) int {
	return foldOf(f.Seed, f.unit(b, i), f.foldCount)
}

// unit returns the number of what row i of b shares a fold with.
func (s *Settings) unit(b rff.Batch, i int) int64 {
	if b.Group != nil {
		return int64(b.Group[i])
	}
	return (b.First + int64(i)) / s.foldRows()
}

func (s *Settings) foldRows() int64 { return int64(max(1, s.FoldRows)) }
