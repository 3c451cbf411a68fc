package blas

// Columns calls f with the features of the rows of x, at most BlockK columns at a time
// where m can make some of its columns by themselves: then x.Rows×BlockK features are
// the memory it takes. Their bits are those of Transform. z is valid during the call, and
// f may change it; its columns up to half are m's columns from first on, the others those
// from second on. Columns ends where f returns false.
//
// Structured projections and products are made as a whole, and f gets views of them.
func (m *Features[T]) Columns(e Engine, x General[T], f func(z General[T], half, first, second int) bool) {
	in, out := m.Dims()
	if x.Cols != in {
		panic(errShape)
	}
	s := m.spec
	if len(s.Blocks) > 0 || s.Product.Data != nil {
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
		if !f(z, end-j, j, freqs+j) {
			return
		}
	}
}

// some returns s of frequencies first … end−1 only, on s's memory. It has neither
// Blocks nor a Product.
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
