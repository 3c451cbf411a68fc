package loss

import "strconv"

// expectile is the squared error times 2τ where the target is above the score, and times 2(1 −
// τ) where it is below. With τ = ½ it is the squared error (Newey and Powell, "Asymmetric least
// squares estimation and testing", 1987).
type expectile float64

func parseExpectile(value string) (Loss, error) {
	v, err := number(value, 0, 1, `expectile: and a number between 0 and 1, such as "expectile:0.9"`)
	return expectile(v), err
}

func (e expectile) String() string {
	return "expectile:" + strconv.FormatFloat(float64(e), 'g', -1, 64)
}

func (expectile) Traits() Traits { return Traits{Differences: true} }

func (e expectile) Curvature(float64) float64 { return 4 * float64(max(e, 1-e)) }

func (e expectile) Row(score, y, value, slope []float64) {
	for t, f := range score {
		d, w := f-y[t], float64(2*e)
		if d > 0 {
			w = float64(2 * (1 - e))
		}
		value[t], slope[t] = float64(w*d)*d, 2*w*d
	}
}

func (e expectile) Bend(score, y []float64) float64 {
	below := share(len(y), 1, func(t int) bool { return y[t] < score[t] })
	return 4 * (float64(e) + float64(below*float64(1-2*e)))
}
