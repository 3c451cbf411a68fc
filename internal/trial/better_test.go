package trial

import (
	"math"
	"testing"
)

// A trial is better by its mean loss over paired rows, or where few rows of heavy tails hide
// that by the number of rows that gain.
func TestBetter(t *testing.T) {
	// 100 rows, of which so many gain by one amount and the first loses or gains by another.
	losses := func(gaining int, gain, first float64) (before, after *Result) {
		before, after = &Result{Loss: make([]float64, 100)}, &Result{Loss: make([]float64, 100)}
		for i := range before.Loss {
			before.Loss[i] = 10
			after.Loss[i] = 10 + gain
			if i < gaining {
				after.Loss[i] = 10 - gain
			}
		}
		after.Loss[0] = 10 - first
		return before, after
	}
	for name, c := range map[string]struct {
		gaining     int
		gain, first float64
		want        bool
	}{
		"all gain":                        {100, .1, .1, true},
		"as many lose":                    {50, .1, .1, false},
		"seven tenths gain, and one much": {70, .01, 5, true},   // 4 standard deviations of a fair coin
		"six tenths gain, and one much":   {60, .01, 5, false},  // 2
		"most gain, and one loses more":   {90, .01, -5, false}, // the mean loss is higher
	} {
		before, after := losses(c.gaining, c.gain, c.first)
		d := Compare(before, after)
		if got := d.Better(2); got != c.want {
			t.Errorf("%s: better is %v of %+v", name, got, d)
		}
		if back := Compare(after, before); back.Mean != -d.Mean || back.StdErr != d.StdErr || back.Ahead != -d.Ahead {
			t.Errorf("%s: %+v back where %+v is forth", name, back, d)
		}
	}
	before, after := losses(100, .1, 2)
	d := Compare(before, after)
	// By hand: a gain of 2 and 99 of .1; deviations of 1.881 and −.019 from a mean of .119.
	if mean, se := .119, math.Sqrt((1.881*1.881+99*.019*.019)/99)/10; math.Abs(d.Mean-mean) > 1e-12 || math.Abs(d.StdErr-se) > 1e-12 || d.Ahead != 10 {
		t.Errorf("%+v, want a mean of %g with the error %g, 10 ahead", d, mean, se)
	}
}
