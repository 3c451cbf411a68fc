package krr

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/portable"
	"github.com/rffgo/rff/internal/scaling"
)

// robustScaling fits a scaling that a few wild values do not spoil.
func robustScaling(sample *memory) rff.Scaling {
	x := sample.x
	s := rff.Scaling{Shift: make([]float64, x.Cols), Scale: make([]float64, x.Cols)}
	column := make([]float64, x.Rows)
	for j := range x.Cols {
		for i := range column {
			column[i] = x.Row(i)[j]
		}
		s.Shift[j], s.Scale[j] = scaling.RobustSample(column, sample.low[j], sample.high[j])
	}
	return s
}

// medianDistance of scaled rows, 1 if it is not determined. The error is a *rff.ValueError
// for a value whose square is beyond the numbers.
func medianDistance(rows *memory, s rff.Scaling, seed uint64) (float64, error) {
	x := rows.x
	scaled := blas.NewGeneral[float64](x.Rows, x.Cols)
	scaling.BentRows(s.From, s.To, s.Shift, s.Scale, scaled, x)
	for i := range scaled.Rows {
		for j, v := range scaled.Row(i) {
			if !(math.Abs(v) < 0x1p480) {
				return 0, badRow(rows.index[i], fmt.Sprintf("input %d", j+1), x.Row(i)[j], "it is too far from the other rows to measure their distances: correct or clip the value, or scale the column")
			}
		}
	}
	m, err := rff.MedianDistance(mat.NewDense(scaled.Rows, scaled.Cols, scaled.Data), 500, rand.NewPCG(seed, 0x85ebca6b))
	var degenerate *rff.DegenerateDataError
	if errors.As(err, &degenerate) {
		return 1, nil
	}
	return m, err
}

// inputScaling is a way of scaling inputs that Auto chooses from.
type inputScaling struct {
	name string
	rff.Scaling
}

// scalings returns the ways that differ for these rows: robust; standard; clipped,
// which is robust after confining columns to what 99 of 100 rows have; ranks, which
// takes the quantiles of a column to those of a normal.
func scalings(sample *memory) []inputScaling {
	robust := inputScaling{"robust", robustScaling(sample)}
	out := []inputScaling{robust, {"standard", standardScaling(sample)}}
	x := sample.x
	clip, ranks := robust.Scaling, rff.Scaling{From: make([][]float64, x.Cols), To: make([][]float64, x.Cols)}
	clip.From, clip.To = make([][]float64, x.Cols), make([][]float64, x.Cols)
	column := make([]float64, x.Rows)
	heavy, many := false, false
	for j := range x.Cols {
		for i := range column {
			column[i] = x.Row(i)[j]
		}
		slices.Sort(column)
		from, to := rankPoints(column)
		ranks.From[j], ranks.To[j] = from, to
		many = many || len(from) > 2
		low, high := scaling.Quantile(column, 0.005), scaling.Quantile(column, 0.995)
		// Columns that hold one value but for a few rows have no such quantiles.
		if low < high && (sample.low[j] < low || high < sample.high[j]) {
			clip.From[j], clip.To[j] = []float64{low, high}, []float64{low, high}
			heavy = heavy || sample.high[j]-high > (high-low)/4 || low-sample.low[j] > (high-low)/4
		}
	}
	if heavy {
		out = append(out, inputScaling{"clipped", clip})
	}
	if many {
		out = append(out, inputScaling{"ranks", ranks})
	}
	return out
}

// standardScaling takes means to 0 and standard deviations to 1.
func standardScaling(sample *memory) rff.Scaling {
	x := sample.x
	s := rff.Scaling{Shift: make([]float64, x.Cols), Scale: make([]float64, x.Cols)}
	column := make([]float64, x.Rows)
	for j := range x.Cols {
		for i := range column {
			column[i] = x.Row(i)[j]
		}
		s.Shift[j], s.Scale[j] = scaling.Standard(column)
	}
	return s
}

// rankKnots is the most points of a column that is replaced by its ranks.
const rankKnots = 100

// rankPoints returns the points that take the values of a sorted column to the
// normal quantiles of their mean ranks, of which the most extreme are those of
// ranks ½/1000 and 1 − ½/1000.
func rankPoints(column []float64) (from, to []float64) {
	n := len(column)
	due, step := 0, n/rankKnots
	for i := 0; i < n; {
		next := i + 1
		for next < n && column[next] == column[i] {
			next++
		}
		if i == 0 || next == n || next > due { // the ends, and about rankKnots between them
			p := float64(i+next) / float64(2*n)
			from = append(from, column[i])
			to = append(to, portable.NormalQuantile(min(max(p, 0.0005), 0.9995)))
			due = next + step
		}
		i = next
	}
	return from, to
}

// medianL1 returns the median ℓ₁ distance of scaled rows, 1 if it is not determined.
func medianL1(rows *memory, s rff.Scaling) float64 {
	x := rows.head(500).x
	scaled := blas.NewGeneral[float64](x.Rows, x.Cols)
	scaling.BentRows(s.From, s.To, s.Shift, s.Scale, scaled, x)
	var all []float64
	for i := range scaled.Rows {
		for j := range i {
			var d float64
			for k, v := range scaled.Row(i) {
				d += math.Abs(v - scaled.Row(j)[k])
			}
			all = append(all, d)
		}
	}
	if len(all) == 0 {
		return 1
	}
	slices.Sort(all)
	return scaling.Divisor(scaling.Quantile(all, 0.5))
}
