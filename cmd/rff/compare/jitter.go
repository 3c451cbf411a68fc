package compare

import "fmt"

// A jitter above needed has other causes than rounding: rff.Nystrom always adds 10⁻¹².
const needed = 1e-11

// jitters says of every sampler what had to be added to a diagonal.
func (r *Result) jitters() []string {
	var notes []string
	for _, sampler := range r.Settings.Samplers {
		var fits, near, raised, finer int
		var most float64
		for i := range r.Cells {
			c := &r.Cells[i]
			if c.Sampler != sampler || c.Failure != "" {
				continue
			}
			fits++
			if c.Jitter > needed {
				near, most = near+1, max(most, c.Jitter)
			}
			if c.Raised > 0 {
				raised++
			}
			if c.Finer != "" {
				finer++
			}
		}
		if near > 0 {
			notes = append(notes, fmt.Sprintf("%s: landmarks are nearly alike at this bandwidth: up to %.2g was added to the diagonal of their kernel matrix, in %d of %d fits", sampler, most, near, fits))
		}
		if raised > 0 {
			notes = append(notes, fmt.Sprintf("%s: rounding errors of the sums were beyond the ridge, which was raised to them, in %d of %d fits", sampler, raised, fits))
		}
		if finer > 0 {
			notes = append(notes, fmt.Sprintf("%s: rounding errors of sums in %s hide the λ that was chosen in %d of %d fits, which are in a finer precision", sampler, r.Settings.Precision, finer, fits))
		}
	}
	return notes
}
