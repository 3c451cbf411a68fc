package krr

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// Interval writes the ends of intervals to low and high, n×t for t targets: each target of a raw row of x
// lies in its interval with probability level, .9 for instance. Empty matrices are sized.
//
// The intervals are for a new observation, noise included. A model keeps n rows, at most
// 2,000, to compare a new one with (ModelInfo.Intervals). If the new row and those of the
// fit are exchangeable, all weights are equal, and map, scaling and nλ do not depend on the
// rows, the probability is at least level, whatever the distribution and the number of
// rows, and at most level + 1/(n+1) if no two residuals are equal. These are averages over
// samples of rows and over new rows. Where the noise is larger than elsewhere intervals are too
// narrow, and where it is smaller too wide, but they widen away from the rows of the fit. If
// the map, the scaling or λ was chosen on the same rows, the promise is approximate, the more
// so the fewer rows there are. If weights are unequal, every row counts by its weight.
//
// The intervals are those of full conformal prediction with studentised residuals. For every
// candidate target all rows and the new one are fitted; the target is inside unless the new
// row's residual, over its standard error, stands out from those of the sample (Vovk, Gammerman
// and Shafer, Algorithmic Learning in a Random World, 2005, section 2.3; Burnaev and Vovk,
// "Efficiency of conformalized ridge regression", COLT 2014). In ridge regression these are the
// intervals of the jackknife+ (Barber, Candès, Ramdas and Tibshirani, "Predictive inference
// with the jackknife+", 2021) of the residuals over their predictive standard deviation: with
// μᵢ and σᵢ of the model without row i, and its leave-one-out residual rᵢ, the ends are
// quantiles of μᵢ(x) ± |rᵢ|·σᵢ(x)/σᵢ(i). In general the jackknife+ promises 2·level − 1.
//
// With a Settings.Loss, Passes, groups or runs of rows, or a map of kernel sections on all
// rows, of which each row has its own and a new row has none, the n rows are not rows of the
// fit: they come from a fold that is kept apart, one row at random of each group or run. The
// promise is the same (for rows of new groups, where there are groups). It also holds if λ was
// chosen, since the rows apart have no part in that choice (split conformal prediction: Lei,
// G'Sell, Rinaldo, Tibshirani and Wasserman, "Distribution-free predictive inference for
// regression", 2018). The ends are f(x) ± q with q a quantile of |y − f| of these rows.
// Between quantiles they are l(x) − q and u(x) + q, with q a quantile of max(l − y, y − u),
// which may be negative, and so widen where targets spread (Romano, Patterson and Candès,
// "Conformalized quantile regression", 2019). l and u are two quantiles whose levels are about
// level apart; l is as far from the first quantile as u is from the last.
//
// Errors: those of Predict; *rff.ParameterError for a classification, a model fitted
// without "intervals" in Settings.Uncertainty, or a level that takes more rows than the model
// has. With groups, n is the number of rows in the new row's group. If these are too few, the
// ends are infinite.
func (m *Model) Interval(low, high *mat.Dense, x mat.Matrix, level float64) error {
	return m.intervals([]*mat.Dense{low}, []*mat.Dense{high}, x, []float64{level})
}

// intervals is Interval for several levels at once: x is compared with the sample once.
func (m *Model) intervals(low, high []*mat.Dense, x mat.Matrix, levels []float64) error {
	return sizing(func() error { return m.compared(low, high, x, levels) }, slices.Concat(low, high)...)
}

