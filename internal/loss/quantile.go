package loss

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// quantile is the pinball loss of several levels τ, ascending: τ(y − f) of a target above
// the score, (1 − τ)(f − y) of one below (Koenker and Bassett, "Regression quantiles",
// 1978). Scores t, t + 1, … of a target are those of the levels in order.
type quantile []float64

func parseQuantile(value string) (Loss, error) {
	need := `quantile: and levels between 0 and 1, ascending, such as "quantile:0.05,0.5,0.95"`
	var q quantile
	for _, text := range strings.Split(value, ",") {
		v, err := number(strings.TrimSpace(text), 0, 1, need)
		if err != nil {
			return nil, err
		}
		if q != nil && v <= q[len(q)-1] {
			return nil, errors.New("must be " + need)
		}
		q = append(q, v)
	}
	return q, nil
}

func (q quantile) String() string {
	var text []string
	for _, v := range q {
		text = append(text, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return "quantile:" + strings.Join(text, ",")
}

func (q quantile) Traits() Traits { return Traits{Differences: true, Levels: q} }

func (q quantile) Row(score, y, value, slope []float64) {
	for t := range score {
		q.of(t).Row(score[t:t+1], y[t:t+1], value[t:t+1], slope[t:t+1])
	}
}

// of returns the loss of a column of scores.
func (q quantile) of(column int) Pinball { return Pinball{Level: q[column%len(q)]} }

// Curvature and Bend are 0: the loss is straight on both sides of its corner.
func (quantile) Curvature(float64) float64 { return 0 }

func (quantile) Bend(_, _ []float64) float64 { return 0 }

// Pinball is the loss of one level, −τd + max(0, d) with d = f − y, where (d + √(d² + w²))/2
// replaces max(0, d). So it has no corner, and is at most w/2 larger (Kanzow, "Some noninterior
// continuation methods for linear complementarity problems", 1996).
type Pinball struct{ Level, Width float64 }

func (p Pinball) String() string { return quantile{p.Level}.String() }

func (Pinball) Traits() Traits { return Traits{Differences: true} }

// root returns √(d² + w²).
func (p Pinball) root(d float64) float64 {
	return math.Sqrt(float64(d*d) + float64(p.Width*p.Width))
}

func (p Pinball) Row(score, y, value, slope []float64) {
	for t, f := range score {
		d := f - y[t]
		r := p.root(d)
		value[t], slope[t] = float64((d+r)/2)-float64(p.Level*d), 0.5-p.Level
		if r > 0 {
			slope[t] += d / (2 * r)
		}
	}
}

// Curvature is the second derivative at the corner. Without a width it is infinite.
func (p Pinball) Curvature(float64) float64 { return 1 / (2 * p.Width) }

func (p Pinball) Bend(score, y []float64) (mean float64) {
	for t, f := range score {
		if r := p.root(f - y[t]); p.Width > 0 {
			mean += float64(p.Width/r) * float64(p.Width/r) / (2 * r * float64(len(y)))
		}
	}
	return mean
}

// Turn is how far the slope of a row has turned. With θ = d/√(d² + w²) the slope is (1 + θ)/2 − τ.
// Newton's method for θ√(d² + w²) = d in d and θ converges from afar at every width. In d alone it
// converges from where d changes by less than the width (Chan, Golub and Mulet, "A nonlinear
// primal-dual method for total variation-based image restoration", SIAM Journal on Scientific
// Computing 20, 1999).
type Turn struct{ theta, d, root float64 }

// Turn follows a row to the distance d. At first, from the zero value, θ is exact there. Then
// it comes from the equation linearised at the last d and θ, and goes at most turned of the way
// to ±1.
func (p Pinball) Turn(last Turn, d float64) Turn {
	root := p.root(d)
	if last.root == 0 {
		return Turn{d / root, d, root}
	}
	by := last.d/last.root - last.theta + float64(2*last.Bend()*(d-last.d))
	room := turned * (1 - math.Copysign(last.theta, last.theta*by))
	return Turn{last.theta + math.Copysign(min(math.Abs(by), room), by), d, root}
}

const turned = 0.99

// Bend is the second derivative with which a step reckons.
func (t Turn) Bend() float64 {
	return (1 - float64(t.theta*t.d/t.root)) / (2 * t.root)
}

// Excess is for a point where the slopes of all rows and that of the ridge cancel. It bounds
// how much a row adds there to the distance of the mean loss with corners from its least value.
// Slopes α between −τ and 1 − τ that cancel bound the least value from below by −Σwαy/Σw −
// λ‖β‖² (the dual problem). This is less than the objective by the mean of |d|/2 · (1 −
// |d|/√(d² + w²)).
func (p Pinball) Excess(score, y float64) float64 {
	d := math.Abs(score - y)
	return d / 2 * (1 - d/max(p.root(d), math.SmallestNonzeroFloat64))
}
