package sampling

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/optional"
)

// subset returns the specification of the frequencies in index, and multiplies the columns
// of the i-th by amplitude[i]. Structured projections become dense ones.
func subset(ctx context.Context, e blas.Engine, s *blas.Spec, index []int, amplitude []float64) (*blas.Spec, error) {
	f, n := s.Frequencies(), len(index)
	s, err := withoutBlocks(ctx, e, s)
	if err != nil {
		return nil, err
	}
	t := &blas.Spec{Dim: s.Dim, W: dense.Pick(s.W, index), Phase: optional.At(s.Phase, index), Func: s.Func, Weight: make([]float64, n*s.Func.Outputs())}
	for i, c := range index {
		for o := range s.Func.Outputs() {
			t.Weight[o*n+i] = s.Weight[o*f+c] * amplitude[i]
		}
	}
	return t, nil
}

// mergeEqual returns s with equal rows of W merged into one. Its weight is the root of the
// sum of squares of theirs, which leaves the kernel unchanged. Coordinates drawn with
// replacement repeat, and without the merge every copy would have the same score.
func mergeEqual(s *blas.Spec) *blas.Spec {
	t := *s
	t.W = blas.General[float64]{Cols: s.Dim, Stride: s.Dim}
	t.Weight = nil
	seen := map[string]int{}
	var key []byte
	for i, w := range s.Weight {
		key = key[:0]
		for _, v := range s.W.Row(i) {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
		}
		at, ok := seen[string(key)]
		if !ok {
			at = t.W.Rows
			seen[string(key)] = at
			t.W.Rows++
			t.W.Data = append(t.W.Data, s.W.Row(i)...)
			t.Weight = append(t.Weight, 0)
		}
		t.Weight[at] += float64(w * w)
	}
	for i, w := range t.Weight {
		t.Weight[i] = math.Sqrt(w)
	}
	return &t
}

// withoutBlocks returns s with structured projections written out as a matrix, whose column j is the
// engine's projection of the j-th unit vector.
func withoutBlocks(ctx context.Context, e blas.Engine, s *blas.Spec) (*blas.Spec, error) {
	if len(s.Blocks) == 0 {
		return s, nil
	}
	f := s.Frequencies()
	if err := affordable(f, f, s.Dim, "frequencies to pick from"); err != nil {
		return nil, err
	}
	projection := &blas.Spec{Dim: s.Dim, Blocks: s.Blocks, Func: asm.Linear, Weight: slices.Repeat([]float64{1}, f)}
	packed := blas.Pack[float64](projection)
	w := blas.NewGeneral[float64](f, s.Dim)
	unit, image := blas.NewGeneral[float64](min(blas.RowBlock, s.Dim), s.Dim), blas.NewGeneral[float64](min(blas.RowBlock, s.Dim), f)
	for first := 0; first < s.Dim; first += unit.Rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := min(unit.Rows, s.Dim-first)
		clear(unit.Data)
		for j := range n {
			unit.Row(j)[first+j] = 1
		}
		packed.Transform(e, image.RowRange(0, n), unit.RowRange(0, n))
		for i := range f {
			row := w.Row(i)[first : first+n]
			for j := range row {
				row[j] = image.Data[j*f+i]
			}
		}
	}
	t := *s
	t.Blocks, t.W = nil, w
	return &t, nil
}
