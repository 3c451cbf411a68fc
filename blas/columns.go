package blas

// Columns calls f with the features of the rows of x, at most BlockK columns at a time. The
// features have the bits of Transform. The first half columns of z are m's columns from first
// on; the others are those from second on. z is valid during the call, and f may change it.
// Columns ends when f returns false.
//
// Columns takes memory for x.Rows×BlockK features. Structured projections and products are
// made as a whole, and f gets views of them.
func (m *Features[T]) Columns(e Engine, x General[T], f func(z General[T], half, first, second int) bool) {
	in, out := m.Dims()
	if x.Cols != in {
		panic(errShape)
	}
	s := m.spec
	if len(s.Blocks) > 0 || s.Projected() {
		z := NewGeneral[T](x.Rows, out)
		m.Transform(e, z, x)
		for j := 0; j < out; j += BlockK {
			end := min(j+BlockK, out)
			if !f(z.view(0, x.Rows, j, end), end-j, j, out) {
				return
			}
		}
		return
	}
	per, freqs := s.Func.Outputs(), s.Frequencies()
	memory := borrow[T](x.Rows * min(BlockK, out))
	defer memory.giveBack()
	for j := 0; j < freqs; j += BlockK / per {
		end := min(j+BlockK/per, freqs)
		z := General[T]{Rows: x.Rows, Cols: (end - j) * per, Stride: (end - j) * per}
		z.Data = memory.data[:z.Rows*z.Stride]
		Pack[T](s.some(j, end)).Transform(e, z, x)
		if !f(z, end-j, j, min(freqs+j, out)) { // none where a frequency has one column
			return
		}
	}
}

// some returns the Spec of frequencies first … end−1 of s, which has neither Blocks nor a
// Product. It shares the memory of s.
func (s *Spec) some(first, end int) *Spec {
	c := *s
	c.unequal = !allEqual(s.Weight)
	c.W = s.W.RowRange(first, end)
	if s.Phase != nil {
		c.Phase = s.Phase[first:end]
	}
	c.Weight = s.Weight[first:end:end]
	if n := s.Frequencies(); s.Func.Outputs() == 2 {
		c.Weight = append(c.Weight, s.Weight[n+first:n+end]...)
	}
	return &c
}
