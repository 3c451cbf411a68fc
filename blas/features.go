package blas

import (
	"math"

	"github.com/rffgo/rff/asm"
)

// RowBlock is the number of rows whose sums form one fused chain: part of the
// definition of Sums (block sums are added in order).
const RowBlock = 504

// Features is a Spec packed for one element type: immutable, safe to share.
type Features[T Float] struct {
	spec    *Spec
	kernels *asm.Kernels[T]
	w       []T
	phase   []T
	weight  []T
	weight2 []T
	product General[T]
}

// Pack prepares s for element type T. It panics if the sizes of s disagree.
func Pack[T Float](s *Spec) *Features[T] {
	s.check()
	k := asm.Generic[T]()
	f := s.Frequencies()
	panels := (f + k.Panel - 1) / k.Panel
	m := &Features[T]{spec: s, kernels: k,
		phase: make([]T, panels*k.Panel), weight: make([]T, panels*k.Panel)}
	unit := 1.0
	if s.Func == Cos || s.Func == CosSin {
		unit = 1 / (2 * math.Pi)
	}
	for j, p := range s.Phase {
		m.phase[j] = T(p * unit)
	}
	for j := range f {
		m.weight[j] = T(s.Weight[j])
	}
	if s.Func == CosSin {
		m.weight2 = make([]T, panels*k.Panel)
		for j := range f {
			m.weight2[j] = T(s.Weight[f+j])
		}
	}
	if len(s.Blocks) == 0 {
		m.w = make([]T, panels*s.Dim*k.Panel)
		for j := range f {
			for i, v := range s.W.Row(j) {
				m.w[(j/k.Panel*s.Dim+i)*k.Panel+j%k.Panel] = T(v * unit)
			}
		}
	} else {
		panic("blas: structured projections are not built yet")
	}
	if s.Product.Data != nil {
		m.product = NewGeneral[T](s.Product.Rows, s.Product.Cols)
		for i := range s.Product.Rows {
			for j, v := range s.Product.Row(i) {
				m.product.Data[i*m.product.Stride+j] = T(v)
			}
		}
	}
	return m
}

// Dims returns the number of inputs and of output columns.
func (m *Features[T]) Dims() (in, out int) { return m.spec.Dim, m.spec.Outputs() }

// Transform writes the features of the rows of x to dst: n×d → n×s.
func (m *Features[T]) Transform(e Engine, dst, x General[T]) {
	dst.check()
	x.check()
	in, out := m.Dims()
	if x.Cols != in || dst.Cols != out || dst.Rows != x.Rows {
		panic(errShape)
	}
	if x.Rows == 0 {
		return
	}
	z := dst
	if m.product.Data != nil {
		z = NewGeneral[T](x.Rows, m.product.Rows)
	}
	f := m.spec.Frequencies()
	o := asm.Output[T]{Z: z.Data, RowStride: z.Stride, PanelStride: m.kernels.Panel}
	if m.spec.Func == CosSin {
		o.Z2 = z.Data[f:]
	}
	m.kernels.Features(m.spec.Func, &asm.Projection[T]{X: x.Data, LDX: x.Stride, Rows: x.Rows, D: in,
		W: m.w, Cols: f, Phase: m.phase, Weight: m.weight, Weight2: m.weight2}, &o)
	if m.product.Data != nil {
		Gemm(e, false, false, 1, z, m.product, 0, dst)
	}
}

// Predict writes Z·coef + intercept to dst, n×t, for the features Z of the rows
// of x, without storing Z: coef is s×t, intercept has t elements or is nil.
func (m *Features[T]) Predict(e Engine, dst, x, coef General[T], intercept []T) {
	_, out := m.Dims()
	if coef.Rows != out || coef.Cols != dst.Cols || dst.Rows != x.Rows || (intercept != nil && len(intercept) != coef.Cols) {
		panic(errShape)
	}
	z := NewGeneral[T](1, out)
	for i := range x.Rows {
		m.Transform(e, z, x.RowRange(i, i+1))
		Gemm(e, false, false, 1, z, coef, 0, dst.RowRange(i, i+1))
		for t, c := range intercept {
			dst.Data[i*dst.Stride+t] += c
		}
	}
}
