package loss

import (
	"math"
	"strconv"
)

// huber is the square of an error up to that size, and grows along the tangent beyond.
type huber float64

func parseHuber(value string) (Loss, error) {
	v, err := number(value, 0, math.Inf(1), `huber: and the error, in the unit of the target, beyond which the loss is linear, such as "huber:1.5"`)
	return huber(v), err
}

func (h huber) String() string { return "huber:" + strconv.FormatFloat(float64(h), 'g', -1, 64) }

func (huber) Traits() Traits { return Traits{Differences: true} }

func (huber) Curvature(float64) float64 { return 2 }

func (h huber) Row(score, y, value, slope []float64) {
	for t, f := range score {
		e := f - y[t]
		inner := min(max(e, -float64(h)), float64(h))
		value[t], slope[t] = float64(inner*(2*e-inner)), 2*inner
	}
}

// Bend is that of the quadratics that touch the loss at the scores from above (Huber, Robust
// Statistics, 1981, §7.8). The second derivatives are 0 beyond the error: steps by them go far
// past the least value where most rows are there.
func (h huber) Bend(score, y []float64) (mean float64) {
	for t, f := range score {
		mean += 2 * min(1, float64(h)/math.Abs(f-y[t])) / float64(len(y))
	}
	return mean
}
