package band

import (
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// Forms computes zᵀ(A + μI)⁻¹z = ‖L⁻¹Qᵀz‖² for many z and several μ. With p = Qᵀz and x = L⁻¹p, a
// step computes formStep elements of x from those of p and from the elements of x before them in
// the band,
//
//	x_j = T_j·p_j − (T_j·L_j)·x_{j−h…j−1}, T_j the inverse of L's triangle.
//
// So each step is a product with a matrix that is known before any z, and the rows of p go side by
// side through the vector lanes.
type Forms struct {
	n, count int
	most     int        // the most elements of x that a step reaches back
	runs     []formsRun // in the order of x
}

// formsRun is some steps that reach back equally far. They are so few that their weights for all μ
// stay in the second-level cache while the rows of p pass by.
type formsRun struct {
	first, steps int
	back         int
	weights      [][]float64 // for every μ: per step (back+formStep)×formStep, whose rows are the columns of [−T·L T]
}

const (
	formStep  = asm.RecurRows
	formSteps = 16 // of a run
)

// FormBlock is the block size of a reduction that is made for Forms. Forms take time in proportion
// to it.
const FormBlock = 8

// NewForms prepares the forms of factors of one matrix, which it does not keep.
func NewForms(factors []*Factor) *Forms {
	m := factors[0].m
	f := &Forms{n: m.n, count: len(factors)}
	steps := (m.n + formStep - 1) / formStep
	// The last two blocks of the matrix were not reduced, so the block that couples them is full.
	dense := (len(m.diag) - 1) * m.b / formStep
	for first := 0; first < steps; {
		r := formsRun{first: first, steps: min(formSteps, steps-first), back: m.b}
		if first < dense {
			r.steps = min(r.steps, dense-first)
		} else {
			r.back = 2 * m.b
		}
		r.back = (min(r.back, m.n) + formStep - 1) / formStep * formStep
		for _, factor := range factors {
			r.weights = append(r.weights, factor.steps(&r))
		}
		f.most = max(f.most, r.back)
		f.runs = append(f.runs, r)
		first += r.steps
	}
	return f
}

// steps returns the weights of the steps of r.
func (f *Factor) steps(r *formsRun) []float64 {
	size := (r.back + formStep) * formStep
	all := make([]float64, r.steps*size)
	window := blas.NewGeneral[float64](formStep, r.back+formStep)
	column := make([]float64, formStep)
	for s := range r.steps {
		top := (r.first + s) * formStep
		rows := min(formStep, f.m.n-top)
		for i := range rows {
			f.row(window.Row(i), top+i, top-r.back)
		}
		triangle := dense.View(window, 0, rows, r.back, r.back+rows)
		for c := range r.back + rows {
			part := column[:rows]
			for i := range part {
				part[i] = -window.Row(i)[c]
			}
			if c >= r.back { // columns of T
				clear(part)
				part[c-r.back] = 1
			}
			forward(triangle, part)
			copy(all[s*size+c*formStep:], part)
		}
	}
	return all
}

// row writes row i of L from column from on, which may be negative, to dst. It writes zeros for
// elements that L does not have.
func (f *Factor) row(dst []float64, i, from int) {
	clear(dst)
	put := func(part []float64, first int) { // part begins at column first
		if first < from {
			part, first = part[min(len(part), from-first):], from
		}
		copy(dst[first-from:], part)
	}
	b := f.m.b
	k := i / b
	if k > 0 {
		put(f.below[k-1].Row(i-k*b), (k-1)*b)
	}
	put(f.diag[k].Row(i - k*b)[:i-k*b+1], k*b)
}

const (
	formRows  = 240 // rows of a task: whole pairs of panels for nearly all kernels
	formPairs = 2   // panels that go together
)

// Apply writes the forms of the rows of p, rotated vectors, to dst: one column
// for each factor.
func (f *Forms) Apply(e blas.Engine, p, dst blas.General[float64]) {
	e.Each((p.Rows+formRows-1)/formRows, func(_ blas.Engine, i int) {
		i0, i1 := i*formRows, min(p.Rows, (i+1)*formRows)
		f.apply(asm.Native[float64](), p.RowRange(i0, i1), dst.RowRange(i0, i1))
	})
}

// apply takes a few panels of rows at a time through a run, with each μ in turn.
func (f *Forms) apply(kern *asm.Kernels[float64], p, dst blas.General[float64]) {
	lanes := kern.Panel
	group := formPairs * lanes
	groups := (p.Rows + group - 1) / group
	most := (f.most + formSteps*formStep) * lanes
	last := make([]float64, groups*f.count*formPairs*f.most*lanes) // elements of x
	packed, x, sums := make([]float64, formPairs*most), make([]float64, formPairs*most), make([]float64, group)
	for i := range dst.Rows {
		clear(dst.Row(i))
	}
	for r := range f.runs {
		run := &f.runs[r]
		back, size := run.back*lanes, run.steps*formStep*lanes
		for g := range groups {
			i0, i1 := g*group, min(p.Rows, (g+1)*group)
			panels := (i1 - i0 + lanes - 1) / lanes
			for q := range panels {
				pack(kern, packed[q*size:(q+1)*size], p.RowRange(i0+q*lanes, min(i1, i0+(q+1)*lanes)), run.first*formStep)
			}
			for c, w := range run.weights {
				before := last[(g*f.count+c)*formPairs*f.most*lanes:]
				for q := range panels {
					part := x[q*(back+size):]
					copy(part[:back], before[((q+1)*f.most*lanes-back):])
					copy(part[back:], packed[q*size:(q+1)*size])
				}
				kern.Recur(run.steps, run.back, w, x, back+size, panels, sums)
				for q := range panels {
					keep(before[q*f.most*lanes:(q+1)*f.most*lanes], x[q*(back+size)+back:][:size])
				}
				for i := i0; i < i1; i++ {
					dst.Row(i)[c] += sums[i-i0]
				}
			}
		}
	}
}

// keep appends more to last and drops as many elements from its beginning.
func keep(last, more []float64) {
	if len(more) < len(last) {
		copy(last, last[len(more):])
		copy(last[len(last)-len(more):], more)
		return
	}
	copy(last, more[len(more)-len(last):])
}

// pack writes columns of p from column from on to a panel of kern: a lane for each row.
// There are zeros beyond p.
func pack(kern *asm.Kernels[float64], to []float64, p blas.General[float64], from int) {
	lanes := kern.Panel
	rows := len(to) / lanes
	cols := min(p.Cols-from, rows)
	if p.Rows < lanes || cols < rows {
		clear(to)
	}
	i := 0
	for ; i+asm.TransposeRows <= p.Rows; i += asm.TransposeRows {
		kern.Transpose(to[i:], lanes, p.Data[i*p.Stride+from:], p.Stride, cols)
	}
	for ; i < p.Rows; i++ {
		at := i
		for _, v := range p.Row(i)[from:][:cols] {
			to[at] = v
			at += lanes
		}
	}
}
