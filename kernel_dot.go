package rff

import (
	"math"
	"strconv"
)

type arcCosine struct{ order int }

// NewArcCosine returns the kernel of an infinitely wide one-layer network, of order p ∈ {0, 1,
// 2}. With any other order the kernel is NaN:
//
//	k(x, y) = (1/π)·‖x‖ᵖ‖y‖ᵖ·Jₚ(θ),  θ the angle between x and y
//	J₀ = π−θ   J₁ = sin θ + (π−θ)cos θ   J₂ = 3 sin θ cos θ + (π−θ)(1+2cos²θ)
//
// It is not stationary; its features are √(2/F)·max(0, ωᵀx)ᵖ with ω ~ N(0, I)
// (for p = 0 the step H(ωᵀx) with H(0) = ½). Y. Cho and L. Saul, "Kernel methods
// for deep learning", NIPS 2009.
//
// The angle with a zero vector is taken to be π/2, which is what the features give.
func NewArcCosine(order int) Kernel { return arcCosine{order} }

func (k arcCosine) Eval(x, y []float64) float64 {
	checkPair(x, y, nil)
	var xx, yy, xy float64
	for j := range x {
		xx += float64(x[j] * x[j])
		yy += float64(y[j] * y[j])
		xy += float64(x[j] * y[j])
	}
	norm := math.Sqrt(xx) * math.Sqrt(yy)
	theta, c, s := math.Pi/2, 0.0, 1.0
	if norm > 0 {
		// θ from the sine and the cosine: acos alone loses half the digits where
		// x and y are nearly parallel. |x̂−ŷ| = 2 sin(θ/2), |x̂+ŷ| = 2 cos(θ/2).
		var m, p float64
		nx, ny := math.Sqrt(xx), math.Sqrt(yy)
		for j := range x {
			a, b := x[j]/nx, y[j]/ny
			m += float64((a - b) * (a - b))
			p += float64((a + b) * (a + b))
		}
		theta = 2 * math.Atan2(math.Sqrt(m), math.Sqrt(p))
		s, c = math.Sincos(theta)
	}
	switch k.order {
	case 0:
		return 1 - theta/math.Pi
	case 1:
		return norm / math.Pi * (s + float64((math.Pi-theta)*c))
	case 2:
		return norm * norm / math.Pi * (float64(3*s*c) + float64((math.Pi-theta)*(1+float64(2*c*c))))
	}
	return math.NaN()
}

func (k arcCosine) String() string { return "arccos:order=" + strconv.Itoa(k.order) }

func parseArcCosine(p parameters) (Kernel, error) {
	order, err := p.among("order", 1, 0, 1, 2)
	return arcCosine{int(order)}, err
}

type linear struct{}

// NewLinear returns the kernel k(x, y) = xᵀy.
func NewLinear() Kernel { return linear{} }

func (linear) Eval(x, y []float64) float64 {
	checkPair(x, y, nil)
	var s float64
	for j := range x {
		s = math.FMA(x[j], y[j], s)
	}
	return s
}

func (linear) String() string { return "linear" }
