package blas

import "github.com/rffgo/rff/asm"

// With at least leastLone targets, rows are searched for lone ones. With fewer, a product with
// all targets takes less time. It does not change results.
const leastLone = 64

// lone has the targets of rows that each have at most one target that is not zero, such as
// classes coded as 2 and 0. Terms of zero change no chain of ZY, so these rows take one
// multiply-add per feature and not one per feature and target.
type lone[T Float] struct {
	slot  []int32   // per row, the index of its target in of; −1 if it has none
	value []T       // per row, its target times the root of its weight
	of    [][]int32 // per row block, the targets that are not zero in some row
	most  int       // the largest number of these
}

// loneTargets returns the lone targets of rows y, or nil if some row has several targets that
// are not zero. roots has the square roots of the weights, or is nil for ones.
func loneTargets[T Float](y General[T], roots []T) *lone[T] {
	if y.Cols < leastLone {
		return nil
	}
	l := &lone[T]{slot: make([]int32, y.Rows), value: make([]T, y.Rows)}
	slots := make([]int32, y.Cols) // of a row block, plus 1
	var of []int32
	for r := range y.Rows {
		if r%RowBlock == 0 {
			for _, t := range of {
				slots[t] = 0
			}
			l.of, of = append(l.of, nil), nil
		}
		at := -1
		for t, v := range y.Row(r) {
			if v == 0 {
				continue
			}
			if at >= 0 {
				return nil
			}
			at = t
		}
		if l.slot[r] = -1; at < 0 {
			continue
		}
		if slots[at] == 0 {
			of = append(of, int32(at))
			slots[at] = int32(len(of))
			l.of[len(l.of)-1], l.most = of, max(l.most, len(of))
		}
		l.slot[r], l.value[r] = slots[at]-1, y.Row(r)[at]
		if roots != nil {
			l.value[r] *= roots[r]
		}
	}
	return l
}

// add adds the products of the lone targets of a row block with features of its rows to zy,
// which has a row per feature. The features lie in panels of that many columns, each stride
// elements after the one before. memory has room for a product of every target and feature.
func (l *lone[T]) add(zy General[float64], block int, z []T, stride, panel int, memory []T) {
	first, of, cols := block*RowBlock, l.of[block], zy.Rows
	sums := memory[:len(of)*cols]
	clear(sums)
	for r, slot := range l.slot[first:min(first+RowBlock, len(l.slot))] {
		if slot < 0 {
			continue
		}
		row := sums[int(slot)*cols:][:cols]
		for j := 0; j < cols; j += panel {
			to := row[j:min(j+panel, cols)]
			addTimes(to, z[j/panel*stride+r*panel:][:len(to)], l.value[first+r])
		}
	}
	for slot, t := range of {
		for j, v := range sums[slot*cols:][:cols] {
			zy.Row(j)[t] += float64(v)
		}
	}
}

// addTimes adds v·x to dst, rounded once. A product with 2, of a class without weights, is
// exact.
func addTimes[T Float](dst, x []T, v T) {
	if v == 2 {
		for i, u := range x {
			dst[i] += T(u * 2)
		}
		return
	}
	for i, u := range x {
		dst[i] = asm.FMA(u, v, dst[i])
	}
}
