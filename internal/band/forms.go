package band

import "github.com/rffgo/rff/blas"

// Forms computes zᵀ(A + μI)⁻¹z = ‖L⁻¹Qᵀz‖² for many z and several μ together,
// nearly all of it in products: with X = P·L⁻ᵀ for rows P of rotated z, block k
// is X_k = P_k·L_k⁻ᵀ − X_{k−1}·(L_k⁻¹M_{k−1})ᵀ.
type Forms struct {
	block  int
	count  int
	first  []blas.General[float64]   // L_k⁻ᵀ of every μ, side by side
	couple [][]blas.General[float64] // −(L_k⁻¹M_{k−1})ᵀ of block k and each μ
	width  int                       // of the widest block
}

// NewForms prepares the forms of factors of one matrix.
func NewForms(factors []*Factor) *Forms {
	m := factors[0].m
	f := &Forms{block: m.b, count: len(factors)}
	for k, d := range m.diag {
		b := d.Rows
		f.width = max(f.width, b)
		first := blas.NewGeneral[float64](b, b*f.count)
		couple := make([]blas.General[float64], f.count)
		column := make([]float64, b)
		for i, factor := range factors {
			l := factor.diag[k]
			for j := range b { // row j of L⁻ᵀ is column j of L⁻¹
				clear(column)
				column[j] = 1
				forward(l, column)
				copy(first.Row(j)[i*b:], column)
			}
			if k > 0 {
				below := factor.below[k-1]
				couple[i] = blas.NewGeneral[float64](below.Cols, b)
				for j := range below.Cols { // row j is −L⁻¹ times column j of M
					row := couple[i].Row(j)
					for r := range row {
						row[r] = -below.Row(r)[j]
					}
					forward(l, row)
				}
			}
		}
		f.first, f.couple = append(f.first, first), append(f.couple, couple)
	}
	return f
}

// formRows is the number of rows of a task: enough for a product.
const formRows = 252

// Apply writes the forms of the rows of p, rotated vectors, to dst: one column
// for each factor.
func (f *Forms) Apply(e blas.Engine, p, dst blas.General[float64]) {
	e.Each((p.Rows+formRows-1)/formRows, func(share blas.Engine, i int) {
		i0, i1 := i*formRows, min(p.Rows, (i+1)*formRows)
		f.apply(share, p.RowRange(i0, i1), dst.RowRange(i0, i1))
	})
}

func (f *Forms) apply(e blas.Engine, p, dst blas.General[float64]) {
	memory := make([]float64, 2*p.Rows*f.width*f.count)
	var before blas.General[float64]
	for i := range dst.Rows {
		clear(dst.Row(i))
	}
	for k, first := range f.first {
		b := first.Rows
		x := on(memory[k%2*len(memory)/2:], p.Rows, b*f.count)
		blas.Gemm(e, false, false, 1, sub(p, 0, p.Rows, k*f.block, k*f.block+b), first, 0, x)
		for c, couple := range f.couple[k] {
			if k > 0 {
				w := couple.Rows
				blas.Gemm(e, false, false, 1, sub(before, 0, p.Rows, c*w, (c+1)*w), couple, 1, sub(x, 0, p.Rows, c*b, (c+1)*b))
			}
		}
		for i := range x.Rows {
			to, row := dst.Row(i), x.Row(i)
			for c := range to {
				part := row[c*b : (c+1)*b]
				to[c] += dot(part, part)
			}
		}
		before = x
	}
}