// compared is intervals, which may leave matrices sized after an error.
func (m *Model) compared(low, high []*mat.Dense, x mat.Matrix, levels []float64) error {
	if err := m.checkLevels(levels); err != nil {
		return err
	}
	if m.schema.Target.Classes != nil {
		return setting("the model", nil, "is a classification and has no intervals: use LabelSets")
	}
	if err := given(x, slices.Concat(low, high)...); err != nil {
		return err
	}
	n, _ := x.Dims()
	out := len(m.intercept) / max(1, len(m.levels)) // targets
	lower, upper := make([]blas.General[float64], len(levels)), make([]blas.General[float64], len(levels))
	for l := range levels {
		for k, end := range []*mat.Dense{low[l], high[l]} {
			if end.IsEmpty() && n > 0 {
				end.ReuseAs(n, out)
			}
			if r, c := end.Dims(); r != n || c != out {
				return &rff.ShapeError{Name: []string{"low", "high"}[k], Rows: r, Cols: c, WantRows: n, WantCols: out}
			}
		}
		lower[l], upper[l] = dense.Of(low[l]), dense.Of(high[l])
		if err := ownMemory("high", upper[l], "low", lower[l]); err != nil {
			return err
		}
	}
	var predicted mat.Dense
	if err := m.unclipped().Predict(&predicted, x); err != nil {
		return err
	}
	c, rows := m.sample, dense.Of(x)
	for l := range levels {
		if err := cmp.Or(ownMemory("low", lower[l], "x", rows), ownMemory("high", upper[l], "x", rows)); err != nil {
			return err
		}
	}
	m.compare(rows, func(i int, of []near) {
		peers := c.among(rows.Row(i))
		ends := make([]ranked, len(peers.rows))
		f := predicted.RawRowView(i)
		for t := range out {
			factor := m.factor(t)
			for side, to := range [2][]blas.General[float64]{lower, upper} {
				sign, between := float64(2*side-1), [2]int{-1, -1}
				for l, level := range levels {
					end := &to[l].Row(i)[t]
					if *end = math.Inf(2*side - 1); !peers.enough(level) {
						continue
					}
					if now := m.columns(t, level); now != between {
						between = now
						c.ends(ends, peers, of[factor], c.left[factor], between, sign)
					}
					at := between[side]
					*end = f[at] + float64(sign*quantile(ends, peers.least(level)))
					if m.lo != nil && m.levels == nil { // The interval reaches the clipped prediction.
						*end = sign * max(float64(sign**end), float64(sign*min(max(f[at], m.lo[t]), m.hi[t])))
					}
				}
			}
			for l := range levels { // a negative q may have moved the ends past each other
				if low, high := &lower[l].Row(i)[t], &upper[l].Row(i)[t]; *low > *high {
					*low = float64(*low/2) + float64(*high/2)
					*high = *low
				}
			}
		}
	})
	return nil
}

// columns returns the two columns of the predictions that an interval of target t starts from:
// twice the target's own column, or two of its quantiles whose levels are about level apart,
// the one as far from the first quantile as the other from the last.
func (m *Model) columns(t int, level float64) (between [2]int) {
	if m.levels == nil {
		return [2]int{t, t}
	}
	q := len(m.levels)
	best := math.Inf(1)
	for k := range (q + 1) / 2 {
		if off := math.Abs(m.levels[q-1-k] - m.levels[k] - level); off < best {
			best, between = off, [2]int{t*q + k, t*q + q - 1 - k}
		}
	}
	return between
}

// ends writes, for each of the peers, how far the end on one side would be from its prediction.
// With two columns a residual is how far the target is beyond the nearer one; it is negative
// between them.
func (c *conformal) ends(out []ranked, peers *peers, at near, left []float64, between [2]int, sign float64) {
	for k, j := range peers.rows {
		w, cross, residual := c.weight[j], at.cross[j], c.residual.Row(j)
		beyond, without := max(-residual[between[0]], residual[between[1]])/left[j], residual[between[1]]/left[j]
		half := float64(beyond * math.Sqrt(float64(at.more*left[j])+float64(c.unit*w*cross*cross)))
		out[k] = ranked{half - float64(sign*w*cross*without), c.count[j]}
	}
}

// ranked is a value that counts as count values.
type ranked struct{ value, count float64 }

// quantile returns the least value such that the values up to it count as least or more,
// the largest if there is none. It reorders v.
func quantile(v []ranked, least float64) float64 {
	for {
		pivot := v[len(v)/2].value
		below, equal := 0, 0 // v[:below] < pivot, v[below:below+equal] == pivot
		var under, same float64
		for i := range v {
			switch r := v[i]; {
			case r.value < pivot:
				v[i], v[below+equal] = v[below+equal], v[below]
				v[below] = r
				below++
				under += r.count
			case r.value == pivot:
				v[i], v[below+equal] = v[below+equal], r
				equal++
				same += r.count
			}
		}
		switch {
		case under >= least:
			v = v[:below]
		case under+same >= least || below+equal == len(v):
			return pivot
		default:
			least -= under + same
			v = v[below+equal:]
		}
	}
}
