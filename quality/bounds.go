package quality

import (
	"fmt"
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/limit"
	"github.com/rffgo/rff/internal/portable"
)

// HoeffdingTail bounds the probability that the kernel estimate of a map with
// that many feature columns, drawn independently from the spectral measure, is
// off by ε or more at one given pair of points:
//
//	CosSin   2·exp(−Fε²/2), F = features/2: each term cos ωᵢᵀ(x−y) lies in [−1, 1]
//	CosBias  2·exp(−Fε²/8), F = features: each term 2cos(·)cos(·) lies in [−2, 2]
//
// It is at most 1. The source is W. Hoeffding, JASA 58 (1963), theorem 2; Rahimi and Recht
// (2007) print /4 for CosBias, which does not follow. The error is a *rff.ParameterError.
func HoeffdingTail(f rff.Form, features int, eps float64) (float64, error) {
	n, err := inside.Frequencies(f, features)
	if err != nil {
		return 0, err
	}
	if err := inside.CheckPositive("eps", eps); err != nil {
		return 0, err
	}
	return math.Min(1, 2*math.Exp(-float64(n)*eps*eps/hoeffdingRange(f))), nil
}

// HoeffdingFeatures returns the fewest feature columns for which HoeffdingTail
// is at most delta.
func HoeffdingFeatures(f rff.Form, eps, delta float64) (int, error) {
	if err := checkProbability(eps, delta); err != nil {
		return 0, err
	}
	if _, err := inside.Frequencies(f, 2); err != nil {
		return 0, err
	}
	return columns(f, eps, hoeffdingRange(f)*(math.Ln2-portable.Log(delta))/(eps*eps)) // 2/δ may overflow
}

// hoeffdingRange returns c in 2·exp(−Fε²/c): (b−a)²/2 for terms in [a, b].
func hoeffdingRange(f rff.Form) float64 {
	if f == rff.CosBias {
		return 8
	}
	return 2
}

// A spectrum whose frequencies have a second moment implements moment.
type moment interface {
	// SecondMoment returns E‖ω‖², or +Inf if it does not exist.
	SecondMoment() float64
}

// UniformFeatures returns the fewest CosSin feature columns for which the kernel estimate is
// within ε of k at every pair of points of a set of that diameter in R^dim, with a
// probability of at least 1−delta:
//
//	Pr[sup|k̃−k| ≥ ε] ≤ 2⁸·(σₚ·diameter/ε)²·exp(−Fε²/(4(dim+2))),  σₚ² = E‖ω‖²
//
// This is claim 1 of Rahimi and Recht (2007). Its proof is for estimates that depend on x−y
// only, which are those of the CosSin form, with F = features/2. It holds for
// σₚ·diameter ≥ ε. The error is a *rff.ParameterError, also for kernels whose frequencies
// have no second moment (Laplacian, Matérn ½).
func UniformFeatures(k rff.Stationary, dim int, diameter, eps, delta float64) (int, error) {
	if err := checkProbability(eps, delta); err != nil {
		return 0, err
	}
	if err := inside.CheckPositive("diameter", diameter); err != nil {
		return 0, err
	}
	if k == nil {
		return 0, &rff.ParameterError{Name: "kernel", Need: "must be given"}
	}
	sp, err := k.Spectrum(dim)
	if err != nil {
		return 0, err
	}
	m, ok := sp.(moment)
	if !ok || math.IsInf(m.SecondMoment(), 1) {
		return 0, &rff.ParameterError{Name: "kernel", Value: k, Need: "has frequencies without a second moment that float64 holds, so there is no bound"}
	}
	// Logarithms one by one: quotients and products may overflow.
	ratio := math.Max(0, float64(portable.Log(m.SecondMoment())/2)+portable.Log(diameter)-portable.Log(eps))
	return columns(rff.CosSin, eps, 4*float64(dim+2)/(eps*eps)*(portable.Log(256)-portable.Log(delta)+2*ratio))
}

func checkProbability(eps, delta float64) error {
	if err := inside.CheckPositive("eps", eps); err != nil {
		return err
	}
	if !(delta > 0 && delta < 1) {
		return &rff.ParameterError{Name: "delta", Value: delta, Need: "must be a probability between 0 and 1"}
	}
	return nil
}

// columns returns the number of feature columns of that many frequencies, rounded up. The error is
// about ε, which asks for them.
func columns(f rff.Form, eps, frequencies float64) (int, error) {
	n := math.Max(1, math.Ceil(frequencies))
	if f != rff.CosBias { // a cosine and a sine
		n *= 2
	}
	if n > limit.Elements {
		return 0, &rff.ParameterError{Name: "eps", Value: eps, Need: fmt.Sprintf("asks for %.2g features, more than any map can have", n)}
	}
	return int(n), nil
}
