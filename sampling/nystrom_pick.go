package sampling

import (
	"context"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/portable"
)

// landmarkPool has the rows to pick landmarks from. The kernel is 1 for x = y.
type landmarkPool struct {
	q *request
	e blas.Engine
	x blas.General[float64]
}

// sections returns the kernel between all rows and the picked rows.
func (p *landmarkPool) sections(picked []int) (blas.General[float64], error) {
	m, err := rff.Nystrom(p.q.Kernel, matOf(dense.Pick(p.x, picked)))
	if err != nil {
		return p.x, err
	}
	m, _ = inside.Split(m)
	k := blas.NewGeneral[float64](p.x.Rows, len(picked))
	inside.Features64(m).Transform(p.e, k, p.x)
	return k, nil
}

// landmarkBlock is the number of rows proposed at a time.
const landmarkBlock = 96

// propose draws n rows in proportion to d, with replacement. It returns nil if d is almost 0.
func (p *landmarkPool) propose(d []float64, n int) []int {
	cum := cumulative(d)
	if !(cum[len(cum)-1] > 1e-12*float64(len(d))) {
		return nil
	}
	return invert(cum, n, p.q.Rand)
}

// fill adds rows with equal chances. It is used when the picked rows explain all others.
func (p *landmarkPool) fill(picked []int) []int {
	taken := make([]bool, p.x.Rows)
	for _, i := range picked {
		taken[i] = true
	}
	var left []int
	for i, t := range taken {
		if !t {
			left = append(left, i)
		}
	}
	for len(picked) < p.q.Features {
		i := intN(p.q.Rand, len(left))
		picked = append(picked, left[i])
		left[i] = left[len(left)-1]
		left = left[:len(left)-1]
	}
	return picked
}

// pick picks rows. It proposes blocks of rows in proportion to d. accept gets the kernel g
// between all rows and those of a block, and returns the rows of the block that it takes.
func (p *landmarkPool) pick(ctx context.Context, d []float64, accept func(draws []int, g blas.General[float64]) []int) ([]int, error) {
	var picked []int
	for len(picked) < p.q.Features {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		draws := p.propose(d, min(landmarkBlock, p.q.Features-len(picked)))
		if draws == nil {
			return p.fill(picked), nil
		}
		g, err := p.sections(draws)
		if err != nil {
			return nil, err
		}
		picked = append(picked, accept(draws, g)...)
	}
	return picked, nil
}

// cholesky is randomly pivoted Cholesky. f is the factor of the rows picked so far, and d is
// the diagonal of the residual K − ffᵀ. A row of a block of proposals is accepted with the
// probability of its residual now over its d when the block was proposed.
func (p *landmarkPool) cholesky(ctx context.Context) ([]int, error) {
	n := p.x.Rows
	f, d, done := blas.NewGeneral[float64](n, p.q.Features), slices.Repeat([]float64{1}, p.x.Rows), 0
	return p.pick(ctx, d, func(draws []int, g blas.General[float64]) (picked []int) {
		old := f
		old.Cols = done
		b := len(draws)
		if done > 0 {
			blas.Gemm(p.e, false, true, -1, old, dense.Pick(old, draws), 1, g)
		}
		// g is the residual of the kernel; h has its rows of the proposals.
		h := dense.Pick(g, draws)
		var accepted []int
		for i, r := range draws {
			u, left := portable.Uniform(p.q.Rand), h.Row(i)[i]
			if !(float64(u*d[r]) < left) || !(left > 1e-13) {
				continue
			}
			root := math.Sqrt(left)
			for j := range b {
				h.Row(j)[i] /= root
			}
			for j := range b {
				for l := i + 1; l < b; l++ {
					h.Row(j)[l] -= float64(h.Row(j)[i] * h.Row(l)[i])
				}
			}
			picked, accepted = append(picked, r), append(accepted, i)
		}
		p.extend(f, g, h, done, accepted)
		for j := range n {
			for _, v := range f.Row(j)[done : done+len(picked)] {
				d[j] -= float64(v * v)
			}
			d[j] = max(d[j], 0)
		}
		for _, r := range picked {
			d[r] = 0
		}
		done += len(picked)
		return picked
	})
}

