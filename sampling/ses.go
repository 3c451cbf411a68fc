package sampling

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
)

// SES reweights frequencies so that their kernel fits the exact one on pairs of
// rows, with shrinkage (Chang, Li, Yang and Póczos, "Data-driven random Fourier
// features using Stein effect", IJCAI 2017): non-negative β from a ridge least
// squares
//
//	k(xᵢ−xⱼ) ≈ Σ β_m cos ω_mᵀ(xᵢ−xⱼ)
//
// over random pairs of rows (the sketch), shrunk by James and Stein's rule. The features
// are √β_m·φ_m, with β as fitted. The sum of β is below one if the pairs say that equal
// weights are too large; scaling it to one would undo the shrinkage. SES uses no labels.
//
// No code of the authors is known. The least squares on pairs, its sketch, the sign
// constraint and the shrinkage are as the paper describes them. The solver, the defaults
// and the weights that ridge and shrinkage tend to were chosen here. These are the weights
// 1/M of plain features, so that no data means no change.
//
// Multiple defaults to 1, and all candidates are kept. From a larger pool SES keeps the
// candidates of largest β, and fits β again without the others; a pool of 4 halves the
// error of the kernel once more. In the CosBias form the noise of the phases remains,
// which no weight removes. Pick and Importance must be left out.
type SES struct {
	Pool
	// Pairs is the number of pairs of rows in the least squares. 0: the larger of 2000 and
	// eight times the number of candidates.
	Pairs int
	// Lambda is the ridge, relative to a mean square of the cosines of about ½.
	// 0: 10⁻³.
	Lambda float64
}

// Sample implements rff.Sampler.
func (s SES) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	return mapOf(s.sampleScored(ctx, r))
}

