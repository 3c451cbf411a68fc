package sampling

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// A few rows lie a thousand deviations out, where the target says nothing of the rest.
// Their gradients would be a thousand times those of the others, and the rates that Adam
// takes from them leave the frequencies where they are: training must see those rows
// where the columns end.
func TestRefinedFarRows(t *testing.T) {
	const dim, features = 3, 64
	i := 0
	data := planted(2000, dim, func(x []float64, rng *rand.Rand) []float64 {
		y := math.Sin(2*x[0]+x[1]) + math.Sin(3*x[1]-x[2])
		if i++; i%400 == 0 {
			for j := range x {
				x[j] *= 1000
			}
		}
		return []float64{y}
	})
	l := learned(t, "refined:preset=fast,epochs=40", dim, features, data)
	start, least := math.NaN(), math.Inf(1)
	for _, a := range l.History {
		if a.What == "epoch 0" {
			start = a.Error
		} else if strings.HasPrefix(a.What, "epoch ") {
			least = min(least, a.Error)
		}
	}
	// From 0.037 to 0.003, and to 0.037 where they are not clipped.
	if !(least < start/4) {
		t.Errorf("training takes the error from %.4f to %.4f", start, least)
	}
}
