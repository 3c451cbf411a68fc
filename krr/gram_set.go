package krr

import (
	"fmt"
	"slices"

	coding "github.com/rffgo/rff/internal/classes"
)

// Set changes settings that the rows do not depend on, also for a Gram that was read from a
// file: ClipPredictions, Variance, names that the schema does not have yet, and the classes.
// The new classes must include the old ones, in any order; so a part of a data set that has
// seen some of the classes can take those of all parts. The other settings must be those of
// Settings. Rows added later start a new row block. The error is a *rff.ParameterError; g is
// then unchanged.
func (g *Gram) Set(s GramSettings) error {
	next := g
	if classes := s.Schema.Target.Classes; !slices.Equal(classes, g.schema.Target.Classes) {
		var err error
		if next, err = g.recode(classes); err != nil {
			return err
		}
		s.Schema.Target.Columns, s.Schema.Target.Weights = next.targets, next.schema.Target.Weights
	}
	precision, err := s.Precision.on(g.m)
	if err == nil {
		err = next.match(&Gram{m: g.m, scaling: s.Scaling, precision: precision, schema: s.Schema})
	}
	if err != nil {
		return err
	}
	*g = *next
	g.clip, g.variance, g.schema = s.ClipPredictions, s.Variance, summed(s.Schema)
	return nil
}

// recode returns the same rows coded for other classes, which must include those of g. g is
// unchanged.
//
// It needs no row. A class has a column that is +1 in its own rows and −1 in the others. The
// column of a class without rows is −1 throughout, so its Σwzy is −Σwz. Two classes have one
// column, that of the second class; the column of the first would be its negative.
func (g *Gram) recode(classes []string) (*Gram, error) {
	if g.schema.Target.Classes == nil {
		return nil, wrongClasses(len(classes), "the sums are those of a regression")
	}
	for _, c := range g.schema.Target.Classes {
		if !slices.Contains(classes, c) {
			return nil, wrongClasses(len(classes), fmt.Sprintf("the rows of class %q are of none of them", c))
		}
	}
	r := NewGram(g.m, coding.Columns(len(classes)), GramSettings{Precision: nameOf(g.precision), Scaling: g.scaling, Schema: regression(g.schema)})
	if err := r.setClasses(classes); err != nil {
		return nil, err
	}
	for _, c := range classes {
		if old := g.schema.Target.Weights; old != nil {
			k := slices.Index(g.schema.Target.Classes, c)
			if k < 0 {
				return nil, wrongClasses(len(classes), fmt.Sprintf("class %q has no weight in these sums, which weigh classes: plan for all classes", c))
			}
			r.schema.Target.Weights = append(r.schema.Target.Weights, old[k])
		}
	}
	// base is the reference of the columns while they are copied: −1 if both Grams have that,
	// otherwise 0.
	base := r.shift.at[0]
	if g.targets < manyClasses {
		base = 0
	}
	from := rebased(g.summed(), g.shift.at, slices.Repeat([]float64{base}, g.targets))
	r.parts, r.origins, r.known = g.parts, g.origins, g.known
	to := r.core.Sums().Joined(nil)
	to.Rows, to.W = from.Rows, from.W
	copy(to.Z, from.Z)
	for i := range from.G.Rows {
		copy(to.G.Row(i)[i:], from.G.Row(i)[i:])
	}
	// column says where from has the sums of class c: they are sign times those of column t. If
	// no row has the class, t < 0.
	column := func(c string) (t int, sign float64) {
		t = slices.Index(g.schema.Target.Classes, c)
		if len(g.schema.Target.Classes) == 2 && t >= 0 {
			return 0, float64(2*t - 1)
		}
		return t, 1
	}
	for k, c := range classes {
		at := k
		if len(classes) == 2 {
			if k == 0 {
				continue
			}
			at = 0
		}
		t, sign := column(c)
		if t < 0 {
			if from.Rows > 0 {
				r.shift.lo[at], r.shift.hi[at] = -1, -1
			}
			for i, z := range from.Z {
				to.ZY.Row(i)[at] = (-1 - base) * z
			}
			to.Y[at], to.YY[at] = (-1-base)*from.W, (1+base)*from.W // base is 0 or −1
			continue
		}
		for i := range from.Z {
			to.ZY.Row(i)[at] = sign * from.ZY.Row(i)[t]
		}
		to.Y[at], to.YY[at] = sign*from.Y[t], from.YY[t]
		if r.shift.lo[at], r.shift.hi[at] = g.shift.lo[t], g.shift.hi[t]; sign < 0 {
			r.shift.lo[at], r.shift.hi[at] = -g.shift.hi[t], -g.shift.lo[t]
		}
	}
	less := rebased(to, slices.Repeat([]float64{base}, r.targets), r.shift.at)
	r.core.Sums().SetTargets(less)
	return r, nil
}
