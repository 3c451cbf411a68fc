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

// Check returns the field that keeps s from being packed, its value or length, and what it must
// be. need is "" if s can be packed. Sizes must agree, and all numbers must be finite.
func (s *Spec) Check() (field string, value any, need string) {
	if s.Dim < 1 {
		return "Dim", s.Dim, "must be at least 1"
	}
	if s.Func > asm.SectionCauchy {
		return "Func", uint8(s.Func), "is not a known function"
	}
	if dense, structured := s.W.Rows != 0 || s.W.Data != nil, len(s.Blocks) != 0; dense == structured {
		return "W", s.W.Rows, "exactly one of W and Blocks must be set, with at least one frequency"
	}
	if len(s.Blocks) == 0 {
		if s.W.Cols != s.Dim {
			return "W", s.W.Cols, fmt.Sprintf("must have Dim = %d columns", s.Dim)
		}
		if field, value, need = checkMatrix("W", s.W); need != "" {
			return field, value, need
		}
	}
	for i := range s.Blocks {
		if field, value, need = s.Blocks[i].check(s.Dim); need != "" {
			return fmt.Sprintf("Blocks[%d].%s", i, field), value, need
		}
	}
	f := s.Frequencies()
	if f < 1 {
		return "W", f, "must have at least one frequency"
	}
	if field, value, need = s.checkSections(); need != "" {
		return field, value, need
	}
	if s.Phase != nil {
		if len(s.Phase) != f {
			return "Phase", len(s.Phase), fmt.Sprintf("must have one element for each of the %d frequencies, or be nil", f)
		}
		if field, value, need = checkVector("Phase", s.Phase); need != "" {
			return field, value, need
		}
	}
	if n := f * s.Func.Outputs(); len(s.Weight) != n {
		return "Weight", len(s.Weight), fmt.Sprintf("must have one element for each of the %d columns", n)
	}
	if field, value, need = checkVector("Weight", s.Weight); need != "" {
		return field, value, need
	}
	if s.Walsh != nil {
		if s.Product.Data != nil || s.Func.Section() {
			return "Walsh", len(s.Walsh.Columns), "goes neither with Product nor with sections"
		}
		return s.Walsh.check(len(s.Weight))
	}
	if s.Product.Rows != 0 || s.Product.Cols != 0 || s.Product.Data != nil {
		if s.Product.Rows != len(s.Weight) || s.Product.Cols < 1 {
			return "Product", s.Product.Rows, fmt.Sprintf("must have %d rows and at least one column", len(s.Weight))
		}
		return checkMatrix("Product", s.Product)
	}
	return "", nil, ""
}

