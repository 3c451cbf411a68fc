package rff

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
)

// CheckRows returns an error for the first row of x that m cannot turn into
// meaningful features, a *ValueError, or nil: an input is not finite, or the row lies
// so far out that m cannot tell it from its neighbours (the spacing of float64 at
// ωᵀx is a radian or more, or features would overflow). The rows are rows first,
// first+1, … of the data.
func CheckRows[T blas.Float](m *Map, x blas.General[T], first int64) error {
	limit := m.resolves()
	// A sum of squares within bound has finite terms, and a norm within limit.
	bound := T(math.Min(limit*limit, math.MaxFloat32/2))
	for i := range x.Rows {
		row := x.Row(i)
		var s0, s1, s2, s3 T
		j := 0
		for ; j+4 <= len(row); j += 4 {
			a, b, c, d := row[j], row[j+1], row[j+2], row[j+3]
			s0 += T(a * a)
			s1 += T(b * b)
			s2 += T(c * c)
			s3 += T(d * d)
		}
		for ; j < len(row); j++ {
			s0 += T(row[j] * row[j])
		}
		if s0+s1+s2+s3 <= bound {
			continue
		}
		at := first + int64(i)
		if err := CheckFinite(x.RowRange(i, i+1), at); err != nil {
			return err
		}
		if norm := norm2(row); norm > limit {
			return &ValueError{at, "norm", norm, fmt.Sprintf("the map resolves rows up to norm %.3g: scale the columns, or leave the row out", limit)}
		}
	}
	return nil
}

// checkRowsOf is CheckRows for any matrix.
func checkRowsOf(m *Map, x mat.Matrix) error {
	n, _ := x.Dims()
	r := newRowReader(x)
	for i := 0; i < n; i += copyBlock {
		if err := CheckRows(m, r.rows(i, min(i+copyBlock, n)), int64(i)); err != nil {
			return err
		}
	}
	return nil
}

// norm2 returns ‖x‖₂ of finite x, without overflow where it can be represented.
func norm2[T blas.Float](x []T) float64 {
	var largest float64
	for _, v := range x {
		largest = math.Max(largest, math.Abs(float64(v)))
	}
	if largest == 0 {
		return 0
	}
	var s float64
	for _, v := range x {
		u := float64(v) / largest
		s += float64(u * u)
	}
	return largest * math.Sqrt(s)
}

// resolves returns the largest ‖x‖₂ at which features mean something: where
// |ωᵀx| ≤ ‖ω‖₂‖x‖₂ is at most 2⁵² for cosines, and its square far from overflow
// for the others.
func (m *Map) resolves() float64 {
	m.onceReach.Do(func() {
		largest := 0x1p52
		if m.spec.Func != blas.Cos && m.spec.Func != blas.CosSin {
			largest = 1e150
		}
		m.reach = largest / longest(m.spec)
	})
	return m.reach
}

// longest returns an upper bound of the largest ‖ω‖₂ of s, at least the smallest
// normal number.
func longest(s *blas.Spec) float64 {
	most := 0x1p-1022
	if s.Func.Section() {
		return math.Max(most, slices.Max(s.Scale))
	}
	if len(s.Blocks) == 0 {
		for i := range s.W.Rows {
			most = math.Max(most, norm2(s.W.Row(i)))
		}
		return most
	}
	for i := range s.Blocks {
		b := &s.Blocks[i]
		length := 0.0
		for _, v := range b.Scale {
			length = math.Max(length, math.Abs(v))
		}
		for _, d := range b.D { // an unnormalised transform is √p times a rotation
			widest := 0.0
			for _, v := range d {
				widest = math.Max(widest, math.Abs(v))
			}
			length *= widest * math.Sqrt(float64(b.Size))
		}
		most = math.Max(most, length)
	}
	return most
}
