package krr

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/measure"
)

// The programs of this module get these by cmd/rff/fits.
func init() {
	hook.SearchOf = func(r any) *hook.Search { return r.(*Report).search }
	hook.Unresolved = func(r any) []float64 { return r.(*Report).unresolved }
	hook.Classes = func(held any) measure.Classification { return held.(*Measures).classes }
	hook.Numbers = func(held any) []measure.Regression { return held.(*Measures).numbers }
	hook.Reweighted = func(of any) (int64, []hook.Reweight) {
		r := of.(*Report)
		return r.hard, r.reweighted
	}
	hook.FindBandwidth = func(ctx context.Context, k, data any, unit float64, s any) (float64, error) {
		return findBandwidth(ctx, k.(rff.Stationary), data.(rff.Source), unit, s.(Settings))
	}
	hook.CheckMemory = func(data any, features int, by, s any) error {
		sampler, _ := by.(rff.Sampler)
		set, schema := s.(Settings), data.(rff.Schema)
		set.foldRows = schema.FoldRows
		return checkMemory(schema, features, sampler, set)
	}
	hook.PredictBatch = func(m any, dst, x blas.General[float64]) error { return m.(*Model).predictBatch(dst, x) }
	hook.Intervals = func(m any, low, high []*mat.Dense, x mat.Matrix, levels []float64) error {
		return m.(*Model).intervals(low, high, x, levels)
	}
	hook.LabelSets = func(m any, x mat.Matrix, levels []float64) ([][][]string, error) {
		return m.(*Model).labelSets(x, levels)
	}
}
