// Package optional takes elements of slices that have one for each row, such as weights and groups.
// Such a slice is nil where rows have none, and then so is each part of it.
package optional

// Range returns v[from:to], or nil if v is nil.
func Range[T any](v []T, from, to int) []T {
	if v == nil {
		return nil
	}
	return v[from:to]
}

// At returns a copy of the elements with these indices, or nil if v is nil.
func At[T any](v []T, indices []int) []T {
	if v == nil {
		return nil
	}
	out := make([]T, len(indices))
	for to, i := range indices {
		out[to] = v[i]
	}
	return out
}