// extend makes the columns of f from done on for the accepted proposals. They are G·R⁻ᵀ,
// where R has the rows of the accepted proposals of the factor in h.
func (p *landmarkPool) extend(f, g, h blas.General[float64], done int, accepted []int) {
	n, a := f.Rows, len(accepted)
	if a == 0 {
		return
	}
	u, ft := blas.NewGeneral[float64](a, a), blas.NewGeneral[float64](a, n)
	for i, of := range accepted {
		for j := range i + 1 {
			u.Row(j)[i] = h.Row(of)[accepted[j]]
		}
	}
	const some = 64 // rows whose elements stay in cache
	for from := 0; from < n; from += some {
		for c, of := range accepted {
			to := ft.Row(c)
			for j := from; j < min(from+some, n); j++ {
				to[j] = g.Row(j)[of]
			}
		}
	}
	blas.TrsmUpper(p.e, true, u, ft)
	for from := 0; from < n; from += some {
		for c := range accepted {
			of := ft.Row(c)
			for j := from; j < min(from+some, n); j++ {
				f.Row(j)[done+c] = of[j]
			}
		}
	}
}

// spread is the seeding of kernel k-means++: d is 2 − 2k(x, c) for the nearest picked row c.
func (p *landmarkPool) spread(ctx context.Context) ([]int, error) {
	d := slices.Repeat([]float64{2}, p.x.Rows)
	return p.pick(ctx, d, func(draws []int, g blas.General[float64]) (picked []int) {
		proposed := slices.Clone(d)
		for i, r := range draws {
			if u := portable.Uniform(p.q.Rand); !(float64(u*proposed[r]) < d[r]) {
				continue
			}
			picked = append(picked, r)
			for j := range d {
				d[j] = min(d[j], max(0, 2-2*g.Row(j)[i]))
			}
			d[r] = 0
		}
		return picked
	})
}

// leverage draws rows without replacement, in proportion to estimates of the ridge leverage
// scores. As many rows as it picks, drawn with equal chances, give the estimates.
func (p *landmarkPool) leverage(lambda float64) ([]int, error) {
	lambda, err := scoreLambda(lambda)
	if err != nil {
		return nil, err
	}
	score, err := p.scores(lambda, p.fill(nil))
	if err != nil {
		return nil, err
	}
	return withoutReplacement(p.q.sampler, score, p.q.Features, p.q.Rand)
}

// scores estimates the ridge leverage scores [K(K+nλI)⁻¹]ᵢᵢ, scaled to the sum 1, from m
// rows S:
//
//	(1 − k(xᵢ, S)(K_SS + mλI)⁻¹k(S, xᵢ))/(nλ)
func (p *landmarkPool) scores(lambda float64, some []int) ([]float64, error) {
	m := len(some)
	k, err := p.sections(some)
	if err != nil {
		return nil, err
	}
	u := dense.Pick(k, some)
	for i := range m {
		u.Row(i)[i] = 1 + float64(float64(m)*lambda)
	}
	if err := blas.Cholesky(p.e, u); err != nil {
		return nil, &rff.ParameterError{Name: "lambda", Value: lambda, Need: "is too small for the kernel of the rows: it has no factor"}
	}
	kt := transpose(k)
	blas.TrsmUpper(p.e, true, u, kt)
	score := slices.Repeat([]float64{1}, p.x.Rows)
	for j := range m {
		for i, v := range kt.Row(j) {
			score[i] -= float64(v * v)
		}
	}
	total := 0.0
	for i := range score {
		score[i] = max(score[i], 1e-12)
		total += score[i]
	}
	for i := range score {
		score[i] /= total
	}
	return score, nil
}
