package main

import (
	"fmt"
	"strings"

	"github.com/rffgo/rff/internal/loss"
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

// tell says what was measured.
func (q *quantiles) tell(say func(format string, a ...any), levels []float64) {
	for k, w := range q.weight {
		q.loss[k] /= w
		q.below[k] *= 100 / w
	}
	say("pinball loss %s", atLevels(levels, q.loss))
	say("%% of the targets below: %s", atLevels(levels, q.below))
}
