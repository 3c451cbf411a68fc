package race

import (
	"cmp"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/portable"
	"github.com/rffgo/rff/internal/trial"
)

// A column has a further column for each of its values if there are at most mostLevels of them and
// rowsPerLevel rows for each. There are mostAgain further columns at most, since every one makes
// all features dearer, and againNumbers numbers in them: 256 MiB, twice what the rows of a search
// take.
const mostLevels, rowsPerLevel, mostAgain, againNumbers = 256, 10, 512, 1 << 25

const levelsName = "levels"

// levelScaling adds a column for each value, or level, of columns of few values to ranks: a function
// of months, grades or codes need not be smooth. Between neighbouring levels the column falls from
// its height to 0. The height is the distance between the ranks of the two values of an indicator of
// the level, as ranks has it for columns of words. Columns of the fewest levels come first, and
// some reports whether there is any.
func levelScaling(rows *trial.Rows, ranks rff.Scaling) (out rff.Scaling, some bool) {
	n := rows.X.Rows
	type leveled struct {
		column int
		values []float64
		counts []int
	}
	var all []leveled
	column := make([]float64, n)
	for j := range rows.X.Cols {
		rows.Column(column, j)
		slices.Sort(column)
		l := leveled{column: j}
		for i := 0; i < n && len(l.values) <= mostLevels; {
			next := i + 1
			for next < n && column[next] == column[i] {
				next++
			}
			l.values, l.counts = append(l.values, column[i]), append(l.counts, next-i)
			i = next
		}
		if k := len(l.values); k > 2 && k <= mostLevels && k*rowsPerLevel <= n {
			all = append(all, l)
		}
	}
	slices.SortStableFunc(all, func(a, b leveled) int { return cmp.Compare(len(a.values), len(b.values)) })
	out = rff.Scaling{From: slices.Clip(ranks.From), To: slices.Clip(ranks.To)}
	for _, l := range all {
		if len(out.Again)+len(l.values) > min(mostAgain, againNumbers/n) {
			break
		}
		for k, v := range l.values {
			half := float64(l.counts[k]) / float64(2*n)
			height := portable.NormalQuantile(1-half) - portable.NormalQuantile(.5-half)
			from, to := []float64{v}, []float64{height}
			if k > 0 {
				from, to = append([]float64{l.values[k-1]}, from...), append([]float64{0}, to...)
			}
			if k+1 < len(l.values) {
				from, to = append(from, l.values[k+1]), append(to, 0)
			}
			out.Again, out.From, out.To = append(out.Again, l.column), append(out.From, from), append(out.To, to)
		}
	}
	return out, out.Again != nil
}
