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

func (h huber) Bend(score, y []float64) float64 {
	return share(len(y), 2, func(t int) bool { return math.Abs(y[t]-score[t]) < float64(h) })
}
