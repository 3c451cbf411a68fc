package stream

import (
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
)

// MakerRows is the number of rows whose features a Maker makes together: whole strips of every
// micro-kernel. The frequencies are read once for all of them.
const MakerRows = 48

// Maker makes the features of rows of many inputs soon after they come. Sums of these features
// then keep rows of features until a row block is full, which take less memory than the inputs.
type Maker interface {
	// Keep scales a row and keeps it. It reports whether MakerRows rows are kept.
	Keep(x []float64) (full bool)
	// Make returns the features of the rows that are kept, valid until the next Make, and keeps
	// none of them.
	Make() blas.General[float64]
}

// Identity returns the map of s inputs whose features are these. It stands for the map of a Maker
// where its features are summed. The error is that of rff for too large a map.
func Identity(s int) (*rff.Map, error) {
	spec := &blas.Spec{Dim: s, W: blas.NewGeneral[float64](s, s), Func: asm.Linear, Weight: slices.Repeat([]float64{1}, s)}
	for i := range s {
		spec.W.Row(i)[i] = 1
	}
	return inside.New(spec, nil)
}

type maker[T blas.Float] struct {
	engine   blas.Engine
	features *blas.Features[T]
	scaling  rff.Scaling
	x, z     blas.General[T]
	rows     int
	wide     []float64

	used []bool // inputs that are not 0 in some row that is kept; nil where none may be left out
	uses int    // their number
	part []T    // rows without the other inputs
}

// sparseInputs says when rows are sparse: when all that are kept have at most 1/sparseInputs of
// the inputs between them.
const sparseInputs = 4

func newMaker[T blas.Float](f *blas.Features[T], e blas.Engine, s rff.Scaling) Maker {
	in, out := f.Dims()
	m := &maker[T]{engine: e, features: f, scaling: s, x: blas.NewGeneral[T](MakerRows, in), z: blas.NewGeneral[T](MakerRows, out)}
	if f.Sparse() {
		m.used = make([]bool, in)
	}
	return m
}

func (m *maker[T]) Keep(x []float64) (full bool) {
	row := m.x.Row(m.rows)
	Scale(m.scaling, row, x)
	m.rows++
	if m.sparse() {
		for j, v := range row {
			if v != 0 && !m.used[j] {
				m.used[j] = true
				m.uses++
			}
		}
	}
	return m.rows == MakerRows
}

// sparse reports whether the rows that are kept so far are sparse.
func (m *maker[T]) sparse() bool { return m.used != nil && m.uses <= len(m.used)/sparseInputs }

func (m *maker[T]) Make() blas.General[float64] {
	f, x, z := m.features, m.x.RowRange(0, m.rows), m.z.RowRange(0, m.rows)
	if m.sparse() {
		f, x = m.without(x)
	}
	f.Transform(m.engine, z, x)
	m.rows, m.uses = 0, 0
	clear(m.used)
	if same, ok := any(z).(blas.General[float64]); ok {
		return same
	}
	out := dense.Fitting(&m.wide, z.Rows, z.Cols)
	for i := range z.Rows {
		Convert(out.Row(i), z.Row(i))
	}
	return out
}

// without returns the features and the rows x without the inputs that are 0 in all of x.
func (m *maker[T]) without(x blas.General[T]) (*blas.Features[T], blas.General[T]) {
	inputs := make([]int, 0, m.uses)
	for j, used := range m.used {
		if used {
			inputs = append(inputs, j)
		}
	}
	if len(inputs) == 0 { // a map has an input
		inputs = append(inputs, 0)
	}
	rows := dense.Fitting(&m.part, x.Rows, len(inputs))
	for i := range x.Rows {
		for k, j := range inputs {
			rows.Row(i)[k] = x.Row(i)[j]
		}
	}
	return m.features.Some(inputs), rows
}