// sampleScored implements scorer; Scores are the weights β.
func (s SES) sampleScored(ctx context.Context, r rff.Request) (*Result, error) {
	q, err := dataRequest(ctx, "ses", r, false)
	if err != nil {
		return nil, err
	}
	if err := s.weighs(q.sampler); err != nil {
		return nil, err
	}
	if _, ok := q.Kernel.(rff.Stationary); !ok {
		return nil, kernelError(q.sampler, q.Kernel, "it fits a function of x−y, which only a stationary kernel is")
	}
	const most = 1 << 30
	if s.Pairs < 0 || s.Pairs > most {
		return nil, &rff.ParameterError{Name: "pairs", Value: s.Pairs, Need: fmt.Sprintf("must be from 1 to %d, or 0 for the default", most)}
	}
	if s.Lambda, err = scoreLambda(s.Lambda); err != nil {
		return nil, err
	}
	if s.Size == 0 && s.Multiple == 0 {
		s.Multiple = 1
	}
	s.Pick, s.Importance = pickHighest, false
	var sums *blas.Sums
	chosen, err := s.Pool.sample(ctx, q, func(r *Result) error {
		spec := r.pool
		if spec.Func != asm.CosSin && spec.Func != asm.Cos {
			return baseError(q.sampler, s.baseOr(), "must give cosines, which it reweights")
		}
		f := spec.Frequencies()
		if err := affordable(q.Features, f, f, "products of candidates"); err != nil {
			return err
		}
		pairs := cmp.Or(s.Pairs, max(2000, 8*f))
		x, rows, err := uniformRows(ctx, q, 2*pairs, 2, ": give more rows")
		if err != nil {
			return err
		}
		if sums, err = pairSums(ctx, q, spec, x, pairs); err != nil {
			return err
		}
		r.Rows = rows
		r.Scores, err = steinWeights(ctx, q.engine, sums, upTo(f), s.Lambda)
		if err == nil && !(slices.Max(r.Scores) > 0) {
			err = dataError(q.sampler, "no weights of these candidates fit the kernel between rows: enlarge the pool, ask for more features, or scale inputs that are out of range")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	beta := chosen.Scores
	if len(chosen.Picked) < len(beta) {
		// The kept candidates alone give too small a kernel, so β is fitted again.
		if beta, err = steinWeights(ctx, q.engine, sums, chosen.Picked, s.Lambda); err != nil {
			return nil, err
		}
	}
	// From the equal weights 1/n of the picks to β.
	spec := inside.Spec(chosen.Map)
	n := len(beta)
	for c := range spec.Weight {
		spec.Weight[c] *= math.Sqrt(float64(n) * beta[c%n])
	}
	chosen.Map, err = q.made(spec, q.Kernel)
	return chosen, err
}

// pairSums returns the normal equations of the least squares. Its columns are cosines of
// the differences xᵢ−xⱼ, and its target is k(xᵢ, xⱼ).
func pairSums(ctx context.Context, q *request, spec *blas.Spec, x blas.General[float64], pairs int) (*blas.Sums, error) {
	cosines := *spec
	cosines.Func, cosines.Phase = asm.Cos, nil
	cosines.Weight = slices.Repeat([]float64{1}, spec.Frequencies())
	acc := blas.NewAccumulator(blas.Pack[float64](&cosines), 1, true)
	diff, y := blas.NewGeneral[float64](blas.RowBlock, x.Cols), blas.NewGeneral[float64](blas.RowBlock, 1)
	for done := 0; done < pairs; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := min(blas.RowBlock, pairs-done)
		for r := range n {
			i := intN(q.Rand, x.Rows)
			j := intN(q.Rand, x.Rows-1)
			if j >= i {
				j++
			}
			a, b := x.Row(i), x.Row(j)
			for c := range a {
				diff.Row(r)[c] = a[c] - b[c]
			}
			y.Row(r)[0] = q.Kernel.Eval(a, b)
		}
		acc.Add(q.engine, diff.RowRange(0, n), y.RowRange(0, n), nil)
		done += n
	}
	acc.Flush(q.engine)
	return &acc.Sums, nil
}

// steinWeights returns the weights β ≥ 0 of the M frequencies in index that minimise
//
//	(1/r)‖k − Cβ‖² + λ‖β − 1/M‖²
//
// shrunk towards 1/M by the positive-part James–Stein factor
// 1 − (M−2)σ²/‖C(β−1/M)‖², where σ² is the residual variance.
func steinWeights(ctx context.Context, e blas.Engine, s *blas.Sums, index []int, lambda float64) ([]float64, error) {
	m, r := len(index), s.W
	prior := 1 / float64(m)
	h := blas.NewGeneral[float64](m, m)
	g := make([]float64, m)
	for i := range m {
		for j := i; j < m; j++ {
			a, b := index[i], index[j]
			v := s.G.Row(min(a, b))[max(a, b)] / r
			h.Row(i)[j], h.Row(j)[i] = v, v
		}
		h.Row(i)[i] += lambda
		g[i] = s.ZY.Row(index[i])[0]/r + float64(lambda*prior)
	}
	beta, err := nonNegative(ctx, e, h, g)
	if err != nil {
		return nil, err
	}
	// (1/r)‖k−Cβ‖² and (1/r)‖C(β−prior)‖² from the sums.
	var fit, cross, step float64
	for i := range m {
		var hb, hd float64
		for j, v := range h.Row(i) {
			hb += float64(v * beta[j])
			hd += float64(v * (beta[j] - prior))
		}
		hb -= float64(lambda * beta[i])
		hd -= float64(lambda * (beta[i] - prior))
		fit += float64(beta[i] * hb)
		cross += float64(beta[i] * (s.ZY.Row(index[i])[0] / r))
		step += float64((beta[i] - prior) * hd)
	}
	residual := max(s.YY[0]/r-float64(2*cross)+fit, 0)
	shrink := 1.0
	if free := r - float64(m); free > 0 && m > 2 && step > 0 {
		// σ² = r·residual/(r−M), and the factor divides it by r·step.
		shrink = max(1-float64(m-2)*residual/(free*step), 0)
	}
	for i, b := range beta {
		beta[i] = prior + float64(shrink*(b-prior))
	}
	return beta, nil
}
