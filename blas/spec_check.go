package blas

import (
	"fmt"
	"math"
	"slices"

	"github.com/rffgo/rff/asm"
)

// Clone returns a copy of s that shares no memory with it.
func (s *Spec) Clone() *Spec {
	c := *s
	c.W, c.Product = cloneGeneral(s.W), cloneGeneral(s.Product)
	if s.Walsh != nil {
		c.Walsh = &Walsh{slices.Clone(s.Walsh.D), slices.Clone(s.Walsh.Columns)}
	}
	c.Blocks = slices.Clone(s.Blocks)
	for i := range c.Blocks {
		b := &c.Blocks[i]
		b.D = slices.Clone(b.D)
		for j := range b.D {
			b.D[j] = slices.Clone(b.D[j])
		}
		b.Perm, b.Scale = slices.Clone(b.Perm), slices.Clone(b.Scale)
		if t := b.Trees; t != nil {
			b.Trees = &Trees{t.Depth, slices.Clone(t.Width), slices.Clone(t.Input), slices.Clone(t.Threshold), cloneGeneral(t.Value), t.Tanh}
		}
	}
	c.Phase, c.Weight = slices.Clone(s.Phase), slices.Clone(s.Weight)
	c.Shift, c.Scale = slices.Clone(s.Shift), slices.Clone(s.Scale)
	return &c
}

func cloneGeneral(m General[float64]) General[float64] {
	if m.Data == nil {
		return m
	}
	c := NewGeneral[float64](m.Rows, m.Cols)
	for i := range m.Rows {
		copy(c.Row(i), m.Row(i))
	}
	return c
}

// flaw is the first thing that keeps a Spec from being packed: a field, its value or length, and what
// that must be. need is "" as long as there is none.
type flaw struct {
	block string // stands before the name of a field
	field string
	value any
	need  string
}

// unless notes what a field must be unless it is so. It reports whether there is no flaw so far.
func (f *flaw) unless(ok bool, field string, value any, need string, a ...any) bool {
	if !ok && f.need == "" {
		f.field, f.value, f.need = f.block+field, value, fmt.Sprintf(need, a...)
	}
	return f.need == ""
}

// vector notes an element that is not finite.
func (f *flaw) vector(name string, v []float64) bool {
	for i, x := range v {
		if x-x != 0 {
			return f.unless(false, fmt.Sprintf("%s[%d]", name, i), x, "must be finite")
		}
	}
	return f.need == ""
}

// matrix notes that m has no columns, does not hold its elements, or has one that is not finite.
func (f *flaw) matrix(name string, m General[float64]) bool {
	if !f.unless(m.Cols >= 1 && Holds(m), name, len(m.Data), "must hold %d×%d elements with stride %d", m.Rows, m.Cols, m.Stride) {
		return false
	}
	for i := range m.Rows {
		// A finite sum has finite terms. Otherwise the term to name is looked for.
		var s float64
		for _, v := range m.Row(i) {
			s += v
		}
		if s-s != 0 && !f.vector(fmt.Sprintf("%s row %d", name, i), m.Row(i)) {
			return false
		}
	}
	return true
}

// Check returns the field that keeps s from being packed, its value or length, and what it must
// be. need is "" if s can be packed. Sizes must agree, and all numbers must be finite.
func (s *Spec) Check() (field string, value any, need string) {
	var f flaw
	s.check(&f)
	return f.field, f.value, f.need
}

func (s *Spec) check(f *flaw) {
	f.unless(s.Dim >= 1, "Dim", s.Dim, "must be at least 1")
	f.unless(s.Func <= asm.SectionCauchy, "Func", uint8(s.Func), "is not a known function")
	dense, structured := s.W.Rows != 0 || s.W.Data != nil, len(s.Blocks) != 0
	f.unless(dense != structured, "W", s.W.Rows, "exactly one of W and Blocks must be set, with at least one frequency")
	if !structured && f.unless(s.W.Cols == s.Dim, "W", s.W.Cols, "must have Dim = %d columns", s.Dim) {
		f.matrix("W", s.W)
	}
	for i := range s.Blocks {
		f.block = fmt.Sprintf("Blocks[%d].", i)
		if s.Blocks[i].check(f, s.Dim); f.need != "" {
			return
		}
	}
	f.block = ""
	n := s.Frequencies()
	f.unless(n >= 1, "W", n, "must have at least one frequency")
	if f.need != "" || !s.checkSections(f) {
		return
	}
	if s.Phase != nil {
		f.unless(len(s.Phase) == n, "Phase", len(s.Phase), "must have one element for each of the %d frequencies, or be nil", n)
		f.vector("Phase", s.Phase)
	}
	columns := n * s.Func.Outputs()
	f.unless(len(s.Weight) == columns, "Weight", len(s.Weight), "must have one element for each of the %d columns", columns)
	f.vector("Weight", s.Weight)
	switch p := s.Product; {
	case s.Walsh != nil:
		f.unless(p.Data == nil && !s.Func.Section(), "Walsh", len(s.Walsh.Columns), "goes neither with Product nor with sections")
		s.Walsh.check(f, columns)
	case p.Rows != 0 || p.Cols != 0 || p.Data != nil:
		if f.unless(p.Rows == columns && p.Cols >= 1, "Product", p.Rows, "must have %d rows and at least one column", columns) {
			f.matrix("Product", p)
		}
	}
}

