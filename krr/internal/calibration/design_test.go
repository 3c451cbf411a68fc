package calibration

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff/blas"
)

// copied returns the rows of s that many times. Copies of a row are one unit.
func copied(s *Rows, copies int) *Rows {
	c := &Rows{Classes: s.Classes, Scores: blas.NewGeneral[float64](copies*s.Scores.Rows, s.Scores.Cols)}
	for i := range c.Scores.Rows {
		of := i % s.Scores.Rows
		copy(c.Scores.Row(i), s.Scores.Row(of))
		c.Class, c.Fold = append(c.Class, s.Class[of]), append(c.Fold, s.Fold[of])
		c.Row, c.Cluster = append(c.Row, i), append(c.Cluster, int64(of))
	}
	c.Weigh(nil, nil)
	return c
}

// Rows that err as one count as one: copies change neither a calibration nor what it is measured
// to be.
func TestCopiesOfAUnitCountOnce(t *testing.T) {
	for _, classes := range []int{2, 3} {
		s, _ := noisy(4, 24, classes, false)
		want, err := Fit(t.Context(), blas.Engine{}, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := copied(s, 20)
		got, err := Fit(t.Context(), blas.Engine{}, c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Floor/want.Floor-1) > 1e-9 {
			t.Errorf("%d classes: the least probability is %g, without copies %g", classes, got.Floor, want.Floor)
		}
		a, b := vector(got), vector(want)
		for k := range a {
			if math.Abs(a[k]-b[k]) > 1e-4 { // as in TestCalibrationIsTheMaximumLikelihood
				t.Errorf("%d classes: %v, without copies %v", classes, a, b)
			}
		}
		held, err := c.HeldOut(t.Context(), blas.Engine{}, 4, got)
		if err != nil {
			t.Fatal(err)
		}
		once, err := s.HeldOut(t.Context(), blas.Engine{}, 4, want)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(held.LogLoss-once.LogLoss) > 1e-5 {
			t.Errorf("%d classes: log loss %g held out, without copies %g", classes, held.LogLoss, once.LogLoss)
		}
	}
}

// Rows that err each by itself count as rows, whatever their units, and so do rows of which each
// is a unit: these to the bit.
func TestUnitsOfOwnErrorsCountAsRows(t *testing.T) {
	const n = 4000
	for _, classes := range []int{2, 3} {
		s, _ := noisy(4, n, classes, true)
		want, err := Fit(t.Context(), blas.Engine{}, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, units := range []int{n, 40} {
			s, _ := noisy(4, n, classes, true)
			rng := rand.New(rand.NewPCG(8, 8))
			for i := range n {
				unit := int64(n - i)
				if units < n {
					unit = int64(rng.IntN(units))
				}
				s.Row, s.Cluster = append(s.Row, i), append(s.Cluster, unit)
			}
			got, err := Fit(t.Context(), blas.Engine{}, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			// The design effect is a mean of 40·(classes − 1) squares: 1 ± √(2/40).
			if more := got.Floor / want.Floor; more > 1+3*math.Sqrt(2.0/40) || units == n && more != 1 {
				t.Errorf("%d classes, %d units: the least probability is %g times that of rows", classes, units, more)
			}
		}
	}
}

// A row that has a probability of every class is one row, and not a unit of several.
func TestRowOfSeveralClassesIsOne(t *testing.T) {
	fit := func(units bool) *Calibration {
		s, _ := noisy(3, 300, 2, false)
		one := s.Scores
		s.Scores = blas.NewGeneral[float64](2*one.Rows, 1)
		var weight, whole []float64
		class := s.Class
		s.Class, s.Fold = nil, nil
		for i := range one.Rows {
			for k := range 2 {
				s.Scores.Row(2*i + k)[0] = one.Row(i)[0]
				s.Class, weight = append(s.Class, k), append(weight, 0.2+0.6*float64((class[i]+k+1)%2))
			}
			whole = append(whole, 1)
			if units {
				s.Row, s.Cluster = append(s.Row, i, i), append(s.Cluster, int64(i))
			}
		}
		s.Weigh(weight, whole)
		c, err := Fit(t.Context(), blas.Engine{}, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if got, want := fit(true), fit(false); got.Floor != want.Floor || got.Slope[0] != want.Slope[0] {
		t.Errorf("%+v, without units %+v", got, want)
	}
}