// checkSections is Spec.Check for the fields that only sections have.
func (s *Spec) checkSections() (field string, value any, need string) {
	if !s.Func.Section() {
		if s.Shift != nil || s.Scale != nil || s.Terms != asm.Products {
			return "Shift", len(s.Shift), "belongs to sections, as Scale and Terms do"
		}
		return "", nil, ""
	}
	if len(s.Blocks) != 0 || s.Phase != nil {
		return "Blocks", len(s.Blocks), "and Phase have no meaning for sections"
	}
	if len(s.Shift) != s.Dim || len(s.Scale) != s.Dim {
		return "Shift", len(s.Shift), fmt.Sprintf("must have Dim = %d elements, as Scale must", s.Dim)
	}
	if field, value, need = checkVector("Shift", s.Shift); need != "" {
		return field, value, need
	}
	for j, v := range s.Scale {
		if !(v > 0) || math.IsInf(v, 1) {
			return fmt.Sprintf("Scale[%d]", j), v, "must be positive and finite"
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
	if reach := 0x1p-8 / float64(float64(s.Dim+2)*0x1p-50); !(most <= reach) {
		return "W", most, fmt.Sprintf("is the distance (squared, or the sum of differences or of their powers), in bandwidths, of a landmark from their centre, and must be at most %.3g for near rows to be told apart: scale the columns, or use a larger bandwidth", reach)
	}
	return "", nil, ""
}

// check is Spec.Check for a block of a map of dim inputs.
func (b *Block) check(dim int) (field string, value any, need string) {
	if b.Size < dim || b.Size&(b.Size-1) != 0 {
		return "Size", b.Size, fmt.Sprintf("must be a power of two, at least Dim = %d", dim)
	}
	if b.Keep < 1 || b.Keep > b.Size {
		return "Keep", b.Keep, fmt.Sprintf("must be in 1..%d", b.Size)
	}
	if len(b.Scale) != b.Keep {
		return "Scale", len(b.Scale), fmt.Sprintf("must have Keep = %d elements", b.Keep)
	}
	if field, value, need = checkVector("Scale", b.Scale); need != "" {
		return field, value, need
	}
	if b.Trees != nil {
		if len(b.D) != 0 || b.Perm != nil {
			return "D", len(b.D), "and Perm have no meaning for trees"
		}
		if b.Size/2 >= max(dim, b.Keep) {
			return "Size", b.Size, fmt.Sprintf("must be the least power of two from Dim = %d and Keep = %d on", dim, b.Keep)
		}
		return b.Trees.check(dim, b.Keep)
	}
	if len(b.D) == 0 {
		return "D", 0, "must have at least one diagonal"
	}
	for j, d := range b.D {
		name := fmt.Sprintf("D[%d]", j)
		if len(d) != b.Size {
			return name, len(d), fmt.Sprintf("must have Size = %d elements", b.Size)
		}
		if field, value, need = checkVector(name, d); need != "" {
			return field, value, need
		}
	}
	if b.Perm == nil {
		return "", nil, ""
	}
	if len(b.Perm) != b.Size {
		return "Perm", len(b.Perm), fmt.Sprintf("must have Size = %d elements", b.Size)
	}
	seen := make([]bool, b.Size)
	for _, p := range b.Perm {
		if p < 0 || p >= b.Size || seen[p] {
			return "Perm", p, fmt.Sprintf("must be a permutation of 0..%d", b.Size-1)
		}
		seen[p] = true
	}
	return "", nil, ""
}

// mostDepth is the largest Depth of Trees, and mostTreeInputs are the most inputs of their map: no array of
// them has an element for each input, so that a damaged file could claim any number.
const (
	mostDepth      = 12
	mostTreeInputs = 1 << 20
)

// check is Block.check for trees of a block that keeps so many projections of dim inputs.
func (t *Trees) check(dim, keep int) (field string, value any, need string) {
	if t.Depth < 1 || t.Depth > mostDepth {
		return "Trees.Depth", t.Depth, fmt.Sprintf("must be in 1..%d", mostDepth)
	}
	if dim > mostTreeInputs {
		return "Dim", dim, fmt.Sprintf("must be at most %d for trees", mostTreeInputs)
	}
	n := t.Count()
	if n == 0 || t.Value.Rows != n<<t.Depth || t.Value.Cols != keep {
		return "Trees.Value", t.Value.Rows, fmt.Sprintf("must have 2^Depth rows for each tree and Keep = %d columns", keep)
	}
	if t.Width != nil && len(t.Width) != n*t.Depth {
		return "Trees.Width", len(t.Width), "must have Depth elements for each tree"
	}
	all := 0
	for i := range n * t.Depth {
		w := t.WidthOf(i)
		if w != 1 && w != 1<<(i%t.Depth) {
			return fmt.Sprintf("Trees.Width[%d]", i), w, "must be 1 or, at depth d, 2^d"
		}
		all += w
	}
	if len(t.Input) != all || len(t.Threshold) != all {
		return "Trees.Input", len(t.Input), fmt.Sprintf("must have %d elements, as Threshold must", all)
	}
	for i, j := range t.Input {
		if j < 0 || j >= dim {
			return fmt.Sprintf("Trees.Input[%d]", i), j, fmt.Sprintf("must be in 0..%d", dim-1)
		}
	}
	if field, value, need = checkVector("Trees.Threshold", t.Threshold); need != "" {
		return field, value, need
	}
	return checkMatrix("Trees.Value", t.Value)
}

func checkVector(name string, v []float64) (field string, value any, need string) {
	for i, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Sprintf("%s[%d]", name, i), x, "must be finite"
		}
	}
	return "", nil, ""
}

func checkMatrix(name string, m General[float64]) (field string, value any, need string) {
	if m.Cols < 1 || !Holds(m) {
		return name, len(m.Data), fmt.Sprintf("must hold %d×%d elements with stride %d", m.Rows, m.Cols, m.Stride)
	}
	for i := range m.Rows {
		// A finite sum has finite terms. Otherwise the term to name is looked for.
		var s float64
		for _, v := range m.Row(i) {
			s += v
		}
		if !math.IsNaN(s) && !math.IsInf(s, 0) {
			continue
		}
		if field, value, need = checkVector(fmt.Sprintf("%s row %d", name, i), m.Row(i)); need != "" {
			return field, value, need
		}
	}
	return "", nil, ""
}
