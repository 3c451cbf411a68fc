package rff

import (
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/basis"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/reach"
)

// The other packages of this module see the parts of a Map through internal/inside.
func init() {
	hook.New = func(s *blas.Spec, kernel any) (any, error) {
		k, _ := kernel.(Kernel)
		return fromSpec(s, k)
	}
	hook.Spec = func(m any) *blas.Spec { return m.(*Map).full().Clone() }
	hook.Reach = func(m any, single bool) *reach.Limits { return m.(*Map).made().reach(single) }
	hook.Trees = func(m any) (n int) {
		for _, b := range m.(*Map).made().spec.Blocks {
			if b.Trees != nil {
				n += b.Trees.Count()
			}
		}
		return n
	}
	hook.Features64 = func(m any) *blas.Features[float64] { return m.(*Map).features64() }
	hook.Features32 = func(m any) *blas.Features[float32] { return m.(*Map).features32() }
	hook.Split = func(m any) (any, *basis.Change) { return m.(*Map).split() }
	hook.Sections = func(k any, c blas.General[float64]) (any, error) { return sections(k.(Kernel), c) }
	hook.Engine = func(m any) blas.Engine { return m.(*Map).made().engine }
	hook.Widened = func(k any, factor float64) (any, error) { return widen(k.(Stationary), factor) }
	hook.FamilyOf = familyOf
	hook.Frequencies = func(form string, features int) (int, error) { return Form(form).frequencies(features) }
	hook.KernelNames = kernelNames
	hook.Unknown = unknown
	hook.Width = func(c any) int { return c.(Column).width() }
	hook.Title = func(s any, i int) string { return s.(Schema).title(i) }
	hook.CheckSchema = func(s any, in int) error { return s.(Schema).check(in) }
	hook.EngineOf = func(e any) (blas.Engine, error) { return e.(Engine).of() }
	hook.On = func(m any, e blas.Engine) any { return m.(*Map).on(e) }
}
