package blas

import (
	"math"

	"github.com/rffgo/rff/asm"
)

// Spec describes a feature map in float64, radians and plain row-major
// matrices, before it is packed for one element type:
//
//	x ∈ Rᵈ → projection t ∈ Rᶠ (+ Phase) → Func → Weight → z ∈ Rˢ (→ z·Product ∈ Rˡ)
//
// s is F·Func.Outputs(); for CosSin columns 0…F−1 are the cosines and F…2F−1
// the sines of the same frequencies. Exactly one of W and Blocks is set.
type Spec struct {
	Dim    int
	W      General[float64] // F×d, one frequency per row
	Blocks []Block          // structured projections, stacked; F is their total Keep
	Phase  []float64        // F, or nil for none
	Func   asm.Func         // of angles in radians for Cos and CosSin
	Weight []float64        // s

	Product General[float64] // s×l, or zero
	Walsh   *Walsh           // a projection in place of Product, or nil

	// Shift and Scale, d each, are for sections only: z_j = f(‖(x−W_j)∘Scale‖²). W has the
	// rows of the sections. Shift is a point amid them that is subtracted first, so that
	// norms are small.
	Shift, Scale []float64
	// Terms other than Products make sections functions of a sum of absolute differences or of
	// their powers, z_j = f(Σ(|x−W_j|∘Scale)ᵖ): see asm.Func.Section.
	Terms asm.Terms

	unequal bool // this is a part of a Spec whose weights differ, and must have its bits
}

// Block is a structured projection of x, zero-padded to Size, by Walsh–Hadamard
// transforms (unnormalised H): t = Scale ∘ H·D₃·(Π)·H·D₂·H·D₁·x. A stage that is
// absent is left out together with its H:
//
//	SORF:     Scale ∘ H D[0] H D[1] H D[2] x      (Perm nil)
//	Fastfood: Scale ∘ H D[0] Π H D[1] x           (Perm set, between the two)
//
// D lists the diagonals from the left, so the last one is applied first. Only the first Keep
// projections are used. A block of Trees has no stages: t = Scale ∘ Trees(x).
type Block struct {
	Size, Keep int
	D          [][]float64
	Perm       []int     // y[i] = x[Perm[i]], applied just before the leftmost D; nil for none
	Scale      []float64 // Keep
	Trees      *Trees    // in place of D, or nil
}

// Frequencies returns F.
func (s *Spec) Frequencies() int {
	if len(s.Blocks) == 0 {
		return s.W.Rows
	}
	f := 0
	for i := range s.Blocks {
		f += s.Blocks[i].Keep
	}
	return f
}

// Projected reports whether the columns of z are projected, by Product or by Walsh.
func (s *Spec) Projected() bool { return s.Product.Data != nil || s.Walsh != nil }

// Outputs returns the number of columns of z, after Product or Walsh if there is one.
func (s *Spec) Outputs() int {
	if s.Walsh != nil {
		return len(s.Walsh.Columns)
	}
	if s.Product.Data != nil {
		return s.Product.Cols
	}
	return s.Frequencies() * s.Func.Outputs()
}

// unit is the factor from the projections of a Spec to those of the kernels, whose angles are
// in turns.
func (s *Spec) unit() float64 {
	if s.Func == asm.Cos || s.Func == asm.CosSin {
		return 1 / (2 * math.Pi)
	}
	return 1
}
