package blas

import (
	"sync"
	"sync/atomic"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/schedule"
)

// Features is a Spec packed for one element type. It is immutable and safe to share.
type Features[T Float] struct {
	spec  *Spec
	forms any // a *forms[T]; operationsOf says why the type is not named here
}

// Pack prepares s, which must not be modified afterwards, for element type T.
// It panics if the sizes of s disagree.
func Pack[T Float](s *Spec) *Features[T] {
	if _, _, need := s.Check(); need != "" {
		panic(errSpec)
	}
	return &Features[T]{s, newForms(s, single[T]())}
}

//go:noinline
func newForms(s *Spec, single bool) any {
	if single {
		return &forms[float32]{spec: s, scratch: new(sync.Pool)}
	}
	return &forms[float64]{spec: s, scratch: new(sync.Pool)}
}

// Dims returns the number of inputs and of output columns.
func (m *Features[T]) Dims() (in, out int) { return m.spec.Dim, m.spec.Outputs() }

// forms are the layouts of a map's frequencies. Each is made when an engine first uses it,
// and kept.
type forms[T Float] struct {
	spec *Spec
	last atomic.Pointer[form[T]] // the layout used last
	mu   sync.Mutex
	form []*form[T]
	rows [2]*rowForm[T] // for generic backends, with angles in turns and in radians

	// scratch has *rowScratch[T]. It is allocated apart: the runtime holds a pool in use, and what it
	// is a part of, for two garbage collections after its last use.
	scratch *sync.Pool
}

// formsOf returns the layouts of m's frequencies.
func formsOf[T Float](m *Features[T]) *forms[T] { return m.forms.(*forms[T]) }

// packed returns the layout for kern.
func (m *forms[T]) packed(kern *asm.Kernels[T]) *form[T] {
	if f := m.last.Load(); f != nil && f.kern == kern {
		return f
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.form {
		if f.kern == kern {
			m.last.Store(f)
			return f
		}
	}
	f := newForm(m.spec, kern)
	m.form = append(m.form, f)
	m.last.Store(f)
	return f
}

// takeScratch returns a scratch of any size.
func (m *forms[T]) takeScratch() *rowScratch[T] {
	if s, _ := m.scratch.Get().(*rowScratch[T]); s != nil {
		return s
	}
	return new(rowScratch[T])
}

// borrowScratch returns a scratch for that many rows of f.
func (m *forms[T]) borrowScratch(f *form[T], rows int) *rowScratch[T] {
	s := m.takeScratch()
	grow(&s.z, rows*f.base)
	if f.product != nil {
		grow(&s.zp, rows*f.out)
		grow(&s.strip, f.base*f.kern.MR)
	}
	if f.walsh != nil {
		grow(&s.zp, rows*f.out)
		grow(&s.a, len(f.walsh.d))
	}
	if f.stacks != nil {
		growStacks(s, f.stacks)
		grow(&s.t, f.freqs*f.together)
		grow(&s.row, f.base)
	}
	return s
}

// giveBack keeps a scratch for later, without what it has of the map and of rows.
func (m *forms[T]) giveBack(s *rowScratch[T]) {
	s.projection, s.output = asm.Projection[T]{}, asm.Output[T]{}
	m.scratch.Put(s)
}

// rowMajorForm returns the row-major layout, with angles in radians or turns.
func (m *forms[T]) rowMajorForm(radians bool) *rowForm[T] {
	m.mu.Lock()
	defer m.mu.Unlock()
	i, unit := 0, m.spec.unit()
	if radians {
		i, unit = 1, 1
	}
	if m.rows[i] != nil {
		return m.rows[i]
	}
	f := newRowForm[T](m.spec, unit)
	m.rows[i] = f
	return f
}

// forEach calls body for chunks of that many rows, and for every part of each chunk. Each
// worker has a scratch of its own.
func (m *forms[T]) forEach(f *form[T], workers, chunk, parts, n int, body func(s *rowScratch[T], i0, i1, part int)) {
	scratch := make([]*rowScratch[T], workers)
	for w := range scratch {
		scratch[w] = m.borrowScratch(f, chunk)
	}
	schedule.Tasks(workers, parts*ceil(n, chunk), func(w, i int) {
		task := i / parts
		body(scratch[w], task*chunk, min(n, (task+1)*chunk), i%parts)
	})
	for _, s := range scratch {
		m.giveBack(s)
	}
}
