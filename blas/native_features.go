package blas

import "unsafe"

// transform is Features.Transform on native kernels.
func (o nativeOperations[T]) transform(e Engine, m *Features[T], dst, x General[T]) {
	all := formsOf(m)
	f := all.packed(o.kern)
	if x.Rows == 1 {
		s := all.borrowScratch(f, 1)
		f.generate(s, x, f.rowMajor(dst))
		all.giveBack(s)
		return
	}
	rows, tasks := f.split(x.Rows, e.workers())
	parts := f.parts(x.Rows, e.workers())
	switch {
	case f.narrow != nil:
		rows = roundUp(rows, narrowRows)
		tasks = ceil(x.Rows, rows)
	case parts > 1:
		rows = roundUp(manyRows, f.kern.Strip)
		tasks = parts * ceil(x.Rows, rows)
	}
	workers := e.workersFor(f.work(x.Rows), tasks)
	stream := dst.Rows*dst.Cols*int(unsafe.Sizeof(*new(T))) >= streamBytes
	all.forEach(f, workers, rows, parts, x.Rows, func(s *rowScratch[T], i0, i1, part int) {
		x, z := x.RowRange(i0, i1), dst.RowRange(i0, i1)
		if f.narrow != nil {
			f.narrow.generate(f, s, x, z)
			return
		}
		to := f.rowMajor(z)
		to.stream = stream
		if parts > 1 {
			f.projectTiles(s, x, to, part*f.tiles/parts, (part+1)*f.tiles/parts)
			return
		}
		f.generate(s, x, to)
	})
}

// predict is Features.Predict on native kernels.
func (o nativeOperations[T]) predict(e Engine, m *Features[T], dst, x, coef General[T], intercept []T) {
	all := formsOf(m)
	f := all.packed(o.kern)
	rows, tasks := f.split(x.Rows, e.workers())
	if tasks == 1 { // several take closures, which allocate
		s := all.borrowScratch(f, x.Rows)
		f.predict(s, dst, x, coef, intercept)
		all.giveBack(s)
		return
	}
	all.predictRows(e, f, rows, tasks, dst, x, coef, intercept)
}

func (m *forms[T]) predictRows(e Engine, f *form[T], rows, tasks int, dst, x, coef General[T], intercept []T) {
	workers := e.workersFor(f.work(x.Rows)+float64(float64(x.Rows)*float64(len(coef.Data))), tasks)
	m.forEach(f, workers, rows, 1, x.Rows, func(s *rowScratch[T], i0, i1, _ int) {
		f.predict(s, dst.RowRange(i0, i1), x.RowRange(i0, i1), coef, intercept)
	})
}

// predict predicts rows as one chunk.
func (f *form[T]) predict(s *rowScratch[T], dst, x, coef General[T], intercept []T) {
	buf := s.z
	if f.projected() {
		buf = s.zp
	}
	z := General[T]{Rows: x.Rows, Cols: f.out, Stride: f.out, Data: buf[:x.Rows*f.out]}
	f.generate(s, x, f.rowMajor(z))
	// Some coefficients at a time, which stay in cache while all rows take them.
	some := max(1, predictBytes(f.kern)/(f.out*int(unsafe.Sizeof(*new(T)))))
	for from := 0; from < coef.Rows; from += some {
		end := min(from+some, coef.Rows)
		for i := range x.Rows {
			row := z.Row(i)
			out := dst.Row(i)
			for t := from; t < end; t++ {
				v := f.kern.Dot(row, coef.Row(t))
				if intercept != nil {
					v += intercept[t]
				}
				out[t] = v
			}
		}
	}
}
