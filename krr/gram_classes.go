package krr

import (
	"slices"

	"github.com/rffgo/rff"
)

// SetClasses makes the models of the Gram classifiers into these labels, for
// targets coded as ClassTargets does. It is saved with the Gram, and Grams of
// other classes do not merge before Recode. A single class, whose one column is
// +1 throughout, does for a part of a data set, but not for a model. The error
// is a *ClassError.
func (g *Gram) SetClasses(classes []string) error {
	if len(classes) != 1 || g.targets != 1 {
		if _, err := newClassCounter(classes, g.targets); err != nil {
			return err
		}
	}
	g.classes = slices.Clone(classes)
	return nil
}

// Classes returns the labels set by SetClasses, or nil.
func (g *Gram) Classes() []string { return slices.Clone(g.classes) }

// Scaling returns what is applied to rows before the map.
func (g *Gram) Scaling() rff.Scaling { return g.scaling }
