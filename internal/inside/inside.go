// Package inside gives the packages of this module what an rff.Map is made of: its
// specification, its base and the change from it, its packed features and its engine.
// These are types of packages that may change, so programs do not get them from rff.
package inside

import (
	"context"
	"iter"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/basis"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/reach"
)

// New returns the map of a specification: frequencies, or Hadamard blocks, with weights
// and phases. The slices of s become part of the map and must not be modified. A Spec of
// Cos or CosSin without Weight gets the equal weights of its form. kernel is the kernel
// that the map approximates, or nil.
//
// Errors: *rff.ParameterError if sizes in s do not agree or a number is not finite. All
// maps are made here, so it also returns the errors of the environment:
// *asm.SelectError for RFF_CPU or RFF_BACKEND.
func New(s *blas.Spec, kernel rff.Kernel) (*rff.Map, error) {
	return as[*rff.Map](hook.New(s, kernel))
}

// as returns what a hook returned, in its type.
func as[T any](v any, err error) (T, error) {
	of, _ := v.(T) // nil beside an error
	return of, err
}

// Spec returns a copy of m's specification.
func Spec(m *rff.Map) *blas.Spec { return hook.Spec(m) }

// Trees returns the number of trees of m.
func Trees(m *rff.Map) int { return hook.Trees(m) }

// Reach returns the limits of the inputs of m, which is evaluated in numbers n, on rows that s scales
// first.
func Reach(m *rff.Map, n reach.Number, s rff.Scaling) *reach.Limits {
	return hook.Reach(m, n.Bits == reach.Float32.Bits).Raw(s.Shift, s.Scale, s.From)
}

// Features64 returns m packed for float64.
func Features64(m *rff.Map) *blas.Features[float64] { return hook.Features64(m) }

// Features32 returns m packed for float32.
func Features32(m *rff.Map) *blas.Features[float32] { return hook.Features32(m) }

// Batches yields the batches of data, each changed by f, up to the first error of either.
func Batches(ctx context.Context, data rff.Source, f func(b *rff.Batch) error) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		for b, err := range data.Batches(ctx) {
			if err == nil {
				err = f(&b)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// Split returns the base of m and the change to its features: m itself and nil if it has
// none.
func Split(m *rff.Map) (base *rff.Map, c *basis.Change) {
	b, c := hook.Split(m)
	return b.(*rff.Map), c
}

// Sections is rff.Nystrom of the rows of c, which become part of the map, with a factor that is made
// when it is needed. rff.Nystrom refuses rows whose kernel matrix has none; here it is a panic, so
// only fits by the kernel matrix, which need no factor, may use the map of rows that were not
// checked. Errors: *rff.ParameterError.
func Sections(k rff.Kernel, c blas.General[float64]) (*rff.Map, error) {
	return as[*rff.Map](hook.Sections(k, c))
}

// Engine returns the engine that evaluates m.
func Engine(m *rff.Map) blas.Engine { return hook.Engine(m) }

// KernelFor returns the kernel to ask s for when the user chose k: k, unless the features
// of s, such as those of the name "arccos", have a kernel of their own.
func KernelFor(s rff.Sampler, k rff.Kernel) rff.Kernel {
	own, _ := hook.KernelFor(s, k).(rff.Kernel)
	return own
}

// Frequencies returns the number of frequencies behind that many feature columns of a form,
// or a *rff.ParameterError: columns must be positive, and even for rff.CosSin.
func Frequencies(f rff.Form, features int) (int, error) { return hook.Frequencies(string(f), features) }

// KernelNames returns the names that rff.ParseKernel knows.
func KernelNames() []string { return hook.KernelNames() }

// Unknown returns a *rff.ParameterError of a parameter that must be one of the words that are known.
func Unknown(name string, value any, known ...string) error {
	return hook.Unknown(name, value, known...)
}

// Samplers returns the names that sampling.ByName knows, in the order of the package's table.
func Samplers() []string { return hook.Samplers() }

// Task is the size of what a sampler is asked for.
type Task = hook.Task

// Work returns the multiply-adds of picking rows, of making their sections
// orthonormal, and of learning a metric, bandwidths and frequencies: 0 for a sampler that
// does none of these.
func Work(s rff.Sampler, t Task) float64 { return hook.Work(s, t) }

// Summary returns one line on the sampler of a name and one on its options, for help
// texts; both are empty for an unknown name.
func Summary(name string) (summary, options string) { return hook.Summary(name) }

// Widened returns k with every bandwidth multiplied by factor: its value at x and y is
// that of k at x/factor and y/factor. A bandwidth that is open counts as 1. k may be a
// kernel of a program's own. The error is a *rff.ParameterError unless factor is positive
// and finite.
func Widened(k rff.Stationary, factor float64) (rff.Stationary, error) {
	return as[rff.Stationary](hook.Widened(k, factor))
}

// EngineOf returns the engine that e stands for. The error is that of rff.Map.On.
func EngineOf(e rff.Engine) (blas.Engine, error) { return hook.EngineOf(e) }

// On returns m evaluated on engine e. Both share the packed frequencies.
func On(m *rff.Map, e blas.Engine) *rff.Map { return hook.On(m, e).(*rff.Map) }

// Family is that of a kernel of package rff.
type Family = hook.Family[rff.Stationary]

// FamilyOf returns the family of k in dim dimensions, a zero one for a kernel without
// bandwidths and for a program's own.
func FamilyOf(k rff.Kernel, dim int) Family { return hook.FamilyOf(k, dim).(Family) }
