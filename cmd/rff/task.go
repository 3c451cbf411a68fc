package main

import (
	"math"
	"strconv"

	"github.com/rffgo/rff/dataset"
)

// sayTask says what integers were taken as, when nobody said what they are: both
// classes and counts are written so.
func (d *dataFlags) sayTask(t *dataset.Table) {
	if d.say == nil || d.task != dataset.AutoTask || t == nil {
		return
	}
	if t.Coding.Task == dataset.Classification {
		for _, c := range t.Coding.Classes {
			if v, err := strconv.ParseFloat(c, 64); err != nil || v != math.Trunc(v) {
				return
			}
		}
		d.say("the label has %d integer values: taken as classes; --task regression takes them as numbers", len(t.Coding.Classes))
		return
	}
	different := map[float64]bool{}
	for _, v := range t.Y {
		if different[v] = true; v != math.Trunc(v) || len(different) > 4096 {
			return
		}
	}
	if len(different) > 0 {
		d.say("the label has integer values: taken as numbers; --task classification takes them as classes")
	}
}
