package blas

import (
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/schedule"
)

// genericMap is a feature map on a generic backend.
type genericMap[T Float] struct {
	*rowForm[T]
	forms *forms[T]
	spec  *Spec
	ops   Products[T]
	apply func(f asm.Func, z, z2, t, phase, weight, weight2 []T)
}

// mapOf returns m on the products of a backend, with its cosine or the
// native one.
func (o genericOperations[T]) mapOf(m *Features[T]) *genericMap[T] {
	f := &genericMap[T]{forms: formsOf(m), spec: m.spec, ops: o.products}
	own, radians := f.ops.(Elementwise[T])
	if radians {
		f.apply = own.Apply
	} else {
		f.apply = asm.Native[T]().Apply
	}
	f.rowForm = f.forms.rowMajorForm(radians)
	return f
}

// chunk is the number of rows that are made at once.
func (f *genericMap[T]) chunk() int {
	return max(16, min(RowBlock, genericValues/max(1, f.spec.Frequencies())))
}

// generate writes the features of the rows of x to z.
func (f *genericMap[T]) generate(z, x General[T]) {
	s, out := f.spec, z
	if s.Projected() {
		zw := borrow[T](x.Rows * len(s.Weight))
		defer zw.giveBack()
		out = General[T]{Rows: x.Rows, Cols: len(s.Weight), Stride: len(s.Weight), Data: zw.data}
	}
	if f.distances != nil {
		f.distances.project(new(rowScratch[T]), x, f.distances.rowMajor(out))
	} else {
		f.generatePlain(out, x)
	}
	if f.product.Data != nil {
		f.ops.Gemm(false, false, 1, out, f.product, 0, z)
	}
	if f.walsh != nil {
		buf := borrow[T](len(f.walsh.d))
		defer buf.giveBack()
		for r := range x.Rows {
			f.walsh.row(asm.Native[T](), z.Row(r)[:len(f.walsh.columns)], out.Row(r), buf.data)
		}
	}
}

// generatePlain is generate without Product and Walsh.
func (f *genericMap[T]) generatePlain(z, x General[T]) {
	s := f.spec
	n := s.Frequencies()
	tw := borrow[T](x.Rows * n)
	defer tw.giveBack()
	t := General[T]{Rows: x.Rows, Cols: n, Stride: n, Data: tw.data}
	if f.stacks != nil {
		scratch := f.forms.takeScratch()
		growStacks(scratch, f.stacks)
		projectStacks(f.stacks, asm.Native[T](), scratch, t, x)
		f.forms.giveBack(scratch)
	} else {
		if f.section != nil {
			xw := borrow[T](x.Rows * f.w.Cols)
			defer xw.giveBack()
			to := General[T]{Rows: x.Rows, Cols: f.w.Cols, Stride: f.w.Cols, Data: xw.data}
			f.section.rows(to, x)
			x = to
		}
		f.ops.Gemm(false, true, 1, x, f.w, 0, t)
	}
	for r := range x.Rows {
		row := z.Row(r)
		var sines []T
		if s.Func == asm.CosSin {
			sines = row[n:]
		}
		f.apply(s.Func, row[:n], sines, t.Row(r), f.phase, f.weight, f.weight2)
	}
}

func (o genericOperations[T]) transform(e Engine, m *Features[T], dst, x General[T]) {
	f := o.mapOf(m)
	f.inChunks(e, x, dst.Cols, func(i0, i1 int) { f.generate(dst.RowRange(i0, i1), x.RowRange(i0, i1)) })
}

// inChunks calls body with ranges of the rows of x, whose features have that many columns.
func (f *genericMap[T]) inChunks(e Engine, x General[T], columns int, body func(i0, i1 int)) {
	chunk := f.chunk()
	tasks := ceil(x.Rows, chunk)
	schedule.Tasks(e.workersFor(float64(x.Rows)*float64(columns)*float64(x.Cols+16), tasks), tasks, func(_, task int) {
		body(task*chunk, min((task+1)*chunk, x.Rows))
	})
}

func (o genericOperations[T]) predict(e Engine, m *Features[T], dst, x, coef General[T], intercept []T) {
	f := o.mapOf(m)
	_, s := m.Dims()
	f.inChunks(e, x, s, func(i0, i1 int) {
		zw := borrow[T]((i1 - i0) * s)
		defer zw.giveBack()
		z := General[T]{Rows: i1 - i0, Cols: s, Stride: s, Data: zw.data}
		f.generate(z, x.RowRange(i0, i1))
		d := dst.RowRange(i0, i1)
		f.ops.Gemm(false, true, 1, z, coef, 0, d)
		for i := range d.Rows {
			for t, v := range intercept {
				d.Data[i*d.Stride+t] += v
			}
		}
	})
}