// checkSections checks the fields that only sections have.
func (s *Spec) checkSections(f *flaw) bool {
	if !s.Func.Section() {
		return f.unless(s.Shift == nil && s.Scale == nil && s.Terms == asm.Products, "Shift", len(s.Shift), "belongs to sections, as Scale and Terms do")
	}
	f.unless(len(s.Blocks) == 0 && s.Phase == nil, "Blocks", len(s.Blocks), "and Phase have no meaning for sections")
	f.unless(len(s.Shift) == s.Dim && len(s.Scale) == s.Dim, "Shift", len(s.Shift), "must have Dim = %d elements, as Scale must", s.Dim)
	if !f.vector("Shift", s.Shift) {
		return false
	}
	for j, v := range s.Scale {
		if !(v > 0) || math.IsInf(v, 1) {
			return f.unless(false, fmt.Sprintf("Scale[%d]", j), v, "must be positive and finite")
		}
	}
	most := 0.0
	for i := range s.W.Rows {
		norm := 0.0
		for j, v := range s.W.Row(i) {
			c := (v - s.Shift[j]) * s.Scale[j]
			switch c = math.Abs(c); s.Terms {
			case asm.Products:
				norm += float64(c * c)
			case asm.Differences:
				norm += c
			default:
				norm += float64(c * math.Sqrt(c))
			}
		}
		most = max(most, norm)
	}
	// Squared distances of near rows are off by (d+2)·eps·4R², in units of the kernel. Sums
	// of differences or of their powers are off by at most the same with their largest value for R²,
	// because centred inputs are rounded.
	reach := 0x1p-8 / float64(float64(s.Dim+2)*0x1p-50)
	return f.unless(most <= reach, "W", nil, "have one that is %.3g from their centre (the square of the distance, or the sum of differences or of their powers, in bandwidths), and near rows are told apart up to %.3g: scale the columns, or use a larger bandwidth", most, reach)
}

// check checks a block of a map of dim inputs.
func (b *Block) check(f *flaw, dim int) {
	f.unless(b.Size >= dim && b.Size&(b.Size-1) == 0, "Size", b.Size, "must be a power of two, at least Dim = %d", dim)
	f.unless(b.Keep >= 1 && b.Keep <= b.Size, "Keep", b.Keep, "must be in 1..%d", b.Size)
	f.unless(len(b.Scale) == b.Keep, "Scale", len(b.Scale), "must have Keep = %d elements", b.Keep)
	if !f.vector("Scale", b.Scale) {
		return
	}
	if b.Trees != nil {
		f.unless(len(b.D) == 0 && b.Perm == nil, "D", len(b.D), "and Perm have no meaning for trees")
		f.unless(b.Size/2 < max(dim, b.Keep), "Size", b.Size, "must be the least power of two from Dim = %d and Keep = %d on", dim, b.Keep)
		b.Trees.check(f, dim, b.Keep)
		return
	}
	f.unless(len(b.D) != 0, "D", 0, "must have at least one diagonal")
	for j, d := range b.D {
		name := fmt.Sprintf("D[%d]", j)
		f.unless(len(d) == b.Size, name, len(d), "must have Size = %d elements", b.Size)
		f.vector(name, d)
	}
	if b.Perm == nil || !f.unless(len(b.Perm) == b.Size, "Perm", len(b.Perm), "must have Size = %d elements", b.Size) {
		return
	}
	seen := make([]bool, b.Size)
	for _, p := range b.Perm {
		if p < 0 || p >= b.Size || seen[p] {
			f.unless(false, "Perm", p, "must be a permutation of 0..%d", b.Size-1)
			return
		}
		seen[p] = true
	}
}

// mostDepth is the largest Depth of Trees, and mostTreeInputs are the most inputs of their map: no array of
// them has an element for each input, so that a damaged file could claim any number.
const (
	mostDepth      = 12
	mostTreeInputs = 1 << 20
)

// check checks the trees of a block that keeps so many projections of dim inputs.
func (t *Trees) check(f *flaw, dim, keep int) {
	f.unless(t.Depth >= 1 && t.Depth <= mostDepth, "Trees.Depth", t.Depth, "must be in 1..%d", mostDepth)
	if !f.unless(dim <= mostTreeInputs, "Dim", dim, "must be at most %d for trees", mostTreeInputs) {
		return
	}
	n := t.Count()
	f.unless(n != 0 && t.Value.Rows == n<<t.Depth && t.Value.Cols == keep, "Trees.Value", t.Value.Rows, "must have 2^Depth rows for each tree and Keep = %d columns", keep)
	if !f.unless(t.Width == nil || len(t.Width) == n*t.Depth, "Trees.Width", len(t.Width), "must have Depth elements for each tree") {
		return
	}
	all := 0
	for i := range n * t.Depth {
		w := t.WidthOf(i)
		if w != 1 && w != 1<<(i%t.Depth) {
			f.unless(false, fmt.Sprintf("Trees.Width[%d]", i), w, "must be 1 or, at depth d, 2^d")
		}
		all += w
	}
	f.unless(len(t.Input) == all && len(t.Threshold) == all, "Trees.Input", len(t.Input), "must have %d elements, as Threshold must", all)
	for i, j := range t.Input {
		if j < 0 || j >= dim {
			f.unless(false, fmt.Sprintf("Trees.Input[%d]", i), j, "must be in 0..%d", dim-1)
		}
	}
	if f.vector("Trees.Threshold", t.Threshold) {
		f.matrix("Trees.Value", t.Value)
	}
}

// check checks a projection of s columns.
func (w *Walsh) check(f *flaw, s int) {
	f.unless(len(w.D) == s && len(w.Columns) != 0, "Walsh.D", len(w.D), "must have one element for each of the %d columns, and Columns at least one", s)
	if !f.vector("Walsh.D", w.D) {
		return
	}
	for i, c := range w.Columns {
		if c < 0 || c >= w.Size() {
			f.unless(false, fmt.Sprintf("Walsh.Columns[%d]", i), c, "must be from 0 to %d", w.Size()-1)
		}
	}
}
