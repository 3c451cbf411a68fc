package asm

// RecurRows is the number of elements of a step of Kernels.Recur. It is a whole number of strips
// for every instruction set.
const RecurRows = 8

// checkRecur panics unless the slices are long enough for the sizes.
func checkRecur[T Float](panel, steps, back int, w, x []T, stride, panels int, sums []T) {
	if steps < 0 || back < 0 || panels < 0 {
		panic(errBadTile)
	}
	if steps > 0 && (steps > len(w) || back > len(w) || len(w) < span(steps+1, (back+RecurRows)*RecurRows, 0)) {
		panic(errShortA)
	}
	if panels == 0 {
		return
	}
	if back > len(x) {
		panic(errShortB)
	}
	rows := back + steps*RecurRows
	if stride < 0 || panels > 1 && stride < rows*panel {
		panic(errBadStride)
	}
	if len(x) < span(panels, stride, rows*panel) {
		panic(errShortB)
	}
	if len(sums) < span(panels+1, panel, 0) {
		panic(errShortC)
	}
}

func recurGo[T Float](panel, steps, back int, w, x []T, stride, panels int, sums []T) {
	inner := back + RecurRows
	for q := range panels {
		for c := range panel {
			var sum T
			for s := range steps {
				var r [RecurRows]T
				at := q*stride + s*RecurRows*panel + c
				for i := range r {
					for l := range inner {
						r[i] = fma(w[(s*inner+l)*RecurRows+i], x[at+l*panel], r[i])
					}
				}
				for i, v := range r {
					x[at+(back+i)*panel] = v
					sum = fma(v, v, sum)
				}
			}
			sums[q*panel+c] = sum
		}
	}
}

// recurrences makes Recur of Gemm. The squares are the diagonal of XᵀX. To compute it together
// with the rest of its strips costs less than to compute it by itself.
func recurrences[T Float](k *Kernels[T]) {
	panel, mr := k.Panel, k.MR
	k.Recur = func(steps, back int, w, x []T, stride, panels int, sums []T) {
		checkRecur(panel, steps, back, w, x, stride, panels, sums)
		inner, rows := back+RecurRows, steps*RecurRows
		memory := make([]T, max(RecurRows, mr)*panel)
		for q := range panels {
			part := x[q*stride:]
			for s := range steps {
				at := s * RecurRows * panel
				for i := 0; i < RecurRows; i += mr {
					k.Gemm(min(mr, RecurRows-i), panel, inner, 1, w[s*inner*RecurRows+i:], RecurRows, part[at:], inner*panel, memory[i*panel:], panel, true, nil)
				}
				copy(part[at+back*panel:], memory[:RecurRows*panel])
			}
			part = part[back*panel : (back+rows)*panel]
			to := sums[q*panel : (q+1)*panel]
			clear(to)
			for i := 0; i < panel && rows > 0; i += mr {
				k.Gemm(mr, panel, rows, 1, part[i:], panel, part, len(part), memory, panel, true, nil)
				for j := range mr {
					to[i+j] = memory[j*panel+i+j]
				}
			}
		}
	}
}
