package reproduce

import (
	"fmt"
	"slices"
)

// Absent says why a row of a table may have no figures.
func (r *Result) Absent(data, sampler string, size int, loss string) string {
	for k := range r.Failures {
		if k.Data == data && k.Sampler == sampler && k.Size == size && k.Loss == loss {
			return "cannot be done"
		}
	}
	if _, ok := r.Missing[data]; ok {
		return "no data"
	}
	return "not done yet"
}

// Notes names the sets that are not there and the cells that could not be done.
func (r *Result) Notes() []string {
	var notes, failures []string
	for _, set := range r.Protocol.Sets {
		if why, ok := r.Missing[set]; ok {
			notes = append(notes, "No data: "+why+".")
		}
	}
	for k, why := range r.Failures {
		failures = append(failures, fmt.Sprintf("Not done: %s: %s.", k, why))
	}
	slices.Sort(failures)
	return append(notes, failures...)
}
