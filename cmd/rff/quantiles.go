package main

import (
	"fmt"
	"strings"

	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/cmd/rff/report"
	"github.com/rffgo/rff/internal/loss"
	"github.com/rffgo/rff/internal/measure"
)

// atLevels joins a value per level of quantiles.
func atLevels(levels, values []float64) string {
	var text []string
	for k, level := range levels {
		text = append(text, fmt.Sprintf("%.4g at %g", values[k], level))
	}
	return strings.Join(text, ", ")
}

// quantiles measures predicted quantiles.
type quantiles struct{ weight, below, loss []float64 }

// add counts a row of that weight with these quantiles and that target.
func (q *quantiles) add(levels, row []float64, truth, w float64) {
	if q.loss == nil {
		q.weight, q.below, q.loss = make([]float64, len(levels)), make([]float64, len(levels)), make([]float64, len(levels))
	}
	for k, level := range levels {
		var value, slope [1]float64
		loss.Pinball{Level: level}.Row(row[k:k+1], []float64{truth}, value[:], slope[:])
		q.weight[k] += w
		q.loss[k] += float64(w * value[0])
		if truth < row[k] {
			q.below[k] += w
		}
	}
}

// means returns the mean loss at every level, and the share of the targets below.
func (q *quantiles) means() (loss, below []float64) {
	for k, w := range q.weight {
		loss, below = append(loss, q.loss[k]/w), append(below, q.below[k]/w)
	}
	return loss, below
}

// tell says what was measured.
func (q *quantiles) tell(say func(format string, a ...any), levels []float64) {
	loss, below := q.means()
	for k := range below {
		below[k] *= 100
	}
	say("pinball loss %s", atLevels(levels, loss))
	say("%% of the targets below: %s", atLevels(levels, below))
}

// drawn gives the measures of a page the levels of a target: the numbers are those of the one
// next to ½.
func drawn(p *report.Predicted, levels, below []float64) {
	if levels == nil {
		return
	}
	p.Unit = fmt.Sprintf("quantile %g of %s", levels[fits.Middle(levels)], p.Unit)
	for k, level := range levels {
		p.Below = append(p.Below, report.Span{Level: level, Inside: below[k]})
	}
}

// belowPoints returns for every column the share of the targets that are below its predictions.
func belowPoints(columns []measure.Regression) (below []float64) {
	for _, c := range columns {
		var n float64
		for _, p := range c.Points {
			if p[1] < p[0] {
				n++
			}
		}
		below = append(below, n/float64(len(c.Points)))
	}
	return below
}
