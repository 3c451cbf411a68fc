package blas

import "github.com/rffgo/rff/asm"

// hadamardStack has consecutive Blocks of one size and make, side by side in element type T,
// with scale in the kernels' unit. One call of a kernel that works element by element then
// serves all of them.
type hadamardStack[T Float] struct {
	size, blocks int
	keep         int     // projections of the stack: all of each block but perhaps the last
	d            [][]T   // each blocks·size long
	perm         []int32 // indices within the stack
	scale, zero  []T     // zero is the phase that Apply adds
	trees        *trees[T]
}

func newHadamardStacks[T Float](blocks []Block, unit float64) []hadamardStack[T] {
	var stacks []hadamardStack[T]
	for i := range blocks {
		b := &blocks[i]
		var h *hadamardStack[T]
		if n := len(stacks) - 1; n >= 0 && stacks[n].takes(b) {
			h = &stacks[n]
		} else {
			stacks = append(stacks, hadamardStack[T]{size: b.Size, d: make([][]T, len(b.D))})
			h = &stacks[n+1]
		}
		for _, p := range b.Perm {
			h.perm = append(h.perm, int32(h.blocks*h.size+p))
		}
		for j, d := range b.D {
			for _, v := range d {
				h.d[j] = append(h.d[j], T(v))
			}
		}
		for _, v := range b.Scale {
			h.scale = append(h.scale, T(v*unit))
		}
		if b.Trees != nil {
			h.trees = newTrees[T](b.Trees)
		}
		h.blocks++
		h.keep += b.Keep
	}
	for i := range stacks {
		stacks[i].zero = make([]T, stacks[i].keep)
	}
	return stacks
}

// width is the length of the stack's intermediate results.
func (h *hadamardStack[T]) width() int { return h.blocks * h.size }

// takes reports whether b continues the stack. It does if it has the same size and make, and
// all blocks of the stack keep all their projections. Trees, which have no diagonals, are a stack of their own.
func (h *hadamardStack[T]) takes(b *Block) bool {
	return b.Trees == nil && h.size == b.Size && len(h.d) == len(b.D) && (h.perm != nil) == (b.Perm != nil) && h.keep == h.width()
}

// project writes the projections of x to t, with a and b of the stack's width
// as scratch.
func (h *hadamardStack[T]) project(kern *asm.Kernels[T], t, x, a, b []T) {
	n := h.width()
	a, b = a[:n], b[:n]
	for i := 0; i < n; i += h.size {
		clear(a[i+copy(a[i:i+h.size], x) : i+h.size])
	}
	for i := len(h.d) - 1; i >= 0; i-- {
		d := h.d[i]
		if i == 0 && h.perm != nil {
			permute(b, a, h.perm)
			a, b = b, a
		}
		kern.Hadamard(a, d, h.size)
	}
	kern.Apply(asm.Linear, t[:h.keep], nil, a[:h.keep], h.zero[:h.keep], h.scale, nil)
}

// projectStacks writes the projections of the rows of x to t, stack by stack.
func projectStacks[T Float](stacks []hadamardStack[T], kern *asm.Kernels[T], s *rowScratch[T], t, x General[T]) {
	at := 0
	for i := range stacks {
		h := &stacks[i]
		to := General[T]{Rows: t.Rows, Cols: h.keep, Stride: t.Stride, Data: t.Data[at:]}
		at += h.keep
		if h.trees != nil {
			h.trees.project(to, x, h.scale, s.words)
			continue
		}
		for r := range x.Rows {
			h.project(kern, to.Row(r), x.Row(r), s.a, s.b)
		}
	}
}

// permute sets to[j] = from[perm[j]].
func permute[T Float](to, from []T, perm []int32) {
	to = to[:len(perm)]
	for len(perm) >= 4 && len(to) >= 4 {
		to[0], to[1], to[2], to[3] = from[perm[0]], from[perm[1]], from[perm[2]], from[perm[3]]
		to, perm = to[4:], perm[4:]
	}
	for j, p := range perm {
		to[j] = from[p]
	}
}

// growStacks gives s what projectStacks takes.
func growStacks[T Float](s *rowScratch[T], stacks []hadamardStack[T]) {
	for i := range stacks {
		h := &stacks[i]
		if h.trees != nil {
			grow(&s.words, h.trees.words())
			continue
		}
		grow(&s.a, h.width())
		grow(&s.b, h.width())
	}
}
