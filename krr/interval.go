package krr

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// Interval writes the ends of intervals to low and high, n×t: each target of a raw row of x
// lies in its interval with probability level, .9 for instance. Empty matrices are sized.
//
// The intervals are for a new observation, noise included. A model keeps n rows, at most
// 2,000, to compare a new one with (ModelInfo.Intervals). If the new row and those of the
// fit are exchangeable, all weights are equal, and map, scaling and nλ do not depend on the
// rows, the probability is at least level, whatever the distribution and the number of
// rows, and at most level + 1/(n+1) if no two residuals are equal: on average over samples
// of rows, and over places. Where the noise is larger than elsewhere intervals are too
// narrow, and where it is smaller too wide, but they widen away from the rows of the fit.
// A map, scaling or λ that was chosen on the same rows makes the promise approximate, the
// more so the fewer rows there are, and unequal weights count rows by them.
//
// They are those of full conformal prediction with studentised residuals: a target is
// inside unless, in the fit of all rows and of the new one with this target, the new row's
// residual, over its standard error, stands out from those of the sample (Vovk, Gammerman
// and Shafer, Algorithmic Learning in a Random World, 2005, section 2.3; Burnaev and Vovk,
// "Efficiency of conformalized ridge regression", COLT 2014). In ridge regression these
// are the intervals of the jackknife+ (Barber, Candès, Ramdas and Tibshirani, "Predictive
// inference with the jackknife+", 2021) of the residuals over their predictive standard
// deviation: with μᵢ and σᵢ of the model without row i, and its leave-one-out residual
// rᵢ, the ends are quantiles of μᵢ(x) ± |rᵢ|·σᵢ(x)/σᵢ(i). In general the jackknife+
// promises 2·level − 1.
//
// Errors: those of Predict; *rff.ParameterError for a classification, a model fitted
// without "intervals" in Settings.Uncertainty, or a level that takes more rows than the model
// has. With groups n is the rows of the row's group, and where these are too few the ends are
// infinite.
func (m *Model) Interval(low, high *mat.Dense, x mat.Matrix, level float64) error {
	return m.intervals([]*mat.Dense{low}, []*mat.Dense{high}, x, []float64{level})
}

// intervals is Interval for several levels at once: x is compared with the sample once.
func (m *Model) intervals(low, high []*mat.Dense, x mat.Matrix, levels []float64) error {
	if err := m.checkLevels(levels); err != nil {
		return err
	}
	if m.schema.Target.Classes != nil {
		return setting("the model", nil, "is a classification and has no intervals: use LabelSets")
	}
	n, _ := x.Dims()
	_, out := m.Dims()
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
		lower[l], upper[l] = general(low[l]), general(high[l])
	}
	if err := m.unclipped().Predict(high[0], x); err != nil {
		return err
	}
	c, rows := m.sample, general(x)
	m.compare(rows, func(i int, of []near) {
		peers := c.among(rows.Row(i))
		ends := make([]ranked, len(peers.rows))
		for t, f := range upper[0].Row(i) {
			for side, to := range [2][]blas.General[float64]{lower, upper} {
				sign := float64(2*side - 1)
				c.ends(ends, peers, of[m.post.of[t]], c.left[m.post.of[t]], t, sign)
				for l, level := range levels {
					end := &to[l].Row(i)[t]
					if *end = math.Inf(2*side - 1); !peers.enough(level) {
						continue
					}
					*end = f + float64(sign*quantile(ends, peers.least(level)))
					if m.lo != nil { // The prediction may be at the end of its range.
						*end = sign * max(float64(sign**end), float64(sign*min(max(f, m.lo[t]), m.hi[t])))
					}
				}
			}
		}
	})
	return nil
}

// ends writes how far the ends on one side would be by each of the peers, for target t.
func (c *conformal) ends(out []ranked, peers *peers, at near, left []float64, t int, sign float64) {
	for k, j := range peers.rows {
		w, cross := c.weight[j], at.cross[j]
		without := c.residual.Row(j)[t] / left[j]
		half := float64(math.Abs(without) * math.Sqrt(float64(at.more*left[j])+float64(c.unit*w*cross*cross)))
		out[k] = ranked{half - float64(sign*w*cross*without), c.count[j]}
	}
}

// ranked is a value that counts as so many.
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
